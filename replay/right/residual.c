/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/right/residual.h"

#include "replay/call/data.h"
#include "replay/right/linear.h"
#include "trace/base/random.h"

#include <float.h>
#include <math.h>

double kt_routine_eps(const struct kt_routine *routine)
{
    return kt_type_real(routine->type) == KT_S ? FLT_EPSILON : DBL_EPSILON;
}

const struct kt_operand *kt_scene_operand(const struct kt_scene *scene, int arg)
{
    for (int i = 0; i < scene->operands; i++) {
        const struct kt_operand *o = &scene->operand[i];
        bool is_result = arg == KT_RESULT_OPERAND && !o->arg;
        if (is_result || (arg >= 0 && o->arg == &scene->symbol->routine->arg[arg]))
            return o->lo == o->hi ? NULL : o;
    }
    return arg == KT_RESULT_OPERAND ? scene->result : NULL;
}

bool kt_relation_holds(const struct kt_scene *scene, const struct kt_relation *relation)
{
    return relation->condition.count == 0 || kt_expr_eval(&relation->condition, scene->values.v) != 0;
}

/* A factor with the operands that it refers to. */
struct bound {
    struct kt_linear map;
    struct kt_operand operand, second;
};

static bool is_matrix(const struct kt_operand *o)
{
    return o->form >= KT_FORM_MATRIX;
}

static bool is_vector_of_one(const struct kt_operand *o)
{
    return !is_matrix(o) && o->ld == 0 && o->rows > 1;
}

/* Contents before a call are known where they were filled in, afterwards where it writes. */
static bool find(const struct kt_scene *scene, int arg, bool after, struct kt_operand *out)
{
    const struct kt_operand *o = kt_scene_operand(scene, arg);
    if (!o || kt_data_is_stored_band(o) || is_vector_of_one(o))
        return false;
    if (!after && !(o->access & KT_READ))
        return false;
    *out = o == scene->result ? *o : kt_operand_in(after ? &scene->after : &scene->before, o);
    return true;
}

static bool is_turned(const struct kt_scene *scene, const struct kt_factor *f, bool *conjugated)
{
    int letter = f->turn == KT_BY_OPTION ? (int)scene->values.v[f->option] : 'N';
    *conjugated = f->turn == KT_CONJUGATED || letter == 'C' || letter == 'R';
    return f->turn == KT_TRANSPOSED || f->turn == KT_CONJUGATED || letter == 'T' || letter == 'C';
}

static bool bind(const struct kt_scene *scene, const struct kt_factor *f, struct bound *out)
{
    *out = (struct bound){.map = {.part = f->part, .operand = &out->operand, .second = &out->second}};
    out->map.transposed = is_turned(scene, f, &out->map.conjugated);
    if (f->part == KT_PART_ONE)
        return true;
    bool is_option = f->part == KT_PART_SYMMETRIC || f->part == KT_PART_HERMITIAN;
    if (!find(scene, f->arg, f->after, &out->operand) ||
        (f->second != -1 && !is_option && !find(scene, f->second, f->after, &out->second)))
        return false;
    out->map.uplo = is_option && f->second >= 0 ? (char)scene->values.v[f->second] : '\0';
    out->map.row_major = scene->values.row_major && is_matrix(&out->operand);
    return true;
}

/* --- one side ---------------------------------------------------------------------------------------------- */

struct side {
    const struct kt_scene *scene;
    double largest; /* dimension */
};

static bool is_zero(const struct kt_scene *scene, const struct kt_product *p)
{
    for (int i = 0; i < p->factors; i++)
        if (p->factor[i].number && scene->values.v[p->factor[i].arg] == 0 &&
            scene->values.imaginary[p->factor[i].arg] == 0)
            return true;
    return false;
}

static void scale(const struct kt_scene *scene, const struct kt_factor *f, struct kt_vector *v)
{
    long double re = scene->values.v[f->arg];
    long double im = scene->values.imaginary[f->arg] * (f->turn == KT_CONJUGATED ? -1 : 1);
    for (int64_t i = 0; i < v->count; i++) {
        struct kt_number x = v->element[i];
        v->element[i].re = re * x.re - im * x.im;
        v->element[i].im = re * x.im + im * x.re;
        v->element[i].size = x.size * (fabsl(re) + fabsl(im));
    }
}

static void note_size(double *largest, const struct kt_operand *o)
{
    *largest = fmax(*largest, (double)(o->rows > o->cols ? o->rows : o->cols));
}

static bool apply_product(struct side *s, const struct kt_product *p, struct kt_vector *v)
{
    for (int i = p->factors - 1; i >= 0; i--) {
        struct bound b;
        if (p->factor[i].number) {
            scale(s->scene, &p->factor[i], v);
            continue;
        }
        if (!bind(s->scene, &p->factor[i], &b))
            return false;
        if (b.map.part != KT_PART_ONE)
            note_size(&s->largest, &b.operand);
        kt_linear_apply(&b.map, v);
    }
    return true;
}

static struct kt_vector copy_vector(const struct kt_vector *v)
{
    struct kt_vector copy = kt_vector_new(v->count);
    for (int64_t i = 0; i < v->count; i++)
        copy.element[i] = v->element[i];
    return copy;
}

static void add(struct kt_vector *sum, const struct kt_vector *v)
{
    for (int64_t i = 0; i < sum->count && i < v->count; i++) {
        sum->element[i].re += v->element[i].re;
        sum->element[i].im += v->element[i].im;
        sum->element[i].size += v->element[i].size;
    }
}

/* Products with one factor 0 do not refer to their operands. */
static bool apply_sum(struct side *s, const struct kt_terms *sum, const struct kt_vector *v, struct kt_vector *out)
{
    *out = kt_vector_new(0);
    for (int i = 0; i < sum->products; i++) {
        if (is_zero(s->scene, &sum->product[i]))
            continue;
        struct kt_vector part = copy_vector(v);
        bool known = apply_product(s, &sum->product[i], &part);
        if (out->count == 0) {
            kt_vector_free(out);
            *out = part;
        } else {
            add(out, &part);
            kt_vector_free(&part);
        }
        if (!known)
            return false;
    }
    return true;
}

/* --- both -------------------------------------------------------------------------------------------------- */

/* Elements of the vector that a side can be applied to: columns of the last factor that has some. */
static int64_t columns_of(const struct kt_scene *scene, const struct kt_terms *sum)
{
    for (int i = 0; i < sum->products; i++)
        for (int f = sum->product[i].factors - 1; f >= 0; f--) {
            struct bound b;
            const struct kt_factor *factor = &sum->product[i].factor[f];
            if (factor->number || !bind(scene, factor, &b) || factor->part == KT_PART_ONE)
                continue;
            int64_t cols = kt_linear_cols(&b.map);
            if (cols > 0)
                return cols;
        }
    return 0;
}

/* Numbers from 1/2 to 1 and their negatives, of complex ones both parts. */
static struct kt_vector random_vector(int64_t count, bool complex, uint64_t *state)
{
    struct kt_vector v = kt_vector_new(count);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = kt_random(state);
        long double re = 0.5L + (long double)(bits >> 40 & 0xfff) / 8192;
        long double im = complex ? 0.5L + (long double)(bits >> 52) / 8192 : 0;
        v.element[i].re = bits & 1 ? -re : re;
        v.element[i].im = bits & 2 ? -im : im;
        v.element[i].size = re + im;
    }
    return v;
}

/* The definition of what is on the left: no other result is in it. */
static bool is_definition(const struct kt_relation *r)
{
    if (r->left.products != 1 || r->left.product[0].factors != 1)
        return false;
    for (int i = 0; i < r->right.products; i++)
        for (int f = 0; f < r->right.product[i].factors; f++)
            if (r->right.product[i].factor[f].after || r->right.product[i].factor[f].part == KT_PART_REFLECTORS ||
                r->right.product[i].factor[f].part == KT_PART_ROW_REFLECTORS)
                return false;
    return true;
}

static struct kt_number at(const struct kt_vector *v, int64_t i)
{
    return i < v->count ? v->element[i] : (struct kt_number){0};
}

/* The largest difference in units of its element's size, or of the largest one's. */
static double compare(const struct kt_vector *a, const struct kt_vector *b, bool by_element)
{
    int64_t count = a->count > b->count ? a->count : b->count;
    long double largest = 0;
    long double worst = 0;
    for (int64_t i = 0; i < count; i++)
        largest = fmaxl(largest, at(a, i).size + at(b, i).size);
    for (int64_t i = 0; i < count; i++) {
        struct kt_number x = at(a, i);
        struct kt_number y = at(b, i);
        long double size = by_element ? x.size + y.size : largest;
        long double difference = hypotl(x.re - y.re, x.im - y.im);
        if (!isfinite(difference))
            return INFINITY;
        if (difference > 0)
            worst = fmaxl(worst, difference / size);
    }
    return (double)worst;
}

bool kt_residual(const struct kt_scene *scene, const struct kt_relation *relation, double *out)
{
    const struct kt_routine *routine = scene->symbol->routine;
    struct side side = {scene, 1};
    uint64_t state = 1;
    int64_t columns = columns_of(scene, &relation->left);
    columns = columns ? columns : columns_of(scene, &relation->right);
    if (columns == 0)
        return false;
    struct kt_vector left;
    struct kt_vector right = {0};
    struct kt_vector v = random_vector(columns, kt_type_is_complex(routine->type), &state);
    bool known = apply_sum(&side, &relation->left, &v, &left) && apply_sum(&side, &relation->right, &v, &right);
    *out = known ? compare(&left, &right, is_definition(relation)) : 0;
    kt_vector_free(&v);
    kt_vector_free(&left);
    kt_vector_free(&right);
    *out /= side.largest * kt_routine_eps(routine);
    return known;
}
