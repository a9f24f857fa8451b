/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers are drawn once, into a pool; operands are filled by copying from it, which is as fast as restoring
 * them from a saved copy would be. Each column begins at a place of its own in the pool, so that no two columns are
 * equal and a random matrix is regular.
 */
#include "replay/data.h"

#include "replay/random.h"

#include <stdlib.h>
#include <string.h>

/* POOL_UNIT holds whole elements of every type: copies never split one. */
enum { POOL_BYTES = 1 << 19, POOL_UNIT = 16, POOL_UNITS = POOL_BYTES / POOL_UNIT, COLUMN_STEP = 12345 };

struct kt_data_pool {
    _Alignas(64) float single[POOL_BYTES / sizeof(float)];
    double wide[POOL_BYTES / sizeof(double)];
};

/* In [-1, 1) and never nearer to 0 than 2^-24: products of a few stay normal numbers even in single precision. */
static double next_number(uint64_t *state)
{
    return (double)((int64_t)(kt_random(state) >> 40) * 2 - (1 << 24) + 1) / (1 << 24);
}

struct kt_data_pool *kt_data_pool_new(void)
{
    uint64_t state = 1;
    struct kt_data_pool *pool = aligned_alloc(64, sizeof *pool);
    if (!pool)
        abort();
    for (size_t i = 0; i < sizeof pool->wide / sizeof *pool->wide; i++)
        pool->wide[i] = next_number(&state);
    for (size_t i = 0; i < sizeof pool->single / sizeof *pool->single; i++)
        pool->single[i] = (float)next_number(&state);
    return pool;
}

void kt_data_pool_free(struct kt_data_pool *pool)
{
    free(pool);
}

/* --- random contents --------------------------------------------------------------------------------------- */

static bool is_single(enum kt_type type)
{
    return type == KT_S || type == KT_C;
}

static void copy_random(const struct kt_data_pool *pool, bool single, unsigned char *to, uint64_t bytes,
                        uint64_t offset)
{
    const unsigned char *from = single ? (const unsigned char *)pool->single : (const unsigned char *)pool->wide;
    for (offset %= POOL_BYTES; bytes > 0; offset = 0) {
        uint64_t part = bytes < POOL_BYTES - offset ? bytes : POOL_BYTES - offset;
        memcpy(to, from + offset, part);
        to += part;
        bytes -= part;
    }
}

/* Where in the pool the contents of run I begin. A strided vector continues where its previous element ended. */
static uint64_t pool_offset(const struct kt_operand *o, int place, int64_t run)
{
    uint64_t start = (uint64_t)place * 1009 * POOL_UNIT;
    if (o->form == KT_FORM_VECTOR || o->form == KT_FORM_ARRAY)
        return start + (uint64_t)run * o->elem;
    return start + (uint64_t)run * COLUMN_STEP % POOL_UNITS * POOL_UNIT;
}

static void fill_random(const struct kt_data_pool *pool, const struct kt_operand *o, int place)
{
    int64_t runs = kt_operand_runs(o);
    for (int64_t i = 0; i < runs; i++) {
        uint64_t lo, hi;
        kt_operand_run(o, i, &lo, &hi);
        copy_random(pool, is_single(o->arg->type), (unsigned char *)lo, hi - lo, pool_offset(o, place, i));
    }
}

static void fill_zero(const struct kt_operand *o)
{
    int64_t runs = kt_operand_runs(o);
    for (int64_t i = 0; i < runs; i++) {
        uint64_t lo, hi;
        kt_operand_run(o, i, &lo, &hi);
        memset((void *)lo, 0, hi - lo);
    }
}

/* --- structured contents ----------------------------------------------------------------------------------- */

/* Stores a real number as an element of that type. */
static void store(uint64_t address, enum kt_type type, double value)
{
    const float single[2] = {(float)value, 0};
    const double wide[2] = {value, 0};
    memcpy((void *)address, is_single(type) ? (const void *)single : (const void *)wide, kt_type_bytes(type));
}

static void scale(uint64_t lo, uint64_t hi, bool single, double factor)
{
    if (single)
        for (float *x = (float *)lo; x < (float *)hi; x++)
            *x *= (float)factor;
    else
        for (double *x = (double *)lo; x < (double *)hi; x++)
            *x *= factor;
}

/* The diagonal element of column J of a stored column that begins at LO; false if it is not stored. */
static bool find_diagonal(const struct kt_operand *o, int64_t j, uint64_t lo, uint64_t hi, uint64_t *out)
{
    int64_t first = j > o->above ? j - o->above : 0;
    *out = lo + (uint64_t)(j - first) * o->elem;
    return first <= j && *out < hi;
}

/* Random with every element of the diagonal between LEAST and 2 LEAST and all others multiplied by FACTOR. */
static void fill_dominant(const struct kt_data_pool *pool, const struct kt_operand *o, int place, double factor,
                          double least)
{
    int64_t runs = kt_operand_runs(o);
    fill_random(pool, o, place);
    for (int64_t j = 0; j < runs; j++) {
        uint64_t lo, hi, diagonal;
        kt_operand_run(o, j, &lo, &hi);
        if (factor != 1)
            scale(lo, hi, is_single(o->arg->type), factor);
        double spread = pool->wide[(uint64_t)j % (POOL_BYTES / sizeof(double))];
        if (find_diagonal(o, j, lo, hi, &diagonal))
            store(diagonal, o->arg->type, least * (1.5 + 0.499 * spread));
    }
}

static double order_of(const struct kt_operand *o)
{
    return (double)(o->rows > o->cols ? o->rows : o->cols);
}

/* LAPACK's row exchanges: row i with any row from i on, counted from 1. */
static void fill_pivots(const struct kt_operand *o)
{
    uint64_t state = 2;
    for (int64_t i = 0; i < o->rows; i++) {
        int64_t pivot = i + 1 + (int64_t)(kt_random(&state) % (uint64_t)(o->rows - i));
        int32_t narrow = (int32_t)pivot;
        unsigned char *at = (unsigned char *)o->lo + (uint64_t)i * o->elem;
        memcpy(at, o->elem == sizeof pivot ? (const void *)&pivot : (const void *)&narrow, o->elem);
    }
}

static double sum_of_squares(uint64_t lo, uint64_t hi, bool single)
{
    double sum = 0;
    if (single)
        for (const float *x = (const float *)lo; x < (const float *)hi; x++)
            sum += (double)*x * *x;
    else
        for (const double *x = (const double *)lo; x < (const double *)hi; x++)
            sum += *x * *x;
    return sum;
}

/* 2 / |v|^2 makes I - tau v v' a reflection; v is 1 on the diagonal and what is stored below it. */
static void fill_tau(const struct kt_operand *tau, const struct kt_operand *v)
{
    for (int64_t j = 0; j < tau->rows; j++) {
        uint64_t lo, hi, diagonal;
        double below = 0;
        if (j < v->cols) {
            kt_operand_run(v, j, &lo, &hi);
            if (find_diagonal(v, j, lo, hi, &diagonal))
                below = sum_of_squares(diagonal + v->elem, hi, is_single(v->arg->type));
        }
        store(tau->lo + (uint64_t)j * tau->elem, tau->arg->type, 2 / (1 + below));
    }
}

/* A full rotation, flag -1: flag, h11, h21, h12, h22. */
static void fill_rotm(const struct kt_operand *o)
{
    static const double param[] = {-1, 0.8, -0.6, 0.6, 0.8};
    for (int64_t i = 0; i < o->rows && i < 5; i++)
        store(o->lo + (uint64_t)i * o->elem, o->arg->type, param[i]);
}

static const struct kt_operand *find_reflectors(const struct kt_operand *operand, int count)
{
    for (int i = 0; i < count; i++)
        if (operand[i].arg && operand[i].arg->data == KT_REFLECTORS)
            return &operand[i];
    return NULL;
}

void kt_data_fill(const struct kt_data_pool *pool, const struct kt_operand *operand, int count, int i)
{
    const struct kt_operand *o = &operand[i];
    const struct kt_operand *reflectors = find_reflectors(operand, count);
    enum kt_data data = o->arg ? o->arg->data : KT_ANY;
    if (o->lo == o->hi)
        return;
    if (data == KT_PIVOTS)
        fill_pivots(o);
    else if (!o->arg || o->arg->type == KT_I)
        fill_zero(o);
    else if (data == KT_SPD)
        fill_dominant(pool, o, i, 1, 2 * order_of(o));
    else if (data == KT_TRIANGLE || data == KT_LU)
        fill_dominant(pool, o, i, 1 / order_of(o), 1);
    else if (data == KT_TAU && reflectors)
        fill_tau(o, reflectors);
    else if (data == KT_ROTM)
        fill_rotm(o);
    else
        fill_random(pool, o, i);
}
