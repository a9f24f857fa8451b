/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/right/linear.h"

#include "trace/base/memory.h"

#include <math.h>

struct kt_vector kt_vector_new(int64_t count)
{
    struct kt_vector v = {kt_resize(NULL, (size_t)count, sizeof *v.element), count};
    memset(v.element, 0, (size_t)count * sizeof *v.element);
    return v;
}

void kt_vector_free(struct kt_vector *v)
{
    free(v->element);
    *v = (struct kt_vector){0};
}

/* As many elements as asked for: what is added is 0. */
static void resize(struct kt_vector *v, int64_t count)
{
    v->element = kt_resize(v->element, (size_t)count, sizeof *v->element);
    if (count > v->count)
        memset(v->element + v->count, 0, (size_t)(count - v->count) * sizeof *v->element);
    v->count = count;
}

/* --- elements ---------------------------------------------------------------------------------------------- */

static enum kt_type type_of(const struct kt_operand *o)
{
    if (o->arg)
        return o->arg->type;
    return o->elem == 16 ? KT_Z : KT_C; /* where CBLAS stores a complex result */
}

static struct kt_number load(const struct kt_operand *o, uint64_t address)
{
    struct kt_number x = {0};
    enum kt_type type = type_of(o);
    const float *single = (const float *)address;
    const double *wide = (const double *)address;
    bool is_single = type == KT_S || type == KT_C;
    x.re = is_single ? *single : *wide;
    if (kt_type_is_complex(type))
        x.im = is_single ? single[1] : wide[1];
    x.size = fabsl(x.re) + fabsl(x.im);
    return x;
}

static int64_t load_integer(const struct kt_operand *o, int64_t i)
{
    uint64_t at = o->base + (uint64_t)i * o->elem;
    return o->elem == 8 ? *(const int64_t *)at : *(const int32_t *)at;
}

static bool is_column(const struct kt_operand *o)
{
    return o->form == KT_FORM_ARRAY || o->form == KT_FORM_VECTOR;
}

static uint64_t vector_address(const struct kt_operand *o, int64_t i)
{
    int64_t start = o->ld < 0 ? (1 - o->rows) * o->ld : 0;
    return o->base + (uint64_t)((start + i * o->ld) * (int64_t)o->elem);
}

/* Element of a stored matrix in its own rows and columns. */
static struct kt_number matrix_element(const struct kt_linear *l, int64_t row, int64_t col)
{
    const struct kt_operand *o = l->operand;
    int64_t place = l->row_major ? col + row * o->ld : row + col * o->ld;
    return load(o, o->base + (uint64_t)place * o->elem);
}

static void add_product(struct kt_number *y, const struct kt_number *a, const struct kt_number *x, bool conjugated)
{
    y->size += a->size * x->size;
    if (a->im == 0 && x->im == 0) {
        y->re += a->re * x->re;
        return;
    }
    long double im = conjugated ? -a->im : a->im;
    y->re += a->re * x->re - im * x->im;
    y->im += a->re * x->im + im * x->re;
}

/* --- sizes ------------------------------------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t true_rows(const struct kt_linear *l)
{
    const struct kt_operand *o = l->operand;
    return l->row_major && !is_column(o) ? o->cols : o->rows;
}

static int64_t true_cols(const struct kt_linear *l)
{
    const struct kt_operand *o = l->operand;
    return l->row_major && !is_column(o) ? o->rows : o->cols;
}

static int64_t upright_rows(const struct kt_linear *l)
{
    switch (l->part) {
    case KT_PART_UPPER:
        return smaller(true_rows(l), true_cols(l));
    case KT_PART_ROW_REFLECTORS:
        return true_cols(l);
    case KT_PART_EXCHANGES:
    case KT_PART_ONE:
        return 0;
    default:
        return true_rows(l);
    }
}

static int64_t upright_cols(const struct kt_linear *l)
{
    switch (l->part) {
    case KT_PART_UNIT_LOWER:
    case KT_PART_LOWER:
        return smaller(true_rows(l), true_cols(l));
    case KT_PART_DIAGONAL:
    case KT_PART_PAIRS:
    case KT_PART_PERMUTATION:
    case KT_PART_REFLECTORS:
        return true_rows(l);
    case KT_PART_EXCHANGES:
    case KT_PART_ONE:
        return 0;
    default:
        return true_cols(l);
    }
}

/* As kt_linear_cols(). */
static int64_t rows_of(const struct kt_linear *l)
{
    return l->transposed ? upright_cols(l) : upright_rows(l);
}

int64_t kt_linear_cols(const struct kt_linear *l)
{
    return l->transposed ? upright_rows(l) : upright_cols(l);
}

/* --- matrices ---------------------------------------------------------------------------------------------- */

struct product {
    const struct kt_linear *map;
    const struct kt_vector *x;
    struct kt_vector *y;
};

static void add_at(const struct product *p, int64_t row, int64_t col, const struct kt_number *a, bool conjugated)
{
    int64_t from = p->map->transposed ? row : col;
    int64_t to = p->map->transposed ? col : row;
    if (from < p->x->count && to < p->y->count)
        add_product(&p->y->element[to], a, &p->x->element[from], conjugated != p->map->conjugated);
}

/* One stored element, in rows and columns of the matrix. */
static void add_stored(const struct product *p, int64_t row, int64_t col, struct kt_number a)
{
    enum kt_matrix_part part = p->map->part;
    bool mirrored = part == KT_PART_SYMMETRIC || part == KT_PART_HERMITIAN;
    if ((part == KT_PART_UNIT_LOWER && row <= col) || (part == KT_PART_LOWER && row < col) ||
        (part == KT_PART_UPPER && row > col) || (p->map->uplo == 'U' && row > col) ||
        (p->map->uplo == 'L' && row < col))
        return;
    if (part == KT_PART_HERMITIAN && row == col)
        a.im = 0;
    add_at(p, row, col, &a, false);
    if (mirrored && row != col)
        add_at(p, col, row, &a, part == KT_PART_HERMITIAN);
}

static void add_ones(const struct product *p)
{
    const struct kt_number one = {1, 0, 1};
    for (int64_t i = 0; i < p->y->count && i < p->x->count; i++)
        p->y->element[i] = (struct kt_number){p->y->element[i].re + one.re * p->x->element[i].re,
                                              p->y->element[i].im + p->x->element[i].im,
                                              p->y->element[i].size + p->x->element[i].size};
}

static void add_vector(const struct product *p)
{
    const struct kt_operand *o = p->map->operand;
    for (int64_t i = 0; i < o->rows; i++)
        add_stored(p, i, 0, load(o, vector_address(o, i)));
}

static void add_matrix(const struct product *p)
{
    const struct kt_operand *o = p->map->operand;
    for (int64_t j = 0; j < o->cols; j++) {
        uint64_t lo, hi;
        kt_operand_run(o, j, &lo, &hi);
        for (int64_t i = j > o->above ? j - o->above : 0; lo < hi; i++, lo += o->elem)
            add_stored(p, p->map->row_major ? j : i, p->map->row_major ? i : j, load(o, lo));
    }
}

static void apply_matrix(const struct kt_linear *l, struct kt_vector *v)
{
    const struct kt_operand *o = l->operand;
    struct kt_vector y = kt_vector_new(rows_of(l));
    const struct product p = {l, v, &y};
    if (is_column(o))
        add_vector(&p);
    else
        add_matrix(&p);
    bool unit = l->part == KT_PART_TRIANGLE && (o->below == -1 || o->above == -1);
    if (unit || l->part == KT_PART_UNIT_LOWER)
        add_ones(&p);
    kt_vector_free(v);
    *v = y;
}

/* --- what is stored in another way ------------------------------------------------------------------------- */

static void apply_diagonal(const struct kt_linear *l, struct kt_vector *v)
{
    resize(v, smaller(v->count, l->operand->rows));
    for (int64_t i = 0; i < v->count; i++) {
        struct kt_number a = load(l->operand, vector_address(l->operand, i));
        struct kt_number y = {0};
        add_product(&y, &a, &v->element[i], l->conjugated);
        v->element[i] = y;
    }
}

/* Blocks wr wi, -wi wr of a pair (wr, wi), (wr, -wi): A (x + i y) = (wr + i wi) (x + i y) for its columns x, y. */
static void apply_pairs(const struct kt_linear *l, struct kt_vector *v)
{
    struct kt_vector y = kt_vector_new(l->operand->rows);
    resize(v, l->operand->rows);
    for (int64_t i = 0; i < y.count; i++) {
        struct kt_number re = load(l->operand, vector_address(l->operand, i));
        struct kt_number im = load(l->second, vector_address(l->second, i));
        int64_t partner = im.re > 0 ? i + 1 : im.re < 0 ? i - 1 : i;
        if (l->transposed)
            im.re = -im.re;
        add_product(&y.element[i], &re, &v->element[i], false);
        if (partner != i && partner >= 0 && partner < y.count)
            add_product(&y.element[i], &im, &v->element[partner], false);
    }
    kt_vector_free(v);
    *v = y;
}

static void exchange(struct kt_vector *v, int64_t i, int64_t with)
{
    if (with < 0 || with >= v->count || i >= v->count)
        return;
    struct kt_number x = v->element[i];
    v->element[i] = v->element[with];
    v->element[with] = x;
}

static void apply_exchanges(const struct kt_linear *l, struct kt_vector *v)
{
    int64_t n = l->operand->rows;
    for (int64_t k = 0; k < n; k++) {
        int64_t i = l->transposed ? k : n - 1 - k;
        exchange(v, i, load_integer(l->operand, i) - 1);
    }
}

static void apply_permutation(const struct kt_linear *l, struct kt_vector *v)
{
    int64_t n = l->operand->rows;
    struct kt_vector y = kt_vector_new(n);
    resize(v, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t place = load_integer(l->operand, i) - 1;
        if (place < 0 || place >= n)
            continue;
        if (l->transposed)
            y.element[i] = v->element[place];
        else
            y.element[place] = v->element[i];
    }
    kt_vector_free(v);
    *v = y;
}

/* Reflector K: 1 at element K, behind it what is stored in column K, or, conjugated, in row K. */
static struct kt_number reflector_element(const struct kt_linear *l, int64_t k, int64_t i)
{
    if (i == k)
        return (struct kt_number){1, 0, 1};
    if (l->part == KT_PART_REFLECTORS)
        return matrix_element(l, i, k);
    return matrix_element(l, k, i);
}

/* v = (I - tau w w^H) v, without sizes. W is as stored; rows hold it conjugated. */
static void reflect(const struct kt_linear *l, int64_t k, bool inverse, struct kt_vector *v)
{
    bool by_row = l->part == KT_PART_ROW_REFLECTORS;
    struct kt_number tau = load(l->second, vector_address(l->second, k));
    struct kt_number dot = {0};
    struct kt_number factor = {0};
    for (int64_t i = k; i < v->count; i++) {
        struct kt_number w = reflector_element(l, k, i);
        add_product(&dot, &w, &v->element[i], !by_row);
    }
    add_product(&factor, &tau, &dot, inverse);
    for (int64_t i = k; i < v->count; i++) {
        struct kt_number w = reflector_element(l, k, i);
        struct kt_number y = {0};
        add_product(&y, &w, &factor, by_row);
        v->element[i].re -= y.re;
        v->element[i].im -= y.im;
    }
}

/* A unitary map makes no vector longer: the length bounds each element. */
static void spread_size(struct kt_vector *v)
{
    long double square = 0;
    for (int64_t i = 0; i < v->count; i++)
        square += v->element[i].size * v->element[i].size;
    for (int64_t i = 0; i < v->count; i++)
        v->element[i].size = sqrtl(square);
}

/*
 * Q = H(1) H(2) ... H(k), the last one first; transposed, the other way round. By rows, A = L Q with
 * Q = H(k)^H ... H(1)^H: the first one first, each conjugated.
 */
static void apply_reflectors(const struct kt_linear *l, struct kt_vector *v)
{
    bool by_row = l->part == KT_PART_ROW_REFLECTORS;
    int64_t k = smaller(l->second->rows, smaller(true_rows(l), true_cols(l)));
    resize(v, by_row ? true_cols(l) : true_rows(l));
    for (int64_t i = 0; i < k; i++)
        reflect(l, by_row != l->transposed ? i : k - 1 - i, by_row != l->transposed, v);
    spread_size(v);
}

void kt_linear_apply(const struct kt_linear *l, struct kt_vector *v)
{
    switch (l->part) {
    case KT_PART_ONE:
        break;
    case KT_PART_DIAGONAL:
        apply_diagonal(l, v);
        break;
    case KT_PART_PAIRS:
        apply_pairs(l, v);
        break;
    case KT_PART_EXCHANGES:
        apply_exchanges(l, v);
        break;
    case KT_PART_PERMUTATION:
        apply_permutation(l, v);
        break;
    case KT_PART_REFLECTORS:
    case KT_PART_ROW_REFLECTORS:
        apply_reflectors(l, v);
        break;
    default:
        apply_matrix(l, v);
    }
}
