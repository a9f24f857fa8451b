/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What predictions rest on beside the calls: the models of a library as a source of costs, and this machine's caches.
 */
#ifndef KT_MODEL_COSTS_H
#define KT_MODEL_COSTS_H

#include "model/kernels/kernel_models.h"
#include "model/predict/prediction.h"

/* A kt_costs_source; CONTEXT: const struct kt_models. */
void kt_costs_of_models(void *context, const struct kt_symbol *symbol, const struct kt_values *values,
                        struct kt_costs *out);

/*
 * The caches and latencies as `ktrace probe` measured them, without it as the system describes them. LAST: bytes of the
 * largest cache that the process has for itself, 0: as measured or described. WHENCE: which of these it was, static.
 */
enum kt_status kt_prediction_caches(double last, struct kt_prediction_rules *out, const char **whence,
                                    struct kt_error *error);

#endif
