/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the shim has operands end, by programs of integers, against what the tools compute of the same calls: of every
 * symbol, never before the last byte that kt_operands() names, and exactly where the array ends that the interface
 * describes.
 */
#include "ktrace/operation.h"
#include "preload/extent.h"
#include "tests/synth.h"
#include "tests/table_load.h"
#include "trace/operand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BASE = 1 << 20, ROUNDS = 24 };

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* In elements. A unit diagonal belongs to the array, though not to the operand. */
static int64_t end_of_array(const struct kt_operand *o)
{
    int64_t height = o->form == KT_FORM_BAND ? larger(o->below, 0) + larger(o->above, 0) + 1 : o->rows;
    switch (o->form) {
    case KT_FORM_ARRAY:
        return o->rows;
    case KT_FORM_VECTOR:
        return o->rows ? (o->rows - 1) * llabs(o->ld) + 1 : 0;
    case KT_FORM_PACKED:
        return o->rows * (o->rows + 1) / 2;
    default:
        return height && o->cols ? (o->cols - 1) * o->ld + height : 0;
    }
}

static void check_operand(const struct kt_symbol *symbol, const struct kt_operand *o, uint64_t extent)
{
    uint64_t end = o->access & KT_READ ? (uint64_t)end_of_array(o) * o->elem : 0;
    if (o->access & KT_READ && o->hi - o->base > extent)
        fail_msg("%s: %s is read up to %llu, but kept up to %llu only", symbol->name, o->name,
                 (unsigned long long)(o->hi - o->base), (unsigned long long)extent);
    if (extent != end)
        fail_msg("%s: %s is kept up to %llu, but ends at %llu", symbol->name, o->name, (unsigned long long)extent,
                 (unsigned long long)end);
}

/* EXTENTS: those of the symbol. ARGS: of a call of it, whose addresses are BASE. */
static void check_call(const struct kt_symbol *symbol, const uint16_t *extents, const unsigned char *args,
                       unsigned int_bytes)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    kt_values_decode(symbol, args, &values);
    kt_operands(symbol, &values, int_bytes, operand);
    const struct kt_operand *o = operand;
    for (int i = 0; i < symbol->params; i++) {
        if (!kt_stored_is_address(symbol->param[i].stored))
            continue;
        unsigned program = *extents++;
        uint64_t extent = program ? kt_extent(&kt_extent_code[program], args, int_bytes) : 0;
        if (symbol->param[i].stored == KT_ADDRESS)
            check_operand(symbol, o++, extent);
        else
            assert_int_equal(program, 0);
    }
}

static int addresses_of(const struct kt_symbol *symbol)
{
    int count = 0;
    for (int i = 0; i < symbol->params; i++)
        count += kt_stored_is_address(symbol->param[i].stored);
    return count;
}

/* One or two numbers, each of them perhaps one of the zeros. */
static void make_scalar(enum kt_stored stored, struct kt_synth *synth, unsigned char *at)
{
    static const double number[] = {0, -0.0, 2};
    bool is_float = stored == KT_FLOAT || stored == KT_CFLOAT;
    int parts = stored == KT_CFLOAT || stored == KT_CDOUBLE ? 2 : 1;
    for (int i = 0; i < parts; i++) {
        double value = number[kt_synth_draw(synth, 3)];
        float narrow = (float)value;
        if (is_float)
            memcpy(at + 4 * i, &narrow, sizeof narrow);
        else
            memcpy(at + 8 * i, &value, sizeof value);
    }
}

/* Whatever integers, which need not fit each other, letters in lower case. */
static void make_wild(const struct kt_symbol *symbol, struct kt_synth *synth, unsigned char *args)
{
    for (int i = 0; i < symbol->params; i++) {
        unsigned char *at = args + symbol->param[i].offset;
        int64_t integer = (int64_t)kt_synth_draw(synth, 7);
        if (symbol->param[i].stored == KT_INT)
            memcpy(at, &integer, sizeof integer);
        if (symbol->param[i].stored == KT_CHAR)
            *at |= 0x20;
        if (symbol->param[i].stored >= KT_FLOAT && symbol->param[i].stored <= KT_CDOUBLE)
            make_scalar(symbol->param[i].stored, synth, at);
    }
}

static void check_symbol(const struct kt_symbol *symbol, const uint16_t *extents, struct kt_synth *synth)
{
    uint64_t address[KT_MAX_PARAMS];
    unsigned char args[KT_SYNTH_ARG_BYTES];
    for (size_t i = 0; i < KT_MAX_PARAMS; i++)
        address[i] = BASE;
    for (unsigned round = 0; round < ROUNDS; round++) {
        synth->distinct = round % 4 == 0;
        synth->large = round % 4 == 1;
        synth->queries = round % 4 == 2;
        kt_synth_arguments(synth, symbol, round / 4 % 2, args);
        if (round % 4 == 3)
            make_wild(symbol, synth, args);
        kt_synth_set_addresses(symbol, address, args);
        check_call(symbol, extents, args, round % 3 ? 4 : 8);
    }
}

/* In the order of the interfaces. */
static void test_every_symbol(void **state)
{
    (void)state;
    struct kt_synth synth = {.state = 33};
    const uint16_t *extents = kt_extents;
    for (size_t i = 0; i < kt_spec_table.count; i++)
        for (enum kt_view view = 0; view < KT_VIEWS; view++) {
            struct kt_symbol symbol;
            if (!kt_symbol_make(&kt_spec_table.routine[i], view, &symbol))
                continue;
            check_symbol(&symbol, extents, &synth);
            extents += addresses_of(&symbol);
        }
}

/* --- integers in place of floating-point numbers ------------------------------------------------------------- */

static int find_n(const void *context, const char *name, size_t length, int *is_option)
{
    (void)context;
    *is_option = 0;
    return length == 1 && *name == 'n' ? 0 : -1;
}

static double value_of(const char *text, int64_t n)
{
    struct kt_expr expr;
    struct kt_error error = {0};
    const struct kt_scope scope = {find_n, NULL};
    const double v[KT_MAX_ARGS] = {(double)n};
    assert_int_equal(kt_expr_parse(&text, &scope, &expr, &error), KT_OK);
    double value = kt_expr_eval(&expr, v);
    kt_expr_free(&expr);
    return value;
}

#define OP(code, operand) (code << KT_OP_OPERAND_BITS | operand)

static void test_logarithms(void **state)
{
    (void)state;
    static const uint16_t levels[] = {OP(KT_OP_ARG, 0), OP(KT_OP_LEVELS, 0), OP(KT_OP_END, 1)};
    static const uint16_t lg[] = {OP(KT_OP_ARG, 0), OP(KT_OP_LG, 0), OP(KT_OP_END, 1)};
    for (int64_t n = -3; n < 1 << 20; n += n < 1000 ? 1 : 997) {
        assert_int_equal(kt_extent(levels, &n, 4), (uint64_t)value_of("levels(n)", n));
        assert_int_equal(kt_extent(lg, &n, 4), (uint64_t)value_of("lg(n)", n));
    }
    const int64_t edges[] = {(13 << 10) - 1, 13 << 10, 1 << 20, (1 << 20) + 1};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        assert_int_equal(kt_extent(levels, &edges[i], 4), (uint64_t)value_of("levels(n)", edges[i]));
        assert_int_equal(kt_extent(lg, &edges[i], 4), (uint64_t)value_of("lg(n)", edges[i]));
    }
}

static void test_quotients_are_rounded_down(void **state)
{
    (void)state;
    static const uint16_t program[] = {OP(KT_OP_ARG, 0),      OP(KT_OP_ARG, 8), OP(KT_OP_QUOTIENT, 0),
                                       OP(KT_OP_NUMBER, 100), OP(KT_OP_ADD, 0), OP(KT_OP_END, 1)};
    const int64_t pair[][3] = {{7, 2, 103}, {-7, 2, 96}, {7, -2, 96}, {-7, -2, 103},
                               {-8, 2, 96}, {7, 0, 100}, {5, -1, 95}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        assert_int_equal(kt_extent(program, pair[i], 4), pair[i][2]);
    const int64_t extreme[] = {INT64_MIN, -1};
    assert_int_equal(kt_extent(program, extreme, 4), INT64_MAX);
}

/* --- arguments that no correct program passes ---------------------------------------------------------------- */

static void test_sizes_without_measure_do_not_wrap(void **state)
{
    (void)state;
    static const uint16_t matrix[] = {OP(KT_OP_ARG, 0),  OP(KT_OP_ARG, 8),    OP(KT_OP_NUMBER, 0),
                                      OP(KT_OP_ARG, 16), OP(KT_OP_MATRIX, 0), OP(KT_OP_END, 16)};
    static const uint16_t vector[] = {OP(KT_OP_ARG, 0), OP(KT_OP_ARG, 8), OP(KT_OP_VECTOR, 0), OP(KT_OP_END, 16)};
    static const uint16_t packed[] = {OP(KT_OP_ARG, 0), OP(KT_OP_PACKED, 0), OP(KT_OP_END, 16)};
    const int64_t most[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    const int64_t least[] = {INT64_MIN, INT64_MIN, INT64_MIN};
    const int64_t backwards[] = {2, INT64_MIN};
    assert_int_equal(kt_extent(matrix, most, 4), INT64_MAX);
    assert_int_equal(kt_extent(vector, most, 4), INT64_MAX);
    assert_int_equal(kt_extent(packed, most, 4), INT64_MAX);
    assert_int_equal(kt_extent(vector, backwards, 4), INT64_MAX);
    assert_int_equal(kt_extent(matrix, least, 4), 0);
    assert_int_equal(kt_extent(vector, least, 4), 0);
    assert_int_equal(kt_extent(packed, least, 4), 0);
}

static void test_negative_leading_dimension(void **state)
{
    (void)state;
    static const uint16_t matrix[] = {OP(KT_OP_ARG, 0),  OP(KT_OP_ARG, 8),    OP(KT_OP_NUMBER, 0),
                                      OP(KT_OP_ARG, 16), OP(KT_OP_MATRIX, 0), OP(KT_OP_END, 8)};
    const int64_t sizes[] = {5, 3, -7};
    assert_int_equal(kt_extent(matrix, sizes, 4), 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_symbol),
        cmocka_unit_test(test_logarithms),
        cmocka_unit_test(test_quotients_are_rounded_down),
        cmocka_unit_test(test_sizes_without_measure_do_not_wrap),
        cmocka_unit_test(test_negative_leading_dimension),
    };
    return cmocka_run_group_tests(tests, kt_spec_setup, kt_spec_teardown);
}
