/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From curves to answers: pure functions.
 *
 * The first two are methods of BlackjackBench (paper 003, section 4). Its others rest on a mean of all increases, which
 * is a poor threshold: it depends on how many steps the curve has and on its tail, and one spike moves it. Segmentation
 * by minimum description length asks instead which number of levels and transitions explains the curve at the noise
 * that it has, so the number of levels is an answer and not an assumption.
 */
#ifndef KT_ANALYSIS_H
#define KT_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

/* --- paper 003 ------------------------------------------------------------------------------------------------ */

/* y[i] becomes the least of y[i], y[i+1], ... (section 4.1). */
void kt_enforce_monotone(double *y, size_t n);

/* Index of the last point before the largest of (y[i+1] - y[i]) / y[i], of equals the first (4.2.2); N if there is no
 * such step: fewer than two points, or no increase at all. */
size_t kt_biggest_relative_step(const double *y, size_t n);

/* --- ours ------------------------------------------------------------------------------------------------------ */

/* The K-th smallest of N (from 0), interpolated for fractions; the order of VALUE is not kept. NAN if N is 0. */
double kt_quantile(double *value, size_t n, double fraction);

/* Standard deviation of the noise of log(y), from second differences: steps are few, so their median does not see them.
 */
double kt_noise_of(const double *y, size_t n);

/* A piece of the curve in log(y), between FIRST and LAST, both included. */
struct kt_segment {
    size_t first, last;
    bool level;   /* constant, else a transition that rises or falls */
    double y;     /* geometric mean */
    double slope; /* of log(y) for each point */
};

/* Cuts the curve into constant pieces and ramps so that their description is shortest: squared deviations over the
 * noise's variance plus log(N) for each parameter, by dynamic programming. NOISE 0: kt_noise_of(). Returns the number
 * of pieces, written to OUT, which has room for N. */
size_t kt_segments(const double *y, size_t n, double noise, struct kt_segment *out);

/* The levels of a curve of sizes and latencies: constant pieces at least POINTS long, neighbours closer than RATIO
 * united. */
size_t kt_levels(const double *y, size_t n, double noise, size_t points, double ratio, struct kt_segment *out);

#endif
