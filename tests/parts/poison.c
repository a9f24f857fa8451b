/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/parts/poison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, ARENAS = 4 };

bool kt_poison_open(struct kt_poison *p)
{
    unsigned char *memory = calloc(ARENAS, KT_POISON_BYTES);
    p->arena = memory;
    if (!memory)
        return false;
    p->input = memory + KT_POISON_BYTES;
    p->access = memory + 2 * KT_POISON_BYTES;
    p->before = memory + 3 * KT_POISON_BYTES;
    return true;
}

void kt_poison_close(struct kt_poison *p)
{
    free(p->arena);
}

/* --- where operands lie ------------------------------------------------------------------------------------ */

static size_t round_up(size_t x)
{
    return (x + LINE - 1) / LINE * LINE;
}

/* The operands must have been computed with all addresses 0. The margin lets errors of a column or row stay inside. */
static bool place_operands(struct kt_poison *p)
{
    uint64_t address[KT_MAX_OPERANDS];
    p->used = 0;
    for (int i = 0; i < p->operands; i++) {
        const struct kt_operand *o = &p->operand[i];
        size_t step = (size_t)(o->ld < 0 ? -o->ld : o->ld);
        size_t margin = round_up((16 + 2 * step) * o->elem);
        struct kt_region *r = &p->region[i];
        r->begin = p->used;
        r->base = r->begin + margin;
        r->end = p->used = r->base + round_up(o->hi) + margin;
        r->type = o->arg ? o->arg->type : p->symbol->routine->result;
        r->elem = o->elem;
        address[i] = (uint64_t)(uintptr_t)(p->arena + r->base);
    }
    if (p->used > KT_POISON_BYTES)
        return false;
    kt_synth_set_addresses(p->symbol, address, p->args);
    return true;
}

/* Offset in the arena of the I-th run of an operand; returns its length in bytes. */
static size_t run_of(const struct kt_poison *p, int operand, int64_t i, size_t *offset)
{
    uint64_t lo, hi;
    kt_operand_run(&p->operand[operand], i, &lo, &hi);
    *offset = (size_t)(lo - (uint64_t)(uintptr_t)p->arena);
    return (size_t)(hi - lo);
}

/* Takes the first or last element of the operand out of what is declared. */
static void apply_mutation(struct kt_poison *p, struct kt_mutation m)
{
    const struct kt_operand *o = &p->operand[m.operand];
    int64_t runs = kt_operand_runs(o);
    bool first = m.end == KT_FIRST_ELEMENT;
    for (int64_t i = first ? 0 : runs - 1; i >= 0 && i < runs; i += first ? 1 : -1) {
        size_t offset;
        size_t bytes = run_of(p, m.operand, i, &offset);
        if (bytes == 0)
            continue;
        memset(p->access + offset + (first ? 0 : bytes - o->elem), 0, o->elem);
        return;
    }
}

void kt_poison_declare(struct kt_poison *p, struct kt_mutation m)
{
    memset(p->access, 0, p->used);
    for (int i = 0; i < p->operands; i++) {
        int64_t runs = kt_operand_runs(&p->operand[i]);
        for (int64_t run = 0; run < runs; run++) {
            size_t offset;
            size_t bytes = run_of(p, i, run, &offset);
            memset(p->access + offset, p->operand[i].access, bytes);
        }
    }
    if (m.end != KT_NO_END)
        apply_mutation(p, m);
}

/* --- contents ---------------------------------------------------------------------------------------------- */

static void store_element(unsigned char *at, enum kt_type type, double re, double im)
{
    float f[2] = {(float)re, (float)im};
    double d[2] = {re, im};
    int32_t integer = (int32_t)re;
    switch (type) {
    case KT_S:
    case KT_C:
        memcpy(at, f, kt_type_bytes(type));
        break;
    case KT_D:
    case KT_Z:
        memcpy(at, d, kt_type_bytes(type));
        break;
    case KT_I:
        memcpy(at, &integer, sizeof integer);
        break;
    }
}

static size_t diagonal_offset(const struct kt_operand *o, int64_t j)
{
    bool upper = o->below <= 0;
    int64_t element = j * o->ld + j;
    if (o->form == KT_FORM_BAND)
        element = j * o->ld + o->diagonal;
    if (o->form == KT_FORM_PACKED)
        element = upper ? j * (j + 1) / 2 + j : j * o->rows - j * (j - 1) / 2;
    return (size_t)element * o->elem;
}

/* Makes the diagonal dominate: the triangle is well-conditioned, the symmetric matrix is positive definite. */
static void fill_dominant(struct kt_poison *p, int operand)
{
    const struct kt_operand *o = &p->operand[operand];
    for (int64_t j = 0; j < o->cols && j < o->rows; j++)
        store_element(p->input + p->region[operand].base + diagonal_offset(o, j), p->region[operand].type,
                      (double)o->rows + 1 + (double)j / 8, 0);
}

static bool is_upper(const struct kt_poison *p)
{
    for (int i = 0; i < p->symbol->routine->args; i++)
        if (p->symbol->routine->arg[i].role == KT_UPLO)
            return p->values.v[i] == 'U';
    return false;
}

/* A row is exchanged with itself or a later one; the factorization of an upper triangle goes upwards. */
static void fill_pivots(struct kt_poison *p, struct kt_synth *s, int operand)
{
    int64_t n = p->operand[operand].rows;
    bool upper = is_upper(p);
    for (int64_t i = 0; i < n; i++) {
        int64_t pivot = upper ? 1 + (int64_t)kt_synth_draw(s, (uint64_t)i + 1)
                              : i + 1 + (int64_t)kt_synth_draw(s, (uint64_t)(n - i));
        store_element(p->input + p->region[operand].base + (size_t)i * p->region[operand].elem, KT_I, (double)pivot, 0);
    }
}

/* The first element selects which of the others the routine reads. */
static void fill_rotm(struct kt_poison *p, struct kt_synth *s, int operand)
{
    store_element(p->input + p->region[operand].base, p->region[operand].type, (double)kt_synth_draw(s, 4) - 2, 0);
}

static void fill_input(struct kt_poison *p, struct kt_synth *s, int operand)
{
    const struct kt_region *r = &p->region[operand];
    for (size_t at = r->begin; at < r->end; at += r->elem)
        store_element(p->input + at, r->type, kt_synth_number(s), kt_synth_number(s));
    switch (p->operand[operand].arg ? p->operand[operand].arg->data : KT_ANY) {
    case KT_SPD:
    case KT_TRIANGLE:
    case KT_LU:
        fill_dominant(p, operand);
        break;
    case KT_PIVOTS:
        fill_pivots(p, s, operand);
        break;
    case KT_ROTM:
        fill_rotm(p, s, operand);
        break;
    default:
        break;
    }
}

/*
 * NAN shows where a poisoned element is only multiplied by 0, but is absorbing: adding to it goes unnoticed. The large
 * number is not, as long as the sum has enough digits for both. Comparisons treat NAN like a large number, not like 0.
 * Integer poison is small: pivots among it then lead into the margins and not out of the arena.
 */
static void store_poison(unsigned char *at, enum kt_type type, int run)
{
    static const double numbers[KT_POISON_RUNS] = {(double)NAN, 12345.678, 0};
    double number = type == KT_I ? 1 + run : numbers[run];
    store_element(at, type, number, number);
}

unsigned char kt_poison_byte(const struct kt_poison *p, size_t at, int run)
{
    unsigned char element[16];
    const struct kt_region *r = p->region;
    while (at >= r->end)
        r++;
    store_poison(element, r->type, run);
    return element[(at - r->begin) % r->elem];
}

void kt_poison_fill(struct kt_poison *p, int run)
{
    for (int i = 0; i < p->operands; i++) {
        const struct kt_region *r = &p->region[i];
        for (size_t at = r->begin; at < r->end; at += r->elem) {
            if (p->access[at] & KT_READ)
                memcpy(p->arena + at, p->input + at, r->elem);
            else
                store_poison(p->arena + at, r->type, run);
        }
    }
    memcpy(p->before, p->arena, p->used);
}

bool kt_poison_draw(struct kt_poison *p, struct kt_synth *s)
{
    kt_synth_arguments(s, p->symbol, kt_synth_draw(s, 2), p->args);
    kt_values_decode(p->symbol, p->args, &p->values);
    p->operands = kt_operands(p->symbol, &p->values, KT_POISON_INT_BYTES, p->operand);
    if (!place_operands(p))
        return false;
    kt_values_decode(p->symbol, p->args, &p->values);
    p->operands = kt_operands(p->symbol, &p->values, KT_POISON_INT_BYTES, p->operand);
    for (int i = 0; i < p->operands; i++)
        fill_input(p, s, i);
    return true;
}
