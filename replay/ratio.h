/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many times longer one library takes than another, from times that were taken in pairs, one right after the
 * other: what disturbs both halves of a pair cancels in their ratio. Pure functions.
 */
#ifndef KT_RATIO_H
#define KT_RATIO_H

#include <stddef.h>
#include <stdint.h>

struct kt_ratio {
    double value, lo, hi; /* lo..hi: 95 % interval; NAN if there are no pairs */
};

/* A shape's pairs: TIME of the library and BASE of the other one, in seconds, at most one pair in a round. */
struct kt_pairs {
    const double *time, *base;
    const unsigned *round;
    size_t n;
    double weight; /* seconds that the other library needs for all calls of the shape */
};

/* The median of the pairs' ratios, with the interval of the sign test. */
struct kt_ratio kt_ratio_of(const struct kt_pairs *pairs);

/*
 * Ratio of the total times of all shapes: the weighted mean of their ratios. The interval is from the bootstrap over
 * rounds, all shapes of a round together, as what disturbs a round disturbs many of them.
 */
struct kt_ratio kt_ratio_of_total(const struct kt_pairs *pairs, size_t shapes, uint64_t seed);

#endif
