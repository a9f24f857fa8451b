/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While shapes are added, lo and hi of a part hold the sums of the squares of its errors.
 */
#include "model/decomposition/decomposition.h"

#include "trace/base/stats.h"

#include <math.h>

static double square(double x)
{
    return x * x;
}

/* Distance of the ends of an interval from its value. */
static double below(const struct kt_time *t)
{
    return t->value - t->lo;
}

static double above(const struct kt_time *t)
{
    return t->hi - t->value;
}

/* PART += CALLS * (PLUS - MINUS); NULL: nothing, an exact time has no errors. */
static void add(struct kt_time *part, double calls, const struct kt_time *plus, const struct kt_time *minus)
{
    static const struct kt_time nothing = {0};
    plus = plus ? plus : &nothing;
    minus = minus ? minus : &nothing;
    part->value += calls * (plus->value - minus->value);
    part->lo += square(calls * below(plus)) + square(calls * above(minus));
    part->hi += square(calls * above(plus)) + square(calls * below(minus));
}

static struct kt_time exactly(double seconds)
{
    return (struct kt_time){seconds, seconds, seconds};
}

/* The bound is a fact about the machine, or was measured too low: a warm time below it is no proof of the former. */
static void add_bound(struct kt_decomposition *d, const struct kt_context_times *times, double calls)
{
    struct kt_time bound = exactly(times->bound);
    bool is_lower = times->warm.value < times->bound;
    add(&d->bound, calls, is_lower ? &times->warm : &bound, NULL);
    if (!is_lower)
        add(&d->library, calls, &times->warm, &bound);
    if (!is_lower && times->uncounted)
        d->undivided += calls * (times->warm.value - times->bound);
    if (isnan(times->bound))
        d->bound.value = d->library.value = NAN;
}

/* It is no part of the residual then, or of what is left whole. */
static void add_contention(struct kt_decomposition *d, const struct kt_context_times *times,
                           const struct kt_timed_calls *calls)
{
    struct kt_time *rest = isnan(times->tracked.value) ? &d->unsplit : &d->residual;
    if (isnan(times->together.value) || isnan(times->alone.value))
        return;
    d->in_company++;
    add(&d->contention, calls->calls, &times->together, &times->alone);
    add(rest, calls->calls, &times->alone, &times->together);
}

static void add_context(struct kt_decomposition *d, const struct kt_context_times *times,
                        const struct kt_timed_calls *calls)
{
    struct kt_time total = exactly(calls->total / calls->calls);
    if (isnan(times->tracked.value)) {
        add(&d->unsplit, calls->calls, &total, &times->warm);
        d->cache_most += calls->calls * (times->cold.value - times->warm.value);
        return;
    }
    d->tracked++;
    add(&d->cache, calls->calls, &times->tracked, &times->warm);
    add(&d->residual, calls->calls, &total, &times->tracked);
}

static bool is_known(const struct kt_speed *slower)
{
    return slower->chain > 0 && slower->wide > 0 && slower->memory > 0;
}

static struct kt_time between(double a, double b)
{
    return (struct kt_time){(a + b) / 2, fmin(a, b), fmax(a, b)};
}

struct kt_time kt_decomposition_machine(const struct kt_context_times *times)
{
    static const struct kt_time unknown = {NAN, NAN, NAN};
    const struct kt_speed *slower = &times->slower;
    double waiting = times->tracked.value - times->warm.value;
    if (!is_known(slower))
        return unknown;
    struct kt_time working =
        between(times->warm.value * (slower->chain - 1), times->warm.value * (slower->chain * slower->wide - 1));
    if (!(waiting > 0))
        return working;
    struct kt_time memory = between(waiting * (slower->memory - 1) / 2, waiting * (slower->memory - 1));
    return (struct kt_time){working.value + memory.value, working.lo + memory.lo, working.hi + memory.hi};
}

/* Its errors are the same for all shapes: they add up. */
static void add_machine(struct kt_decomposition *d, const struct kt_context_times *times,
                        const struct kt_timed_calls *calls)
{
    struct kt_time machine = kt_decomposition_machine(times);
    d->machine.value += calls->calls * machine.value + calls->lost;
    d->machine.lo += calls->calls * machine.lo + calls->lost;
    d->machine.hi += calls->calls * machine.hi + calls->lost;
    d->lost += calls->lost;
}

bool kt_decomposition_is_unclear(const struct kt_decomposition *d)
{
    static const double most = 0.05; /* of what the machine leaves of in-situ time, to each side */
    return (d->machine.hi - d->machine.lo) / 2 > most * (d->insitu - d->machine.value);
}

static void add_odds(struct kt_decomposition *d, const struct kt_context_times *times,
                     const struct kt_timed_calls *calls)
{
    const struct kt_time *nearest = isnan(times->tracked.value) ? &times->warm : &times->tracked;
    d->odd[KT_ODD_BOUND] += times->warm.hi < times->bound ? calls->total : 0;
    d->odd[KT_ODD_TRACKED] += times->tracked.hi < times->warm.lo ? calls->total : 0;
    d->odd[KT_ODD_INSITU] += calls->median < nearest->lo ? calls->total : 0;
}

void kt_decomposition_add(struct kt_decomposition *d, const struct kt_context_times *times,
                          const struct kt_timed_calls *calls)
{
    if (isnan(times->warm.value) || isnan(calls->median) || !(calls->calls > 0))
        return;
    d->shapes++;
    d->calls += calls->calls;
    d->insitu += calls->total;
    add(&d->warm, calls->calls, &times->warm, NULL);
    add_bound(d, times, calls->calls);
    add_context(d, times, calls);
    add_contention(d, times, calls);
    add_odds(d, times, calls);
    add_machine(d, times, calls);
    d->faults += calls->faults;
    d->fault_seconds += calls->faults > 0 ? calls->faults * times->fault : 0;
    if (isnan(times->cold.value))
        return;
    d->sums.insitu += calls->calls * calls->median;
    d->sums.warm += calls->calls * times->warm.value;
    d->sums.cold += calls->calls * times->cold.value;
}

/* From sums of squares to an interval. */
static void finish(struct kt_time *part, bool known)
{
    part->lo = part->value - sqrt(part->lo);
    part->hi = part->value + sqrt(part->hi);
    if (!known || isnan(part->value))
        *part = (struct kt_time){NAN, NAN, NAN};
}

void kt_decomposition_finish(struct kt_decomposition *d)
{
    finish(&d->bound, d->shapes > 0);
    finish(&d->library, d->shapes > 0);
    d->bound.hi += d->undivided;
    d->library.lo -= d->undivided;
    finish(&d->warm, d->shapes > 0);
    finish(&d->cache, d->tracked > 0);
    finish(&d->residual, d->tracked > 0);
    finish(&d->unsplit, d->shapes > 0);
    finish(&d->contention, d->in_company > 0);
    if (d->shapes == 0)
        d->machine = (struct kt_time){NAN, NAN, NAN};
    d->index = d->sums.warm > 0 ? kt_context_index(d->sums.insitu, d->sums.warm, d->sums.cold) : NAN;
}

double kt_decomposition_half(const struct kt_time *part)
{
    double width = part->hi - part->lo;
    return isnan(width) ? width : fmax(part->hi - part->value, part->value - part->lo);
}

static const double widest = 0.25; /* to each side, of the whole */

bool kt_decomposition_is_undivided(double undivided, double whole)
{
    return undivided > widest * whole;
}

bool kt_decomposition_is_told(const struct kt_time *part)
{
    return kt_decomposition_half(part) <= widest && part->lo <= 1; /* of NAN, no */
}
