/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls in the regions that a program named add up to. Regions of the same path of names are one, whatever thread
 * or process was in them; what is in a region is in all that it is nested in.
 */
#ifndef KT_BY_REGION_H
#define KT_BY_REGION_H

#include "trace/read/cursor.h"

struct kt_region_sum {
    const char *name; /* borrowed from the trace; NULL: calls in no region */
    size_t parent;    /* index; of those in no other region 0 */
    uint64_t entered;
    double seconds;      /* inside, of all threads added; NAN: calls in no region */
    double flops, bytes; /* as the program said */
    uint64_t calls, calls_top;
    double seconds_blas; /* of outermost calls */
};

struct kt_region_sums {
    struct kt_region_sum *sum; /* the first: calls in no region; parents before what is nested in them */
    size_t count;              /* 1: there are no regions */
    size_t *order;             /* the same, most BLAS time first, then most time */
    uint64_t unmatched;        /* ends of regions whose begin was not recorded */
    const struct kt_trace *trace;
    size_t **of_process; /* index of each region of each process */
};

/* OUT is empty but for the regions; then the calls are added, then it is finished. */
void kt_region_sums_begin(const struct kt_trace *trace, struct kt_region_sums *out);
void kt_region_sums_add(struct kt_region_sums *sums, const struct kt_call *call, double seconds);
void kt_region_sums_finish(struct kt_region_sums *sums);
void kt_region_sums_free(struct kt_region_sums *sums);

/* "outer > inner", cut to SIZE; returns OUT. */
char *kt_region_path(const struct kt_region_sums *sums, size_t region, char *out, size_t size);

#endif
