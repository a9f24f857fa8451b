/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/inverse.h"

#include "trace/base/memory.h"
#include "trace/table/operand.h"

#include <string.h>

/* Inverses that are watched at the same time; the oldest one makes room. */
enum { WATCHED = 16 };

struct product {
    double vectors;
    char trans;
};

struct watched {
    const struct kt_process *process; /* NULL: nothing is watched here */
    size_t shape;
    struct kt_call_form call;
    uint64_t lo, hi; /* the inverse */
    uint64_t reads;
    struct product product; /* of the last read; no vectors: it was another call */
};

struct search {
    struct kt_collection *collection;
    struct kt_inverse *found; /* by shape, in the order of their list */
    struct watched watched[WATCHED];
    size_t next;
};

/* --- products ---------------------------------------------------------------------------------------------- */

static bool is_routine(const struct kt_symbol *symbol, const char *name)
{
    return *symbol->routine->name && !strcmp(symbol->routine->name + 1, name);
}

/* Is the factor of that name, with that leading dimension, the whole inverse? */
static bool is_factor(const struct watched *w, const struct kt_call_form *form, const char *name, const char *ld)
{
    return kt_form_address(form, name) == w->lo && kt_form_get(form, ld) == kt_form_get(&w->call, "lda");
}

/* A product with the inverse on the right is, transposed, one with the inverse on the left. */
static struct product product_of_matrices(const struct watched *w, const struct kt_call_form *form)
{
    double n = kt_form_get(&w->call, "n");
    bool left = is_factor(w, form, "a", "lda");
    bool right = is_factor(w, form, "b", "ldb");
    if (left && !right && kt_form_is(form, "m", n) && kt_form_is(form, "k", n))
        return (struct product){kt_form_get(form, "n"), kt_form_trans(form, "transa")};
    char trans = kt_form_trans(form, "transb");
    if (right && !left && kt_form_is(form, "n", n) && kt_form_is(form, "k", n) && trans != 'C')
        return (struct product){kt_form_get(form, "m"), trans == 'N' ? 'T' : 'N'};
    return (struct product){.vectors = 0};
}

/* No vectors: the call is no such product. */
static struct product product_of(const struct watched *w, const struct kt_call *call)
{
    struct kt_call_form form;
    const struct kt_symbol *symbol = &call->entry->symbol;
    double n = kt_form_get(&w->call, "n");
    bool is_vector = is_routine(symbol, "gemv");
    if ((!is_vector && !is_routine(symbol, "gemm")) || !kt_form_of_call(symbol, call->args, &form))
        return (struct product){.vectors = 0};
    if (!is_vector)
        return product_of_matrices(w, &form);
    if (!is_factor(w, &form, "a", "lda") || !kt_form_is(&form, "m", n) || !kt_form_is(&form, "n", n))
        return (struct product){.vectors = 0};
    return (struct product){1, kt_form_trans(&form, "trans")};
}

/* --- watching ---------------------------------------------------------------------------------------------- */

static void end_watch(struct search *s, struct watched *w)
{
    struct kt_inverse *of = &s->found[w->shape];
    if (w->process && w->reads == 1 && w->product.vectors >= 1) {
        if (of->calls == 0)
            *of = (struct kt_inverse){.vectors = w->product.vectors, .trans = w->product.trans, .first = w->call};
        of->calls += of->vectors == w->product.vectors && of->trans == w->product.trans;
    }
    w->process = NULL;
}

/* getrf reads what the program has written there, a new matrix: the inverse is no more. */
static void meet(struct search *s, struct watched *w, const struct kt_call *call, const struct kt_operand *operand,
                 int count)
{
    uint64_t reads = 0;
    bool writes = false;
    bool is_new = is_routine(&call->entry->symbol, "getrf");
    for (int i = 0; i < count; i++)
        if (operand[i].lo < w->hi && w->lo < operand[i].hi) {
            reads += operand[i].access & KT_READ && !is_new;
            writes = writes || operand[i].access != KT_READ;
        }
    if (reads) {
        w->reads += reads;
        w->product = product_of(w, call);
    }
    if (writes)
        end_watch(s, w);
}

static void watch(struct search *s, const struct kt_call *call, const struct kt_operand *operand, int count)
{
    struct watched *w = &s->watched[s->next++ % WATCHED];
    end_watch(s, w);
    if (!kt_form_of_call(&call->entry->symbol, call->args, &w->call))
        return;
    for (int i = 0; i < count; i++)
        if (operand[i].base == kt_form_address(&w->call, "a") && operand[i].lo < operand[i].hi) {
            w->process = call->process;
            w->shape = kt_collection_number(s->collection, call);
            w->lo = operand[i].lo;
            w->hi = operand[i].hi;
            w->reads = 0;
        }
}

static void look_at(struct search *s, const struct kt_call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    if (!call->complete || call->entry->symbol.view == KT_UNDESCRIBED)
        return;
    kt_values_decode(&call->entry->symbol, call->args, &values);
    int count = kt_operands(&call->entry->symbol, &values, call->entry->int_bytes, operand);
    for (size_t i = 0; i < WATCHED; i++)
        if (s->watched[i].process == call->process)
            meet(s, &s->watched[i], call, operand, count);
    if (is_routine(&call->entry->symbol, "getri") && !kt_is_query(call->entry->symbol.routine, &values))
        watch(s, call, operand, count);
}

struct kt_inverse *kt_inverse_find(const struct kt_trace *trace, const struct kt_shapes *shapes)
{
    struct search s = {.collection = kt_collection_of(trace, shapes),
                       .found = kt_zeros(shapes->count, sizeof *s.found)};
    struct kt_shapes none = {0};
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin(trace, &cursor);
    while (shapes->count && kt_cursor_next(&cursor, &call))
        if (call.depth == 0)
            look_at(&s, &call);
    for (size_t i = 0; i < WATCHED && shapes->count; i++)
        end_watch(&s, &s.watched[i]);
    kt_collection_finish(s.collection, &none);
    kt_shapes_free(&none);
    return s.found;
}

bool kt_inverse_solve(const struct kt_inverse *inverse, struct kt_call_form *out)
{
    if (!inverse->calls || !kt_form_begin(&inverse->first, "getrs", out))
        return false;
    kt_form_set(out, "trans", inverse->trans);
    kt_form_set(out, "nrhs", inverse->vectors);
    kt_form_set(out, "ldb", kt_form_get(out, "n"));
    return kt_form_finish(out);
}
