/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/analysis/hierarchy.h"

#include "model/analysis/analysis.h"
#include "model/analysis/compact.h"
#include "trace/base/memory.h"

#include <math.h>

enum {
    STRIDE = 64,       /* of the curve: no line in use is shorter */
    SMALLEST = 1024,   /* bytes, where the curve begins */
    SAMPLES_MAX = 127, /* for one yes or no */
};

/* --- samples --------------------------------------------------------------------------------------------------- */

static double sample(const struct kt_chaser *chaser, const struct kt_pattern *pattern)
{
    return chaser->chase(chaser->machine, pattern);
}

/* Relative standard error of the lower quartile of so many samples of normal noise. */
static double quartile_error(double noise, int samples)
{
    return 1.36 * noise / sqrt(samples);
}

bool kt_costs_more(const struct kt_chaser *chaser, const struct kt_pattern *pattern, double cost, double tolerance,
                   double noise)
{
    double value[SAMPLES_MAX];
    double limit = cost * (1 + tolerance);
    for (int have = 0, want = 5;; want = 2 * want + 1 < SAMPLES_MAX ? 2 * want + 1 : SAMPLES_MAX) {
        for (; have < want; have++)
            value[have] = sample(chaser, pattern);
        double now = kt_quantile(value, (size_t)have, chaser->quantile);
        bool clear =
            fabs(log(now / limit)) > 4 * quartile_error(noise, have) && (now <= limit || have >= chaser->patience);
        if (have == SAMPLES_MAX || clear)
            return now > limit;
    }
}

double kt_tolerance_at(const struct kt_chaser *chaser, double noise)
{
    return fmin(fmax(5 * quartile_error(noise, SAMPLES_MAX), chaser->tolerance), 0.15);
}

/* --- the curve --------------------------------------------------------------------------------------------------- */

static struct kt_pattern dense(size_t bytes)
{
    return (struct kt_pattern){.stride = STRIDE, .count = bytes / STRIDE, .width = 1};
}

static void choose_sizes(const struct kt_chaser *chaser, struct kt_curve *curve)
{
    for (int i = 0;; i++) {
        size_t bytes = (size_t)(SMALLEST * exp2((double)i / chaser->octave)) / STRIDE * STRIDE;
        if (bytes > chaser->limit)
            return;
        /* Large sizes take long, and no level ends sharply there. */
        bool skip = i % 2 && chaser->slow_bytes && bytes > 16 * chaser->slow_bytes;
        if (skip || (curve->n && curve->x[curve->n - 1] == bytes))
            continue;
        curve->x = kt_room_for_one(curve->x, curve->n, sizeof *curve->x);
        curve->x[curve->n++] = bytes;
    }
}

/* One of how many rounds measures that size: large ones take long. */
static size_t rarity(const struct kt_chaser *chaser, size_t bytes)
{
    if (!chaser->slow_bytes || bytes <= chaser->slow_bytes)
        return 1;
    return bytes <= 16 * chaser->slow_bytes ? 3 : 9;
}

/* ROUNDS samples of each point: rounds are the outermost loop, so that a spell of noise does not hit all samples of
 * one. */
static double *measure_curve(const struct kt_chaser *chaser, const struct kt_curve *curve, size_t rounds)
{
    double *value = kt_resize(NULL, curve->n * rounds, sizeof *value);
    bool enough = false;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < curve->n; i++) {
            struct kt_pattern pattern = dense(curve->x[i]);
            enough = enough || (round && chaser->enough && chaser->enough(chaser->machine));
            double *place = &value[i * rounds + round];
            *place = round && (enough || round % rarity(chaser, curve->x[i])) ? place[-1] : sample(chaser, &pattern);
            if (chaser->progress)
                chaser->progress(chaser->machine, (double)(round * curve->n + i), (double)(rounds * curve->n));
        }
    }
    return value;
}

/* The lower quartile of each point, and from the spread within points the noise of a sample, which is returned. */
static double reduce_curve(const struct kt_chaser *chaser, double *value, size_t rounds, struct kt_curve *curve)
{
    double *spread = kt_resize(NULL, curve->n, sizeof *spread);
    curve->y = kt_resize(curve->y, curve->n, sizeof *curve->y);
    for (size_t i = 0; i < curve->n; i++) {
        double *of = value + i * rounds;
        curve->y[i] = kt_quantile(of, rounds, chaser->quantile);
        double median = kt_quantile(of, rounds, 0.5);
        spread[i] = (median - kt_quantile(of, rounds, 0.25)) / 0.6745 / median;
    }
    double noise = kt_quantile(spread, curve->n, 0.5);
    free(spread);
    if (chaser->quantile == 0)
        kt_enforce_monotone(curve->y, curve->n);
    curve->noise = fmax(noise * 1.36 / sqrt((double)rounds), kt_noise_of(curve->y, curve->n));
    return fmax(noise, kt_noise_of(curve->y, curve->n));
}

/* A point that stands out from both neighbours is a disturbance: latency does not fall with size by that much. */
static void remove_spikes(struct kt_curve *curve)
{
    for (size_t i = 1; i + 1 < curve->n; i++) {
        double higher = fmax(curve->y[i - 1], curve->y[i + 1]);
        if (curve->y[i] > higher * (1.05 + 4 * curve->noise))
            curve->y[i] = higher;
    }
}

static double take_curve(const struct kt_chaser *chaser, size_t rounds, struct kt_curve *curve)
{
    double *value = measure_curve(chaser, curve, rounds);
    double noise = reduce_curve(chaser, value, rounds, curve);
    free(value);
    return noise;
}

static double find_curve(const struct kt_chaser *chaser, struct kt_curve *curve)
{
    choose_sizes(chaser, curve);
    double noise = take_curve(chaser, (size_t)chaser->rounds, curve);
    if (curve->noise > 0.025 && chaser->rounds_max > chaser->rounds)
        noise = take_curve(chaser, (size_t)chaser->rounds_max, curve);
    remove_spikes(curve);
    return noise;
}

/* --- ends of levels ---------------------------------------------------------------------------------------------- */

/* The largest size that costs no more than the level, between two sizes of which the first does not and the second
 * does. */
static double bisect_end(const struct kt_chaser *chaser, size_t low, size_t high, double cost, double noise)
{
    while (high - low > STRIDE && (double)high > 1.015 * (double)low) {
        size_t middle = (low + high) / 2 / STRIDE * STRIDE;
        struct kt_pattern pattern = dense(middle);
        if (kt_costs_more(chaser, &pattern, cost, kt_tolerance_at(chaser, noise), noise))
            high = middle;
        else
            low = middle;
    }
    return (double)low;
}

/* Cost at the end of a level. Under random replacement the level before goes on to catch some loads, so levels rise at
 * first. */
static double cost_at_end(const struct kt_curve *curve, const struct kt_segment *level)
{
    size_t from = level->first + (level->last - level->first) * 2 / 3;
    double sum = 0;
    for (size_t i = from; i <= level->last; i++)
        sum += log(curve->y[i]);
    return exp(sum / (double)(level->last - from + 1));
}

/* Where the curve first passes COST for good, between the points that enclose it; both scales are logarithmic. */
static double crossing(const struct kt_curve *curve, size_t first, size_t last, double cost)
{
    size_t i = last;
    while (i > first && curve->y[i - 1] >= cost)
        i--;
    if (i == first)
        return (double)curve->x[first];
    double part = log(cost / curve->y[i - 1]) / log(curve->y[i] / curve->y[i - 1]);
    return exp(log((double)curve->x[i - 1]) + part * log((double)curve->x[i] / (double)curve->x[i - 1]));
}

/* Where others use the same cache, or pages are scattered, latency rises long before the capacity. Then the middle
 * between two levels tells it better than the first increase, which is where a cache that is ours alone ends.
 * SCATTERED: of lines that fall into sets at random, as scattered pages or a hash make it, half are in sets that
 * overflow just where there are as many as the cache has: of W ways, P(K >= W) is 0.53 to 0.55 for a Poisson
 * distribution of mean W. */
static void choose_capacity(const struct kt_measured_hierarchy *hierarchy, size_t k, bool scattered,
                            struct kt_measured_cache *cache)
{
    const struct kt_curve *curve = &hierarchy->curve;
    const struct kt_segment *level = &hierarchy->level[k];
    size_t next = level[1].first;
    cache->effective = fmax(crossing(curve, level->first, next, 1.25 * level->y), cache->bytes);
    double rise = level[1].y / level->y;
    double middle = crossing(curve, level->first, next, level->y * (scattered ? (1 + rise) / 2 : sqrt(rise)));
    if (!scattered && cache->bytes > 0.8 * middle && cache->confidence > 0.5)
        return;
    /* As sure as the rise is steep. */
    cache->low = crossing(curve, level->first, next, level->y * pow(rise, 0.25));
    cache->high = crossing(curve, level->first, next, level->y * pow(rise, 0.75));
    cache->bytes = middle;
    cache->confidence = 0.9 * exp(-3 * fmax(0, log(cache->high / cache->low) - 0.1));
}

/* The level ends twice: two searches that disagree tell that there is no such size, only a slope or noise. */
static void find_end(const struct kt_chaser *chaser, const struct kt_measured_hierarchy *hierarchy, size_t k,
                     double noise, struct kt_measured_cache *out)
{
    const struct kt_curve *curve = &hierarchy->curve;
    const struct kt_segment *level = &hierarchy->level[k];
    double cost = cost_at_end(curve, level);
    size_t margin = (size_t)chaser->octave / 4;
    size_t low = level->last >= level->first + margin ? level->last - margin : level->first;
    size_t high = hierarchy->level[k + 1].first;
    out->latency = level->y;
    if (chaser->search_bytes && curve->x[high] > chaser->search_bytes) {
        out->bytes = (double)curve->x[level->last];
        out->confidence = exp(-4 * curve->noise);
        choose_capacity(hierarchy, k, chaser->scattered && k, out);
        return;
    }
    double a = bisect_end(chaser, curve->x[low], curve->x[high], cost, noise);
    double b = bisect_end(chaser, curve->x[low], curve->x[high], cost, noise);
    out->bytes = fmax(a, b);
    out->confidence = exp(-4 * fabs(log(a / b)));
    choose_capacity(hierarchy, k, chaser->scattered && k, out);
}

/* --- line and ways ------------------------------------------------------------------------------------------------ */

/* Others that use the same sets: the lines that are always there are fewer than those that are there at times. If then
 * the curve, which they make shorter, too, is no shorter than the former, only searches that all agreed are believed.
 */
static size_t undisturbed_ways(const struct kt_compact *c, const struct kt_sets *found, double share, double bytes)
{
    size_t last = kt_compact_last_hit(c, found);
    if ((double)(found->ways * found->stride) < 0.95 * bytes)
        return last;
    return last > found->ways && share < 0.9 ? 0 : found->ways;
}

/* Line, ways and exact size of the first level. */
static void find_first(const struct kt_chaser *chaser, struct kt_measured_hierarchy *out, double noise)
{
    struct kt_measured_cache *first = &out->cache[0];
    struct kt_pattern few = dense(SMALLEST * 2);
    double cost[SAMPLES_MAX];
    for (int i = 0; i < SAMPLES_MAX; i++)
        cost[i] = sample(chaser, &few);
    struct kt_compact c = {chaser, kt_quantile(cost, SAMPLES_MAX, chaser->quantile), noise, out->level[1].y};
    struct kt_sets found;
    double share = kt_compact_search(&c, first->bytes, &found);
    if (share > 0 && chaser->patience)
        found.ways = undisturbed_ways(&c, &found, share, first->bytes);
    double bytes = (double)(found.ways * found.stride);
    /* Both ways to the size must agree: a direct-mapped cache ends gradually, a victim cache later. */
    if (share == 0 || bytes < 0.8 * first->bytes || bytes > 1.1 * (double)out->curve.x[out->level[1].first])
        return;
    out->line = found.line;
    out->line_confidence = out->ways_confidence = first->confidence = share;
    first->ways = (int)found.ways;
    first->bytes = bytes;
    first->low = first->high = 0;
    out->victims = found.stops > found.ways + 1 ? found.stops - 1 - found.ways : 0;
}

/* --- all -----------------------------------------------------------------------------------------------------------
 */

void kt_hierarchy_find(const struct kt_chaser *chaser, struct kt_measured_hierarchy *out)
{
    *out = (struct kt_measured_hierarchy){.memory_latency = NAN};
    double noise = find_curve(chaser, &out->curve);
    struct kt_curve *curve = &out->curve;
    out->level = kt_resize(NULL, curve->n, sizeof *out->level);
    out->levels = kt_levels(curve->y, curve->n, curve->noise, 3, chaser->ratio, out->level);
    if (out->levels == 0)
        return;
    out->memory_latency = out->levels > 1 ? out->level[out->levels - 1].y : NAN;
    for (size_t k = 0; k + 1 < out->levels && k < KT_LEVELS_MAX; k++, out->caches++)
        find_end(chaser, out, k, noise, &out->cache[k]);
    if (out->caches)
        find_first(chaser, out, noise);
}

void kt_hierarchy_free(struct kt_measured_hierarchy *hierarchy)
{
    free(hierarchy->curve.x);
    free(hierarchy->curve.y);
    free(hierarchy->level);
}
