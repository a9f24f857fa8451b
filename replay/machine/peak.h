/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this machine can do at most, measured in a fraction of a second: operations per second of independent fused
 * multiply-adds in the widest vectors there are, and bytes per second that loads and stores move from and to each
 * cache and memory. Each is the best of many bursts of a fraction of a millisecond, as whatever disturbs a burst makes
 * it slower: a peak is never too high, and too low only if no burst was undisturbed.
 */
#ifndef KT_PEAK_H
#define KT_PEAK_H

#include <stdbool.h>

enum kt_peak_level { KT_PEAK_L1, KT_PEAK_L2, KT_PEAK_L3, KT_PEAK_MEMORY, KT_PEAK_LEVELS };
enum kt_peak_precision { KT_PEAK_SINGLE, KT_PEAK_DOUBLE, KT_PEAK_PRECISIONS };

/* "L1", ..., "memory". */
extern const char *const kt_peak_level_name[];

/* Bytes per second. */
struct kt_bandwidth {
    double capacity; /* bytes that all threads have there together; 0: there is no such cache; INFINITY: memory */
    double read;     /* loads only */
    double write;    /* stores only */
    double both;     /* loads and stores together: the better of one and of two loads for each store */
};

/* Peaks of another number were measured otherwise: to be raised with every change of what they mean. */
enum { KT_PEAK_METHOD = 2 };

/* Of all threads together. Plain data: kept in the store of results. */
struct kt_peaks {
    int threads;
    double flops[KT_PEAK_PRECISIONS]; /* per second */
    struct kt_bandwidth level[KT_PEAK_LEVELS];
    double seconds; /* that measuring took */
    bool probed;    /* those of the machine file */
};

/* False, and OUT zero, where the program was not built to measure: without optimisation, or with a sanitizer. */
bool kt_peaks_measure(int threads, struct kt_peaks *out);

/* Of peaks that were kept: are they numbers that a measurement can have? */
bool kt_peaks_are_sound(const struct kt_peaks *peaks);

/* Two measurements in one: a peak that was reached once can be reached. */
void kt_peaks_raise(struct kt_peaks *peaks, const struct kt_peaks *other);

#endif
