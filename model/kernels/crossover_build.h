/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for the crossovers of models that are built (model/kernels/crossover.h), before anything else is sampled. */
#ifndef KT_CROSSOVER_BUILD_H
#define KT_CROSSOVER_BUILD_H

#include "model/kernels/model_build.h"

/* Of the needs with most time whose searches did not end yet; in a tenth of the budget, roughly, with small ones not at
 * all. What time is too short for is left to the next build. */
enum kt_status kt_crossovers_find(struct kt_build *build, struct kt_error *error);

#endif
