/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When each thread was in outermost calls, in bins of equal length that are filled in one walk, so that the number of
 * calls does not matter. A bin tells how busy it was and with what most: two characters, each one of 64.
 */
#include "model/html/html_parts.h"

#include "trace/base/memory.h"
#include "trace/command/call_json.h"
#include "trace/read/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, ROUTINES = 9, OTHERS = ROUTINES, CLASSES, CELLS = 65536, MOST_BINS = 4096 };

struct timeline {
    const struct kt_report *report;
    size_t lanes, bins;
    double end;        /* seconds; it begins at 0 */
    double per_second; /* bins */
    const char *routine[ROUTINES];
    size_t routines;
    float *busy; /* seconds by lane, bin and class; owned */
};

static double end_of(const struct kt_trace *trace)
{
    double end = 0;
    for (size_t i = 0; i < trace->processes; i++) {
        const struct kt_process *p = &trace->process[i];
        end = fmax(end, p->start + (double)(p->last_ticks - p->first_ticks) * p->tick_seconds);
    }
    return end;
}

/* The routine's own class; OTHERS if it is none of those that take longest. */
static size_t class_of(const struct timeline *t, const char *routine)
{
    for (size_t i = 0; i < t->routines; i++)
        if (!strcmp(t->routine[i], routine))
            return i;
    return OTHERS;
}

/* Shapes are sorted by time, so routines come in the order of their heaviest one. */
static void choose_routines(struct timeline *t)
{
    const struct kt_shapes *shapes = &t->report->groups;
    for (size_t i = 0; i < shapes->count && t->routines < ROUTINES; i++) {
        const char *name = shapes->shape[i].first.entry->symbol.routine->name;
        if (class_of(t, name) == OTHERS)
            t->routine[t->routines++] = name;
    }
}

/* --- the walk ------------------------------------------------------------------------------------------------ */

static size_t lane_of(const struct timeline *t, const struct kt_call *call)
{
    const struct kt_sums *threads = &t->report->summary.threads;
    for (size_t i = 0; i < t->lanes; i++)
        if (threads->sum[i].process == call->process && threads->sum[i].id == call->tid)
            return i;
    return LANES;
}

/* Of a time; the first and the last one also of what lies outside. */
static size_t bin_of(const struct timeline *t, double seconds)
{
    double bin = seconds * t->per_second;
    return bin < 0 ? 0 : bin < (double)t->bins ? (size_t)bin : t->bins - 1;
}

static void add(struct timeline *t, size_t lane, size_t class, double begin, double end)
{
    double width = 1 / t->per_second;
    size_t last = bin_of(t, end);
    for (size_t bin = bin_of(t, begin); bin <= last; bin++) {
        double from = (double)bin * width;
        double to = from + width;
        from = begin > from ? begin : from;
        to = end < to ? end : to;
        if (to > from)
            t->busy[(lane * t->bins + bin) * CLASSES + class] += (float)(to - from);
    }
}

static void walk(struct timeline *t)
{
    struct kt_cursor cursor;
    struct kt_call call;
    const struct kt_entry *entry = NULL;
    const struct kt_process *process = NULL;
    uint32_t tid = 0;
    size_t class = OTHERS;
    size_t lane = LANES;
    kt_cursor_begin(&t->report->trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        if (call.depth > 0 || !call.complete || !kt_call_is_plausible(&call))
            continue;
        if (process != call.process || tid != call.tid)
            lane = lane_of(t, &call);
        if (entry != call.entry)
            class = class_of(t, call.entry->symbol.routine->name);
        process = call.process;
        tid = call.tid;
        entry = call.entry;
        double begin = kt_call_start(&call);
        if (lane < LANES)
            add(t, lane, class, begin, begin + kt_call_seconds(&call));
    }
}

/* --- as text ------------------------------------------------------------------------------------------------- */

static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* What was busy at all is not 0. */
static void bin_text(const struct timeline *t, size_t lane, size_t bin, char *busy, char *routine)
{
    const float *part = &t->busy[(lane * t->bins + bin) * CLASSES];
    double sum = 0;
    size_t most = 0;
    for (size_t i = 0; i < CLASSES; i++) {
        sum += part[i];
        most = part[i] > part[most] ? i : most;
    }
    double share = fmin(sum / (t->end / (double)t->bins), 1);
    *busy = digit[(size_t)ceil(63 * share)];
    *routine = digit[most];
}

static json_t *lane_json(const struct timeline *t, size_t lane)
{
    const struct kt_sum *thread = &t->report->summary.threads.sum[lane];
    const char *rank = kt_meta(thread->process, "rank");
    char *busy = kt_resize(NULL, t->bins + 1, 1);
    char *routine = kt_resize(NULL, t->bins + 1, 1);
    for (size_t bin = 0; bin < t->bins; bin++)
        bin_text(t, lane, bin, &busy[bin], &routine[bin]);
    busy[t->bins] = routine[t->bins] = '\0';
    json_t *json = json_pack("{s:o, s:I, s:I, s:o, s:s, s:s}", "rank", kt_json_text_or_null(rank), "pid",
                             (json_int_t)thread->process->pid, "tid", (json_int_t)thread->id, "seconds",
                             kt_json_number(thread->seconds), "busy", busy, "routine", routine);
    free(busy);
    free(routine);
    return json;
}

static json_t *timeline_json(const struct timeline *t)
{
    json_t *routines = json_array();
    json_t *lanes = json_array();
    for (size_t i = 0; i < t->routines; i++)
        json_array_append_new(routines, json_string(t->routine[i]));
    for (size_t i = 0; i < t->lanes; i++)
        json_array_append_new(lanes, lane_json(t, i));
    return json_pack("{s:f, s:I, s:o, s:o}", "seconds", t->end, "bins", (json_int_t)t->bins, "routines", routines,
                     "lanes", lanes);
}

json_t *kt_html_timeline(const struct kt_report *report, json_t *left_out)
{
    size_t threads = report->summary.threads.count;
    struct timeline t = {.report = report, .lanes = threads < LANES ? threads : LANES, .end = end_of(&report->trace)};
    if (kt_is_profile(&report->trace) || t.lanes == 0 || !(t.end > 0))
        return json_null();
    t.bins = CELLS / t.lanes < MOST_BINS ? CELLS / t.lanes : MOST_BINS;
    t.per_second = (double)t.bins / t.end;
    t.busy = calloc(t.lanes * t.bins * CLASSES, sizeof *t.busy);
    if (!t.busy)
        abort();
    choose_routines(&t);
    walk(&t);
    json_t *json = timeline_json(&t);
    kt_html_leave_out(left_out, "timeline", t.lanes, threads);
    free(t.busy);
    return json;
}
