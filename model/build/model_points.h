/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Points at sizes drawn at random from regions that have a polynomial, by what these are worth: between the multiples,
 * for residues (model/build/residues.h), and held-out ones, at multiples and between, which tell how good a model is.
 */
#ifndef KT_MODEL_POINTS_H
#define KT_MODEL_POINTS_H

#include "model/build/model_batch.h"

/* Adds those that are missing until the batch takes so many seconds. If there is no time for all, each model gets some.
 */
void kt_build_choose_points(const struct kt_build *build, bool held_out, double seconds, struct kt_batch *batch);

#endif
