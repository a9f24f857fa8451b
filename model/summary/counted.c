/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/counted.h"

#include "trace/command/counts.h"
#include "trace/base/memory.h"

enum { MAX_DEPTH = 64 };

/* The latest call at some depth. */
struct open_call {
    int64_t n;
    int64_t parent;
    const char *routine;
};

static size_t counter_named(struct kt_counted *counted, const char *name)
{
    for (size_t i = 0; i < counted->counters; i++)
        if (!strcmp(counted->counter[i], name))
            return i;
    counted->counter = kt_room_for_one(counted->counter, counted->counters, sizeof *counted->counter);
    counted->counter[counted->counters] = name;
    return counted->counters++;
}

static void find_counters(const struct kt_trace *trace, struct kt_counted *counted)
{
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].counters; i++)
            counter_named(counted, trace->process[p].counter[i].name);
}

const struct kt_counted_routine *kt_counted_find(const struct kt_counted *counted, const char *routine)
{
    for (size_t i = 0; i < counted->routines; i++)
        if (!strcmp(counted->routine[i].routine, routine))
            return &counted->routine[i];
    return NULL;
}

static const struct kt_counted_routine *find_or_add(struct kt_counted *counted, const char *routine)
{
    const struct kt_counted_routine *found = kt_counted_find(counted, routine);
    if (found)
        return found;
    counted->routine = kt_room_for_one(counted->routine, counted->routines, sizeof *counted->routine);
    struct kt_counted_routine *added = &counted->routine[counted->routines++];
    added->routine = routine;
    added->sum = kt_zeros(counted->counters, sizeof *added->sum);
    return added;
}

/* True if the routine is at work already in a call that CALL is nested in. */
static bool is_nested_in_itself(const struct open_call *open, const struct kt_call *call)
{
    const char *routine = call->entry->symbol.routine->name;
    int64_t parent = call->parent;
    for (unsigned depth = call->depth; depth > 0 && depth <= MAX_DEPTH && parent >= 0; depth--) {
        if (open[depth - 1].n != parent)
            return false;
        if (!strcmp(open[depth - 1].routine, routine))
            return true;
        parent = open[depth - 1].parent;
    }
    return false;
}

static void add_call(struct kt_counted *counted, const struct kt_call *call)
{
    const struct kt_counted_routine *routine = find_or_add(counted, call->entry->symbol.routine->name);
    for (size_t i = 0; i < call->process->counters; i++) {
        struct kt_counted_sum *sum = &routine->sum[counter_named(counted, call->process->counter[i].name)];
        uint64_t count;
        bool known = kt_call_count(call, i, &count);
        sum->calls += known;
        sum->missing += !known;
        sum->total += known ? (double)count : 0;
    }
}

void kt_counted_collect(const struct kt_trace *trace, struct kt_counted *out)
{
    struct kt_cursor *cursor = kt_resize(NULL, 1, sizeof *cursor);
    struct open_call open[MAX_DEPTH];
    struct kt_call call;
    *out = (struct kt_counted){0};
    find_counters(trace, out);
    for (int i = 0; i < MAX_DEPTH; i++)
        open[i] = (struct open_call){.n = -1};
    kt_cursor_begin(trace, cursor);
    while (out->counters && kt_cursor_next(cursor, &call)) {
        if (!is_nested_in_itself(open, &call))
            add_call(out, &call);
        if (call.depth < MAX_DEPTH)
            open[call.depth] = (struct open_call){
                .n = (int64_t)call.n, .parent = call.parent, .routine = call.entry->symbol.routine->name};
    }
    free(cursor);
}

void kt_counted_free(struct kt_counted *counted)
{
    for (size_t i = 0; i < counted->routines; i++)
        free(counted->routine[i].sum);
    free(counted->routine);
    free(counted->counter);
}
