/* SPDX-License-Identifier: BSD-3-Clause */
/* The sequence of calls that an algorithm is, for given sizes. */
#include "model/algorithm/algorithm_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_DEPTH = 64, MOST_CALLS = 20 * 1000 * 1000, MOST_STEPS = 60 * 1000 * 1000 };

/* Largest number that a size or index may be: products of two of them and of an element's size stay exact. */
static const double most_index = 1 << 26;

struct place {
    uint64_t base, bytes;
    double rows;
    size_t elem;
};

struct running {
    const struct kt_algorithm *algorithm;
    kt_kernel_visit *visit;
    void *context;
    struct kt_error *error;
    struct kt_kernel kernel;
    struct place place[KT_MOST_STORES];
    int depth;
    int64_t calls, steps;
};

static enum kt_status fail_at(const struct running *r, int line, const char *what, const char *name)
{
    return kt_fail(r->error, KT_BAD_INPUT, "%s:%d: %s%s", r->algorithm->file, line, name, what);
}

static bool is_index(double value)
{
    return fabs(value) <= most_index && floor(value) == value;
}

/* --- calls of routines ------------------------------------------------------------------------------------- */

static double index_of(const struct kt_expr *expr, const double *frame)
{
    return expr->count ? kt_expr_eval(expr, frame) : 1;
}

static enum kt_status pass_array(struct running *r, const struct kt_statement *s, int i, const double *frame)
{
    const struct kt_passed *passed = &s->passed[i];
    const struct place *place = &r->place[passed->store];
    double row = index_of(&passed->first, frame);
    double column = index_of(&passed->second, frame);
    if (!is_index(row) || !is_index(column))
        return fail_at(r, s->line, ": an index is no whole number, or far too large",
                       r->algorithm->store[passed->store].name);
    int64_t distance = (int64_t)(row - 1) + (int64_t)(column - 1) * (int64_t)place->rows;
    r->kernel.values.address[i] = place->base + (uint64_t)(distance * (int64_t)place->elem);
    return KT_OK;
}

static enum kt_status pass_number(struct running *r, const struct kt_statement *s, int i, const double *frame)
{
    const struct kt_arg *arg = &r->kernel.symbol->routine->arg[i];
    double value = kt_expr_eval(&s->passed[i].first, frame);
    if (arg->role != KT_SCALAR && !is_index(value))
        return fail_at(r, s->line, ": is no whole number, or far too large", arg->name);
    r->kernel.values.v[i] = value;
    return KT_OK;
}

/* Elements of the workspace that precedes the argument, from where it was passed on. */
static double workspace_length(const struct running *r, const struct kt_statement *s, int arg)
{
    while (arg > 0 && s->passed[arg].store < 0)
        arg--;
    if (s->passed[arg].store < 0)
        return 0;
    const struct place *place = &r->place[s->passed[arg].store];
    int64_t used = (int64_t)(r->kernel.values.address[arg] - place->base);
    return (double)(((int64_t)place->bytes - used) / (int64_t)place->elem);
}

/* Leading dimensions are those of the matrices, at least 1. */
static void pass_what_follows(struct running *r, const struct kt_statement *s)
{
    const struct kt_routine *routine = r->kernel.symbol->routine;
    for (int i = 0; i < routine->args; i++) {
        int step = routine->arg[i].shape.step;
        if (routine->arg[i].role == KT_LWORK)
            r->kernel.values.v[i] = workspace_length(r, s, i);
        if (routine->arg[i].role == KT_ARRAY && step >= 0 && routine->arg[step].role == KT_LD)
            r->kernel.values.v[step] = fmax(1, r->place[s->passed[i].store].rows);
    }
}

/* The table gives dlaswp whole columns, of which it touches what lies above the last row that is exchanged. */
static enum kt_status check_reach(const struct running *r, const struct kt_statement *s)
{
    const struct kt_routine *routine = r->kernel.symbol->routine;
    for (int i = 0; i < r->kernel.operands; i++) {
        const struct kt_operand *o = &r->kernel.operand[i];
        if (o->lo >= o->hi || !o->arg)
            continue;
        int store = s->passed[o->arg - routine->arg].store;
        const struct place *place = &r->place[store];
        uint64_t spare = o->rows == o->ld && o->ld > 0 ? (uint64_t)(o->ld - 1) * o->elem : 0;
        if (o->lo < place->base || o->hi > place->base + place->bytes + spare)
            return kt_fail(r->error, KT_BAD_INPUT,
                           "%s:%d: the operand %s of %s, %lld x %lld, reaches beyond %s (%.0f x %.0f)",
                           r->algorithm->file, s->line, o->arg->name, routine->name, (long long)o->rows,
                           (long long)o->cols, r->algorithm->store[store].name, place->rows,
                           place->rows > 0 ? (double)place->bytes / (double)place->elem / place->rows : 0);
    }
    return KT_OK;
}

static enum kt_status call_routine(struct running *r, const struct kt_statement *s, const double *frame)
{
    struct kt_kernel *k = &r->kernel;
    k->symbol = r->algorithm->symbol[s->target];
    k->line = s->line;
    if (++r->calls > MOST_CALLS)
        return fail_at(r, s->line, "more than 20 million calls", "");
    memset(k->values.address, 0, (size_t)s->count * sizeof *k->values.address);
    memset(k->values.imaginary, 0, (size_t)s->count * sizeof *k->values.imaginary);
    for (int i = 0; i < s->count; i++) {
        k->values.v[i] = (double)s->passed[i].letter;
        if (s->passed[i].store >= 0)
            KT_TRY(pass_array(r, s, i, frame));
        else if (s->passed[i].first.count)
            KT_TRY(pass_number(r, s, i, frame));
    }
    pass_what_follows(r, s);
    k->operands = kt_operands(k->symbol, &k->values, 4, k->operand);
    KT_TRY(check_reach(r, s));
    return r->visit(r->context, k, r->error);
}

/* --- statements -------------------------------------------------------------------------------------------- */

static enum kt_status run_list(struct running *r, int first, double *frame);

static enum kt_status call_sub(struct running *r, const struct kt_statement *s, const double *frame)
{
    const struct kt_sub *sub = &r->algorithm->sub[s->target];
    double own[KT_MOST_VARIABLES] = {0};
    int globals = r->algorithm->globals;
    if (r->depth == MOST_DEPTH)
        return fail_at(r, s->line, ": calls itself more than 64 times over", sub->name);
    memcpy(own, frame, (size_t)globals * sizeof *own);
    for (int i = 0; i < s->count; i++)
        own[globals + i] = kt_expr_eval(&s->passed[i].first, frame);
    r->depth++;
    KT_TRY(run_list(r, sub->body, own));
    r->depth--;
    return KT_OK;
}

static enum kt_status run_for(struct running *r, const struct kt_statement *s, double *frame)
{
    double from = kt_expr_eval(&s->expr[0], frame);
    double to = kt_expr_eval(&s->expr[1], frame);
    double step = index_of(&s->expr[2], frame);
    if (step == 0)
        return fail_at(r, s->line, "the step of the loop is 0", "");
    for (double value = from; step > 0 ? value <= to : value >= to; value += step) {
        frame[s->target] = value;
        if (++r->steps > MOST_STEPS)
            return fail_at(r, s->line, "the loop does not come to an end", "");
        KT_TRY(run_list(r, s->body, frame));
    }
    return KT_OK;
}

static enum kt_status run_statement(struct running *r, const struct kt_statement *s, double *frame)
{
    switch (s->kind) {
    case KT_ASSIGN:
        frame[s->target] = kt_expr_eval(&s->expr[0], frame);
        return KT_OK;
    case KT_FOR:
        return run_for(r, s, frame);
    case KT_IF:
        return run_list(r, kt_expr_eval(&s->expr[0], frame) != 0 ? s->body : s->other, frame);
    case KT_CALL_SUB:
        return call_sub(r, s, frame);
    default:
        return call_routine(r, s, frame);
    }
}

static enum kt_status run_list(struct running *r, int first, double *frame)
{
    for (int i = first; i >= 0; i = r->algorithm->statement[i].next) {
        if (++r->steps > MOST_STEPS)
            return fail_at(r, r->algorithm->statement[i].line, "the algorithm does not come to an end", "");
        KT_TRY(run_statement(r, &r->algorithm->statement[i], frame));
    }
    return KT_OK;
}

/* --- storage ----------------------------------------------------------------------------------------------- */

static enum kt_status place_store(struct running *r, int i, double *frame, uint64_t *at)
{
    const struct kt_algorithm_store *store = &r->algorithm->store[i];
    double rows = kt_expr_eval(&store->rows, frame);
    double columns = index_of(&store->columns, frame);
    if (!is_index(rows) || !is_index(columns) || rows < 0 || columns < 0)
        return fail_at(r, store->line, ": its size is no whole number from 0 to 2^26", store->name);
    size_t elem = store->elem ? store->elem : 8;
    r->place[i] = (struct place){*at, (uint64_t)rows * (uint64_t)columns * elem, rows, elem};
    *at += (r->place[i].bytes / 4096 + 2) * 4096;
    frame[r->algorithm->parameters + i] = rows;
    return KT_OK;
}

/* As an allocator of large memory does it: 16 bytes behind the begin of a page. */
static enum kt_status place_all(struct running *r, const double *parameter, double *frame)
{
    uint64_t at = ((uint64_t)1 << 32) + 16;
    memcpy(frame, parameter, (size_t)r->algorithm->parameters * sizeof *frame);
    for (int i = 0; i < r->algorithm->stores; i++)
        KT_TRY(place_store(r, i, frame, &at));
    return KT_OK;
}

enum kt_status kt_algorithm_run(const struct kt_algorithm *algorithm, const double *parameter, kt_kernel_visit *visit,
                                void *context, struct kt_error *error)
{
    struct running r = {.algorithm = algorithm, .visit = visit, .context = context, .error = error};
    double frame[KT_MOST_VARIABLES] = {0};
    KT_TRY(place_all(&r, parameter, frame));
    return run_list(&r, algorithm->sub[0].body, frame);
}

int kt_algorithm_storage(const struct kt_algorithm *algorithm, const double *parameter,
                         struct kt_operand out[KT_MAX_OPERANDS])
{
    struct kt_error error = {0};
    struct running r = {.algorithm = algorithm, .error = &error};
    double frame[KT_MOST_VARIABLES] = {0};
    if (place_all(&r, parameter, frame) != KT_OK)
        return 0;
    for (int i = 0; i < algorithm->stores; i++) {
        const struct place *p = &r.place[i];
        bool is_vector = algorithm->store[i].is_vector;
        int64_t rows = (int64_t)p->rows;
        int64_t columns = rows ? (int64_t)(p->bytes / p->elem) / rows : 0;
        out[i] = (struct kt_operand){.name = algorithm->store[i].name,
                                     .form = is_vector ? KT_FORM_ARRAY : KT_FORM_MATRIX,
                                     .access = KT_READ_WRITE,
                                     .base = p->base,
                                     .lo = p->base,
                                     .hi = p->base + p->bytes,
                                     .rows = rows,
                                     .cols = columns,
                                     .ld = is_vector ? 1 : rows,
                                     .below = rows,
                                     .above = columns,
                                     .elements = p->bytes / p->elem,
                                     .elem = p->elem};
    }
    return algorithm->stores;
}
