/* SPDX-License-Identifier: BSD-3-Clause */
/* The streams of a process are walked side by side, the earliest call first: nothing has to be kept of any. */
#include "model/summary/busy.h"

#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/read/state.h"

#include <math.h>
#include <stdlib.h>

struct walk {
    struct kt_cursor cursor;
    struct kt_call call;
    size_t process, stream;
    bool more;
};

/* To the next call that counts. */
static void step(struct walk *walk)
{
    do
        walk->more = kt_cursor_next(&walk->cursor, &walk->call) && walk->cursor.process == walk->process &&
                     walk->cursor.stream == walk->stream;
    while (walk->more && (walk->call.depth > 0 || !walk->call.complete || !kt_call_is_plausible(&walk->call)));
}

static struct walk *earliest(struct walk *walk, size_t count)
{
    struct walk *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (walk[i].more && (!first || walk[i].call.start < first->call.start))
            first = &walk[i];
    return first;
}

static double busy_in(const struct kt_trace *trace, size_t process)
{
    const struct kt_process *of = &trace->process[process];
    struct walk *walk = kt_resize(NULL, of->events, sizeof *walk);
    uint64_t until = 0;
    uint64_t ticks = 0;
    for (size_t i = 0; i < of->events; i++) {
        walk[i].process = process;
        walk[i].stream = i;
        kt_cursor_begin_stream(trace, process, i, &walk[i].cursor);
        step(&walk[i]);
    }
    for (struct walk *next; (next = earliest(walk, of->events)); step(next)) {
        uint64_t start = next->call.start > until ? next->call.start : until;
        uint64_t end = next->call.start + next->call.ticks;
        ticks += end > start ? end - start : 0;
        until = end > until ? end : until;
    }
    free(walk);
    return (double)ticks * of->tick_seconds;
}

double kt_busy_seconds(const struct kt_trace *trace)
{
    double seconds = 0;
    if (kt_is_profile(trace) || kt_state_sample(trace) > 1)
        return NAN;
    for (size_t p = 0; p < trace->processes; p++)
        seconds += busy_in(trace, p);
    return seconds;
}
