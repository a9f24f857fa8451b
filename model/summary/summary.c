/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One pass over the calls. Groups live in search trees while calls are added (sums.h); as most calls belong to the same
 * groups as an earlier one of their caller, a table of callers is in front of the trees. The calls that a call is
 * nested in are the latest ones at each smaller depth, which is all the state that the nesting needs.
 */
#include "model/summary/summary.h"

#include "model/summary/inside_counts.h"
#include "model/summary/sums.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/read/state.h"
#include "trace/shape/sites.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MAX_DEPTH = 64, PLACES = 1024 /* a power of two */ };

/* The latest call at some depth. */
struct open_call {
    int64_t n;
    int64_t parent;
    bool complete;
    struct kt_sum *routine;
};

/* Where calls of an entry come from, and the groups that they belong to. What is added up is given to all groups but
 * the routine's when the place is given up. */
struct place {
    const struct kt_entry *entry;
    const struct kt_process *process;
    uint64_t caller; /* of outermost calls; otherwise 0 */
    uint32_t tid;
    bool top;
    struct kt_sum *part, *by_caller, *thread, *by_process;
    uint64_t calls;
    double seconds, squares;
    struct kt_call_work work; /* of the last call */
    uint64_t version;         /* of its arguments */
};

struct kt_summariser {
    struct kt_summary summary; /* totals only */
    struct kt_sites *sites;
    void *parts, *callers, *threads, *processes;
    struct open_call open[MAX_DEPTH];
    struct place place[PLACES];
};

static void give(struct kt_sum *sum, const struct place *place)
{
    sum->calls += place->calls;
    sum->calls_top += place->top ? place->calls : 0;
    sum->seconds += place->top ? place->seconds : 0;
}

/* For the groups, and for the totals. */
static void give_up_place(struct kt_summary *summary, const struct place *place)
{
    if (!place->calls)
        return;
    summary->calls += place->calls;
    summary->calls_top += place->top ? place->calls : 0;
    summary->seconds_blas += place->top ? place->seconds : 0;
    summary->squares += place->top ? place->squares : 0;
    if (place->top)
        give(place->by_caller, place);
    give(place->thread, place);
    give(place->by_process, place);
}

static struct kt_sum *caller_of(struct kt_summariser *summariser, const struct kt_call *call)
{
    struct kt_site site = kt_sites_of(summariser->sites, call);
    struct kt_sum key = {.routine = call->entry->symbol.routine->name, .process = site.process, .id = site.id};
    return kt_sums_find(&summariser->callers, key);
}

static struct place make_place(struct kt_summariser *summariser, const struct kt_call *call)
{
    const struct kt_process *process = call->process;
    struct place place = {.entry = call->entry,
                          .process = process,
                          .caller = kt_call_site(call),
                          .tid = call->tid,
                          .top = call->depth == 0};
    place.part = kt_sums_find(&summariser->parts,
                              (struct kt_sum){.routine = call->entry->symbol.routine->name, .process = process});
    place.thread = kt_sums_find(&summariser->threads, (struct kt_sum){.process = process, .id = call->tid});
    place.by_process = kt_sums_find(&summariser->processes, (struct kt_sum){.process = process});
    if (place.top)
        place.by_caller = caller_of(summariser, call);
    else
        place.caller = 0;
    return place;
}

static struct place *find_place(struct kt_summariser *summariser, const struct kt_call *call)
{
    bool top = call->depth == 0;
    uint64_t caller = top ? kt_call_site(call) : 0;
    /* of what the trace says, not of where it is in memory: sums are to be the same in each run, to the last digit */
    uint64_t entry = (uint64_t)(call->entry - call->process->entry);
    uint64_t mixed = ((entry << 32) + caller + call->tid) * 0x9e3779b97f4a7c15u;
    struct place *place = &summariser->place[mixed >> 32 & (PLACES - 1)];
    if (place->entry != call->entry || place->caller != caller || place->tid != call->tid ||
        place->process != call->process || place->top != top) {
        give_up_place(&summariser->summary, place);
        *place = make_place(summariser, call);
    }
    return place;
}

struct kt_summariser *kt_summariser_new(void)
{
    struct kt_summariser *summariser = kt_zeros(1, sizeof *summariser);
    summariser->sites = kt_sites_new();
    for (int i = 0; i < MAX_DEPTH; i++)
        summariser->open[i].n = -1;
    return summariser;
}

/* The call that CALL is nested in, NULL if it is none or was not recorded. */
static struct open_call *parent_of(struct kt_summariser *summariser, const struct kt_call *call)
{
    unsigned depth = call->depth;
    if (depth == 0 || depth > MAX_DEPTH || call->parent < 0)
        return NULL;
    struct open_call *parent = &summariser->open[depth - 1];
    return parent->n == call->parent ? parent : NULL;
}

/* True if the routine is already at work in PARENT or in a call that PARENT is nested in. */
static bool is_inside(const struct kt_summariser *summariser, const struct open_call *parent,
                      const struct kt_sum *routine)
{
    for (; parent; parent--) {
        if (parent->routine == routine)
            return true;
        if (parent == summariser->open || parent[-1].n != parent->parent)
            return false;
    }
    return false;
}

/* Calls with the same arguments do the same. */
static void add_work(struct place *place, const struct kt_call *call)
{
    if (!call->version || place->version != call->version)
        place->work = kt_call_work_of(call);
    place->version = call->version;
    place->part->flops += place->work.flops;
    place->part->bytes += place->work.bytes;
}

static void add_to_routine(struct kt_summariser *summariser, struct place *place, const struct kt_call *call,
                           double seconds)
{
    struct kt_sum *sum = place->part;
    struct open_call *parent = parent_of(summariser, call);
    sum->calls++;
    sum->calls_top += place->top;
    if (call->complete) {
        sum->seconds_self += seconds;
        if (parent && parent->complete)
            parent->routine->seconds_self -= seconds;
        if (!is_inside(summariser, parent, sum)) {
            sum->seconds += seconds;
            add_work(place, call);
        }
    }
    if (call->depth < MAX_DEPTH)
        summariser->open[call->depth] = (struct open_call){
            .n = (int64_t)call->n, .parent = parent ? parent->n : -1, .complete = call->complete, .routine = sum};
}

void kt_summariser_add(struct kt_summariser *summariser, const struct kt_call *call)
{
    struct place *place = find_place(summariser, call);
    double seconds = kt_call_seconds(call);
    place->calls++;
    place->seconds += seconds;
    place->squares += seconds * seconds;
    summariser->summary.unfinished += !call->complete;
    add_to_routine(summariser, place, call, seconds);
}

void kt_summariser_add_settled(struct kt_summariser *summariser, const struct kt_call *call, double seconds)
{
    struct place *place = find_place(summariser, call);
    struct kt_sum *sum = place->part;
    place->calls++;
    place->seconds += seconds;
    place->squares += seconds * seconds;
    summariser->summary.sampled = true;
    summariser->summary.unfinished += !call->complete;
    summariser->summary.passed += call->passed;
    sum->calls++;
    sum->calls_top += place->top;
    if (!place->top || !call->complete)
        return;
    sum->seconds += seconds;
    sum->seconds_self += seconds;
    add_work(place, call);
}

/* --- profiles ---------------------------------------------------------------------------------------------- */

/* What all calls of the counts do together is not known of calls without a shape. */
static void add_work_of_counts(struct kt_sum *sum, const struct kt_counts *counts)
{
    struct kt_call_work work = counts->call.args ? kt_call_work_of(&counts->call) : (struct kt_call_work){NAN, NAN};
    sum->flops += (double)counts->calls * work.flops;
    sum->bytes += (double)counts->calls * work.bytes;
}

static void add_counts_to_routine(struct kt_sum *sum, const struct kt_counts *counts)
{
    sum->calls += counts->begun;
    sum->calls_top += counts->nesting == KT_NOT_NESTED ? counts->begun : 0;
    sum->seconds_self += counts->seconds_self;
    if (counts->nesting == KT_WITHIN_ITSELF || !counts->calls)
        return;
    sum->seconds += counts->seconds;
    add_work_of_counts(sum, counts);
}

/* Nested calls are counted; what they do is estimated at the end. */
static void add_sampled_counts_to_routine(struct kt_sum *sum, const struct kt_counts *counts)
{
    sum->calls += counts->begun;
    if (counts->nesting != KT_NOT_NESTED)
        return;
    sum->calls_top += counts->begun;
    sum->seconds += counts->seconds;
    sum->seconds_self += counts->seconds;
    if (counts->calls)
        add_work_of_counts(sum, counts);
}

static void add_counts_to_group(struct kt_sum *sum, const struct kt_counts *counts)
{
    bool top = counts->nesting == KT_NOT_NESTED;
    sum->calls += counts->begun;
    sum->calls_top += top ? counts->begun : 0;
    sum->seconds += top ? counts->seconds : 0;
}

static void add_counts(struct kt_summariser *summariser, const struct kt_counts *counts)
{
    struct kt_summary *summary = &summariser->summary;
    const struct kt_process *process = counts->call.process;
    struct kt_sum part = {.routine = counts->call.entry->symbol.routine->name, .process = process};
    bool top = counts->nesting == KT_NOT_NESTED;
    summary->calls += counts->begun;
    summary->calls_top += top ? counts->begun : 0;
    summary->unfinished += counts->begun - counts->calls;
    summary->seconds_blas += top ? counts->seconds : 0;
    summary->squares = NAN;
    if (summary->sampled)
        add_sampled_counts_to_routine(kt_sums_find(&summariser->parts, part), counts);
    else
        add_counts_to_routine(kt_sums_find(&summariser->parts, part), counts);
    add_counts_to_group(kt_sums_find(&summariser->processes, (struct kt_sum){.process = process}), counts);
    if (!top)
        return;
    add_counts_to_group(caller_of(summariser, &counts->call), counts);
}

static void add_thread(struct kt_summariser *summariser, const struct kt_thread_counts *thread)
{
    struct kt_sum *sum =
        kt_sums_find(&summariser->threads, (struct kt_sum){.process = thread->process, .id = thread->tid});
    sum->calls += thread->calls;
    sum->calls_top += thread->calls_top;
    sum->seconds += thread->seconds;
}

void kt_summariser_add_profiles(struct kt_summariser *summariser, const struct kt_trace *trace)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    struct kt_thread_counts *thread;
    summariser->summary.sampled |= kt_state_nested(trace) != KT_NESTED_ALL;
    for (size_t i = 0; i < trace->processes; i++)
        if (kt_process_is_profile(&trace->process[i]))
            summariser->summary.passed += trace->process[i].passed;
    kt_counts_begin(trace, &cursor);
    while (kt_counts_next(&cursor, &counts))
        add_counts(summariser, &counts);
    size_t threads = kt_thread_counts(trace, &thread);
    for (size_t i = 0; i < threads; i++)
        add_thread(summariser, &thread[i]);
    free(thread);
}

/* --- the end ----------------------------------------------------------------------------------------------- */

/* The routines of all processes together. */
static struct kt_sums join_parts(const struct kt_sums *parts)
{
    void *routines = NULL;
    for (size_t i = 0; i < parts->count; i++) {
        const struct kt_sum *part = &parts->sum[i];
        struct kt_sum *sum = kt_sums_find(&routines, (struct kt_sum){.routine = part->routine});
        sum->calls += part->calls;
        sum->calls_top += part->calls_top;
        sum->recorded += part->calls;
        sum->seconds += part->seconds;
        sum->seconds_self += part->seconds_self;
        sum->flops += part->flops;
        sum->bytes += part->bytes;
    }
    return kt_sums_take(routines);
}

static void add_up_self(struct kt_summary *summary)
{
    summary->seconds_self = 0;
    for (size_t i = 0; i < summary->routines.count; i++)
        summary->seconds_self += summary->routines.sum[i].seconds_self;
}

void kt_summariser_finish(struct kt_summariser *summariser, struct kt_summary *out)
{
    for (int i = 0; i < PLACES; i++)
        give_up_place(&summariser->summary, &summariser->place[i]);
    *out = summariser->summary;
    out->parts = kt_sums_take(summariser->parts);
    out->routines = join_parts(&out->parts);
    out->callers = kt_sums_take(summariser->callers);
    out->threads = kt_sums_take(summariser->threads);
    out->processes = kt_sums_take(summariser->processes);
    add_up_self(out);
    kt_sites_free(summariser->sites);
    free(summariser);
}

/* --- what happens inside ----------------------------------------------------------------------------------- */

static struct kt_sum *routine_named(struct kt_sums *routines, const char *name)
{
    for (size_t i = 0; i < routines->count; i++)
        if (!strcmp(routines->sum[i].routine, name))
            return &routines->sum[i];
    routines->sum = kt_resize(routines->sum, routines->count + 1, sizeof *routines->sum);
    routines->sum[routines->count] = (struct kt_sum){.routine = name};
    return &routines->sum[routines->count++];
}

/* With what is known of it without a sample. */
static struct kt_sum_estimate estimate_of(const struct kt_sum *sum, const struct kt_inside_routine *inside)
{
    struct kt_estimate self = inside->of[KT_INSIDE_SELF];
    self.loose += inside->unknown;
    return (struct kt_sum_estimate){.of = {kt_estimate_shift(inside->of[KT_INSIDE_CALLS], (double)sum->calls_top),
                                           kt_estimate_shift(inside->of[KT_INSIDE_SECONDS], sum->seconds),
                                           kt_estimate_shift(self, sum->seconds_self)},
                                    .sampled = inside->sampled,
                                    .outermost = inside->calls};
}

/* Returns if the sum is an estimate then. */
static bool add_inside(struct kt_sum *sum, const struct kt_inside_routine *inside, struct kt_sum_estimate *out)
{
    *out = estimate_of(sum, inside);
    sum->calls = (uint64_t)llround(out->of[KT_INSIDE_CALLS].value);
    sum->seconds = out->of[KT_INSIDE_SECONDS].value;
    sum->seconds_self = out->of[KT_INSIDE_SELF].value;
    sum->flops += inside->flops;
    sum->bytes += inside->bytes;
    sum->estimate = inside->sampled < inside->calls ? out : NULL;
    return sum->estimate;
}

void kt_summary_add_inside(const struct kt_trace *trace, struct kt_summary *summary, struct kt_inside_walk *walk)
{
    struct kt_sums *routines = &summary->routines;
    struct kt_insides *of = &summary->inside.of;
    kt_inside_walk_finish(walk, &summary->inside);
    kt_inside_counts_add(trace, &summary->inside);
    summary->estimate = kt_resize(NULL, of->routines, sizeof *summary->estimate);
    for (size_t i = 0; i < of->routines; i++)
        summary->estimated |=
            add_inside(routine_named(routines, summary->inside.name[i]), &of->routine[i], &summary->estimate[i]);
    kt_sums_sort(routines);
    add_up_self(summary);
}

/* --- all of it --------------------------------------------------------------------------------------------- */

/* When a process began to be recorded, in seconds since 1970. */
static double start_of(const struct kt_process *process)
{
    uint64_t realtime_ns;
    const char *anchor = kt_meta(process, "anchor");
    return anchor && sscanf(anchor, "%*s %*s %" SCNu64, &realtime_ns) == 1 ? (double)realtime_ns * 1e-9 : 0.0;
}

void kt_summary_add_wall_times(const struct kt_trace *trace, struct kt_summary *out)
{
    for (size_t i = 0; i < trace->processes; i++) {
        const struct kt_process *process = &trace->process[i];
        if (!out->first || start_of(process) < start_of(out->first))
            out->first = process;
        if (process->seconds > out->seconds) {
            out->seconds = process->seconds;
            out->seconds_before = process->before;
        }
        out->seconds_all += process->seconds;
    }
}

static void collect_all(const struct kt_trace *trace, struct kt_summary *out)
{
    struct kt_summariser *summariser = kt_summariser_new();
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        kt_summariser_add(summariser, &call);
    kt_summariser_add_profiles(summariser, trace);
    kt_summariser_finish(summariser, out);
}

static void collect_sampled(const struct kt_trace *trace, struct kt_summary *out)
{
    struct kt_summariser *summariser = kt_summariser_new();
    struct kt_cursor cursor;
    struct kt_call call;
    struct kt_shapes shapes;
    size_t shape;
    kt_shapes_collect(trace, KT_OUTERMOST, &shapes);
    struct kt_inside_walk *walk = kt_inside_walk_new(trace, &shapes);
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        kt_summariser_add_settled(summariser, &call, kt_inside_walk_add(walk, &call, &shape));
    kt_summariser_add_profiles(summariser, trace);
    kt_summariser_finish(summariser, out);
    kt_summary_add_inside(trace, out, walk);
    kt_shapes_free(&shapes);
}

void kt_summary_collect(const struct kt_trace *trace, struct kt_summary *out)
{
    if (kt_state_nested(trace) == KT_NESTED_ALL)
        collect_all(trace, out);
    else
        collect_sampled(trace, out);
    kt_summary_add_wall_times(trace, out);
}

/* Each call was drawn with the probability 1 / SAMPLE, one of each SAMPLE. */
struct kt_estimate kt_summary_of_all(const struct kt_summary *summary, uint64_t sample)
{
    double n = (double)(summary->calls_top - summary->unfinished);
    double each = (double)sample;
    double value = each * summary->seconds_blas;
    double variance = (summary->squares - summary->seconds_blas * summary->seconds_blas / n) / (n - 1);
    struct kt_estimate all = {.value = value, .lo = NAN, .hi = NAN};
    if (!(n > 1) || isnan(variance))
        return all;
    double half = kt_student(n - 1) * each * sqrt(n * fmax(variance, 0) * (1 - 1 / each));
    all.lo = fmax(value - half, summary->seconds_blas);
    all.hi = value + half;
    return all;
}

void kt_summary_free(struct kt_summary *summary)
{
    free(summary->parts.sum);
    free(summary->routines.sum);
    free(summary->callers.sum);
    free(summary->threads.sum);
    free(summary->processes.sum);
    free(summary->estimate);
    kt_inside_found_free(&summary->inside);
    *summary = (struct kt_summary){0};
}
