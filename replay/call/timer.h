/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wall and CPU time in seconds (Whaley & Castaldo, section 2), with what reading each costs and can resolve.
 *
 * The wall timer is the clock of records. It is the default, also for serial calls: paired and repeated measurements
 * deal with the load of the machine, and short calls need its resolution. CPU time leaves out what other processes
 * took, but not what they evicted; it is for serial calls on machines that are busy all the time. The CPU time of a
 * call that works in several threads says nothing about how long it takes.
 */
#ifndef KT_TIMER_H
#define KT_TIMER_H

#include "ktrace/clock.h"
#include "replay/call/call.h"
#include "trace/base/stats.h"

#include <stdbool.h>
#include <stdint.h>

/* KT_TIMER_SETS: the wall timer, but cold calls that are too short for it are timed many at once
 * (replay/measure/workingset.h).
 */
enum kt_timer_kind { KT_TIMER_WALL, KT_TIMER_CPU, KT_TIMER_SETS };

struct kt_timer {
    enum kt_timer_kind kind;
    uint64_t origin;         /* reading that counts as 0: differences are formed in integers, so that none is rounded */
    double seconds_per_tick; /* of the readings */
    double overhead;         /* seconds between two readings with nothing in between: to be subtracted */
    double resolution;       /* seconds, the least difference that was seen between two different readings */
};

extern const char *const kt_timer_names[3]; /* wall, cpu, sets */

/* Calibrates a timer, in some 20 ms the first time. */
void kt_timer_open(enum kt_timer_kind kind, struct kt_timer *out);

/* Seconds since it was opened. */
double kt_timer_read(const struct kt_timer *timer);

/* Seconds between two readings, less what the readings cost; not below 0. */
double kt_timer_between(const struct kt_timer *timer, double before, double after);

/* The least interval that the timer measures to this relative error. */
double kt_timer_least(const struct kt_timer *timer, double relative_error);

/* False: not to be used for calls in so many threads. */
bool kt_timer_fits(enum kt_timer_kind kind, int threads);

/* What estimates a time from samples of this kind: errors of wall times have one sign, those of CPU times both. */
enum kt_best kt_timer_best(enum kt_timer_kind kind);

/*
 * Ticks that a call through the thunk lasts longer than a compiled call would, with the clock read as in
 * kt_timer_settle(): the thunk loads PARAMETERS and stores what comes back. Takes some 60 us.
 */
double kt_timer_thunk(kt_thunk *thunk, const struct kt_parameters *parameters);

/*
 * Some clocks move in steps (the counters of some processors in 10 ns): the difference of two readings is then a number
 * of steps whose expectation is the time, with a variance of a sixth of a squared step. How many calls, each timed by
 * itself, have a mean that is known to 2 % where one takes SECONDS; 256 at most, 1 by the processor's time.
 */
int kt_timer_calls(const struct kt_timer *timer, double seconds);
enum { KT_MOST_READINGS = 256 };

/* Their mean without those that were interrupted: more than eight steps above the median. SECONDS, COUNT > 0 of them,
 * are sorted. At least half a step, divided by the root of COUNT: between two steps is something, not nothing. Pure. */
double kt_timer_mean(double *seconds, int count, double step);

/*
 * To be called just before the first reading: what was done so far, to the operands for example, has ended by then, and
 * so has what the processor did because of it. Half a microsecond: with a single reading a ddot of 900 elements that
 * had just been read took 57 ns in some processes and 150 in others, as lines that nobody asked for were still on their
 * way.
 */
static inline void kt_timer_settle(void)
{
    enum { READINGS = 40 };
    for (int i = 0; i < READINGS; i++)
        kt_clock_stop();
}

/* Seconds per tick of ktrace/clock.h; measured once. */
double kt_timer_tick(void);

#endif
