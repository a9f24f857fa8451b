/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over the shapes of a replay.
 */
#ifndef KT_RESULT_TOTALS_H
#define KT_RESULT_TOTALS_H

#include "replay/result/left_out.h"
#include "replay/result/result.h"

struct kt_result_totals {
    double insitu;                  /* measured, of the shapes that were replayed */
    double lane[KT_MAX_CONTEXTS];   /* best estimates */
    double absent[KT_MAX_CONTEXTS]; /* measured, of those that could not be brought into that context */
    double bound, bound_cold;       /* of the same shapes; NAN: not known */
    double refused;                 /* measured, of those that cannot be */
    double calls, calls_refused;
    struct kt_left_out left_out;
};

void kt_result_totals_of(const struct kt_replay_result *result, struct kt_result_totals *out);

#endif
