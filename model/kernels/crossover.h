/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Crossovers: where a library turns from one algorithm to another, as far as the product of all sizes decides it.
 *
 * Libraries multiply small matrices without packing them. OpenBLAS does so in dgemm while m n k <= 100^3, and reaches
 * 55 Gflop/s at 448 x 8 x 256 and 34 at 448 x 8 x 320: a step along a surface that runs obliquely through every box of
 * sizes, which no polynomial of a box follows. (A step at one size of one axis is no trouble: boxes are split there.)
 * A model that knows its crossover has separate polynomials on both sides (kt_regions_cross).
 *
 * It is looked for before anything else is sampled: along a line on which one size grows, the others in the middle of
 * theirs, the interval with the largest
 * step of the time beyond what its neighbours let expect is divided until it is one step of the grid. What is a matter
 * of the product then has to be there again, at the same product, on two other lines.
 */
#ifndef KT_CROSSOVER_H
#define KT_CROSSOVER_H

#include "model/kernels/model_build.h"

/* Of the needs with most time that nothing is known of; in a tenth of the budget, roughly, with small ones not at all.
 * What time is too short for is left to the next build. */
enum kt_status kt_crossovers_find(struct kt_build *build, struct kt_error *error);

enum { KT_LINE_MOST = 11 };

/* Sizes of a line, ascending multiples of 8: from LO to HI, evenly spread over their logarithms, and one beyond either
 * end, but none below 8, to tell steps from growth; returns how many. */
int kt_line_sizes(int64_t lo, int64_t hi, int64_t out[KT_LINE_MOST]);

/* By what factor, as a logarithm, times step between size I and the next one beyond the growth between their
 * neighbours; N > 2. */
double kt_line_step(const int64_t *size, const double *seconds, int n, int i);

/* The number with the fewest digits that is at least LO and below HI: libraries' authors choose such. */
double kt_roundest(double lo, double hi);

#endif
