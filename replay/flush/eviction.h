/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Evicting everything from one cache, and those nearer, by reading other memory: what flushing cannot do, as it goes
 * to memory at once (Whaley & Castaldo, section 3.1, partial flushing).
 *
 * How much has to be read follows from how the cache replaces lines, which is rarely known. So it is measured: what
 * is read grows until a load of what was there before takes no longer. Where a flush shows that this was not all, or
 * the cache cannot be had for oneself, the sweep is doubted, and that is said.
 */
#ifndef KT_EVICTION_H
#define KT_EVICTION_H

#include "model/tracker/placement.h"
#include "trace/base/error.h"

struct kt_crew;

/* How to evict from one cache. */
struct kt_sweep {
    uint64_t bytes;                    /* to be read; 0: not calibrated */
    double resident, evicted, flushed; /* ticks of a load of what is in it, was evicted, was flushed to memory */
    char doubt[96];                    /* why it is not reliable, or "" */
};

struct kt_hierarchy {
    struct kt_caches caches; /* as far as this process has them to itself */
    uint64_t last_bytes;     /* of the last one, as the system says; 0: it was not measured */
    unsigned probed;         /* sizes, from the first on, that are those of the machine file */
    struct kt_sweep sweep[KT_MAX_CACHES];
};

/* Of a hierarchy that was kept: is it one of these caches? */
bool kt_hierarchy_is_sound(const struct kt_hierarchy *hierarchy, const struct kt_caches *caches);

/* Measures the sweeps of the caches in the set EVICTED (bits). LIMIT: bytes of memory that it may use. */
void kt_hierarchy_calibrate(unsigned evicted, uint64_t limit, struct kt_hierarchy *hierarchy);

/*
 * How much of its last cache a machine leaves to this process: where others use it, loads of what was there take as
 * long as from memory after much less has been read than it is said to hold. Bytes, between those of the cache before
 * it and its own.
 */
uint64_t kt_hierarchy_usable(const struct kt_hierarchy *hierarchy, uint64_t limit);

/*
 * The rule of the calibration, pure functions: N increasing sizes have been read, and loads then took TIME[i]. Did the
 * last ones add nothing? Which is the smallest that evicts about as well as any?
 */
bool kt_sweep_is_flat(const double *time, int n);
int kt_sweep_choose(const double *time, int n);

/* Why a calibrated sweep of the cache is not to be relied on; "" if it is. A pure function. */
const char *kt_sweep_doubt(const struct kt_sweep *sweep, bool is_last, bool is_virtual);

/* The memory that is read, in a process that evicts. */
struct kt_sweeper {
    const struct kt_hierarchy *hierarchy;
    unsigned char *area; /* owned; NULL: nothing was calibrated */
    uint64_t bytes;
    struct kt_crew *crew; /* reads it on each processor; borrowed, NULL: on this one only */
};

/* HIERARCHY must live as long. */
enum kt_status kt_sweeper_open(const struct kt_hierarchy *hierarchy, struct kt_crew *crew, struct kt_sweeper *out,
                               struct kt_error *error);
void kt_sweeper_close(struct kt_sweeper *sweeper);

/* Everything leaves that cache, counted from 0, and those nearer. Does nothing if the cache is not calibrated. */
void kt_sweeper_evict(const struct kt_sweeper *sweeper, unsigned cache);

#endif
