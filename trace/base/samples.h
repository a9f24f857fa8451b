/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Durations of the calls of one shape, of which there may be 10^9. As long as they are few all are kept, and every
 * statistic is exact. Then they are counted in a histogram whose bins are 1/128 of their place wide: a quantile is the
 * mean of the samples in its bin, which differs from it by less than 0.8 %, and not at all where a tick of the clock is
 * wider than the bin. Number, least and greatest stay exact.
 */
#ifndef KT_SAMPLES_H
#define KT_SAMPLES_H

#include "trace/base/stats.h"

#include <stdint.h>

enum { KT_SAMPLES_KEPT = 100000, KT_SAMPLE_OCTAVE = 128 /* bins */, KT_SAMPLE_OCTAVES = 64 };
enum { KT_SAMPLE_BINS = KT_SAMPLE_OCTAVES * KT_SAMPLE_OCTAVE };

struct kt_sample_bin {
    uint64_t n;
    double sum;
};

/* Zeros: none yet. */
struct kt_samples {
    uint64_t n;
    double least, most;
    double *kept;              /* all, or NULL if there are more than KT_SAMPLES_KEPT; owned */
    struct kt_sample_bin *bin; /* then, KT_SAMPLE_BINS of them; owned */
    double *thin;              /* then, one in STRIDE of them in the order of adding; owned */
    size_t thins;
    uint64_t stride;
    double resolution; /* part of a time by which one may be wrong as it was added */
};

/* A time in seconds, not negative. */
void kt_samples_add(struct kt_samples *samples, double seconds);
/* N of them, spread evenly over a range: all that a histogram tells. */
void kt_samples_spread(struct kt_samples *samples, double from, double to, uint64_t n);
/*
 * At most ROOM of them, spread evenly over the order in which they were added; of a histogram, whose samples have no
 * order, as many quantiles, scattered. Returns how many.
 */
size_t kt_samples_take(const struct kt_samples *samples, double *out, size_t room);
struct kt_stat kt_samples_stat(const struct kt_samples *samples, enum kt_best best);
/* All of it once more, to be freed. */
struct kt_samples kt_samples_copy(const struct kt_samples *samples);
void kt_samples_free(struct kt_samples *samples);

#endif
