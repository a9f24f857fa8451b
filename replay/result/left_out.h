/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shapes of a trace that a replay left out, the lightest ones, as its budget had no time for them.
 */
#ifndef KT_LEFT_OUT_H
#define KT_LEFT_OUT_H

#include "replay/setup/setup.h"

#include <jansson.h>

/* A replay measures, keeps and tells of no more shapes than that; those that come first it measures in any case. */
enum { KT_MOST_REPLAYED = 10000, KT_LEAST_REPLAYED = 50 };

struct kt_left_out {
    size_t shapes;
    double calls, seconds; /* of these shapes in the program */
    double share;          /* of the time of all shapes */
};

/* Jobs that the schedule, whose items are the first jobs, did not reach. */
struct kt_left_out kt_left_out_of(const struct kt_jobs *jobs, const struct kt_schedule *schedule);

json_t *kt_left_out_json(const struct kt_left_out *left_out);

/* One line, none if nothing was left out. IS_KEPT: what was measured need not be measured again. */
void kt_left_out_print(const struct kt_left_out *left_out, bool is_kept);

#endif
