/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a set of values lies, as boxes and whiskers show it: its extremes, quartiles and median. Pure functions.
 */
#ifndef KT_SPREAD_H
#define KT_SPREAD_H

#include "trace/base/samples.h"
#include "trace/command/field.h"

#include <stdbool.h>

/* NAN: not known. */
struct kt_spread {
    double least, q1, median, q3, most;
    size_t n; /* values */
};

/* Sorts VALUE in place. Quantiles are interpolated between neighbours; N = 0: all NAN. */
struct kt_spread kt_spread_of(double *value, size_t n);
struct kt_spread kt_spread_of_samples(const struct kt_samples *samples);

/* The same value always. */
struct kt_spread kt_spread_exact(double value);

/* Of what A divided by each of the values would be: what was least becomes most. */
struct kt_spread kt_spread_quotient(double a, const struct kt_spread *spread);

/* Is there a box or a whisker to be drawn? */
bool kt_spread_is_wide(const struct kt_spread *spread);

/* {"least", "q1", "median", "q3", "most", "n"}: a document of kt_field_spread. */
json_t *kt_spread_json(const struct kt_spread *spread);
extern const struct kt_field kt_field_spread[];

#endif
