/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One pass over the calls. Groups live in search trees by their key while calls are added, and become arrays sorted
 * by time at the end. The calls that a call is nested in are the latest ones at each smaller depth, which is all the
 * state that the nesting needs.
 */
#include "model/summary.h"

#include "trace/memory.h"

#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdio.h>

enum { MAX_DEPTH = 64 };

/* The latest call at some depth. */
struct open_call {
    int64_t n;
    int64_t parent;
    bool complete;
    struct kt_sum *routine;
};

struct kt_summariser {
    struct kt_summary summary; /* totals only */
    void *routines, *callers, *threads, *processes;
    struct open_call open[MAX_DEPTH];
};

static int compare_keys(const void *a, const void *b)
{
    const struct kt_sum *x = a;
    const struct kt_sum *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (!x->routine || !y->routine)
        return (x->routine != NULL) - (y->routine != NULL);
    return strcmp(x->routine, y->routine);
}

/* The group with that key, made if it is new. */
static struct kt_sum *find_sum(void **tree, const struct kt_sum *key)
{
    struct kt_sum **found = tfind(key, tree, compare_keys);
    if (found)
        return *found;
    struct kt_sum *sum = kt_resize(NULL, 1, sizeof *sum);
    *sum = *key;
    if (!tsearch(sum, tree, compare_keys))
        abort();
    return sum;
}

struct kt_summariser *kt_summariser_new(void)
{
    struct kt_summariser *summariser = kt_resize(NULL, 1, sizeof *summariser);
    *summariser = (struct kt_summariser){0};
    for (int i = 0; i < MAX_DEPTH; i++)
        summariser->open[i].n = -1;
    return summariser;
}

/* The call that CALL is nested in, NULL if it is none or was not recorded. */
static struct open_call *parent_of(struct kt_summariser *summariser, const struct kt_call *call)
{
    int depth = call->record->depth;
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

/* Operations and traffic of a call; a question for a workspace size does neither. */
static void add_work(struct kt_sum *sum, const struct kt_call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_values_decode(symbol, call->args, &values);
    if (kt_is_query(symbol->routine, &values))
        return;
    int operands = kt_operands(symbol, &values, (size_t)call->entry->int_bytes, operand);
    sum->flops += kt_flops(symbol->routine, &values);
    sum->bytes += kt_bytes(operand, operands);
}

static void add_to_routine(struct kt_summariser *summariser, const struct kt_call *call, double seconds)
{
    struct kt_sum key = {.routine = call->entry->symbol.routine->name};
    struct kt_sum *sum = find_sum(&summariser->routines, &key);
    struct open_call *parent = parent_of(summariser, call);
    sum->calls++;
    sum->calls_top += call->record->depth == 0;
    if (call->complete) {
        sum->seconds_self += seconds;
        if (parent && parent->complete)
            parent->routine->seconds_self -= seconds;
        if (!is_inside(summariser, parent, sum)) {
            sum->seconds += seconds;
            add_work(sum, call);
        }
    }
    if (call->record->depth < MAX_DEPTH)
        summariser->open[call->record->depth] = (struct open_call){
            .n = (int64_t)call->n, .parent = parent ? parent->n : -1, .complete = call->complete, .routine = sum};
}

static void add_to_group(void **tree, struct kt_sum key, bool top, double seconds)
{
    struct kt_sum *sum = find_sum(tree, &key);
    sum->calls++;
    sum->calls_top += top;
    if (top)
        sum->seconds += seconds;
}

void kt_summariser_add(struct kt_summariser *summariser, const struct kt_call *call)
{
    struct kt_summary *summary = &summariser->summary;
    double seconds = call->complete ? kt_call_seconds(call) : 0.0;
    bool top = call->record->depth == 0;

    summary->calls++;
    summary->calls_top += top;
    summary->unfinished += !call->complete;
    summary->seconds_blas += top ? seconds : 0.0;
    add_to_routine(summariser, call, seconds);
    if (top)
        add_to_group(&summariser->callers, (struct kt_sum){.process = call->process, .id = call->record->caller}, top,
                     seconds);
    add_to_group(&summariser->threads, (struct kt_sum){.process = call->process, .id = call->tid}, top, seconds);
    add_to_group(&summariser->processes, (struct kt_sum){.process = call->process}, top, seconds);
}

static void append_sum(const void *node, VISIT visit, void *sums)
{
    struct kt_sums *out = sums;
    if (visit == postorder || visit == leaf) {
        out->sum = kt_room_for_one(out->sum, out->count, sizeof *out->sum);
        out->sum[out->count++] = **(struct kt_sum *const *)node;
    }
}

/* Longest first; equal times in the order of the keys, so that reports are reproducible. */
static int compare_seconds(const void *a, const void *b)
{
    const struct kt_sum *x = a;
    const struct kt_sum *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return compare_keys(a, b);
}

static struct kt_sums take_sums(void *tree)
{
    struct kt_sums out = {0};
    twalk_r(tree, append_sum, &out);
    tdestroy(tree, free);
    if (out.count)
        qsort(out.sum, out.count, sizeof *out.sum, compare_seconds);
    return out;
}

void kt_summariser_finish(struct kt_summariser *summariser, struct kt_summary *out)
{
    *out = summariser->summary;
    out->routines = take_sums(summariser->routines);
    out->callers = take_sums(summariser->callers);
    out->threads = take_sums(summariser->threads);
    out->processes = take_sums(summariser->processes);
    for (size_t i = 0; i < out->routines.count; i++)
        out->seconds_self += out->routines.sum[i].seconds_self;
    free(summariser);
}

/* When a process began to be recorded, in seconds since 1970. */
static double start_of(const struct kt_process *process)
{
    uint64_t realtime_ns;
    const char *anchor = kt_meta(process, "anchor");
    return anchor && sscanf(anchor, "%*s %*s %" SCNu64, &realtime_ns) == 1 ? (double)realtime_ns * 1e-9 : 0.0;
}

static void add_wall_times(const struct kt_trace *trace, struct kt_summary *out)
{
    for (size_t i = 0; i < trace->processes; i++) {
        const struct kt_process *process = &trace->process[i];
        if (!out->first || start_of(process) < start_of(out->first))
            out->first = process;
        out->seconds = fmax(out->seconds, process->seconds);
        out->seconds_all += process->seconds;
    }
}

void kt_summary_collect(const struct kt_trace *trace, struct kt_summary *out)
{
    struct kt_summariser *summariser = kt_summariser_new();
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        kt_summariser_add(summariser, &call);
    kt_summariser_finish(summariser, out);
    add_wall_times(trace, out);
}

void kt_summary_free(struct kt_summary *summary)
{
    free(summary->routines.sum);
    free(summary->callers.sum);
    free(summary->threads.sum);
    free(summary->processes.sum);
    *summary = (struct kt_summary){0};
}
