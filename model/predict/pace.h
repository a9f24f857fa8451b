/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the machine is for the kernels of a prediction, beside the time their models were built at.
 *
 * On machines whose clock changes, or that others use too, a kernel takes up to half as long again as it took minutes
 * ago, and not every kernel by the same factor; models are of the least that it takes. So where the truth is measured,
 * points that the models rest on are timed again in turn with it; their times over those known are the pace. Of a
 * trace, whose truth was measured when it was recorded, they tell the pace of now. What is predicted is not looked at.
 * Leading dimensions are those of its calls, which models know nothing of: what these cost is in the pace.
 */
#ifndef KT_PACE_H
#define KT_PACE_H

#include "model/kernels/kernel_models.h"
#include "model/predict/prediction.h"
#include "replay/setup/timing.h"

struct kt_pace;

/* Chooses the points: of the models on which most of the time of the predictions rests. LIBRARY: the one that the
 * models are of. All that is given must live as long, but LIBRARY. To be closed also after an error. */
enum kt_status kt_pace_open(const struct kt_models *models, const struct kt_timing_of *library,
                            const struct kt_prediction *const *of, size_t count, struct kt_pace **out,
                            struct kt_error *error);

/* Times all points, then calls AFTER, in turn until that says false, at most ROUNDS times. Points are timed until that
 * took a quarter of what AFTER took last. */
enum kt_status kt_pace_run(struct kt_pace *pace, int rounds, bool (*after)(void *context), void *context,
                           struct kt_error *error);

/* From within AFTER: readings go on in a new process, as what they are compared with does. */
void kt_pace_renew(struct kt_pace *pace);

/* Times all points, once in each round, for that many seconds at most. */
enum kt_status kt_pace_take(struct kt_pace *pace, int rounds, double seconds, struct kt_error *error);

int kt_pace_rounds(const struct kt_pace *pace); /* that are over */

/* What the prediction is to be multiplied by in that round: mean over its kernels, weighted by their times; NAN: not
 * known. */
double kt_pace_of(const struct kt_pace *pace, const struct kt_prediction *prediction, int round);

void kt_pace_close(struct kt_pace *pace); /* NULL is allowed */

#endif
