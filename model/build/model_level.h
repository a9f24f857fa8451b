/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The speed of the machine while samples were taken. On machines whose clock, or whose other users, change the pace for
 * seconds or minutes, samples of two batches differ by ten per cent and more, however often each is repeated within its
 * batch; polynomials fitted across such a step get regions that are not there. So every batch times some points of each
 * model again that are known already, its anchors; its new points are brought to the pace of the first batch by the
 * median of how these differ. In the end all are brought to the lower quartile of the paces met, which is what replays
 * take for a call's time as well. Pure functions.
 */
#ifndef KT_MODEL_LEVEL_H
#define KT_MODEL_LEVEL_H

#include "model/kernels/model_set.h"

enum { KT_ANCHORS = 5 };

/* Points of the model to be timed again: of those that take no longer than MOST seconds, and if possible 2 us, as the
 * clock's own cost is uncertain by some ns; spread over their times. Returns how many. */
size_t kt_level_anchors(const struct kt_kernel_model *model, double most, const struct kt_point *out[KT_ANCHORS]);

/* The pace of a batch, from times of its anchors over those known: their median; 1 without any. Sorts. */
double kt_level_of_batch(double *ratio, size_t ratios);

/* Notes the pace of a batch, relative to that of the points of the model. */
void kt_level_note(struct kt_kernel_model *model, double level);

/* Brings points and polynomials to the lower quartile of the paces noted. */
void kt_level_settle(struct kt_kernel_model *model);

#endif
