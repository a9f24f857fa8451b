/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distribution plots: the times of the calls of each numbered shape as box plots, in situ and replayed. Data blocks of
 * the script:
 *
 *     $boxes     median row q1 q3 row_low row_high colour
 *     $whiskers  median row least most colour
 *     $medians   median row_low row_high colour
 */
#ifndef KT_TIMES_PLOT_H
#define KT_TIMES_PLOT_H

#include "trace/print/gnuplot.h"
#include "model/plot/plot_title.h"
#include "model/roofline/roofline.h"

/* Writes the script. An error if no shape has a time. */
enum kt_status kt_times_plot(const struct kt_roofline *roofline, const struct kt_plot_title *title,
                             const struct kt_picture *picture, struct kt_error *error);

#endif
