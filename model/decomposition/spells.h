/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the machine was while the calls of each shape were recorded. Between two readings of the yardsticks in a
 * stream lies a spell; a call in it met the mean of both. A spell also tells how long its thread was without a
 * processor. What of that the time outside of the calls does not have room for was lost in calls: in the longest ones
 * of the spell, as none can have lost more than it took.
 *
 * Threads that wait for others of their own library are without a processor, too: nothing is said to be lost where a
 * library has several.
 */
#ifndef KT_SPELLS_H
#define KT_SPELLS_H

#include "trace/base/speed.h"
#include "trace/shape/shape.h"

/* Of the calls of a shape, or of all. */
struct kt_spells {
    struct kt_speed_sums speed; /* each call counts once; of all: each reading */
    double lost;                /* seconds without a processor in them */
    double disturbed, seconds;  /* calls that lost some; what these took */
};

/* Of the recording as a whole. */
struct kt_recorded_speed {
    struct kt_spells all;
    double slowest, fastest; /* Hz of the core: a twentieth of the readings is below, and above; NAN: none */
};

/* OF: one for each of the outermost shapes. */
void kt_spells_find(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_spells *of,
                    struct kt_recorded_speed *out);

#endif
