/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a replay found, as JSON and as text.
 */
#ifndef KT_RESULT_H
#define KT_RESULT_H

#include "replay/result/bound.h"
#include "replay/setup/recall.h"
#include "replay/sequence/sequence.h"
#include "replay/setup/setup.h"
#include "replay/measure/subnormal_cost.h"
#include "replay/measure/worker.h"

#include <jansson.h>

/* The lanes of the schedule are the contexts of the options. */
struct kt_replay_result {
    const struct kt_replay_options *options;
    const struct kt_setup *setup;
    const struct kt_worker *worker;
    const struct kt_schedule *schedule;
    const struct kt_recall *recall;
    const struct kt_peaks *peaks;              /* zeros: not known */
    double fault;                              /* seconds that a page fault takes; NAN: not known */
    const struct kt_sequence *sequence;        /* one more context, or NULL */
    const struct kt_subnormal_cost *subnormal; /* by job; NULL: no job has recorded contents */
};

json_t *kt_result_json(const struct kt_replay_result *result);
void kt_result_print(const struct kt_replay_result *result);

/* Parts that comparisons share. */
json_t *kt_result_library(const struct kt_worker *worker);
json_t *kt_job_json(const struct kt_job *job); /* {"routine", "words", "args", "calls"} */
json_t *kt_result_shape(const struct kt_job *job, const struct kt_item *item);
json_t *kt_result_machine(void);

/* The context index of a shape; NAN: it was not replayed both warm and cold. */
double kt_result_index(const struct kt_replay_result *result, size_t shape);

/* The statistic of a lane of an item; n = 0 if it has no samples. */
struct kt_stat kt_lane_stat(const struct kt_item *item, size_t lane);

/* "dgemm N N 100 100 100" to fit WIDTH columns. */
void kt_job_text(const struct kt_job *job, char *out, size_t width);

/* One line: what could not be timed and why. */
void kt_failure_print(const struct kt_job *job, const char *why);

#endif
