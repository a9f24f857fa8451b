/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers are drawn once, into a pool; operands are filled by copying from it, which is as fast as restoring
 * them from a saved copy would be. Each column begins at a place of its own in the pool, so that no two columns are
 * equal and a random matrix is regular.
 */
#include "replay/call/data.h"

#include "trace/base/random.h"

#include <math.h>
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

/* --- what is legal ----------------------------------------------------------------------------------------- */

#define RULE_TEXT(rule, expression) [rule] = #expression,
static const char *const rule_text[] = {KT_DATA_RULES(RULE_TEXT)};

const char *kt_data_rule_text(enum kt_data rule)
{
    return rule < sizeof rule_text / sizeof *rule_text ? rule_text[rule] : NULL;
}

static double order_of(const struct kt_operand *o)
{
    return (double)(o->rows > o->cols ? o->rows : o->cols);
}

bool kt_data_is_stored_band(const struct kt_operand *o)
{
    return o->form == KT_FORM_MATRIX && o->arg && o->arg->shape.form == KT_FORM_BAND;
}

static const struct kt_operand *find_reflectors(const struct kt_operand *operand, int count)
{
    for (int i = 0; i < count; i++)
        if (operand[i].arg && operand[i].arg->data == KT_REFLECTORS &&
            (operand[i].form >= KT_FORM_MATRIX || operand[i].parameter))
            return &operand[i];
    return NULL;
}

/*
 * RFP is a rectangle of n + 1 rows if n is even, n otherwise, that holds two triangles, one of them transposed; their
 * diagonals are below each other. The parameter: 1 upper, 2 transposed.
 */
static struct kt_recipe rfp_recipe(const struct kt_operand *o)
{
    int64_t n = 0;
    while ((n + 1) * (n + 2) / 2 <= o->rows)
        n++;
    bool odd = n % 2;
    bool upper = o->parameter & 1;
    bool definite = o->arg->data == KT_RFP_SPD;
    return (struct kt_recipe){.fill = KT_FILL_RFP,
                              .factor = definite ? 1 : 1 / (double)n,
                              .least = definite ? 2 * (double)n : 1,
                              .transposed = o->parameter & 2,
                              .rect_rows = odd ? n : n + 1,
                              .diagonal = upper ? n / 2 : -odd};
}

/* Element I of so many of a KT_FILL_RFP is on the diagonal. */
static bool is_rfp_diagonal(const struct kt_recipe *recipe, int64_t elements, int64_t i)
{
    int64_t cols = elements / recipe->rect_rows;
    int64_t row = recipe->transposed ? i / cols : i % recipe->rect_rows;
    int64_t col = recipe->transposed ? i % cols : i / recipe->rect_rows;
    return row - col == recipe->diagonal || row - col == recipe->diagonal + 1;
}

/* An upper triangle or Hessenberg matrix in an array that has the rest, too. */
static struct kt_recipe shaped_recipe(const struct kt_operand *o)
{
    bool hessenberg = o->arg->data == KT_HESSENBERG;
    return (struct kt_recipe){.fill = hessenberg ? KT_FILL_RANDOM : KT_FILL_DOMINANT,
                              .factor = hessenberg ? 1 : 1 / order_of(o),
                              .least = 1,
                              .zeros = hessenberg ? 2 : 1,
                              .transposed = o->parameter & 1};
}

struct kt_recipe kt_data_recipe(const struct kt_operand *operand, int count, int i)
{
    const struct kt_operand *o = &operand[i];
    const struct kt_operand *reflectors = find_reflectors(operand, count);
    if (!o->arg || o->lo == o->hi)
        return (struct kt_recipe){.fill = KT_FILL_NOTHING};
    enum kt_data data = o->arg->data;
    bool dominant = data == KT_SPD || data == KT_TRIANGLE || data == KT_LU || data == KT_LDL;
    if (data == KT_RFP_SPD || data == KT_RFP_TRIANGLE)
        return rfp_recipe(o);
    if ((data == KT_SCHUR || data == KT_HESSENBERG) && o->form == KT_FORM_MATRIX)
        return shaped_recipe(o);
    if (dominant && o->form < KT_FORM_MATRIX)
        return (struct kt_recipe){.fill = KT_FILL_RULE, .rule = KT_SPD};
    if (data == KT_SPD)
        return (struct kt_recipe){.fill = KT_FILL_DOMINANT, .factor = 1, .least = 2 * order_of(o)};
    if (dominant)
        return (struct kt_recipe){.fill = KT_FILL_DOMINANT, .factor = 1 / order_of(o), .least = 1};
    if (data == KT_REFLECTORS && o->parameter == KT_REFLECTORS_OTHERWISE)
        return (struct kt_recipe){.fill = KT_FILL_RANDOM, .factor = 1 / sqrt(order_of(o))};
    if (data == KT_TAU && (!reflectors || reflectors->parameter == KT_REFLECTORS_OTHERWISE))
        return (struct kt_recipe){.fill = KT_FILL_TAU};
    if (data == KT_TAU)
        return (struct kt_recipe){.fill = KT_FILL_TAU, .reflectors = reflectors};
    if (data != KT_ANY && kt_data_rule_text(data))
        return (struct kt_recipe){.fill = KT_FILL_RULE, .rule = data, .parameter = o->parameter};
    return (struct kt_recipe){
        .fill = o->arg->type == KT_I ? KT_FILL_RULE : KT_FILL_RANDOM, .rule = KT_ANY, .factor = 1};
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
static uint64_t pool_offset(const struct kt_operand *o, int place, int64_t run, const struct kt_recipe *recipe)
{
    uint64_t start = recipe->first + (uint64_t)place * 1009 * POOL_UNIT;
    if (o->form == KT_FORM_VECTOR || o->form == KT_FORM_ARRAY)
        return start + (uint64_t)run * o->elem;
    return start + (uint64_t)run * COLUMN_STEP % POOL_UNITS * POOL_UNIT;
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

/* The part of column J, [LO, HI), that has to be 0. */
static void clear(const struct kt_operand *o, const struct kt_recipe *recipe, int64_t j, uint64_t lo, uint64_t hi)
{
    uint64_t rows = (hi - lo) / o->elem;
    int64_t first = recipe->transposed ? 0 : j + recipe->zeros;
    int64_t end = recipe->transposed ? j - recipe->zeros + 1 : (int64_t)rows;
    if (recipe->zeros > 0 && first < end)
        memset((void *)(lo + (uint64_t)first * o->elem), 0, (uint64_t)(end - first) * o->elem);
}

static void fill_random(const struct kt_data_pool *pool, const struct kt_operand *o, int place,
                        const struct kt_recipe *recipe)
{
    int64_t runs = kt_operand_runs(o);
    for (int64_t i = 0; i < runs; i++) {
        uint64_t lo, hi;
        kt_operand_run(o, i, &lo, &hi);
        copy_random(pool, is_single(o->arg->type), (unsigned char *)lo, hi - lo, pool_offset(o, place, i, recipe));
        if (recipe->factor != 1)
            scale(lo, hi, is_single(o->arg->type), recipe->factor);
        clear(o, recipe, i, lo, hi);
    }
}

/* --- structured contents ----------------------------------------------------------------------------------- */

/* Stores a real number as an element of the operand. */
static void store(uint64_t address, const struct kt_operand *o, double value)
{
    const float single[2] = {(float)value, 0};
    const double wide[2] = {value, 0};
    const int64_t integer = (int64_t)value;
    const int32_t narrow = (int32_t)value;
    const void *integers = o->elem == sizeof integer ? (const void *)&integer : (const void *)&narrow;
    const void *numbers = is_single(o->arg->type) ? (const void *)single : (const void *)wide;
    memcpy((void *)address, o->arg->type == KT_I ? integers : numbers, o->elem);
}

/* What the stored run J, [LO, HI), has of the diagonal: its *COUNT elements from *OUT on. */
static void find_diagonal(const struct kt_operand *o, int64_t j, uint64_t lo, uint64_t hi, uint64_t *out,
                          int64_t *count)
{
    if (kt_data_is_stored_band(o)) {
        *out = lo;
        *count = j == o->diagonal ? o->rows : 0;
        return;
    }
    int64_t first = j > o->above ? j - o->above : 0;
    *out = lo + (uint64_t)(j - first) * o->elem;
    *count = first <= j && *out < hi;
}

/* Diagonal element number I of the operand; two operands of a call do not have the same diagonal. */
static double diagonal_value(const struct kt_data_pool *pool, int place, int64_t i, double least)
{
    double spread = pool->wide[((uint64_t)i + (uint64_t)place * 1009) % (POOL_BYTES / sizeof(double))];
    return least * (1.5 + 0.499 * spread);
}

static void fill_dominant(const struct kt_data_pool *pool, const struct kt_operand *o, int place,
                          const struct kt_recipe *recipe)
{
    int64_t runs = kt_operand_runs(o);
    fill_random(pool, o, place, recipe);
    for (int64_t j = 0; j < runs; j++) {
        int64_t count;
        uint64_t lo, hi, diagonal;
        kt_operand_run(o, j, &lo, &hi);
        find_diagonal(o, j, lo, hi, &diagonal, &count);
        for (int64_t i = 0; i < count; i++)
            store(diagonal + (uint64_t)i * o->elem, o, diagonal_value(pool, place, j + i, recipe->least));
    }
}

static void fill_rfp(const struct kt_data_pool *pool, const struct kt_operand *o, int place,
                     const struct kt_recipe *recipe)
{
    fill_random(pool, o, place, recipe);
    for (int64_t i = 0; i < o->rows; i++)
        if (is_rfp_diagonal(recipe, o->rows, i))
            store(o->lo + (uint64_t)i * o->elem, o, diagonal_value(pool, place, i, recipe->least));
}

/* The element of the matrix of the discrete Hartley transform of order M. */
static double hartley(int64_t row, int64_t col, int64_t m)
{
    if (m <= 0)
        return 0;
    double angle = 2 * M_PI * (double)(row * col % m) / (double)m;
    return (cos(angle) + sin(angle)) / sqrt((double)m);
}

/* Element I of N of column COL by the rule of the recipe. */
static double rule_value(const struct kt_recipe *recipe, int64_t i, int64_t n, int64_t col, uint64_t *state)
{
    int64_t parameter = recipe->parameter;
#define draw(k) ((int64_t)(kt_random(state) % (uint64_t)(k)))
#define RULE_CASE(rule, expression) \
    case rule:                      \
        return (double)(expression);
    switch (recipe->rule) {
        KT_DATA_RULES(RULE_CASE)
    default:
        return 0;
    }
#undef draw
}

static void fill_by_rule(const struct kt_operand *o, const struct kt_recipe *recipe)
{
    uint64_t state = 2;
    int64_t i = 0;
    int64_t runs = kt_operand_runs(o);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        for (; lo < hi; lo += o->elem)
            store(lo, o, rule_value(recipe, i++ % o->rows, o->rows, run, &state));
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

/* The square of the length of reflector J of V, a row right of the diagonal. */
static double square_of_row(const struct kt_operand *v, int64_t j)
{
    double square = 1;
    for (int64_t col = j + 1; col < v->cols && j < v->rows; col++) {
        uint64_t element = v->base + (uint64_t)(col * v->ld + j) * v->elem;
        square += sum_of_squares(element, element + v->elem, is_single(v->arg->type));
    }
    return square;
}

/* ... or one column below the diagonal. */
static double reflector_square(const struct kt_operand *v, int64_t j)
{
    int64_t count;
    uint64_t lo, hi, diagonal;
    if (v->parameter == KT_REFLECTORS_IN_ROWS)
        return square_of_row(v, j);
    if (j >= v->cols)
        return 1;
    kt_operand_run(v, j, &lo, &hi);
    find_diagonal(v, j, lo, hi, &diagonal, &count);
    return count == 1 ? 1 + sum_of_squares(diagonal + v->elem, hi, is_single(v->arg->type)) : 1;
}

/*
 * 2 / |v|^2 makes I - tau v v' a reflection. Where reflectors are stored in another way, the squares of their lengths
 * are from 1 to 4/3, and with 3/2 the matrix makes no vector longer.
 */
static void fill_tau(const struct kt_operand *tau, const struct kt_operand *v)
{
    for (int64_t j = 0; j < tau->rows; j++)
        store(tau->lo + (uint64_t)j * tau->elem, tau, v ? 2 / reflector_square(v, j) : 1.5);
}

void kt_data_fill(const struct kt_data_pool *pool, const struct kt_operand *operand, int count, int i)
{
    kt_data_fill_anew(pool, operand, count, i, 0);
}

void kt_data_fill_anew(const struct kt_data_pool *pool, const struct kt_operand *operand, int count, int i,
                       uint64_t seed)
{
    const struct kt_operand *o = &operand[i];
    struct kt_recipe recipe = kt_data_recipe(operand, count, i);
    recipe.first = seed ? kt_random(&seed) % POOL_UNITS * POOL_UNIT : 0;
    switch (recipe.fill) {
    case KT_FILL_NOTHING:
        break;
    case KT_FILL_RANDOM:
        fill_random(pool, o, i, &recipe);
        break;
    case KT_FILL_DOMINANT:
        fill_dominant(pool, o, i, &recipe);
        break;
    case KT_FILL_RFP:
        fill_rfp(pool, o, i, &recipe);
        break;
    case KT_FILL_RULE:
        fill_by_rule(o, &recipe);
        break;
    case KT_FILL_TAU:
        fill_tau(o, recipe.reflectors);
        break;
    }
}
