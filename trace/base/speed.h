/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the machine was, from readings of yardsticks (ktrace/yardstick.h): of a recording, of replays, and of one
 * beside the other. Pure functions.
 */
#ifndef KT_SPEED_H
#define KT_SPEED_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds: of an addition that waits for the one before, of one that waits for nothing, of a load from memory. */
struct kt_speed {
    double chain, wide, memory;
};

/* A reading as it was stored, in ticks. */
struct kt_yard_ticks {
    double chain, wide, memory;
    double additions, loads; /* of the chain; of memory */
    double clock;            /* what two readings of the clock take, in each of the three */
};

/* A reading that was interrupted says no more than that the machine was slow: additions that wait for nothing count as
 * those that wait at most, a load as two microseconds. */
struct kt_speed kt_speed_of(const struct kt_yard_ticks *ticks, double tick_seconds);

/* Sums over readings, each with its weight. */
struct kt_speed_sums {
    double weight;
    struct kt_speed sum;
};
void kt_speed_add(struct kt_speed_sums *sums, const struct kt_speed *speed, double weight);
void kt_speed_merge(struct kt_speed_sums *into, const struct kt_speed_sums *from);

/* The mean; false: there is none, or what the sums hold is no time. */
bool kt_speed_mean(const struct kt_speed_sums *sums, struct kt_speed *out);

/* How many times longer each took in A than in B; of WIDE what is left when the clock is taken out. */
struct kt_speed kt_speed_ratio(const struct kt_speed *a, const struct kt_speed *b);

#endif
