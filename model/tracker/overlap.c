/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time that calls are under way, added over calls, grows with time as many times as there are calls: what it grows
 * by from the begin of a call to its end is the call's own time and that of the others beside it.
 */
#include "model/tracker/overlap.h"

#include "model/tracker/timeline.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/read/state.h"

#include <math.h>
#include <search.h>

/* A call under way. */
struct open_call {
    double begin, added; /* s; call seconds of all calls at that time */
    size_t at_begin, process, shape;
    struct kt_thread_overlap *thread;
};

/* What is to come, soonest first: a heap. */
struct coming {
    double time;
    size_t what;
};

struct queue {
    struct coming *coming; /* owned */
    size_t count;
};

/* A process of the machine that is walked. */
struct going {
    struct kt_timeline *timeline; /* owned */
    const struct kt_call *next;
    size_t running; /* calls under way */
    double since;   /* at least one is */
};

struct walk {
    const struct kt_trace *trace;
    struct kt_overlaps *out;
    struct kt_collection *collection;
    struct going *process;      /* owned */
    struct queue begins, ends;  /* by process; by place in OPEN */
    struct open_call *open;     /* owned */
    size_t opens, *free, frees; /* FREE: places of OPEN; owned */
    double now, added;
    void *threads; /* a search tree */
};

/* --- what comes next --------------------------------------------------------------------------------------- */

static void push(struct queue *q, double time, size_t what)
{
    size_t i = q->count;
    q->coming = kt_room_for_one(q->coming, q->count, sizeof *q->coming);
    for (q->count++; i && q->coming[(i - 1) / 2].time > time; i = (i - 1) / 2)
        q->coming[i] = q->coming[(i - 1) / 2];
    q->coming[i] = (struct coming){time, what};
}

static struct coming pop(struct queue *q)
{
    struct coming first = q->coming[0];
    struct coming last = q->coming[--q->count];
    size_t i = 0;
    for (size_t below; (below = 2 * i + 1) < q->count; i = below) {
        if (below + 1 < q->count && q->coming[below + 1].time < q->coming[below].time)
            below++;
        if (q->coming[below].time >= last.time)
            break;
        q->coming[i] = q->coming[below];
    }
    q->coming[i] = last;
    return first;
}

/* --- calls under way --------------------------------------------------------------------------------------- */

static int compare_threads(const void *a, const void *b)
{
    const struct kt_thread_overlap *x = a;
    const struct kt_thread_overlap *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct kt_thread_overlap *thread_of(struct walk *w, const struct kt_call *call)
{
    struct kt_thread_overlap key = {.process = call->process, .tid = call->tid};
    struct kt_thread_overlap **found = tfind(&key, &w->threads, compare_threads);
    if (found)
        return *found;
    struct kt_thread_overlap *made = kt_copy_of_array(&key, 1, sizeof key);
    if (!tsearch(made, &w->threads, compare_threads))
        abort();
    return made;
}

static void begin_call(struct walk *w, size_t process)
{
    const struct kt_call *call = w->process[process].next;
    size_t number = kt_collection_number(w->collection, call);
    size_t place = w->frees ? w->free[--w->frees] : w->opens++;
    if (place + 1 == w->opens)
        w->open = kt_room_for_one(w->open, place, sizeof *w->open);
    w->open[place] = (struct open_call){w->now, w->added, w->ends.count, process, number, thread_of(w, call)};
    push(&w->ends, w->now + kt_call_seconds(call), place);
    if (w->process[process].running++ == 0)
        w->process[process].since = w->now;
    if (w->ends.count > w->out->most)
        w->out->most = (unsigned)w->ends.count;
}

static void add(struct kt_overlap *to, const struct open_call *call, double seconds, double beside)
{
    to->calls++;
    to->at_begin += (double)call->at_begin;
    to->seconds += seconds;
    to->beside += beside;
}

static void end_call(struct walk *w, size_t place)
{
    const struct open_call *call = &w->open[place];
    struct going *process = &w->process[call->process];
    double seconds = w->now - call->begin;
    double beside = fmax(w->added - call->added - seconds, 0);
    add(&w->out->all, call, seconds, beside);
    add(&call->thread->of, call, seconds, beside);
    if (call->shape < w->out->shapes)
        add(&w->out->shape[call->shape], call, seconds, beside);
    if (--process->running == 0)
        w->out->busy_in[call->process] += w->now - process->since;
    w->free = kt_room_for_one(w->free, w->frees, sizeof *w->free);
    w->free[w->frees++] = place;
}

static void pass_time(struct walk *w, double until)
{
    w->added += fmax(until - w->now, 0) * (double)w->ends.count;
    w->now = fmax(until, w->now);
}

static void end_calls(struct walk *w, double until)
{
    while (w->ends.count && w->ends.coming[0].time <= until) {
        pass_time(w, w->ends.coming[0].time);
        end_call(w, pop(&w->ends).what);
    }
}

/* --- one machine after the other --------------------------------------------------------------------------- */

static void expect_next(struct walk *w, size_t process)
{
    struct going *p = &w->process[process];
    do
        p->next = kt_timeline_next(p->timeline);
    while (p->next && !kt_call_is_plausible(p->next));
    if (p->next)
        push(&w->begins, kt_call_start(p->next), process);
}

static const char *machine_of(const struct kt_process *process)
{
    const char *boot = kt_meta(process, "boot_id");
    return boot ? boot : "";
}

static void walk_machine(struct walk *w, const char *machine)
{
    const struct kt_trace *trace = w->trace;
    w->now = w->added = 0;
    for (size_t p = 0; p < trace->processes; p++)
        if (!strcmp(machine_of(&trace->process[p]), machine)) {
            w->process[p].timeline = kt_timeline_new(trace, p, KT_OUTERMOST);
            expect_next(w, p);
        }
    while (w->begins.count) {
        struct coming begin = pop(&w->begins);
        end_calls(w, begin.time);
        pass_time(w, begin.time);
        begin_call(w, begin.what);
        expect_next(w, begin.what);
    }
    end_calls(w, INFINITY);
}

static void walk_trace(struct walk *w)
{
    const struct kt_trace *trace = w->trace;
    for (size_t p = 0; p < trace->processes; p++)
        if (!w->process[p].timeline)
            walk_machine(w, machine_of(&trace->process[p]));
    for (size_t p = 0; p < trace->processes; p++) {
        w->out->busy += w->out->busy_in[p];
        kt_timeline_free(w->process[p].timeline);
    }
}

/* --- all --------------------------------------------------------------------------------------------------- */

static void take_thread(const void *node, VISIT visit, void *overlaps)
{
    struct kt_overlaps *out = overlaps;
    if (visit == postorder || visit == leaf) {
        out->thread = kt_room_for_one(out->thread, out->threads, sizeof *out->thread);
        out->thread[out->threads++] = **(struct kt_thread_overlap *const *)node;
    }
}

static void finish(struct walk *w)
{
    struct kt_shapes ignored;
    twalk_r(w->threads, take_thread, w->out);
    tdestroy(w->threads, free);
    kt_collection_finish(w->collection, &ignored);
    kt_shapes_free(&ignored);
    free(w->process);
    free(w->begins.coming);
    free(w->ends.coming);
    free(w->open);
    free(w->free);
}

void kt_overlaps_find(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_overlaps *out)
{
    *out = (struct kt_overlaps){.busy = NAN};
    if (kt_is_profile(trace) || kt_state_sample(trace) > 1)
        return;
    struct walk w = {.trace = trace, .out = out, .collection = kt_collection_of(trace, shapes)};
    out->known = true;
    out->busy = 0;
    out->busy_in = kt_zeros(trace->processes, sizeof *out->busy_in);
    out->shapes = shapes->count;
    out->shape = kt_zeros(out->shapes, sizeof *out->shape);
    w.process = kt_zeros(trace->processes, sizeof *w.process);
    walk_trace(&w);
    finish(&w);
}

void kt_overlaps_free(struct kt_overlaps *overlaps)
{
    free(overlaps->busy_in);
    free(overlaps->shape);
    free(overlaps->thread);
    *overlaps = (struct kt_overlaps){0};
}

struct kt_overlap kt_overlap_of_thread(const struct kt_overlaps *overlaps, const struct kt_process *process,
                                       uint64_t tid)
{
    const struct kt_thread_overlap key = {.process = process, .tid = (uint32_t)tid};
    const struct kt_thread_overlap *found =
        overlaps->threads ? bsearch(&key, overlaps->thread, overlaps->threads, sizeof key, compare_threads) : NULL;
    return found ? found->of : (struct kt_overlap){0};
}

double kt_overlap_at_begin(const struct kt_overlap *of)
{
    return of->calls > 0 ? of->at_begin / of->calls : NAN;
}

double kt_overlap_beside(const struct kt_overlap *of)
{
    return of->seconds > 0 ? of->beside / of->seconds : NAN;
}
