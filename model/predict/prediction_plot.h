/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots of predictions: data as CSV, a gnuplot script, SVG and PNG, in a folder. */
#ifndef KT_PREDICTION_PLOT_H
#define KT_PREDICTION_PLOT_H

#include "trace/base/error.h"

#include <jansson.h>

/* The "curve" of a document of model predict: predicted, all warm, all cold, measured, over n. */
enum kt_status kt_plot_prediction(const json_t *document, const char *folder, struct kt_error *error);

/* The "curves" of a document of model tune: predicted and measured over the block size, of each n. */
enum kt_status kt_plot_tuning(const json_t *document, const char *folder, struct kt_error *error);

#endif
