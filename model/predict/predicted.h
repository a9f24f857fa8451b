/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions of traces and of algorithms, and what is printed of them. */
#ifndef KT_PREDICTED_H
#define KT_PREDICTED_H

#include "model/algorithm/algorithm.h"
#include "model/predict/prediction.h"
#include "trace/shape/shape.h"

#include <jansson.h>

/* All complete calls of that level; queries of a workspace's size do not count. Measured is what each took in the
 * program. Sequences of several processes are predicted one after the other. */
void kt_predict_trace(const struct kt_trace *trace, enum kt_level level, const struct kt_prediction_rules *rules,
                      struct kt_prediction *out);

/* The algorithm once, after its operands were used as a whole, as if it had run before. */
enum kt_status kt_predict_algorithm(const struct kt_algorithm *algorithm, const double *parameter,
                                    const struct kt_prediction_rules *rules, struct kt_prediction *out,
                                    struct kt_error *error);

/* The file of that name, or what comes with the command under it. To be freed also after an error. */
enum kt_status kt_algorithm_find(const char *name, struct kt_algorithm **out, struct kt_error *error);

/* {"seconds", "lo", "hi"} */
json_t *kt_cost_json(const struct kt_cost *cost);
/* Everything: {"predicted", "warm", "cold", "measured", "error", "calls": [...], ...}; of the rows the first MOST. */
json_t *kt_prediction_json(const struct kt_prediction *prediction, size_t most);
/* Relative error of the prediction, taken at the pace of the machine while the truth was measured; NAN: not known. */
double kt_prediction_error_at_pace(const struct kt_prediction *prediction);
/* A table of the first TOP rows, and the sums. */
void kt_prediction_print(const struct kt_prediction *prediction, size_t top);

#endif
