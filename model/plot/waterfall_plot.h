/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decomposition of in-situ time as a waterfall: bound, then what the library, the caches and all else add, of all
 * calls and of the routines that take longest. Data block of the script:
 *
 *     $parts  from to y_low y_high colour part routine
 */
#ifndef KT_WATERFALL_PLOT_H
#define KT_WATERFALL_PLOT_H

#include "trace/print/gnuplot.h"
#include "model/plot/plot_title.h"
#include "model/decomposition/parts.h"

enum kt_status kt_waterfall_plot(const struct kt_parts *parts, const struct kt_plot_title *title,
                                 const struct kt_picture *picture, struct kt_error *error);

/* The same numbers, a line for each part. */
enum kt_status kt_waterfall_csv(const struct kt_parts *parts, const char *path, struct kt_error *error);

#endif
