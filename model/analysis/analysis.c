/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/analysis/analysis.h"

#include "trace/base/memory.h"

#include <math.h>
#include <stdint.h>

/* --- paper 003 ------------------------------------------------------------------------------------------------ */

void kt_enforce_monotone(double *y, size_t n)
{
    for (size_t i = n; i-- > 1;)
        y[i - 1] = fmin(y[i - 1], y[i]);
}

static double relative_step(const double *y, size_t i)
{
    return (y[i + 1] - y[i]) / y[i];
}

size_t kt_biggest_relative_step(const double *y, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i + 1 < n; i++)
        if (relative_step(y, i) > (best < n ? relative_step(y, best) : 0))
            best = i;
    return best;
}

/* --- ours ------------------------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double kt_quantile(double *value, size_t n, double fraction)
{
    if (n == 0)
        return NAN;
    qsort(value, n, sizeof *value, by_size);
    double place = fraction * (double)(n - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < n ? below + 1 : below;
    return value[below] + (place - (double)below) * (value[above] - value[below]);
}

double kt_noise_of(const double *y, size_t n)
{
    if (n < 4)
        return 0;
    double *bend = kt_resize(NULL, n - 2, sizeof *bend);
    for (size_t i = 0; i + 2 < n; i++)
        bend[i] = fabs(log(y[i]) - 2 * log(y[i + 1]) + log(y[i + 2]));
    /* A normal deviate's median is 0.6745; a second difference has 6 times the variance. */
    double noise = kt_quantile(bend, n - 2, 0.5) / 0.6745 / sqrt(6);
    free(bend);
    return noise;
}

/* Sums over the first i points, by which the fit of any piece takes constant time. */
struct sums {
    double y, yy, xy;
};

struct fit {
    double cost, mean, slope;
    bool level;
};

static struct fit fit_piece(const struct sums *sum, size_t first, size_t last, double variance, double penalty)
{
    double n = (double)(last - first + 1);
    double middle = ((double)first + (double)last) / 2;
    double y = sum[last + 1].y - sum[first].y;
    double deviation = fmax(0, sum[last + 1].yy - sum[first].yy - y * y / n);
    double xy = sum[last + 1].xy - sum[first].xy - middle * y;
    double xx = n * (n * n - 1) / 12;
    struct fit fit = {.cost = deviation / variance + 2 * penalty, .mean = y / n, .level = true};
    double ramp = n > 2 ? fmax(0, deviation - xy * xy / xx) / variance + 3 * penalty : INFINITY;
    if (ramp < fit.cost)
        fit = (struct fit){.cost = ramp, .mean = y / n, .slope = xy / xx, .level = false};
    return fit;
}

static struct sums *sum_up(const double *y, size_t n)
{
    struct sums *sum = kt_resize(NULL, n + 1, sizeof *sum);
    sum[0] = (struct sums){0};
    for (size_t i = 0; i < n; i++) {
        double value = log(y[i]);
        sum[i + 1] = (struct sums){sum[i].y + value, sum[i].yy + value * value, sum[i].xy + (double)i * value};
    }
    return sum;
}

/* FROM[i]: where the last piece of the best description of the first i points begins. */
static void describe(const struct sums *sum, size_t n, double variance, size_t *from)
{
    double penalty = log((double)(n > 2 ? n : 2));
    double *best = kt_resize(NULL, n + 1, sizeof *best);
    best[0] = 0;
    for (size_t end = 1; end <= n; end++) {
        best[end] = INFINITY;
        for (size_t first = 0; first < end; first++) {
            double cost = best[first] + fit_piece(sum, first, end - 1, variance, penalty).cost;
            if (cost < best[end]) {
                best[end] = cost;
                from[end] = first;
            }
        }
    }
    free(best);
}

size_t kt_segments(const double *y, size_t n, double noise, struct kt_segment *out)
{
    double sigma = fmax(noise > 0 ? noise : kt_noise_of(y, n), 0.005);
    struct sums *sum = sum_up(y, n);
    size_t *from = kt_resize(NULL, n + 1, sizeof *from);
    describe(sum, n, sigma * sigma, from);
    size_t count = 0;
    for (size_t end = n; end > 0; end = from[end])
        count++;
    size_t place = count;
    for (size_t end = n; end > 0; end = from[end]) {
        struct fit fit = fit_piece(sum, from[end], end - 1, sigma * sigma, log((double)(n > 2 ? n : 2)));
        out[--place] = (struct kt_segment){from[end], end - 1, fit.level, exp(fit.mean), fit.slope};
    }
    free(from);
    free(sum);
    return count;
}

static void unite(struct kt_segment *a, const struct kt_segment *b)
{
    double na = (double)(a->last - a->first + 1);
    double nb = (double)(b->last - b->first + 1);
    a->y = exp((na * log(a->y) + nb * log(b->y)) / (na + nb));
    a->last = b->last;
}

size_t kt_levels(const double *y, size_t n, double noise, size_t points, double ratio, struct kt_segment *out)
{
    size_t pieces = kt_segments(y, n, noise, out);
    size_t levels = 0;
    for (size_t i = 0; i < pieces; i++) {
        bool flat = out[i].level || fabs(out[i].slope) * (double)(out[i].last - out[i].first) < log(ratio) / 2;
        if (levels && flat && out[i].y < out[levels - 1].y * ratio && out[i].y > out[levels - 1].y / ratio)
            unite(&out[levels - 1], &out[i]);
        else if (flat && out[i].last - out[i].first + 1 >= points)
            out[levels++] = out[i];
    }
    return levels;
}
