/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many times longer one library takes than another, from times that were taken in pairs, one right after the
 * other: what disturbs both halves of a pair cancels in their ratio. Pure functions.
 */
#ifndef KT_RATIO_H
#define KT_RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_ratio {
    double value, lo, hi; /* lo..hi: 95 % interval, the range for less than 6 pairs; NAN if there are no pairs */
    size_t n;             /* pairs; of a total those of its shapes, in the mean by weight */
};

/* What a ratio says. Columns: name, text. */
#define KT_VERDICTS(X)                                                             \
    X(FASTER, "faster")                                                            \
    X(SLOWER, "slower")                                                            \
    X(SAME, "no difference")      /* above KT_SAME_WITHIN, with 95 % confidence */ \
    X(CANNOT_TELL, "cannot tell") /* the interval holds 1 and more than that, or there are too few pairs for one */

enum kt_verdict {
#define KT_VERDICT_ENUM(name, text) KT_##name,
    KT_VERDICTS(KT_VERDICT_ENUM)
#undef KT_VERDICT_ENUM
};

extern const char *const kt_verdict_text[];

/* Differences up to this part of a time are none. */
#define KT_SAME_WITHIN 0.02

/* Of fewer there is no interval of 95 %. */
enum { KT_FEWEST_PAIRS = 6 };

enum kt_verdict kt_ratio_verdict(const struct kt_ratio *ratio);

/* What may be claimed of one of many: a difference of no more than KT_SAME_WITHIN, though certain, is none. */
enum kt_verdict kt_ratio_claim(const struct kt_ratio *ratio);

/*
 * Is a library told apart from the one that looks best? OWN and BEST are their ratios to the baseline, as tables show
 * them, and decide first, so that no sentence contradicts a table: what is slower than the baseline is not the best.
 * PAIRED, of it to the best, decides where neither of them is the baseline; NULL: one of them is.
 */
bool kt_ratio_is_apart(const struct kt_ratio *own, const struct kt_ratio *best, const struct kt_ratio *paired);

/* A shape's pairs: TIME of the library and BASE of the other one, in seconds, at most one pair in a round. */
struct kt_pairs {
    const double *time, *base;
    const unsigned *round;
    size_t n;
    double weight;  /* seconds that the other library needs for all calls that the shape stands for */
    size_t stratum; /* 0: the shape is there for itself; others are a sample of those with that number */
};

/* The median of the pairs' ratios, with the interval of the sign test. */
struct kt_ratio kt_ratio_of(const struct kt_pairs *pairs);

/*
 * Ratio of the total times of all shapes: the weighted mean of their ratios. The interval is from the bootstrap over
 * rounds, all shapes of a round together, as what disturbs a round disturbs many of them; and over the shapes of a
 * stratum, as others might have been drawn.
 */
struct kt_ratio kt_ratio_of_total(const struct kt_pairs *pairs, size_t shapes, uint64_t seed);

/*
 * Geometric mean of ratios that were measured apart. Half the interval, of the logarithms and for each side by itself,
 * is the root of the sum of the squares of theirs, divided by COUNT: how well the mean of these is known, and not that
 * of others. As many pairs as that with fewest has. NAN if there are none.
 */
struct kt_ratio kt_ratio_mean(const struct kt_ratio *ratio, size_t count);

/*
 * How well the total of one library is known, as parts of it: 1, and the 95 % interval from the same bootstrap. Of the
 * pairs TIME counts, a shape's weight is the number of its calls, and its estimate the lower quartile.
 */
struct kt_ratio kt_spread_of_total(const struct kt_pairs *pairs, size_t shapes, uint64_t seed);

#endif
