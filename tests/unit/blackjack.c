/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/blackjack.h"

#include "trace/base/memory.h"

#include <math.h>

static double relative_step(const double *y, size_t i)
{
    return (y[i + 1] - y[i]) / y[i];
}

size_t kt_blackjack_first_step(const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++)
        sum += relative_step(y, i);
    double mean = n > 1 ? sum / (double)(n - 1) : 0;
    for (size_t i = 0; i + 1 < n; i++)
        if (relative_step(y, i) > fmax(mean, 0))
            return i;
    /* All increases are equal: rounding aside, the first is as good as any. */
    return n > 1 && mean > 0 ? 0 : n;
}

static double scaled_step(const double *y, size_t i)
{
    return (y[i + 1] - y[i]) * y[i];
}

size_t kt_blackjack_scaled_step(const double *y, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i + 1 < n; i++)
        if (scaled_step(y, i) > 0 && (best == n || scaled_step(y, i) >= scaled_step(y, best)))
            best = i;
    return best;
}

/* Values in ascending order; a cluster is a run of them, because the nearest candidate is always next to it. */
struct run {
    size_t first, end;
};

/* The run that grows from sorted value I among the COUNT that are left. */
static struct run grow(const double *sorted, size_t count, size_t i)
{
    struct run run = {i, i + 1};
    double sum = sorted[i];
    while (run.first > 0 || run.end < count) {
        double below = run.first > 0 ? sorted[run.end - 1] - sorted[run.first - 1] : INFINITY;
        double above = run.end < count ? sorted[run.end] - sorted[run.first] : INFINITY;
        double mean = sum / (double)(run.end - run.first);
        if (fmin(below, above) > 0.25 * mean)
            break;
        sum += below <= above ? sorted[--run.first] : sorted[run.end++];
    }
    return run;
}

static struct run largest_run(const double *sorted, size_t count)
{
    struct run best = {0, 0};
    for (size_t i = 0; i < count; i++) {
        struct run run = grow(sorted, count, i);
        if (run.end - run.first > best.end - best.first)
            best = run;
    }
    return best;
}

struct indexed {
    double y;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    const struct indexed *x = a;
    const struct indexed *y = b;
    if (x->y != y->y)
        return x->y < y->y ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

size_t kt_blackjack_cluster(const double *y, size_t n, size_t *cluster)
{
    struct indexed *item = kt_resize(NULL, n, sizeof *item);
    double *sorted = kt_resize(NULL, n, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        item[i] = (struct indexed){y[i], i};
    qsort(item, n, sizeof *item, by_value);
    size_t clusters = 0;
    for (size_t left = n; left > 0; clusters++) {
        for (size_t i = 0; i < left; i++)
            sorted[i] = item[i].y;
        struct run run = largest_run(sorted, left);
        for (size_t i = run.first; i < run.end; i++)
            cluster[item[i].index] = clusters;
        memmove(item + run.first, item + run.end, (left - run.end) * sizeof *item);
        left -= run.end - run.first;
    }
    free(sorted);
    free(item);
    return clusters;
}
