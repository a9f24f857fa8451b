/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/table/operand.h"

#include <math.h>

/* Sizes beyond this are nonsense from a wrong call; the bound keeps address arithmetic from overflowing. */
enum { MAX_SIZE = INT32_MAX };
static const double MAX_PARAMETER = 1e15;

static int64_t clamp(double x)
{
    return x > 0 ? x < MAX_SIZE ? (int64_t)x : MAX_SIZE : 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* --- geometry ---------------------------------------------------------------------------------------------- */

static bool is_vector_like(const struct kt_operand *o)
{
    return o->form == KT_FORM_ARRAY || o->form == KT_FORM_VECTOR;
}

/* Rows [*FIRST, *END) of column J that belong to a matrix, band or packed triangle. */
static void column_rows(const struct kt_operand *o, int64_t j, int64_t *first, int64_t *end)
{
    *first = larger(0, j - o->above);
    *end = larger(*first, smaller(o->rows, j + o->below + 1));
}

/* Elements from the pointer passed to row 0 of column J, which need not be stored itself. */
static int64_t column_start(const struct kt_operand *o, int64_t j)
{
    bool upper = o->below <= 0;
    if (o->form == KT_FORM_PACKED)
        return upper ? j * (j + 1) / 2 : j * o->rows - j * (j + 1) / 2;
    if (o->form == KT_FORM_BAND)
        return j * o->ld + o->diagonal - j;
    return j * o->ld;
}

/* Elements from the pointer passed to the first element of a vector: with a negative increment it comes last. */
static int64_t vector_start(const struct kt_operand *o)
{
    return o->ld < 0 ? (1 - o->rows) * o->ld : 0;
}

int64_t kt_operand_runs(const struct kt_operand *o)
{
    if (o->rows == 0 || o->cols == 0)
        return 0;
    if (!is_vector_like(o))
        return o->cols;
    return o->ld >= -1 && o->ld <= 1 ? 1 : o->rows;
}

static void vector_run(const struct kt_operand *o, int64_t i, int64_t *first, int64_t *count)
{
    bool together = kt_operand_runs(o) == 1;
    *count = together && o->ld != 0 ? o->rows : 1;
    *first = o->ld == -1 ? 0 : vector_start(o) + i * o->ld;
}

void kt_operand_run(const struct kt_operand *o, int64_t i, uint64_t *lo, uint64_t *hi)
{
    int64_t first;
    int64_t count;
    if (is_vector_like(o)) {
        vector_run(o, i, &first, &count);
    } else {
        int64_t end;
        column_rows(o, i, &first, &end);
        count = end - first;
        first += column_start(o, i);
    }
    *lo = o->base + (uint64_t)first * o->elem;
    *hi = *lo + (uint64_t)count * o->elem;
}

/* Runs [*FIRST, *END) are those that can hold anything: a band leaves columns far behind the last row empty. */
static void runs_in_use(const struct kt_operand *o, int64_t *first, int64_t *end)
{
    *first = 0;
    *end = kt_operand_runs(o);
    if (is_vector_like(o))
        return;
    *first = larger(0, -o->below);
    *end = o->above + o->below < 0 ? 0 : smaller(*end, o->rows + o->above);
}

/* Addresses grow or shrink with the number of the run, so the outer two bound them all. */
static void find_bounds(struct kt_operand *o)
{
    int64_t first, end;
    uint64_t lo[2], hi[2];
    runs_in_use(o, &first, &end);
    o->lo = o->hi = o->base;
    if (first >= end)
        return;
    kt_operand_run(o, first, &lo[0], &hi[0]);
    kt_operand_run(o, end - 1, &lo[1], &hi[1]);
    o->lo = lo[0] < lo[1] ? lo[0] : lo[1];
    o->hi = hi[0] > hi[1] ? hi[0] : hi[1];
}

/* 1 + 2 + ... + N, but no addend above MOST: the elements of a corner that do not belong to a matrix. */
static uint64_t triangle(int64_t n, int64_t most)
{
    uint64_t full = (uint64_t)(n < most ? larger(n, 0) : most);
    uint64_t rest = n > most ? (uint64_t)(n - most) : 0;
    return full * (full + 1) / 2 + rest * (uint64_t)most;
}

static void count_elements(struct kt_operand *o)
{
    if (is_vector_like(o)) {
        o->elements = o->ld == 0 && o->rows > 0 ? 1 : (uint64_t)o->rows;
        return;
    }
    uint64_t all = (uint64_t)o->rows * (uint64_t)o->cols;
    uint64_t outside = triangle(o->cols - 1 - o->above, o->rows) + triangle(o->rows - 1 - o->below, o->cols);
    o->elements = o->below + o->above < -1 ? 0 : all - outside;
}

/* --- from arguments to operands ---------------------------------------------------------------------------- */

static int64_t dimension(const struct kt_shape *shape, int i, const struct kt_values *values)
{
    return clamp(kt_expr_eval(&shape->dim[i], values->v));
}

static int letter_of(int arg, char constant, const struct kt_values *values)
{
    return arg < 0 ? constant : (int)values->v[arg];
}

/* A row-major matrix is the transposed one in column-major order: rows and columns, upper and lower change places. */
static void transpose(struct kt_operand *o)
{
    int64_t rows = o->rows;
    int64_t below = o->below;
    o->rows = o->cols;
    o->cols = rows;
    o->below = o->above;
    o->above = below;
}

static void set_vector(struct kt_operand *o, const struct kt_shape *shape, const struct kt_values *values)
{
    o->rows = dimension(shape, 0, values);
    o->cols = 1;
    double step = shape->step < 0 ? 1 : values->v[shape->step];
    o->ld = step < 0 ? -clamp(-step) : clamp(step);
}

static void set_matrix(struct kt_operand *o, const struct kt_shape *shape, const struct kt_values *values)
{
    bool packed = shape->form == KT_FORM_PACKED;
    bool band = shape->form == KT_FORM_BAND;
    int uplo = letter_of(shape->uplo, shape->constant_uplo, values);
    o->rows = dimension(shape, 0, values);
    o->cols = packed ? o->rows : dimension(shape, 1, values);
    o->ld = packed ? 0 : shape->step < 0 ? shape->constant_step : clamp(values->v[shape->step]);
    o->below = band ? dimension(shape, 2, values) : uplo == 'U' ? 0 : o->rows;
    o->above = band ? dimension(shape, 3, values) : uplo == 'L' ? 0 : o->cols;
    if (values->row_major)
        transpose(o);
    o->diagonal = o->above;
    if (letter_of(shape->diag, shape->constant_diag, values) != 'U')
        return;
    if (o->below == 0)
        o->below = -1;
    if (o->above == 0)
        o->above = -1;
}

/* LAPACKE transposes the array that holds the band, not the matrix that the band is of. */
static void set_stored_band(struct kt_operand *o, const struct kt_shape *shape, const struct kt_values *values)
{
    o->form = KT_FORM_MATRIX;
    o->rows = dimension(shape, 1, values);
    o->cols = dimension(shape, 2, values) + dimension(shape, 3, values) + 1;
    o->ld = shape->step < 0 ? shape->constant_step : clamp(values->v[shape->step]);
    o->below = o->rows;
    o->above = o->cols;
    o->diagonal = dimension(shape, 3, values);
}

static enum kt_access access_of(const struct kt_arg *arg, const struct kt_values *values)
{
    if (arg->access != KT_UPDATE)
        return arg->access;
    bool overwritten = values->v[arg->beta] == 0 && values->imaginary[arg->beta] == 0;
    return overwritten ? KT_WRITE : KT_READ_WRITE;
}

/* Where the parameter tells how a matrix is stored, its last bit or the one before means: transposed. Of reflectors
 * that is one of the ways (0: in columns) and no bit. */
static int64_t parameter_of(const struct kt_arg *arg, const struct kt_values *values)
{
    double value = arg->data_parameter.count ? kt_expr_eval(&arg->data_parameter, values->v) : 0;
    int64_t parameter = fabs(value) < MAX_PARAMETER ? (int64_t)value : 0;
    bool rfp = arg->data == KT_RFP_SPD || arg->data == KT_RFP_TRIANGLE;
    bool shaped = arg->data == KT_SCHUR || arg->data == KT_HESSENBERG;
    if (arg->data == KT_REFLECTORS && values->row_major && !parameter)
        return KT_REFLECTORS_IN_ROWS;
    return values->row_major ? parameter ^ (rfp ? 2 : shaped ? 1 : 0) : parameter;
}

static void finish(struct kt_operand *o)
{
    find_bounds(o);
    count_elements(o);
}

static struct kt_operand array_operand(const struct kt_arg *arg, enum kt_view view, const struct kt_values *values,
                                       uint64_t base, size_t int_bytes)
{
    bool lapacke = view == KT_LAPACKE || view == KT_LAPACKE_WORK;
    struct kt_operand o = {.arg = arg, .form = arg->shape.form, .base = base, .access = access_of(arg, values)};
    o.elem = arg->type == KT_I ? int_bytes : kt_type_bytes(arg->type);
    o.parameter = parameter_of(arg, values);
    if (is_vector_like(&o))
        set_vector(&o, &arg->shape, values);
    else if (o.form == KT_FORM_BAND && values->row_major && lapacke)
        set_stored_band(&o, &arg->shape, values);
    else
        set_matrix(&o, &arg->shape, values);
    finish(&o);
    return o;
}

static struct kt_operand result_operand(const struct kt_routine *routine, const struct kt_values *values)
{
    struct kt_operand o = {.form = KT_FORM_ARRAY,
                           .access = KT_WRITE,
                           .base = values->result,
                           .rows = 1,
                           .cols = 1,
                           .ld = 1,
                           .elem = kt_type_bytes(routine->result)};
    finish(&o);
    return o;
}

/* How many arguments the length of an array follows from; LENGTHS: of those that can be asked for. */
static int sources_of(const struct kt_routine *r, const struct kt_shape *shape, bool lengths)
{
    int count = 0;
    for (int i = 0; i < r->args; i++)
        if (!lengths || r->arg[i].role == KT_LWORK)
            count += kt_expr_uses(&shape->dim[0], i);
    return count;
}

/* A query sets the first element of each workspace, perhaps single numbers, and arrays as long as it is told: T of
 * geqr. */
static void limit_to_query(struct kt_operand *o, const struct kt_routine *r)
{
    const struct kt_shape *shape = o->arg ? &o->arg->shape : NULL;
    if (!shape)
        return; /* what the function returns */
    if (o->access == KT_WORK)
        o->rows = 1;
    else if (sources_of(r, shape, false) && !sources_of(r, shape, true))
        o->rows = o->cols = 0;
    finish(o);
}

int kt_operands(const struct kt_symbol *symbol, const struct kt_values *values, size_t int_bytes,
                struct kt_operand out[KT_MAX_OPERANDS])
{
    int count = 0;
    bool query = kt_is_query(symbol->routine, values);
    for (int i = 0; i < symbol->params && count < KT_MAX_OPERANDS; i++) {
        const struct kt_param *p = &symbol->param[i];
        if (p->stored != KT_ADDRESS)
            continue;
        struct kt_operand *o = &out[count++];
        if (p->arg == KT_ARG_RESULT)
            *o = result_operand(symbol->routine, values);
        else
            *o = array_operand(&symbol->routine->arg[p->arg], symbol->view, values, values->address[p->arg], int_bytes);
        o->name = p->name;
        if (query)
            limit_to_query(o, symbol->routine);
    }
    return count;
}

/* --- costs ------------------------------------------------------------------------------------------------- */

bool kt_is_query(const struct kt_routine *routine, const struct kt_values *values)
{
    for (int i = 0; i < routine->args; i++)
        if (routine->arg[i].role == KT_LWORK && (values->v[i] == -1 || values->v[i] == -2))
            return true;
    return false;
}

static bool has_no_work(const struct kt_routine *routine, const struct kt_values *values)
{
    bool sized = false;
    for (int i = 0; i < routine->args; i++) {
        if (routine->arg[i].role != KT_SIZE)
            continue;
        if (values->v[i] > 0)
            return kt_is_query(routine, values);
        sized = true;
    }
    return sized;
}

size_t kt_operand_number_bytes(const struct kt_operand *operand)
{
    enum kt_type type = operand->arg ? operand->arg->type : operand->elem == 16 ? KT_Z : KT_C;
    return type == KT_I ? 0 : kt_type_bytes(kt_type_real(type));
}

double kt_flops(const struct kt_routine *routine, const struct kt_values *values)
{
    if (routine->flops.count == 0 && routine->mul.count == 0)
        return NAN;
    if (has_no_work(routine, values))
        return 0;
    if (routine->flops.count)
        return kt_expr_eval(&routine->flops, values->v);
    double mul = kt_expr_eval(&routine->mul, values->v);
    double add = routine->add.count ? kt_expr_eval(&routine->add, values->v) : 0;
    double flops = kt_type_is_complex(routine->type) ? 6 * mul + 2 * add : mul + add;
    return flops > 0 ? flops : 0;
}

double kt_bytes(const struct kt_operand *operand, int count)
{
    double bytes = 0;
    for (int i = 0; i < count; i++) {
        const struct kt_operand *o = &operand[i];
        int times = !!(o->access & KT_READ) + !!(o->access & KT_WRITE);
        bytes += (double)times * (double)o->elements * (double)o->elem;
    }
    return bytes;
}
