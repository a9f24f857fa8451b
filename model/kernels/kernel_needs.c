/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/kernel_needs.h"

#include "trace/base/memory.h"

#include <fnmatch.h>
#include <math.h>

static const double tight_excess = 8; /* elements */

static bool matches(const char *routine, const char *filter)
{
    bool found = !filter;
    char *copy = kt_copy(filter ? filter : "");
    char *rest = copy;
    for (char *pattern; !found && (pattern = strsep(&rest, ","));)
        found = fnmatch(pattern, routine, 0) == 0;
    free(copy);
    return found;
}

/* --- leading dimensions and workspaces ----------------------------------------------------------------------- */

/* The rows of what is stored with that leading dimension; 0: nothing is. */
static double rows_of(const struct kt_routine *r, const double *v, int ld)
{
    double rows = 0;
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_ARRAY && r->arg[i].shape.step == ld && r->arg[i].shape.form == KT_FORM_MATRIX)
            rows = fmax(rows, kt_expr_eval(&r->arg[i].shape.dim[0], v));
    return rows;
}

static bool is_tight(const struct kt_routine *r, const double *v)
{
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_LD && v[i] > rows_of(r, v, i) + tight_excess)
            return false;
    return true;
}

static double least_work(const struct kt_routine *r, int i, const double *v)
{
    double least = r->arg[i].legal.count ? kt_expr_eval(&r->arg[i].legal, v) : 1;
    return least > 1 ? least : 1;
}

static double work_ratio(const struct kt_routine *r, const double *v)
{
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_LWORK)
            return fmax(1, v[i] / least_work(r, i, v));
    return 1;
}

/* --- places in cache lines ----------------------------------------------------------------------------------- */

enum { LINE = 64 };

static int begin_of(uint64_t address)
{
    return (int)(address % LINE / (LINE / KT_BEGINS));
}

static uint64_t most_frequent_begin(const struct kt_need *need, int array)
{
    int most = 0;
    for (int i = 1; i < KT_BEGINS; i++)
        most = need->begin[array][i] > need->begin[array][most] ? i : most;
    return (uint64_t)(most * (LINE / KT_BEGINS));
}

/* --- collecting -------------------------------------------------------------------------------------------- */

static struct kt_need *need_of(struct kt_needs *needs, const struct kt_model_query *query,
                               const struct kt_routine *routine)
{
    for (size_t i = 0; i < needs->count; i++)
        if (!strcmp(needs->need[i].query.routine, query->routine) &&
            !strcmp(needs->need[i].query.options, query->options))
            return &needs->need[i];
    needs->need = kt_room_for_one(needs->need, needs->count, sizeof *needs->need);
    struct kt_need *need = &needs->need[needs->count++];
    *need = (struct kt_need){.query = *query, .routine = routine, .heaviest = -1};
    memcpy(need->box.lo, query->size, sizeof need->box.lo);
    memcpy(need->box.hi, query->size, sizeof need->box.hi);
    return need;
}

static void add_use(struct kt_need *need, const struct kt_model_query *query, double seconds, uint64_t calls)
{
    for (int a = 0; a < query->axes; a++) {
        need->box.lo[a] = query->size[a] < need->box.lo[a] ? query->size[a] : need->box.lo[a];
        need->box.hi[a] = query->size[a] > need->box.hi[a] ? query->size[a] : need->box.hi[a];
    }
    for (int a = 0; a < query->axes; a++)
        need->is_below[a] = need->is_below[a] || query->size[a] < query->size[query->axes - 1 - a];
    need->use = kt_room_for_one(need->use, need->uses, sizeof *need->use);
    struct kt_use *use = &need->use[need->uses++];
    *use = (struct kt_use){.seconds = seconds, .calls = calls};
    memcpy(use->size, query->size, sizeof use->size);
    need->seconds += seconds;
    need->calls += calls;
}

int kt_need_larger(const struct kt_need *need)
{
    if (need->query.axes != 2 || need->is_below[0] == need->is_below[1])
        return 0;
    return need->is_below[0] ? 2 : 1;
}

static void note_values(struct kt_need *need, const struct kt_values *values, double seconds)
{
    const struct kt_routine *r = need->routine;
    for (int i = 0; i < r->args; i++) {
        if (r->arg[i].role == KT_LD && values->v[i] > need->largest_ld[i])
            need->largest_ld[i] = values->v[i];
        if (r->arg[i].role == KT_ARRAY)
            need->begin[i][begin_of(values->address[i])] += seconds;
    }
    if (is_tight(r, values->v))
        need->tight_seconds += seconds;
    if (seconds <= need->heaviest)
        return;
    need->heaviest = seconds;
    need->values = *values;
    need->work_ratio = work_ratio(r, values->v);
}

void kt_needs_add(struct kt_needs *needs, const struct kt_symbol *symbol, const struct kt_values *values,
                  double seconds, uint64_t calls)
{
    struct kt_values plain;
    struct kt_model_query query;
    needs->seconds += seconds;
    if (!kt_model_values_of_call(symbol, values, &plain) ||
        !kt_model_query_of_values(symbol->routine, &plain, &query)) {
        needs->unmodelled += seconds;
        return;
    }
    if (kt_model_query_has_zero(
            &query)) { /* no model knows such sizes, and where nothing is to be done none is missed */
        needs->unmodelled += kt_has_nothing_to_do(symbol, values) ? 0 : seconds;
        return;
    }
    struct kt_need *need = need_of(needs, &query, symbol->routine);
    note_values(need, &plain, seconds);
    add_use(need, &query, seconds, calls);
}

static void add_shape(struct kt_needs *needs, const struct kt_shape_group *shape, const char *filter)
{
    const struct kt_symbol *symbol = &shape->first.entry->symbol;
    struct kt_values values;
    if (!shape->calls || !matches(symbol->routine->name, filter))
        return;
    kt_values_decode(symbol, shape->usual.args, &values);
    kt_needs_add(needs, symbol, &values, shape->stands_for, shape->calls);
}

static int compare_seconds(const void *a, const void *b)
{
    double x = ((const struct kt_need *)a)->seconds;
    double y = ((const struct kt_need *)b)->seconds;
    return (x < y) - (x > y);
}

int kt_use_compare(const void *a, const void *b)
{
    double x = ((const struct kt_use *)a)->seconds;
    double y = ((const struct kt_use *)b)->seconds;
    return (x < y) - (x > y);
}

void kt_needs_sort(struct kt_needs *needs)
{
    for (size_t i = 0; i < needs->count; i++)
        if (needs->need[i].uses)
            qsort(needs->need[i].use, needs->need[i].uses, sizeof *needs->need[i].use, kt_use_compare);
    if (needs->count)
        qsort(needs->need, needs->count, sizeof *needs->need, compare_seconds);
}

static void collect_level(const struct kt_trace *trace, enum kt_level level, const char *filter, struct kt_needs *out)
{
    struct kt_shapes shapes;
    kt_shapes_collect(trace, level, &shapes);
    for (size_t i = 0; i < shapes.count; i++)
        add_shape(out, &shapes.shape[i], filter);
    kt_shapes_free(&shapes);
}

void kt_needs_collect(const struct kt_trace *trace, unsigned levels, const char *filter, struct kt_needs *out)
{
    *out = (struct kt_needs){0};
    for (enum kt_level level = KT_OUTERMOST; level <= KT_LEAVES; level++)
        if (levels & 1u << level)
            collect_level(trace, level, filter, out);
    kt_needs_sort(out);
}

void kt_needs_free(struct kt_needs *needs)
{
    for (size_t i = 0; i < needs->count; i++)
        free(needs->need[i].use);
    free(needs->need);
    *needs = (struct kt_needs){0};
}

/* --- calls of other sizes ------------------------------------------------------------------------------------ */

static double tight_ld(const struct kt_routine *r, double rows)
{
    const double page = 4096;
    double bytes = (double)kt_type_bytes(r->type);
    double ld = ceil(rows / 8) * 8;
    return fmod(ld * bytes, page) == 0 ? ld + 8 : ld;
}

static double choose_ld(const struct kt_need *need, const double *v, int ld)
{
    double rows = fmax(1, rows_of(need->routine, v, ld));
    bool tight = need->tight_seconds > need->seconds / 2;
    return !tight && need->largest_ld[ld] >= rows ? need->largest_ld[ld] : tight_ld(need->routine, rows);
}

/* A scalar of data may be anything; one that makes results overflow or vanish is no use. */
static double tame(double x)
{
    return x == 0 || (fabs(x) > 1e-3 && fabs(x) < 1e3) ? x : 0.7;
}

void kt_need_values(const struct kt_need *need, const int64_t *size, struct kt_values *out)
{
    const struct kt_routine *r = need->routine;
    int argument[KT_MODEL_AXES];
    int axes = kt_model_axes_of(r, argument);
    *out = (struct kt_values){0};
    memcpy(out->v, need->values.v, sizeof out->v);
    memcpy(out->imaginary, need->values.imaginary, sizeof out->imaginary);
    for (int a = 0; a < axes; a++)
        out->v[argument[a]] = (double)size[a];
    for (int i = 0; i < r->args; i++) {
        if (r->arg[i].role == KT_LD)
            out->v[i] = choose_ld(need, out->v, i);
        if (r->arg[i].role == KT_LWORK)
            out->v[i] = ceil(need->work_ratio * least_work(r, i, out->v));
        if (r->arg[i].role == KT_SCALAR)
            out->v[i] = tame(out->v[i]);
        if (r->arg[i].role == KT_ARRAY) /* in different lines and pages, like those of different variables */
            out->address[i] = (uint64_t)i * 21 * LINE + most_frequent_begin(need, i);
    }
}

bool kt_need_is_legal(const struct kt_need *need, const int64_t *size)
{
    struct kt_values values;
    kt_need_values(need, size, &values);
    return kt_is_within_bounds(need->routine, values.v);
}
