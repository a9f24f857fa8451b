/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions that a program named: a tree for each process, as the same name counts apart in different regions. The reader
 * makes it while it checks the streams; threads share it. A walk through the events is at one place of it at any time.
 */
#ifndef KT_REGIONS_H
#define KT_REGIONS_H

#include "ktrace/format.h"

#include <stdbool.h>
#include <stddef.h>

/* Deeper ones are not told apart. */
enum { KT_REGION_DEPTH = 64 };

/* The root, index 0, is what is in no region. */
struct kt_named_region {
    uint32_t name; /* id in the process's definitions */
    uint32_t parent;
    uint32_t depth;
    uint64_t entered;
    uint64_t ticks;      /* inside, added up over threads */
    double flops, bytes; /* as the program said, without what it said of regions nested in it */
};

struct kt_regions {
    struct kt_named_region *region;
    size_t count;
    uint32_t *slot;     /* hash table of indices; 0: unused */
    size_t slots;       /* a power of two */
    uint64_t unmatched; /* ends of regions whose begin is not there */
};

/* Where a thread is. */
struct kt_region_place {
    uint32_t region;
    uint32_t deeper;                     /* levels below that are not told apart */
    bool repeats;                        /* it is told of elsewhere as well: nothing is added up */
    uint64_t since[KT_REGION_DEPTH + 1]; /* by depth, when it was entered */
};

struct kt_regions *kt_regions_new(void);
void kt_regions_free(struct kt_regions *regions);

/* An event REGION: of ID, at a time in ticks. The first makes regions that are new and adds up what they take. */
void kt_regions_record(struct kt_regions *regions, struct kt_region_place *place, unsigned id, uint64_t ticks);
uint32_t kt_regions_step(const struct kt_regions *regions, uint32_t region, uint32_t *deeper, unsigned id);

/* An event WORK. */
void kt_regions_work(struct kt_regions *regions, const struct kt_region_place *place, double flops, double bytes);

/* The thread is in no region any more: all that it was in ended at that time. */
void kt_regions_leave(struct kt_regions *regions, struct kt_region_place *place, uint64_t ticks);

#endif
