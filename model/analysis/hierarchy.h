/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the caches of a machine that it knows only through the time of chains of loads: the machine at hand
 * (probe_memory.h), or a simulated one (tests/unit/test_hierarchy.c).
 *
 * Sizes and latencies come from a curve of latency over size (paper 003, 3.1), cut into levels (analysis.h); the end of
 * a level is then searched for by bisection, as the last size that costs no more than the level does: what can be used
 * without a penalty, which is what programs want to know. Ways and line of the first level come from compact sequences
 * (paper 004, section 4): addresses that a cache can hold together or cannot, whatever the order, replacement or
 * prefetcher.
 */
#ifndef KT_HIERARCHY_H
#define KT_HIERARCHY_H

#include "model/analysis/analysis.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KT_LEVELS_MAX = 8 };

/* Loads of COUNT * WIDTH addresses over and over, each depending on the one before: COUNT stops STRIDE bytes apart, and
 * at each WIDTH addresses SPACING bytes apart. The second half of the stops lies SHIFT bytes further. STOP: their
 * numbers, where they do not follow each other. */
struct kt_pattern {
    size_t stride, count, width, spacing, shift;
    const uint32_t *stop;
};

struct kt_chaser {
    double (*chase)(void *machine, const struct kt_pattern *pattern); /* one sample: cost of a load, in any unit */
    void *machine;
    size_t limit;        /* bytes that patterns may span */
    int rounds;          /* samples of each point of the curve */
    int rounds_max;      /* so many more at most, where they turn out noisy */
    size_t slow_bytes;   /* larger patterns, which take long, get a third or a ninth of the rounds; 0: none */
    size_t search_bytes; /* levels that end further get no search; 0: all are searched */
    double quantile; /* of the samples that counts: a quarter for symmetric noise, less where disturbances only add */
    bool (*enough)(
        void *machine); /* whether the time for the curve is over; asked from the second round on; may be NULL */
    bool (*late)(void *machine); /* whether searches are to be given up; may be NULL */
    int patience; /* samples before a pattern counts as more expensive, where disturbances last longer than samples */
    double tolerance; /* the least difference that counts */
    double compact;   /* the same where loads all miss or all hit */
    bool scattered;   /* lines of further levels fall into sets at random */
    double ratio;     /* by which levels differ at least: less is no cache but a slope */
    int octave;       /* points of the curve for each doubling */
    void (*progress)(void *machine, double done, double total); /* may be NULL */
};

struct kt_curve {
    size_t *x; /* bytes; owned */
    double *y; /* cost of a load; owned */
    size_t n;
    double noise; /* relative standard deviation of y */
};

struct kt_measured_cache {
    double bytes;      /* capacity */
    double effective;  /* up to which loads cost at most a quarter more than within the level */
    double latency;    /* of a load */
    double low, high;  /* between which its end is spread; 0: it ends sharply */
    double confidence; /* 0 to 1: of bytes */
    int ways;          /* 0: not determined */
};

struct kt_measured_hierarchy {
    struct kt_curve curve;
    struct kt_segment *level; /* of the curve, the last being memory if the curve reaches it; owned */
    size_t levels;
    struct kt_measured_cache cache[KT_LEVELS_MAX];
    size_t caches;         /* levels that end within the curve */
    double memory_latency; /* of the last level; NAN: the curve ends before one */
    size_t line;           /* bytes; 0: not determined */
    double line_confidence, ways_confidence;
    size_t victims; /* lines that the first level holds beyond its ways */
};

void kt_hierarchy_find(const struct kt_chaser *chaser, struct kt_measured_hierarchy *out);
void kt_hierarchy_free(struct kt_measured_hierarchy *hierarchy);

/* Whether the pattern costs more than COST * (1 + TOLERANCE), where a sample's relative deviation is NOISE. Takes
 * samples until that is clear, or there are many. */
bool kt_costs_more(const struct kt_chaser *chaser, const struct kt_pattern *pattern, double cost, double tolerance,
                   double noise);

/* What a yes or no may rest on where a sample's relative deviation is NOISE. */
double kt_tolerance_at(const struct kt_chaser *chaser, double noise);

#endif
