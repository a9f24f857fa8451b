/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a comparison of libraries found, as JSON and as text. The lanes of the schedule are the libraries, the first
 * one is the baseline. A shape that one of them cannot run counts for none.
 */
#ifndef KT_COMPARISON_H
#define KT_COMPARISON_H

#include "replay/ratio.h"
#include "replay/setup.h"
#include "replay/worker.h"

#include <jansson.h>

struct kt_comparison {
    struct kt_replay_options options;
    struct kt_setup setup;
    struct kt_worker worker[KT_MAX_LIBRARIES + 1];
    size_t libraries;
    struct kt_schedule schedule;
    double seconds[KT_MAX_LIBRARIES + 1];        /* for all calls of the shapes that count */
    struct kt_ratio ratio[KT_MAX_LIBRARIES + 1]; /* to the baseline */
};

/* Computes seconds and ratios when the schedule has run. */
void kt_comparison_sum_up(struct kt_comparison *comparison);

json_t *kt_comparison_json(const struct kt_comparison *comparison);
void kt_comparison_print(const struct kt_comparison *comparison);

/* True if a library crashed, hung or failed in a call that worked in the application. */
bool kt_comparison_found_defect(const struct kt_comparison *comparison);

#endif
