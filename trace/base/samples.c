/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bins are those of floating-point numbers cut off after seven bits of their fraction, so that the bin of a number
 * is a part of its representation.
 */
#include "trace/base/samples.h"

#include "trace/base/memory.h"

#include <math.h>
#include <stdbool.h>

/* From 2^-40 s, less than a tick, to 2^24 s, half a year; what lies outside counts in the first and the last bin. */
enum { LOWEST = -40, BINS = KT_SAMPLE_BINS };

static size_t bin_of(double seconds)
{
    enum { DROPPED = 52 - 7, BIAS = 1023 };
    uint64_t bits;
    memcpy(&bits, &seconds, sizeof bits);
    int64_t bin = (int64_t)(bits >> DROPPED) - (int64_t)(BIAS + LOWEST) * KT_SAMPLE_OCTAVE;
    return bin < 0 ? 0 : bin < BINS ? (size_t)bin : BINS - 1;
}

static void count(struct kt_samples *samples, double seconds)
{
    struct kt_sample_bin *bin = &samples->bin[bin_of(seconds)];
    bin->n++;
    bin->sum += seconds;
}

enum { THIN = 8192 }; /* at most; a power of two */

static void halve_thin(struct kt_samples *samples)
{
    samples->thins /= 2;
    for (size_t i = 0; i < samples->thins; i++)
        samples->thin[i] = samples->thin[2 * i];
    samples->stride *= 2;
}

/* The sample after N others. */
static void add_thin(struct kt_samples *samples, double seconds, uint64_t n)
{
    if (n % samples->stride != 0)
        return;
    if (samples->thins == THIN)
        halve_thin(samples);
    if (n % samples->stride == 0)
        samples->thin[samples->thins++] = seconds;
}

static void thin_kept(struct kt_samples *samples)
{
    samples->thin = kt_resize(NULL, THIN, sizeof *samples->thin);
    samples->stride = 1;
    while (samples->stride * THIN < samples->n)
        samples->stride *= 2;
    for (uint64_t i = 0; i < samples->n; i += samples->stride)
        samples->thin[samples->thins++] = samples->kept[i];
}

/* There are more of them than are kept. */
static void count_kept(struct kt_samples *samples)
{
    samples->bin = calloc(BINS, sizeof *samples->bin);
    if (!samples->bin)
        abort();
    for (uint64_t i = 0; i < samples->n; i++)
        count(samples, samples->kept[i]);
    thin_kept(samples);
    free(samples->kept);
    samples->kept = NULL;
}

void kt_samples_add(struct kt_samples *samples, double seconds)
{
    samples->least = samples->n == 0 || seconds < samples->least ? seconds : samples->least;
    samples->most = seconds > samples->most ? seconds : samples->most;
    if (samples->n == KT_SAMPLES_KEPT)
        count_kept(samples);
    if (samples->bin) {
        count(samples, seconds);
        add_thin(samples, seconds, samples->n);
    } else {
        samples->kept = kt_room_for_one(samples->kept, samples->n, sizeof *samples->kept);
        samples->kept[samples->n] = seconds;
    }
    samples->n++;
}

static void add_same(struct kt_samples *samples, double seconds, uint64_t n)
{
    if (samples->n + n > KT_SAMPLES_KEPT && !samples->bin)
        count_kept(samples);
    for (uint64_t i = 0; i < n && !samples->bin; i++)
        kt_samples_add(samples, seconds);
    if (!samples->bin || n == 0)
        return;
    struct kt_sample_bin *bin = &samples->bin[bin_of(seconds)];
    bin->n += n;
    bin->sum += (double)n * seconds;
    samples->least = samples->n == 0 || seconds < samples->least ? seconds : samples->least;
    samples->most = seconds > samples->most ? seconds : samples->most;
    samples->n += n;
}

/* In the middle of equal parts of the range, as many as do not show beside the width of our own bins. */
void kt_samples_spread(struct kt_samples *samples, double from, double to, uint64_t n)
{
    enum { PARTS = 32 };
    uint64_t parts = n < PARTS ? n : PARTS;
    if (to > from)
        samples->resolution = fmax(samples->resolution, (to - from) / to);
    for (uint64_t i = 0; i < parts; i++)
        add_same(samples, from + (to - from) * ((double)i + 0.5) / (double)parts, n / parts + (i < n % parts));
}

/* The sample of that rank, 0 is the least. */
static double at_rank(const struct kt_samples *samples, uint64_t rank)
{
    size_t bin = 0;
    for (; rank >= samples->bin[bin].n; bin++)
        rank -= samples->bin[bin].n;
    double mean = samples->bin[bin].sum / (double)samples->bin[bin].n;
    return fmin(fmax(mean, samples->least), samples->most);
}

static struct kt_stat stat_of_bins(const struct kt_samples *samples, enum kt_best best)
{
    size_t lo;
    size_t hi;
    kt_median_ranks(samples->n, &lo, &hi);
    double median = (at_rank(samples, (samples->n - 1) / 2) + at_rank(samples, samples->n / 2)) / 2;
    return (struct kt_stat){.best = best == KT_BEST_MEDIAN ? median : at_rank(samples, (samples->n - 1) / 4),
                            .min = samples->least,
                            .median = median,
                            .lo = at_rank(samples, lo),
                            .hi = at_rank(samples, hi),
                            .n = samples->n,
                            .resolution = 1.0 / KT_SAMPLE_OCTAVE};
}

static struct kt_stat stat_of_kept(const struct kt_samples *samples, enum kt_best best)
{
    double *sorted = kt_resize(NULL, samples->n, sizeof *sorted);
    if (samples->n)
        memcpy(sorted, samples->kept, samples->n * sizeof *sorted);
    struct kt_stat stat = kt_stat_of(sorted, samples->n, best);
    free(sorted);
    return stat;
}

struct kt_stat kt_samples_stat(const struct kt_samples *samples, enum kt_best best)
{
    struct kt_stat stat = samples->bin ? stat_of_bins(samples, best) : stat_of_kept(samples, best);
    stat.resolution = fmax(stat.resolution, samples->resolution);
    return stat;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* As many as the largest power of two has room for: a step that is odd meets each of them once. */
static size_t take_quantiles(const struct kt_samples *samples, double *out, size_t room)
{
    enum { STEP = 40503 };
    size_t count = 1;
    double *sorted = samples->bin ? NULL : kt_resize(NULL, samples->n, sizeof *sorted);
    while (2 * count <= room && 2 * count <= samples->n)
        count *= 2;
    if (sorted) {
        memcpy(sorted, samples->kept, samples->n * sizeof *sorted);
        qsort(sorted, samples->n, sizeof *sorted, compare);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t rank = (uint64_t)(((double)(i * STEP % count) + 0.5) * (double)samples->n / (double)count);
        out[i] = sorted ? sorted[rank] : at_rank(samples, rank);
    }
    free(sorted);
    return count;
}

size_t kt_samples_take(const struct kt_samples *samples, double *out, size_t room)
{
    const double *all = samples->bin ? samples->thin : samples->kept;
    size_t n = samples->bin ? samples->thins : samples->n;
    if (n == 0 || room == 0)
        return 0;
    if (samples->resolution > 0)
        return take_quantiles(samples, out, room);
    size_t count = n < room ? n : room;
    for (size_t i = 0; i < count; i++)
        out[i] = all[i * n / count];
    return count;
}

/* COUNT elements of SIZE, with room for as many as kt_room_for_one will take there to be; NULL stays NULL. */
static void *copy_of(const void *array, size_t count, size_t size)
{
    size_t room = 1;
    while (room < count)
        room *= 2;
    return array ? memcpy(kt_resize(NULL, room, size), array, count * size) : NULL;
}

struct kt_samples kt_samples_copy(const struct kt_samples *samples)
{
    struct kt_samples copy = *samples;
    copy.kept = copy_of(samples->kept, samples->n, sizeof *samples->kept);
    copy.bin = copy_of(samples->bin, BINS, sizeof *samples->bin);
    copy.thin = copy_of(samples->thin, THIN, sizeof *samples->thin);
    return copy;
}

void kt_samples_free(struct kt_samples *samples)
{
    free(samples->kept);
    free(samples->bin);
    free(samples->thin);
    *samples = (struct kt_samples){0};
}
