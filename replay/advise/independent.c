/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/independent.h"

#include "replay/machine/pages.h"
#include "trace/base/count.h"
#include "trace/base/memory.h"

#include <stdio.h>

/* The calls that a batch may become. */
struct run {
    const struct kt_process *process;
    uint32_t tid;
    size_t shape;
    struct kt_call_batch batch;
};

struct search {
    size_t wanted;
    struct run run;
    struct kt_independent *found; /* by shape, in the order of their list */
};

static void end_run(struct search *s)
{
    struct kt_independent *of = &s->found[s->run.shape];
    size_t calls = s->run.batch.calls;
    of->most = calls > of->most ? calls : of->most;
    of->batches += calls == s->wanted;
    if (calls == s->wanted && of->batches == 1) {
        of->batch = s->run.batch;
        s->run.batch = (struct kt_call_batch){0};
    }
    kt_call_batch_clear(&s->run.batch);
}

static bool goes_on(const struct search *s, const struct kt_call *call, size_t shape)
{
    return s->run.batch.calls && s->run.batch.calls < s->wanted && s->run.process == call->process &&
           s->run.tid == call->tid && s->run.shape == shape;
}

static bool depends(struct search *s, const struct kt_call *call)
{
    struct kt_call_batch_conflict conflict;
    struct kt_independent *of = &s->found[s->run.shape];
    if (kt_call_batch_is_independent(&s->run.batch, call, &conflict))
        return false;
    if (of->dependent++ == 0)
        of->reason = conflict;
    return true;
}

static void note_thread(struct kt_independent *of, const struct kt_call *call)
{
    of->is_shared = of->is_shared || (of->process == call->process && of->tid != call->tid);
    of->process = call->process;
    of->tid = call->tid;
}

static void look_at(struct search *s, const struct kt_call *call, struct kt_collection *collection)
{
    if (!call->complete || call->entry->symbol.view == KT_UNDESCRIBED) {
        end_run(s);
        return;
    }
    size_t shape = kt_collection_number(collection, call);
    note_thread(&s->found[shape], call);
    if (!goes_on(s, call, shape) || depends(s, call))
        end_run(s);
    if (s->run.batch.calls == 0) {
        s->run.process = call->process;
        s->run.tid = call->tid;
        s->run.shape = shape;
    }
    kt_call_batch_add(&s->run.batch, call);
}

static void walk(const struct kt_trace *trace, const struct kt_shapes *shapes, struct search *s)
{
    struct kt_collection *collection = kt_collection_of(trace, shapes);
    struct kt_shapes none = {0};
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        if (call.depth == 0)
            look_at(s, &call, collection);
    end_run(s);
    kt_collection_finish(collection, &none);
    kt_shapes_free(&none);
}

struct kt_independent *kt_independent_find(const struct kt_trace *trace, const struct kt_shapes *shapes, size_t calls)
{
    struct search s = {.wanted = calls, .found = kt_zeros(shapes->count, sizeof *s.found)};
    if (shapes->count)
        walk(trace, shapes, &s);
    kt_call_batch_free(&s.run.batch);
    return s.found;
}

void kt_independent_free(struct kt_independent *independent, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kt_call_batch_free(&independent[i].batch);
    free(independent);
}

/* Calls that depend on each other are said before calls that are too few. */
static const char *why_none(const struct kt_independent *of, size_t calls, char out[KT_WHY_NO_BATCH])
{
    char most[32];
    snprintf(most, sizeof most, "%s", KT_COUNT(of->most, "call"));
    if (of->is_shared)
        snprintf(out, KT_WHY_NO_BATCH, "several threads of the program make such calls already");
    else if (of->dependent)
        snprintf(out, KT_WHY_NO_BATCH, "not independent: %s of one call is %s of another; %s in a row at most",
                 of->reason.written, of->reason.other, most);
    else
        snprintf(out, KT_WHY_NO_BATCH, "fewer than %zu calls follow each other: %s at most", calls, most);
    return out;
}

const char *kt_independent_lay_out(struct kt_independent *independent, size_t calls, const struct kt_layout *layout,
                                   char out[KT_WHY_NO_BATCH])
{
    if (!independent->batch.calls || independent->is_shared)
        return why_none(independent, calls, out);
    if (!kt_call_batch_lay_out(&independent->batch, layout))
        return "the arguments of its calls describe impossible operands";
    return independent->batch.bytes > kt_pages_limit() ? "its operands take more than half of the memory" : NULL;
}
