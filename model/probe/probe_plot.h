/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plots of a probe's curves with the steps that were found, by gnuplot.
 */
#ifndef KT_PROBE_PLOT_H
#define KT_PROBE_PLOT_H

#include "trace/base/error.h"

#include <jansson.h>

/* Writes NAME.svg and NAME.png for each curve, and the NAME.gp that makes them, into the directory, which is made if
 * need be. */
enum kt_status kt_probe_plot(const json_t *document, const char *directory, struct kt_error *error);

#endif
