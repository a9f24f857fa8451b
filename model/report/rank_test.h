/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rank-sum test of Mann, Whitney and Wilcoxon for few values, exact: no assumption on their distribution. Pure
 * functions.
 */
#ifndef KT_RANK_TEST_H
#define KT_RANK_TEST_H

enum { KT_RANK_MAX = 32 };

/*
 * Probability that M values Y stand so far above N values X + SHIFT if both come from one distribution: small if Y is
 * larger than X by more than SHIFT. Ties count for chance. N and M are 1 .. KT_RANK_MAX.
 */
double kt_rank_above(const double *x, int n, const double *y, int m, double shift);

/* By how much Y is larger than X: the median of all differences, and the interval that holds it with at least 95 %
 * confidence (Hodges and Lehmann); infinite where the values are too few for one. */
struct kt_rank_shift {
    double shift, lo, hi;
};
struct kt_rank_shift kt_rank_shift(const double *x, int n, const double *y, int m);

/* The method of Holm: from COUNT probabilities those that hold for all of them together, in place. */
void kt_holm(double *p, int count);

#endif
