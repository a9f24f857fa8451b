/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the pictures of predictions have in common: numbers of their documents, titles that say whose models and which
 * machine, points whose intervals are cut at the edge and marked there, and bars of what was predicted beside what was
 * measured.
 */
#ifndef KT_CHART_H
#define KT_CHART_H

#include "model/predict/prediction.h"
#include "trace/print/gnuplot.h"

#include <jansson.h>

/* Colours of what is drawn, the same in all of them; those of contexts are as in times_plot.c. */
#define KT_CHART_PREDICTED "0072b2"
#define KT_CHART_INTERVAL  "c6dbef"
#define KT_CHART_MEASURED  "222222"
#define KT_CHART_WARM      "d55e00"
#define KT_CHART_COLD      "56b4e9"

/* Of an object; NAN: it has no number of that name. */
double kt_chart_number(const json_t *object, const char *key);
/* {"seconds", "lo", "hi"}, and {"median", "lo", "hi"}. NAN: not known. */
struct kt_cost kt_chart_predicted(const json_t *object);
struct kt_cost kt_chart_measured(const json_t *object, const char *key);

/* ",1.5" or, where it is not known, ",". */
void kt_chart_cell(FILE *file, double value);
void kt_chart_cells(FILE *file, const struct kt_cost *cost);

/* What an axis shows. FROM infinite: nothing yet. */
struct kt_axis_range {
    double from, to;
};
#define KT_AXIS_EMPTY ((struct kt_axis_range){INFINITY, -INFINITY})
void kt_chart_widen(struct kt_axis_range *span, double value);

/* The head of a script; COMMAND: "set title", or one that opens panels, whose title then is FIRST, a line of whose
 * models they are, and how often was measured (ROUNDS, 0: not at all). */
void kt_chart_begin(FILE *script, const struct kt_picture *picture);
void kt_chart_title(FILE *script, const char *command, const char *first, const json_t *document, double rounds);

/* A line "x value lo hi" of a data block, if there is a value within the span; what of its interval is beyond the span
 * is cut. */
void kt_chart_point(FILE *script, double x, const struct kt_cost *cost, const struct kt_axis_range *y);
/* The marks of what kt_chart_point cuts, or leaves out. */
void kt_chart_mark_cut(FILE *script, double x, const struct kt_cost *cost, const struct kt_axis_range *y,
                       const char *colour);
/* gnuplot draws no block without a line. */
void kt_chart_end_block(FILE *script);

/* A row of bars. */
struct kt_bar {
    char name[96];
    struct kt_cost predicted, measured; /* NAN: not known */
    char note[64];                      /* why it is not predicted, or "" */
};
enum { KT_CHART_BAR_WIDTH = 900 };
int kt_chart_bars_height(size_t bars);
/* All of it from the axes on. */
void kt_chart_bars(FILE *script, const struct kt_bar *bar, size_t bars);

#endif
