/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/extent.h"

#include "ktrace/operation.h"

#include <stdbool.h>
#include <string.h>

/* --- integers that stop at their limits ---------------------------------------------------------------------- */

static int64_t limit(bool negative)
{
    return negative ? INT64_MIN : INT64_MAX;
}

static int64_t sum(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_add_overflow(a, b, &result) ? limit(a < 0) : result;
}

static int64_t difference(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_sub_overflow(a, b, &result) ? limit(a < 0) : result;
}

static int64_t product(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_mul_overflow(a, b, &result) ? limit((a < 0) != (b < 0)) : result;
}

/* Rounded down. */
static int64_t quotient(int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    if (b == -1)
        return difference(0, a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t at_least_0(int64_t a)
{
    return a > 0 ? a : 0;
}

static int64_t bits_of(int64_t a)
{
    return a > 0 ? 64 - __builtin_clzll((unsigned long long)a) : 0;
}

/* --- operations ---------------------------------------------------------------------------------------------- */

/* From the first to the last of N elements STEP apart, either way. */
static int64_t vector(int64_t n, int64_t step)
{
    return n > 0 ? sum(product(n - 1, step < 0 ? difference(0, step) : step), 1) : 0;
}

/* From the first of ROWS in the first column to the last in the last one. */
static int64_t matrix(int64_t rows, int64_t columns, int64_t ld)
{
    return rows > 0 && columns > 0 ? sum(product(columns - 1, at_least_0(ld)), rows) : 0;
}

/* N (N + 1) / 2, of which one factor is even. */
static int64_t packed(int64_t n)
{
    n = at_least_0(n);
    return n % 2 ? product(n, n / 2 + 1) : product(n / 2, sum(n, 1));
}

static int64_t of_one(enum kt_operation code, int64_t a)
{
    switch (code) {
    case KT_OP_LEVELS: /* halvings until no part has more than 25 rows: trace/expr.c */
        return bits_of(a / 13);
    case KT_OP_LG:
        return a > 1 ? bits_of(a - 1) : 0;
    default:
        return packed(a);
    }
}

static int64_t of_two(enum kt_operation code, int64_t a, int64_t b)
{
    switch (code) {
    case KT_OP_ADD:
        return sum(a, b);
    case KT_OP_SUB:
        return difference(a, b);
    case KT_OP_MUL:
        return product(a, b);
    case KT_OP_DIV:
    case KT_OP_QUOTIENT:
        return quotient(a, b);
    case KT_OP_LESS:
        return a < b;
    case KT_OP_GREATER:
        return a > b;
    case KT_OP_EQUAL:
        return a == b;
    case KT_OP_AT_MOST:
        return a <= b;
    case KT_OP_AT_LEAST:
        return a >= b;
    case KT_OP_AND:
        return a && b;
    case KT_OP_OR:
        return a || b;
    case KT_OP_MIN:
        return a < b ? a : b;
    case KT_OP_MAX:
        return a > b ? a : b;
    default:
        return vector(a, b);
    }
}

/* All others. V: the values, the last one last. */
static int64_t of_values(enum kt_operation code, const int64_t *v)
{
    if (code == KT_OP_SELECT)
        return v[0] ? v[1] : v[2];
    if (code == KT_OP_MATRIX)
        return v[2] ? matrix(v[1], v[0], v[3]) : matrix(v[0], v[1], v[3]);
    return kt_operation_values(code) == 1 ? of_one(code, v[0]) : of_two(code, v[0], v[1]);
}

/* --- arguments ----------------------------------------------------------------------------------------------- */

static int32_t half_at(const unsigned char *at)
{
    int32_t half;
    memcpy(&half, at, sizeof half);
    return half;
}

static int64_t word_at(const unsigned char *at)
{
    int64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* The bit of a letter or digit, as kt_letter_bit() in trace/expr.h; 32: none. */
static unsigned bit_of_letter(unsigned char letter)
{
    unsigned upper = letter & 0xdfu;
    if (upper >= 'A' && upper <= 'Z')
        return upper - 'A';
    return letter >= '0' && letter <= '5' ? 26 + letter - '0' : 32;
}

static bool has_bit(const uint16_t set[2], unsigned bit)
{
    return bit < 32 && (set[bit / 16] >> bit % 16 & 1);
}

static int64_t leaf(enum kt_operation code, unsigned operand, const unsigned char *at, const uint16_t *next)
{
    enum { ROW_MAJOR = 101 };
    switch (code) {
    case KT_OP_NUMBER:
        return operand;
    case KT_OP_ARG:
        return word_at(at);
    case KT_OP_OPTION_IN:
        return has_bit(next, bit_of_letter(*at));
    case KT_OP_ENUM_IN:
        return has_bit(next, (unsigned)half_at(at) - KT_OP_FIRST_ENUM);
    case KT_OP_ROW_MAJOR:
        return half_at(at) == ROW_MAJOR;
    case KT_OP_FLOAT:
        return (half_at(at) & INT32_MAX) != 0;
    default:
        return (word_at(at) & INT64_MAX) != 0;
    }
}

static uint64_t bytes_of(int64_t elements, unsigned bytes)
{
    return (uint64_t)product(at_least_0(elements), bytes);
}

uint64_t kt_extent(const uint16_t *program, const void *args, unsigned int_bytes)
{
    int64_t stack[KT_OP_DEPTH] = {0};
    int64_t *top = stack; /* behind the last value */
    for (;;) {
        enum kt_operation code = *program >> KT_OP_OPERAND_BITS;
        unsigned operand = *program++ & ((1u << KT_OP_OPERAND_BITS) - 1);
        if (code == KT_OP_END)
            return bytes_of(stack[0], operand ? operand : int_bytes);
        int values = kt_operation_values(code);
        top -= values;
        *top = values
                   ? of_values(code, top)
                   : leaf(code, operand, code == KT_OP_NUMBER ? args : (const unsigned char *)args + operand, program);
        top++;
        program += code == KT_OP_OPTION_IN || code == KT_OP_ENUM_IN ? 2 : 0;
    }
}
