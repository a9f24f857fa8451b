/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times in cycles of the core. The time stamp counter ticks at its own rate, and the core's clock moves within
 * milliseconds; so every sample stands between runs of additions that take one cycle each (probe_kernels.h), and its
 * cycles are its ticks over theirs. Disturbances only add, to either, so a sample is some short runs of both by turns,
 * and the best of each counts: the best of many quotients would be one whose additions were disturbed.
 */
#ifndef KT_STOPWATCH_H
#define KT_STOPWATCH_H

#include <stddef.h>
#include <stdint.h>

/* The next of a sequence of numbers that look random, for orders of measurements (Marsaglia's xorshift); *STATE begins
 * as any but 0. */
static inline uint64_t kt_any_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 11;
}

struct kt_lap {
    double ticks;  /* of the time stamp counter */
    double cycles; /* of the core */
};

/* The best of so many runs of the work. */
struct kt_lap kt_lap(void (*work)(void *context), void *context, int runs);

/* Ticks of a core cycle, now. */
double kt_ticks_per_cycle(void);

/* Ticks of a second, by the system's clock over at least SECONDS. */
double kt_ticks_per_second(double seconds);

double kt_seconds_now(void);

/* Takes ITEMS samples ROUNDS times, or as long as SECONDS allow, three rounds at least: rounds are the outermost loop,
 * and in each the items are in random order. ITEM(context, i) makes the i-th sample. RESULT[i] is the second best of
 * item i among the quarter of samples, at least, that had the fastest clock: a disturbed clock makes a sample seem to
 * take fewer cycles than it did. */
void kt_laps(size_t items, int rounds, double seconds, struct kt_lap (*item)(void *context, size_t i), void *context,
             struct kt_lap *result);

#endif
