/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/decomposition/call_facts.h"

#include "model/tracker/line_runs.h"
#include "model/tracker/lru.h"
#include "model/tracker/timeline.h"
#include "trace/base/memory.h"

#include <math.h>

/* Of a shape, at most so many calls; of so many shapes. Where all have more calls than MOST_MET, only some processes
 * are walked: ten thousand ranks tell no more about a shape than a thousand do. */
enum { MOST_CALLS = 4096, MOST_SHAPES = 20, LINE_SHIFT = 6, MOST_MET = 4 << 20 };

/* The calls of a shape that are looked at: one in STRIDE of those that are met. */
struct looked {
    bool wanted;
    struct kt_call_facts *call; /* owned */
    size_t calls, room;
    uint64_t met, stride;
};

/* A call in progress. */
struct open_call {
    struct kt_call_facts *facts; /* NULL: it is not looked at */
    uint32_t tid;
    uint64_t start, end; /* ticks */
    double shared;       /* ticks of other calls in it */
};

struct walk {
    const struct kt_shapes *shapes;
    struct kt_collection *collection;
    struct looked *looked; /* of each shape */
    bool follows_operands;
    struct kt_lru lru; /* of the process at hand, if so */
    struct kt_lines_walked walked;
    struct open_call *open;
    size_t opens;
};

/* --- which shapes ------------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times of one kind are seldom nearer to each other than those of two. */
static bool is_wide(const struct kt_samples *samples)
{
    static const double least_ratio = 1.25;
    enum { ROOM = 1024 };
    double value[ROOM];
    size_t n = kt_samples_take(samples, value, ROOM);
    if (n < 2 * KT_KIND_LEAST)
        return false;
    qsort(value, n, sizeof *value, compare);
    return value[n - KT_KIND_LEAST] >= least_ratio * value[KT_KIND_LEAST - 1];
}

static bool may_have_kinds(const struct kt_shapes *shapes, size_t i)
{
    static const double worth_words = 0.01; /* of the time */
    const struct kt_shape_group *shape = &shapes->shape[i];
    return i < MOST_SHAPES && shape->total >= worth_words * shapes->seconds && shape->calls >= 2 * KT_KIND_LEAST &&
           shape->inside.counted == 0 && !shape->query && is_wide(&shape->seconds);
}

/* One process in how many is walked. */
static size_t process_stride(const struct kt_trace *trace)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < trace->processes; i++)
        calls += trace->process[i].calls;
    uint64_t stride = (calls + MOST_MET - 1) / MOST_MET;
    return stride > trace->processes ? trace->processes : stride ? (size_t)stride : 1;
}

/* Not every eighth: nodes have eight ranks, too. The first one is walked in any case. */
static bool is_walked(size_t process, size_t stride)
{
    return process == 0 || (process * UINT64_C(0x9e3779b97f4a7c15) >> 32) % stride == 0;
}

static void look_at(struct looked *looked, const struct kt_shape_group *shape, size_t processes)
{
    uint64_t met = (shape->calls + processes - 1) / processes;
    uint64_t stride = (met + MOST_CALLS - 1) / MOST_CALLS;
    uint64_t most = (shape->calls + stride - 1) / stride;
    size_t room = (size_t)(most < MOST_CALLS ? most : MOST_CALLS);
    *looked = (struct looked){.wanted = true, .stride = stride, .room = room};
    looked->call = kt_resize(NULL, room, sizeof *looked->call);
}

/* --- what is known of a call ------------------------------------------------------------------------------- */

/* NULL: it is not looked at. */
static struct kt_call_facts *facts_of(struct walk *w, const struct kt_call *call)
{
    size_t number = kt_collection_number(w->collection, call);
    struct looked *looked = number < w->shapes->count ? &w->looked[number] : NULL;
    if (!looked || !looked->wanted || (call->nested && !isnan(w->shapes->shape[number].inside.clean)))
        return NULL;
    if (looked->met++ % looked->stride != 0 || looked->calls == looked->room)
        return NULL;
    struct kt_call_facts *facts = &looked->call[looked->calls++];
    *facts = (struct kt_call_facts){.seconds = kt_call_seconds(call)};
    facts->fact[KT_FACT_FAULTS] = call->faults >= 0 ? (double)call->faults : NAN;
    facts->fact[KT_FACT_FRESH] = facts->fact[KT_FACT_DISTANCE] = NAN;
    return facts;
}

static void close_call(const struct open_call *open)
{
    double ticks = (double)(open->end - open->start);
    if (open->facts)
        open->facts->fact[KT_FACT_OTHERS] = ticks > 0 ? open->shared / ticks : 0;
}

/* Those that have ended when another one begins, and that of its thread: in damaged traces outermost calls of a thread
 * may overlap. */
static void close_ended(struct walk *w, uint32_t tid, uint64_t now)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->opens; i++)
        if (w->open[i].end > now && w->open[i].tid != tid)
            w->open[kept++] = w->open[i];
        else
            close_call(&w->open[i]);
    w->opens = kept;
}

static void add_overlaps(struct walk *w, const struct kt_call *call, struct kt_call_facts *facts)
{
    struct open_call added = {facts, call->tid, call->start, call->start, 0};
    if (kt_call_is_plausible(call))
        added.end += call->ticks;
    close_ended(w, call->tid, call->start);
    for (size_t i = 0; i < w->opens; i++) {
        uint64_t end = w->open[i].end < added.end ? w->open[i].end : added.end;
        w->open[i].shared += (double)(end - added.start);
        added.shared += (double)(end - added.start);
    }
    w->open = kt_room_for_one(w->open, w->opens, sizeof *w->open);
    w->open[w->opens++] = added;
}

/* --- where its operands were ------------------------------------------------------------------------------- */

struct places {
    double lines, fresh, far; /* FAR: lines times their distances */
};

static void add_lines(void *context, int operand, uint64_t distance, uint64_t lines, uint64_t marks)
{
    struct places *places = context;
    (void)operand;
    (void)marks;
    places->lines += (double)lines;
    if (distance == KT_NEVER)
        places->fresh += (double)lines;
    else
        places->far += (double)lines * (double)distance;
}

static void follow_operands(struct walk *w, const struct kt_call *call, struct kt_call_facts *facts)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct places places = {0};
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_values_decode(symbol, call->args, &values);
    int operands = kt_operands(symbol, &values, call->entry->int_bytes, operand);
    if (!kt_lines_affords(&w->walked, operand, operands))
        return;
    kt_lru_call(&w->lru, operand, operands, &(struct kt_lru_visit){add_lines, NULL, &places});
    if (!facts || places.lines == 0)
        return;
    double used = places.lines - places.fresh;
    facts->fact[KT_FACT_FRESH] = places.fresh / places.lines;
    facts->fact[KT_FACT_DISTANCE] = used > 0 ? ldexp(places.far / used, LINE_SHIFT) : NAN;
}

/* --- the walk ---------------------------------------------------------------------------------------------- */

static void walk_process(struct walk *w, const struct kt_trace *trace, size_t process)
{
    struct kt_timeline *timeline = kt_timeline_new(trace, process, KT_OUTERMOST);
    const struct kt_call *call;
    if (w->follows_operands)
        kt_lru_make(LINE_SHIFT, &w->lru);
    while ((call = kt_timeline_next(timeline))) {
        struct kt_call_facts *facts = facts_of(w, call);
        add_overlaps(w, call, facts);
        if (w->follows_operands)
            follow_operands(w, call, facts);
    }
    close_ended(w, 0, UINT64_MAX);
    if (w->follows_operands)
        kt_lru_free(&w->lru);
    kt_timeline_free(timeline);
}

static void walk_trace(const struct kt_trace *trace, const struct kt_shapes *shapes, bool follows_operands,
                       struct looked *looked)
{
    struct walk w = {.shapes = shapes, .looked = looked, .follows_operands = follows_operands};
    struct kt_shapes ignored;
    w.collection = kt_collection_of(trace, shapes);
    size_t stride = process_stride(trace);
    for (size_t process = 0; process < trace->processes; process++)
        if (is_walked(process, stride))
            walk_process(&w, trace, process);
    kt_collection_finish(w.collection, &ignored);
    kt_shapes_free(&ignored);
    free(w.open);
}

/* True if there are shapes of which nothing but their times tells that there are two kinds. */
static bool judge(const struct kt_shapes *shapes, struct looked *looked, struct kt_kinds *kinds)
{
    bool open = false;
    for (size_t i = 0; i < shapes->count; i++) {
        if (!looked[i].wanted)
            continue;
        kinds[i] = kt_kinds_find(looked[i].call, looked[i].calls);
        looked[i].wanted = kinds[i].found && kinds[i].by == KT_FACTS;
        open = open || looked[i].wanted;
        looked[i].calls = 0;
        looked[i].met = 0;
    }
    return open;
}

void kt_call_facts_find(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_kinds *kinds)
{
    struct looked *looked = kt_resize(NULL, shapes->count, sizeof *looked);
    bool any = false;
    for (size_t i = 0; i < shapes->count; i++) {
        kinds[i] = (struct kt_kinds){.found = false};
        looked[i] = (struct looked){.wanted = false};
        if (!may_have_kinds(shapes, i))
            continue;
        look_at(&looked[i], &shapes->shape[i], process_stride(trace));
        any = true;
    }
    if (any)
        walk_trace(trace, shapes, false, looked);
    if (any && judge(shapes, looked, kinds)) {
        walk_trace(trace, shapes, true, looked);
        judge(shapes, looked, kinds);
    }
    for (size_t i = 0; i < shapes->count; i++)
        free(looked[i].call);
    free(looked);
}
