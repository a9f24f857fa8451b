/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/repeated.h"

#include "trace/base/memory.h"
#include "trace/table/operand.h"

#include <math.h>
#include <string.h>

/* The calls of a thread that may become one. */
struct run {
    const struct kt_process *process;
    uint32_t tid;
    size_t shape;
    uint64_t count; /* 0: none */
    struct kt_call_form first;
    int64_t dx, dy;          /* bytes */
    uint64_t last_x, last_y; /* addresses */
};

/* --- arrays of vectors ------------------------------------------------------------------------------------- */

struct vectors {
    double length, inc, step; /* elements: of a vector, between its elements, between vectors */
};

static double elem(const struct kt_call_form *form)
{
    return (double)kt_type_bytes(form->routine->type);
}

static struct vectors vectors_x(const struct kt_call_form *gemv, double step)
{
    return (struct vectors){kt_form_get(gemv, kt_form_trans(gemv, "trans") == 'N' ? "n" : "m"),
                            kt_form_get(gemv, "incx"), step};
}

static struct vectors vectors_y(const struct kt_call_form *gemv, double step)
{
    return (struct vectors){kt_form_get(gemv, kt_form_trans(gemv, "trans") == 'N' ? "m" : "n"),
                            kt_form_get(gemv, "incy"), step};
}

static bool are_columns(const struct vectors *v)
{
    return v->inc == 1 && v->step >= v->length;
}

static bool are_rows(const struct vectors *v, double count)
{
    return v->step == 1 && v->inc >= count;
}

/* --- runs -------------------------------------------------------------------------------------------------- */

struct range {
    uint64_t lo, hi;
};

static bool overlap(struct range a, struct range b)
{
    return a.lo < b.hi && b.lo < a.hi;
}

static struct range range_of(uint64_t first, uint64_t last, const struct vectors *v, double bytes)
{
    return (struct range){first, last + (uint64_t)(((v->length - 1) * v->inc + 1) * bytes)};
}

static bool is_whole(const struct run *run)
{
    double bytes = elem(&run->first);
    double count = (double)run->count;
    struct vectors x = vectors_x(&run->first, (double)run->dx / bytes);
    struct vectors y = vectors_y(&run->first, (double)run->dy / bytes);
    struct range xs = range_of(kt_form_address(&run->first, "x"), run->last_x, &x, bytes);
    struct range ys = range_of(kt_form_address(&run->first, "y"), run->last_y, &y, bytes);
    uint64_t a = kt_form_address(&run->first, "a");
    double size =
        ((kt_form_get(&run->first, "n") - 1) * kt_form_get(&run->first, "lda") + kt_form_get(&run->first, "m")) * bytes;
    return run->count >= KT_FEWEST_REPEATED && (are_columns(&x) || are_rows(&x, count)) &&
           (are_columns(&y) || are_rows(&y, count)) && !overlap(xs, ys) &&
           !overlap((struct range){a, a + (uint64_t)size}, ys);
}

static void end_run(struct run *run, struct kt_repeated *all)
{
    struct kt_repeated *of = &all[run->shape];
    if (run->count && is_whole(run)) {
        if (of->runs == 0) {
            of->first = run->first;
            of->dx = (double)run->dx / elem(&run->first);
            of->dy = (double)run->dy / elem(&run->first);
        }
        of->runs++;
        of->calls += run->count;
    }
    run->count = 0;
}

/* Is it the next one of the run? */
static bool goes_on(const struct run *run, const struct kt_call *call, size_t shape, const struct kt_call_form *form)
{
    int64_t dx = (int64_t)(kt_form_address(form, "x") - run->last_x);
    int64_t dy = (int64_t)(kt_form_address(form, "y") - run->last_y);
    return run->count && run->process == call->process && run->tid == call->tid && run->shape == shape &&
           kt_form_address(form, "a") == kt_form_address(&run->first, "a") && dx > 0 && dy > 0 &&
           (run->count == 1 || (dx == run->dx && dy == run->dy));
}

static void begin_run(struct run *run, const struct kt_call *call, size_t shape, const struct kt_call_form *form)
{
    *run = (struct run){.process = call->process, .tid = call->tid, .shape = shape, .count = 1, .first = *form};
    run->last_x = kt_form_address(form, "x");
    run->last_y = kt_form_address(form, "y");
}

static void continue_run(struct run *run, const struct kt_call_form *form)
{
    uint64_t x = kt_form_address(form, "x");
    uint64_t y = kt_form_address(form, "y");
    run->dx = (int64_t)(x - run->last_x);
    run->dy = (int64_t)(y - run->last_y);
    run->last_x = x;
    run->last_y = y;
    run->count++;
}

static bool is_product(const struct kt_call *call, struct kt_call_form *out)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    return call->complete && !strcmp(symbol->routine->name + (*symbol->routine->name != '\0'), "gemv") &&
           kt_form_of_call(symbol, call->args, out);
}

/* A call of another routine between them may use what they made. */
static void look_at(struct run *run, const struct kt_call *call, struct kt_collection *collection,
                    struct kt_repeated *all)
{
    struct kt_call_form form;
    if (!is_product(call, &form)) {
        end_run(run, all);
        return;
    }
    size_t shape = kt_collection_number(collection, call);
    if (goes_on(run, call, shape, &form)) {
        continue_run(run, &form);
        return;
    }
    end_run(run, all);
    begin_run(run, call, shape, &form);
}

struct kt_repeated *kt_repeated_find(const struct kt_trace *trace, const struct kt_shapes *shapes)
{
    struct kt_repeated *out = kt_zeros(shapes->count, sizeof *out);
    struct kt_collection *collection = kt_collection_of(trace, shapes);
    struct kt_shapes none = {0};
    struct kt_cursor cursor;
    struct kt_call call;
    struct run run = {.count = 0};
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        if (call.depth == 0)
            look_at(&run, &call, collection, out);
    end_run(&run, out);
    kt_collection_finish(collection, &none);
    kt_shapes_free(&none);
    for (size_t i = 0; i < shapes->count; i++)
        out[i].each = out[i].runs ? (out[i].calls + out[i].runs / 2) / out[i].runs : 0;
    return out;
}

/* --- the product ------------------------------------------------------------------------------------------- */

static void set_factor(struct kt_call_form *out, const char *name, const struct kt_call_form *gemv, const char *from,
                       double ld, char trans)
{
    kt_form_take(out, name, gemv, from);
    kt_form_set(out, *name == 'a' ? "lda" : *name == 'b' ? "ldb" : "ldc", ld);
    if (*name != 'c')
        kt_form_set(out, *name == 'a' ? "transa" : "transb", (double)trans);
}

/* Y is op(A) X; where Y is stored in rows Y' is X' op(A)'. */
static bool make_product(const struct kt_repeated *repeated, struct kt_call_form *out)
{
    const struct kt_call_form *gemv = &repeated->first;
    double count = (double)repeated->each;
    struct vectors x = vectors_x(gemv, repeated->dx);
    struct vectors y = vectors_y(gemv, repeated->dy);
    char trans = kt_form_trans(gemv, "trans");
    bool rows = !are_columns(&y);
    if (!kt_form_begin(gemv, "gemm", out) || (rows && trans == 'C'))
        return false;
    if (rows)
        set_factor(out, "b", gemv, "a", kt_form_get(gemv, "lda"), trans == 'N' ? 'T' : 'N');
    else
        set_factor(out, "a", gemv, "a", kt_form_get(gemv, "lda"), trans);
    set_factor(out, rows ? "a" : "b", gemv, "x", are_columns(&x) ? x.step : x.inc, are_columns(&x) == rows ? 'T' : 'N');
    set_factor(out, "c", gemv, "y", rows ? y.inc : y.step, 'N');
    kt_form_set(out, "m", rows ? count : y.length);
    kt_form_set(out, "n", rows ? y.length : count);
    kt_form_set(out, "k", x.length);
    return kt_form_finish(out);
}

bool kt_repeated_product(const struct kt_repeated *repeated, struct kt_call_form *out)
{
    return repeated->runs && make_product(repeated, out);
}
