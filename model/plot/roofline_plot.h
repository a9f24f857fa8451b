/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofline plot, as a script for gnuplot. Its data blocks, columns as named:
 *
 *     $roofs     x y of the two ends of each roof, a blank line between them
 *     $ridges    x y
 *     $boxes     x y x_q1 x_q3 y_q1 y_q3 colour       quartiles
 *     $fields    the same of several shapes
 *     $whiskers  x y x_least x_most y_least y_most colour
 *     $discs     x y radius colour number             area: share of time; in pixels
 *     $groups    x y colour                           several shapes
 *     $warm, $cold  x y colour
 *     $gains     x y x2 y2 colour                     from in situ to warm
 *     $losses    x y x2 y2 colour                     from in situ to cold
 *     $curves    x y colour size                      a kernel at growing sizes, a blank line between series
 *     $sizes     size flops_per_cycle colour          the same over its sizes, in a plot of its own
 *     $links     x y x2 y2 colour                     the same shape in two series
 */
#ifndef KT_ROOFLINE_PLOT_H
#define KT_ROOFLINE_PLOT_H

#include "trace/print/gnuplot.h"
#include "model/plot/plot_title.h"
#include "model/roofline/roofline.h"

/* Writes the script. An error if no point can be drawn. */
enum kt_status kt_roofline_plot(const struct kt_roofline *roofline, const struct kt_plot_title *title,
                                const struct kt_picture *picture, struct kt_error *error);

#endif
