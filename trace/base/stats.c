/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order statistics only: timings are skewed and have outliers, so that means and standard deviations say little.
 */
#include "trace/base/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Up to here the binomial distribution is summed; 2^-n must not underflow. Beyond it is normal for our purpose. */
enum { EXACT_N = 1000 };

/* Differences below this part of the warm time are noise of any replay. */
static const double smallest_cache_effect = 0.05;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest k with P(at most k of n samples lie below the median) <= 2.5 %; n >= 6. */
static size_t exact_rank(size_t n)
{
    double term = ldexp(1, -(int)n); /* n over k, divided by 2^n */
    double sum = term;
    size_t k = 0;
    while (sum <= 0.025) {
        k++;
        term *= (double)(n - k + 1) / (double)k;
        sum += term;
    }
    return k - 1;
}

void kt_median_ranks(size_t n, size_t *lo, size_t *hi)
{
    size_t rank = 0;
    if (n > EXACT_N)
        rank = (size_t)floor((double)n / 2 - 0.5 - 0.98 * sqrt((double)n));
    else if (n >= 6)
        rank = exact_rank(n);
    *lo = rank;
    *hi = n ? n - 1 - rank : 0;
}

static double median_of_sorted(const double *x, size_t n)
{
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

struct kt_stat kt_stat_of(double *samples, size_t n, enum kt_best best)
{
    if (n == 0)
        return (struct kt_stat){.best = NAN, .min = NAN, .median = NAN, .lo = NAN, .hi = NAN};
    qsort(samples, n, sizeof *samples, compare);
    size_t lo;
    size_t hi;
    kt_median_ranks(n, &lo, &hi);
    struct kt_stat stat = {.min = samples[0], .median = median_of_sorted(samples, n), .n = n};
    stat.best = best == KT_BEST_QUARTILE ? samples[(n - 1) / 4] : stat.median;
    stat.lo = samples[lo];
    stat.hi = samples[hi];
    return stat;
}

static int compare_weighted(const void *a, const void *b)
{
    return compare(&((const struct kt_weighted *)a)->value, &((const struct kt_weighted *)b)->value);
}

double kt_weighted_quantile(struct kt_weighted *value, size_t count, double part)
{
    double all = 0;
    double below = 0;
    size_t i = 0;
    if (count == 0)
        return NAN;
    qsort(value, count, sizeof *value, compare_weighted);
    for (size_t k = 0; k < count; k++)
        all += value[k].weight;
    while (i + 1 < count && (below += value[i].weight) < part * all)
        i++;
    return value[i].value;
}

double kt_context_index(double insitu, double warm, double cold)
{
    bool same = !(cold - warm > smallest_cache_effect * warm);
    return same ? NAN : (insitu - warm) / (cold - warm);
}
