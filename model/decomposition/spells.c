/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/decomposition/spells.h"

#include "trace/base/memory.h"
#include "trace/base/stats.h"
#include "trace/read/readings.h"

#include <math.h>

/* Calls of a spell that are remembered: it is the longest that lost something. */
enum { LONGEST = 8 };

/* Less is what readings and system calls take. */
static const double least_lost = 1e-4; /* seconds */
static const double least_part = 0.02; /* of the spell */

struct long_call {
    size_t shape;
    double seconds;
};

struct walk {
    const struct kt_shapes *shapes;
    struct kt_collection *collection;
    struct kt_spells *of; /* each shape, in the order of SHAPES */
    struct kt_recorded_speed *out;
    const struct kt_process *process;
    struct kt_readings readings; /* of the stream at hand */
    bool may_lose;
    size_t at;       /* the reading that began the spell */
    double in_calls; /* seconds */
    struct long_call longest[LONGEST];
    size_t longs;
};

/* --- a spell ----------------------------------------------------------------------------------------------- */

static void begin_spell(struct walk *w, size_t at)
{
    w->at = at;
    w->in_calls = 0;
    w->longs = 0;
}

/* Seconds that its thread was without a processor, in calls. */
static double lost_in_spell(const struct walk *w)
{
    const struct kt_yard_reading *begin = &w->readings.reading[w->at];
    const struct kt_yard_reading *end = begin + 1;
    double all = (double)(end->start - begin->start) * w->process->tick_seconds;
    double without = all - (end->processor - begin->processor);
    double lost = without - (all - w->in_calls);
    return lost >= least_lost && lost >= least_part * all ? lost : 0;
}

static void lose(struct walk *w, const struct long_call *call, double seconds)
{
    struct kt_spells *both[] = {&w->of[call->shape], &w->out->all};
    for (int i = 0; i < 2; i++) {
        both[i]->lost += seconds;
        both[i]->disturbed++;
        both[i]->seconds += call->seconds;
    }
}

static void end_spell(struct walk *w)
{
    if (!w->may_lose || w->at + 1 >= w->readings.count)
        return;
    double lost = lost_in_spell(w);
    for (size_t i = 0; i < w->longs && lost > 0; i++) {
        double part = fmin(lost, w->longest[i].seconds);
        lose(w, &w->longest[i], part);
        lost -= part;
    }
}

/* The longest come first. */
static void remember(struct walk *w, size_t shape, double seconds)
{
    if (w->longs == LONGEST && seconds <= w->longest[LONGEST - 1].seconds)
        return;
    size_t i = w->longs < LONGEST ? w->longs++ : LONGEST - 1;
    for (; i > 0 && w->longest[i - 1].seconds < seconds; i--)
        w->longest[i] = w->longest[i - 1];
    w->longest[i] = (struct long_call){shape, seconds};
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static struct kt_speed speed_around(const struct kt_readings *readings, size_t at)
{
    struct kt_speed speed;
    struct kt_speed_sums sums = {0};
    for (size_t i = at; i < at + 2 && i < readings->count; i++)
        kt_speed_add(&sums, &readings->reading[i].speed, 1);
    kt_speed_mean(&sums, &speed);
    return speed;
}

static void add_call(struct walk *w, const struct kt_call *call)
{
    size_t shape = kt_collection_number(w->collection, call);
    size_t at = kt_readings_before(&w->readings, call->start, w->at);
    if (at != w->at) {
        end_spell(w);
        begin_spell(w, at);
    }
    double seconds = kt_call_seconds(call);
    w->in_calls += seconds;
    if (shape >= w->shapes->count)
        return;
    struct kt_speed speed = speed_around(&w->readings, at);
    kt_speed_add(&w->of[shape].speed, &speed, 1);
    remember(w, shape, seconds);
}

static void walk_stream(struct walk *w, const struct kt_trace *trace, size_t process, size_t stream)
{
    struct kt_cursor cursor;
    struct kt_call call;
    begin_spell(w, 0);
    kt_cursor_begin_stream(trace, process, stream, &cursor);
    while (kt_cursor_next(&cursor, &call) && cursor.process == process && cursor.stream == stream)
        if (call.complete && call.depth == 0)
            add_call(w, &call);
    end_spell(w);
}

/* --- all of it --------------------------------------------------------------------------------------------- */

struct rates {
    struct kt_weighted *hertz; /* owned */
    size_t count;
};

static void add_readings(struct walk *w, struct rates *rates)
{
    for (size_t i = 0; i < w->readings.count; i++) {
        const struct kt_speed *speed = &w->readings.reading[i].speed;
        kt_speed_add(&w->out->all.speed, speed, 1);
        rates->hertz = kt_room_for_one(rates->hertz, rates->count, sizeof *rates->hertz);
        rates->hertz[rates->count++] = (struct kt_weighted){1 / speed->chain, 1};
    }
}

static bool has_one_thread(const struct kt_process *process)
{
    for (size_t i = 0; i < process->objects; i++)
        if (process->object[i].is_library && process->object[i].threads > 1)
            return false;
    return true;
}

static void walk_process(struct walk *w, const struct kt_trace *trace, size_t process, struct rates *rates)
{
    w->process = &trace->process[process];
    w->may_lose = has_one_thread(w->process);
    for (size_t s = 0; s < w->process->streams; s++) {
        kt_readings_load(w->process, s, &w->readings);
        add_readings(w, rates);
        if (w->readings.count)
            walk_stream(w, trace, process, s);
        kt_readings_free(&w->readings);
    }
}

void kt_spells_find(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_spells *of,
                    struct kt_recorded_speed *out)
{
    static const double edge = 0.05;
    struct rates rates = {0};
    struct walk w = {.shapes = shapes, .of = of, .out = out, .collection = kt_collection_of(trace, shapes)};
    struct kt_shapes ignored;
    *out = (struct kt_recorded_speed){0};
    memset(of, 0, shapes->count * sizeof *of);
    for (size_t p = 0; p < trace->processes; p++)
        walk_process(&w, trace, p, &rates);
    out->slowest = kt_weighted_quantile(rates.hertz, rates.count, edge);
    out->fastest = kt_weighted_quantile(rates.hertz, rates.count, 1 - edge);
    kt_collection_finish(w.collection, &ignored);
    kt_shapes_free(&ignored);
    free(rates.hertz);
}
