/* SPDX-License-Identifier: BSD-3-Clause */
/* What to model so that algorithms can be predicted: nothing has to be recorded for that. */
#ifndef KT_ALGORITHM_NEEDS_H
#define KT_ALGORITHM_NEEDS_H

#include "model/kernels/kernel_needs.h"
#include "model/predict/prediction_setup.h"

/*
 * The kernels of the algorithms that OPTIONS names, each a name, a file or an operation, for all their sizes n and b.
 * How long a call takes, which weighs the kernels, is guessed from its operations and bytes. Routines are those of
 * kt_known_routines().
 */
enum kt_status kt_needs_of_algorithms(const struct kt_prediction_options *options, struct kt_needs *out,
                                      struct kt_error *error);

#endif
