/* SPDX-License-Identifier: BSD-3-Clause */
/* What models know, how good they are and what they cost, as a table, as JSON and as a plot. */
#ifndef KT_MODEL_SHOW_H
#define KT_MODEL_SHOW_H

#include "model/kernels/model_set.h"

#include <jansson.h>

/* FILTER: patterns of routines, joined by commas; NULL: all. */
void kt_models_print(const struct kt_models *models, const char *filter);
/* {"library","models":[{"routine","options","context","domain","regions","samples","error":{"avg","max",...},"cost"}]}
 */
json_t *kt_models_json(const struct kt_models *models, const char *filter);

/* Of models with two sizes or one: regions, coloured by their error, and samples. FILE.svg or FILE.png; the script and
 * its data stay beside it, as FILE.gp and FILE.csv. */
enum kt_status kt_models_plot(const struct kt_models *models, const char *filter, const char *file,
                              struct kt_error *error);

/* Names of the sizes whose product the model's crossover is at; none if it has none. Owned by the caller. */
json_t *kt_model_crosses_json(const struct kt_kernel_model *model);

bool kt_model_matches(const struct kt_kernel_model *model, const char *filter);

#endif
