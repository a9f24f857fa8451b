/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The samples of a validation as box plots over the size, one panel for each kernel and quantity (paper 002, figure of
 * section 3.2): found over expected, of one thread and of two at once. Data blocks of each panel:
 *
 *     $threads1, $threads2  x median least q1 q3 most x_low x_high
 */
#ifndef KT_VALIDATE_PLOT_H
#define KT_VALIDATE_PLOT_H

#include "trace/print/gnuplot.h"

#include <jansson.h>

/* DOCUMENT: what kt_validate_measure made. Writes script and data. */
enum kt_status kt_validate_plot(const json_t *document, const struct kt_picture *picture, struct kt_error *error);

#endif
