/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for the crossovers of models that are built (model/build/crossover.h), before anything else is sampled. */
#ifndef KT_CROSSOVER_BUILD_H
#define KT_CROSSOVER_BUILD_H

#include "model/build/model_build.h"

/* Whose searches did not end yet, those with most time first; in a tenth of the budget, with small ones not at all.
 * What that is too short for is left to the next build. The file is written after every batch. */
enum kt_status kt_crossovers_find(struct kt_build *build, struct kt_error *error);

#endif
