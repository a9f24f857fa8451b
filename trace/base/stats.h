/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics of timings: pure functions. Times are seconds.
 */
#ifndef KT_STATS_H
#define KT_STATS_H

#include <stddef.h>

/*
 * How the best estimate of a set of samples is chosen. Disturbances only add, so wall-clock times of a controlled
 * replay are estimated from below. The minimum of Whaley & Castaldo (section 2.1) rests on the one fastest moment,
 * though: on processors that clock higher now and then it differs by 10 % between runs that did and did not meet such a
 * moment. The lower quartile needs a quarter of the samples to agree; doc/design/replay.md has the figures. In-situ
 * times are draws from what really happened: median.
 */
enum kt_best { KT_BEST_QUARTILE, KT_BEST_MEDIAN };

struct kt_stat {
    double best, min, median;
    double lo, hi; /* at least 95 % confidence interval of the median, from order statistics; the range for n < 6 */
    size_t n;
    double resolution; /* part of a time by which all but the minimum may be wrong; 0: they are exact */
};

/* SAMPLES is sorted in place. N = 0: all NAN. */
struct kt_stat kt_stat_of(double *samples, size_t n, enum kt_best best);

/* Ranks (0-based) of the order statistics that enclose the median with at least 95 % confidence (sign test). */
void kt_median_ranks(size_t n, size_t *lo, size_t *hi);

struct kt_weighted {
    double value, weight;
};

/* The value below which so large a PART of the weight lies; VALUE is sorted in place. COUNT = 0: NAN. */
double kt_weighted_quantile(struct kt_weighted *value, size_t count, double part);

/* 0 = as fast as warm, 1 = as if its operands came from memory, above 1 = something else than caches.
 * NAN where cold and warm cannot be told apart. */
double kt_context_index(double insitu, double warm, double cold);

#endif
