/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the machine is for the kernels of a prediction, beside the time their models were built at.
 *
 * On machines whose clock changes, or that others use too, a kernel takes up to half as long again as it took minutes
 * ago, and not every kernel by the same factor; models are of the least that it takes. So where the truth is measured,
 * points that the models rest on are timed again in turn with it; their times over those known are the pace. The
 * algorithm itself is not looked at. Leading dimensions are those of its calls, which models know nothing of: what
 * these cost is in the pace.
 */
#ifndef KT_PACE_H
#define KT_PACE_H

#include "model/kernels/kernel_models.h"
#include "model/predict/prediction.h"

struct kt_pace;

/* Chooses the points: of the models on which most of the time of the predictions rests. All that is given must live as
 * long. To be closed also after an error. */
enum kt_status kt_pace_open(const struct kt_models *models, const char *blas, const struct kt_prediction *const *of,
                            size_t count, struct kt_pace **out, struct kt_error *error);

/* Times all points, then calls AFTER, in turn until that says false, at most ROUNDS times. Points are timed until that
 * took a quarter of what AFTER took last. */
enum kt_status kt_pace_run(struct kt_pace *pace, int rounds, bool (*after)(void *context), void *context,
                           struct kt_error *error);

int kt_pace_rounds(const struct kt_pace *pace); /* how often AFTER was called */

/* What the prediction is to be multiplied by in that round: mean over its kernels, weighted by their times; NAN: not
 * known. */
double kt_pace_of(const struct kt_pace *pace, const struct kt_prediction *prediction, int round);

void kt_pace_close(struct kt_pace *pace); /* NULL is allowed */

#endif
