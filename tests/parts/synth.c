/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/parts/synth.h"

#include <math.h>
#include <string.h>

enum { CBLAS_ROW_MAJOR = 101, CBLAS_COLUMN_MAJOR = 102 };

uint64_t kt_synth_draw(struct kt_synth *synth, uint64_t below)
{
    /* splitmix64 (Steele, Lea & Flood 2014) */
    uint64_t z = synth->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

double kt_synth_number(struct kt_synth *synth)
{
    double magnitude = (double)(kt_synth_draw(synth, (1 << 20) - 1) + 1) / (1 << 20);
    return kt_synth_draw(synth, 2) ? magnitude : -magnitude;
}

/* --- options ----------------------------------------------------------------------------------------------- */

static uint32_t letter_bits(const char *letters)
{
    uint32_t bits = 0;
    for (; *letters; letters++)
        bits |= kt_letter_bit(*letters);
    return bits;
}

static uint32_t letters_in(const struct kt_expr *expr, int arg)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < expr->count; i++)
        if (expr->op[i].letters && expr->op[i].arg == arg)
            bits |= expr->op[i].letters;
    return bits;
}

static bool has_data(const struct kt_routine *r, enum kt_data data)
{
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].data == data)
            return true;
    return false;
}

/* A routine that updates a triangle and has a trans option is a rank-k update. */
static bool is_rank_update(const struct kt_routine *r)
{
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].access == KT_UPDATE && r->arg[i].shape.uplo >= 0)
            return true;
    return false;
}

/*
 * Where the table does not say which of N, T and C a routine takes, and only one of T and C keeps the result symmetric,
 * Hermitian or unitary, the other is illegal: rank-k updates of complex matrices and the application of reflectors.
 */
static uint32_t trans_letters(const struct kt_routine *r)
{
    bool complex = kt_type_is_complex(r->type);
    bool hermitian = r->name[1] == 'h';
    if (has_data(r, KT_REFLECTORS))
        return letter_bits(complex ? "NC" : "NT");
    if (complex && is_rank_update(r))
        return letter_bits(hermitian ? "NC" : "NT");
    return letter_bits("NTC");
}

/*
 * Job letters: those that the expressions test, and N. A job that no expression tests asks for vectors with V.
 * S (singular vectors in an array of their own) has the variant O (in place of the matrix).
 */
static uint32_t job_letters(const struct kt_routine *r, int arg)
{
    uint32_t bits = 0;
    for (int i = 0; i < r->args; i++)
        for (int d = 0; d < 4; d++)
            bits |= letters_in(&r->arg[i].shape.dim[d], arg);
    bits = bits ? bits | kt_letter_bit('N') : letter_bits("NV");
    return bits & kt_letter_bit('S') ? bits | kt_letter_bit('O') : bits;
}

static uint32_t legal_letters(const struct kt_routine *r, int arg)
{
    if (r->arg[arg].letters)
        return r->arg[arg].letters;
    switch (r->arg[arg].role) {
    case KT_TRANS:
        return trans_letters(r);
    case KT_UPLO:
        return letter_bits("UL");
    case KT_SIDE:
        return letter_bits("LR");
    case KT_DIAG:
        return letter_bits("NU");
    default:
        return job_letters(r, arg);
    }
}

static char draw_letter(struct kt_synth *s, uint32_t bits)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
    for (;;) {
        char letter = letters[kt_synth_draw(s, sizeof letters - 1)];
        if (bits & kt_letter_bit(letter))
            return letter;
    }
}

/* Only one set of singular vectors fits in place of the matrix: no second O. */
static void draw_options(struct kt_synth *s, const struct kt_routine *r, struct kt_values *v)
{
    uint32_t used = 0;
    for (int i = 0; i < r->args; i++) {
        if (r->arg[i].role > KT_OPTION)
            continue;
        uint32_t legal = legal_letters(r, i) & ~(used & kt_letter_bit('O'));
        bool fresh = s->distinct && legal & ~used;
        char letter = draw_letter(s, fresh ? legal & ~used : legal);
        used |= kt_letter_bit(letter);
        v->v[i] = letter;
    }
}

/* --- sizes ------------------------------------------------------------------------------------------------- */

static bool is_free_size(const struct kt_arg *arg)
{
    return arg->role == KT_SIZE && arg->legal.count == 0;
}

static int count_free_sizes(const struct kt_routine *r)
{
    int count = 0;
    for (int i = 0; i < r->args; i++)
        count += is_free_size(&r->arg[i]);
    return count;
}

static int draw_size(struct kt_synth *s, int sizes)
{
    if (s->distinct)
        return (int)(3 + kt_synth_draw(s, sizes > 5 ? (uint64_t)sizes : 5)); /* increments are 2 and -3 */
    if (s->large)
        return (int)(60 + kt_synth_draw(s, 40));
    if (kt_synth_draw(s, 24) == 0)
        return (int)(17 + kt_synth_draw(s, 24));
    return (int)kt_synth_draw(s, 10);
}

static bool is_taken(const struct kt_routine *r, const struct kt_values *v, int arg)
{
    for (int i = 0; i < arg; i++)
        if (is_free_size(&r->arg[i]) && v->v[i] == v->v[arg])
            return true;
    return false;
}

static double dimension(const struct kt_arg *arg, int d, const struct kt_values *v)
{
    return kt_expr_eval(&arg->shape.dim[d], v->v);
}

/* There are at most as many reflectors as their matrix has columns, and not more of these than rows. */
static bool sizes_are_legal(const struct kt_routine *r, const struct kt_values *v)
{
    double most = -1;
    for (int i = 0; i < r->args; i++) {
        const struct kt_arg *arg = &r->arg[i];
        if (arg->data == KT_REFLECTORS) {
            most = dimension(arg, 1, v);
            if (arg->data_parameter.count) /* stored by rows, perhaps */
                most = fmin(most, dimension(arg, 0, v));
            else if (most > dimension(arg, 0, v))
                return false;
        }
        if (arg->data == KT_TAU && most >= 0 && dimension(arg, 0, v) > most)
            return false;
    }
    return true;
}

static void draw_free_sizes(struct kt_synth *s, const struct kt_routine *r, struct kt_values *v)
{
    int sizes = count_free_sizes(r);
    for (int i = 0; i < r->args; i++) {
        if (!is_free_size(&r->arg[i]))
            continue;
        do
            v->v[i] = draw_size(s, sizes);
        while (s->distinct && is_taken(r, v, i));
    }
}

/* Integers and logicals of which the table does not say what is legal. */
static void draw_numbers(struct kt_synth *s, const struct kt_routine *r, struct kt_values *v)
{
    for (int i = 0; i < r->args; i++) {
        if (r->arg[i].role == KT_INTEGER)
            v->v[i] = s->distinct ? draw_size(s, 5) : 1 + (double)kt_synth_draw(s, 3);
        if (r->arg[i].role == KT_LOGICAL)
            v->v[i] = (double)kt_synth_draw(s, 2);
    }
}

/* Where the table says what is legal. One value may follow from another, also from one that comes later. */
static void set_legal_values(const struct kt_routine *r, struct kt_values *v)
{
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < r->args; i++)
            if (r->arg[i].legal.count && r->arg[i].role != KT_LWORK)
                v->v[i] = kt_expr_eval(&r->arg[i].legal, v->v);
}

/* Sizes that fit each other, if that many attempts find any. */
static void draw_sizes(struct kt_synth *s, const struct kt_routine *r, struct kt_values *v)
{
    enum { ATTEMPTS = 1000 };
    int attempt = 0;
    draw_numbers(s, r, v);
    do {
        draw_free_sizes(s, r, v);
        set_legal_values(r, v);
    } while (!sizes_are_legal(r, v) && ++attempt < ATTEMPTS);
}

/* --- what follows from sizes ------------------------------------------------------------------------------- */

/* Rows that an operand needs in memory, in column-major terms. LAPACKE transposes the array that holds a band. */
static double stored_rows(const struct kt_arg *arg, const struct kt_values *v, bool lapacke)
{
    if (arg->shape.form == KT_FORM_BAND && !(lapacke && v->row_major))
        return dimension(arg, 2, v) + dimension(arg, 3, v) + 1;
    return dimension(arg, v->row_major ? 1 : 0, v);
}

static double least_ld(const struct kt_symbol *symbol, int ld, const struct kt_values *v)
{
    const struct kt_routine *r = symbol->routine;
    bool lapacke = symbol->view == KT_LAPACKE || symbol->view == KT_LAPACKE_WORK;
    double least = 1;
    for (int i = 0; i < r->args; i++) {
        if (r->arg[i].role != KT_ARRAY || r->arg[i].shape.step != ld)
            continue;
        double rows = stored_rows(&r->arg[i], v, lapacke);
        least = rows > least ? rows : least;
    }
    return least;
}

static double draw_ld(struct kt_synth *s, double least, int rank)
{
    if (s->distinct)
        return (least > 11 ? least : 11) + rank;
    return least + (double)kt_synth_draw(s, 4);
}

static double draw_increment(struct kt_synth *s, int rank)
{
    static const int increments[] = {1, 2, -1, -3, 3};
    if (s->distinct)
        return rank % 2 ? -2 - rank : 2 + rank;
    return increments[kt_synth_draw(s, sizeof increments / sizeof *increments)];
}

/* Where the table does not say the least, more than the longest that LAPACK's drivers need: 4 n^2 + 7 n + 26^2. */
static double draw_lwork(struct kt_synth *s, const struct kt_routine *r, int arg, const struct kt_values *v, int rank)
{
    if (r->arg[arg].legal.count)
        return kt_expr_eval(&r->arg[arg].legal, v->v) + (s->distinct ? rank : (double)kt_synth_draw(s, 3) * 17);
    double sum = 1;
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_SIZE)
            sum += v->v[i];
    return 1000 + 100 * sum + 6 * sum * sum + rank;
}

/* --- scalars ----------------------------------------------------------------------------------------------- */

static void draw_scalar(struct kt_synth *s, enum kt_type type, int rank, double *re, double *im)
{
    static const double special[] = {0, 1, -1};
    *im = 0;
    if (s->distinct) {
        *re = (rank % 2 ? -1 : 1) * (0.5 + 0.75 * rank);
        *im = kt_type_is_complex(type) ? 2.25 + rank : 0;
        return;
    }
    uint64_t kind = kt_synth_draw(s, 5);
    if (kind < 3) {
        *re = special[kind];
        return;
    }
    *re = kt_synth_number(s);
    *im = kt_type_is_complex(type) ? kt_synth_number(s) : 0;
}

/* --- the whole --------------------------------------------------------------------------------------------- */

static void draw_rest(struct kt_synth *s, const struct kt_symbol *symbol, struct kt_values *v)
{
    const struct kt_routine *r = symbol->routine;
    int rank[KT_INFO + 1] = {0};
    bool query = s->queries && kt_synth_draw(s, 8) == 0;
    for (int i = 0; i < r->args; i++) {
        enum kt_role role = r->arg[i].role;
        bool is_free = r->arg[i].legal.count == 0;
        if (role == KT_LD)
            v->v[i] = draw_ld(s, fmax(least_ld(symbol, i, v), is_free ? 1 : v->v[i]), rank[role]++);
        if (role == KT_INC && is_free)
            v->v[i] = draw_increment(s, rank[role]++);
        if (role == KT_LWORK)
            v->v[i] = query ? -1 : draw_lwork(s, r, i, v, rank[role]++);
        if (role == KT_SCALAR && is_free)
            draw_scalar(s, r->arg[i].type, rank[role]++, &v->v[i], &v->imaginary[i]);
    }
}

static void store_float(unsigned char *at, double value)
{
    float x = (float)value;
    memcpy(at, &x, sizeof x);
}

static void store_param(const struct kt_symbol *symbol, const struct kt_param *p, const struct kt_values *v,
                        unsigned char *args)
{
    unsigned char *at = args + p->offset;
    bool layout = p->arg == KT_ARG_LAYOUT;
    double value = p->arg < 0 ? 0 : v->v[p->arg];
    double imaginary = p->arg < 0 ? 0 : v->imaginary[p->arg];
    int32_t code = layout ? v->row_major ? CBLAS_ROW_MAJOR : CBLAS_COLUMN_MAJOR : 0;
    int64_t integer = (int64_t)value;
    switch (p->stored) {
    case KT_CHAR:
        *at = (unsigned char)value;
        break;
    case KT_ENUM:
        code = layout ? code : kt_cblas_value(symbol->routine->arg[p->arg].role, (char)value);
        memcpy(at, &code, sizeof code);
        break;
    case KT_INT:
        memcpy(at, &integer, sizeof integer);
        break;
    case KT_FLOAT:
    case KT_CFLOAT:
        store_float(at, value);
        if (p->stored == KT_CFLOAT)
            store_float(at + 4, imaginary);
        break;
    case KT_DOUBLE:
    case KT_CDOUBLE:
        memcpy(at, &value, sizeof value);
        if (p->stored == KT_CDOUBLE)
            memcpy(at + 8, &imaginary, sizeof imaginary);
        break;
    case KT_ADDRESS:
    case KT_CODE:
        break;
    }
}

void kt_synth_arguments(struct kt_synth *synth, const struct kt_symbol *symbol, bool row_major,
                        unsigned char args[KT_SYNTH_ARG_BYTES])
{
    struct kt_values values = {.row_major = row_major && symbol->param[0].arg == KT_ARG_LAYOUT};
    draw_options(synth, symbol->routine, &values);
    draw_sizes(synth, symbol->routine, &values);
    draw_rest(synth, symbol, &values);
    memset(args, 0, KT_SYNTH_ARG_BYTES);
    for (int i = 0; i < symbol->params; i++)
        store_param(symbol, &symbol->param[i], &values, args);
}

void kt_synth_set_addresses(const struct kt_symbol *symbol, const uint64_t *address, unsigned char *args)
{
    for (int i = 0; i < symbol->params; i++)
        if (symbol->param[i].stored == KT_ADDRESS)
            memcpy(args + symbol->param[i].offset, address++, sizeof *address);
}
