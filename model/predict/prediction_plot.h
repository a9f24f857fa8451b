/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of predictions, of their documents: a gnuplot script, data as CSV, and what is drawn of them. */
#ifndef KT_PREDICTION_PLOT_H
#define KT_PREDICTION_PLOT_H

#include "model/predict/prediction.h"
#include "trace/print/gnuplot.h"

#include <jansson.h>

/* The "curve" of a document of model predict: predicted with its interval, all warm, all cold, measured, over n; below,
 * all of these over what was predicted. */
enum kt_status kt_plot_prediction(const json_t *document, const struct kt_picture *picture, struct kt_error *error);

/* One prediction by routine, beside what was measured of each; MEASURED: of all calls, NAN: as the prediction has it.
 * WHAT it is of stands in the title, DOCUMENT says whose models. */
enum kt_status kt_plot_routines(const struct kt_prediction *prediction, const struct kt_cost *measured, double rounds,
                                const char *what, const json_t *document, const struct kt_picture *picture,
                                struct kt_error *error);

/* The "curves" of a document of model tune: predicted and measured over the block size, a panel for each n. */
enum kt_status kt_plot_tuning(const json_t *document, const struct kt_picture *picture, struct kt_error *error);

/* The "orders" of a document of model rank: of one n bars in their order, of several each algorithm over n. */
enum kt_status kt_plot_ranking(const json_t *document, const struct kt_picture *picture, struct kt_error *error);

#endif
