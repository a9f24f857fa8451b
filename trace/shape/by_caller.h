/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outermost calls by where they were made and shape: what a decomposition by caller needs, and which line a shape
 * mostly comes from.
 */
#ifndef KT_BY_CALLER_H
#define KT_BY_CALLER_H

#include "trace/read/profile.h"
#include "trace/shape/sites.h"

/* The complete calls of a shape from one place. */
struct kt_shape_calls {
    const struct kt_process *process;
    uint64_t caller;           /* kt_call_site() */
    size_t shape;              /* number of the shape, or what else the user tells apart */
    struct kt_samples seconds; /* empty where there are only sums */
    uint64_t calls;
    double total;
};

/* Zeros: none. */
struct kt_by_caller {
    struct kt_shape_calls *of; /* in the order in which they were found; owned */
    size_t count;
    uint32_t *slot;         /* of a hash table: index + 1, 0: free */
    size_t slots;           /* a power of two */
    bool only_sums;         /* times of single calls are not wanted */
    struct kt_sites *sites; /* places of all processes are told apart by these; NULL: by process; owned */
};
struct kt_collection;

/* A complete outermost call of that shape, that counts for so many seconds; and all there is in profiles. */
void kt_by_caller_add(struct kt_by_caller *sums, const struct kt_call *call, size_t shape, double seconds);
void kt_by_caller_add_counts(struct kt_by_caller *sums, const struct kt_counts *counts, size_t shape);
void kt_by_caller_add_profiles(struct kt_by_caller *sums, struct kt_collection *collection,
                               const struct kt_trace *trace);
void kt_by_caller_free(struct kt_by_caller *sums);

#endif
