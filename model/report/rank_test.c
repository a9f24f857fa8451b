/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/rank_test.h"

#include "trace/base/memory.h"

#include <math.h>
#include <stddef.h>

enum { PAIRS = KT_RANK_MAX * KT_RANK_MAX };

/*
 * WAYS[u]: how many of all arrangements of N and M values have exactly u pairs with the second kind above. The largest
 * value is of the second kind, and above all N, or of the first, and above nothing that counts: the generating function
 * is a product, multiplied up here factor by factor.
 */
static double count_ways(int n, int m, double ways[PAIRS + 1])
{
    double all = 0;
    int pairs = n * m;
    for (int u = 0; u <= pairs; u++)
        ways[u] = u == 0;
    for (int i = 1; i <= n; i++) {
        for (int u = pairs; u >= m + i; u--)
            ways[u] -= ways[u - m - i];
        for (int u = i; u <= pairs; u++)
            ways[u] += ways[u - i];
    }
    for (int u = 0; u <= pairs; u++)
        all += ways[u];
    return all;
}

/* Probability of at least U pairs. */
static double upper_tail(int n, int m, int u)
{
    double ways[PAIRS + 1];
    double all = count_ways(n, m, ways);
    double tail = 0;
    for (int i = u; i <= n * m; i++)
        tail += ways[i];
    return fmin(tail / all, 1);
}

double kt_rank_above(const double *x, int n, const double *y, int m, double shift)
{
    int above = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            above += y[j] > x[i] + shift;
    return upper_tail(n, m, above);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest k with P(fewer than k pairs) <= 2.5 %; 0: there is none. */
static int rank_of_limit(int n, int m)
{
    double ways[PAIRS + 1];
    double all = count_ways(n, m, ways);
    double tail = ways[0];
    int k = 0;
    while (tail / all <= 0.025)
        tail += ways[++k];
    return k;
}

struct kt_rank_shift kt_rank_shift(const double *x, int n, const double *y, int m)
{
    double difference[PAIRS] = {0};
    int pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            difference[pairs++] = y[j] - x[i];
    qsort(difference, (size_t)pairs, sizeof *difference, compare);
    int k = rank_of_limit(n, m);
    return (struct kt_rank_shift){.shift = (difference[(pairs - 1) / 2] + difference[pairs / 2]) / 2,
                                  .lo = k ? difference[k - 1] : -INFINITY,
                                  .hi = k ? difference[pairs - k] : INFINITY};
}

/* --- many tests -------------------------------------------------------------------------------------------- */

struct ranked {
    double p;
    int index;
};

static int compare_ranked(const void *a, const void *b)
{
    return compare(&((const struct ranked *)a)->p, &((const struct ranked *)b)->p);
}

void kt_holm(double *p, int count)
{
    struct ranked *sorted = kt_resize(NULL, (size_t)count, sizeof *sorted);
    double least = 0;
    for (int i = 0; i < count; i++)
        sorted[i] = (struct ranked){p[i], i};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_ranked);
    for (int i = 0; i < count; i++) {
        least = fmax(least, fmin(1, sorted[i].p * (count - i)));
        p[sorted[i].index] = least;
    }
    free(sorted);
}
