/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * By how much numbers of two runs differ: what operands held before calls of which both runs have a snapshot
 * (KTRACE_SNAPSHOT). The n-th snapshot of a thread is held against the n-th of the same thread of the other run.
 */
#ifndef KT_DISTANCES_H
#define KT_DISTANCES_H

#include "model/report/pairing.h"

enum { KT_DISTANCE_NAME = 32 };

/* Between the numbers of one operand. An ulp is the step from a floating-point number to the next one of its precision:
 * numbers that are N ulps apart have N - 1 others between them. */
struct kt_distance {
    char name[KT_DISTANCE_NAME]; /* of the operand; empty: none differs */
    uint64_t numbers, differ;    /* a complex element has two numbers */
    double ulps;                 /* the largest distance; INFINITY: one is a number, the other is NaN */
    double value[2];             /* of the numbers that are so far apart */
};

struct kt_distances {
    uint64_t pairs;            /* snapshots of equal calls */
    uint64_t unread;           /* pairs that cannot be read or are of other calls */
    uint64_t differ;           /* pairs that hold other numbers */
    struct kt_distance first;  /* of the first pair that does, by thread and order: its operand with the largest one */
    struct kt_call call[2];    /* of that pair, kept; without entry: there is none */
    struct kt_distance widest; /* of all pairs */
    char widest_routine[KT_DISTANCE_NAME];
};

/* The traces must stay open as long as OUT. */
void kt_distances_make(const struct kt_trace trace[2], const struct kt_pairing_threads threads[2],
                       struct kt_distances *out);
void kt_distances_free(struct kt_distances *distances);

/* How many steps lie between two numbers of BYTES (4 or 8) bytes; 0: equal, also 0 and -0, NaN and NaN. */
double kt_distance_ulps(const unsigned char *a, const unsigned char *b, size_t bytes);

#endif
