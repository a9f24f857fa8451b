/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The multi-invocation timer for a recorded call (Whaley & Castaldo, section 4): many copies of its operands, as many
 * as overflow the caches, and a rotation over them. See rotation.h for how and why.
 *
 * Operands that share memory, or lie within a page of each other, keep their distance. Others are packed, or a walk
 * would skip most of the area and leave the caches as they are. Operands that are to stay have a place of their own,
 * where every call finds them again.
 *
 * No call may work on what another call has blown up. A set whose contents calls change is used once and written anew,
 * outside the timed part. What accumulates in an operand that stays is taken off again: the sign of alpha changes
 * with each walk over all sets.
 */
#ifndef KT_WORKINGSET_H
#define KT_WORKINGSET_H

#include "replay/call/data.h"
#include "replay/call/job.h"
#include "replay/measure/rotation.h"

struct kt_workingset_options {
    uint64_t flush_bytes; /* that must have been used before a set's turn comes again; 0: kt_workingset_flush() */
    int threads;          /* flush_bytes is per thread that the library may use; 0 means 1 */
    uint32_t still;       /* bit i: operand i stays, and so remains in the caches as far as it fits */
    uint64_t modulus;     /* addresses are kept modulo that, a power of two up to 4096; 0: of 64, a line */
    bool huge;            /* ask for huge pages */
    enum kt_walk walk;
    double interval; /* seconds, the least length of what is timed at once; 0: 100 us */
    uint64_t limit;  /* bytes that may be used; 0: kt_arena_limit() */
};

struct kt_workingset;

/* Facts about one that is open. */
struct kt_workingset_facts {
    uint64_t sets, stride, bytes; /* bytes: of the area */
    uint64_t touched;             /* bytes of a set in lines that the call uses */
    uint64_t calls;               /* made in an interval */
    uint32_t still;               /* as asked, without operands that share memory with one that moves */
    double overhead;              /* seconds a call that the loop takes and that are subtracted */
    bool alternates, refills;     /* guards in use */
};

/*
 * Lays out and fills the sets, from the highest address to the lowest, and makes a call so that code is there. FUNCTION
 * has integers of INT_BYTES. POOL must live as long. NULL and the reason in ERROR if the call cannot be repeated like
 * this or takes too much memory. The thread must be the one that calls kt_workingset_time().
 */
struct kt_workingset *kt_workingset_open(const struct kt_job *job, void *function, size_t int_bytes,
                                         const struct kt_data_pool *pool, const struct kt_workingset_options *options,
                                         struct kt_error *error);

/*
 * The same with working sets that grow until calls take no longer for it (the paper's section 4.2: how much has to be
 * used to displace a set is not known): twice the flush bytes each time, from a small size to beyond the largest cache,
 * at most to OPTIONS->flush_bytes or kt_workingset_flush(), as far as there is memory. *OPTIONS then has those of the
 * last step that made a difference.
 */
struct kt_workingset *kt_workingset_grow(const struct kt_job *job, void *function, size_t int_bytes,
                                         const struct kt_data_pool *pool, struct kt_workingset_options *options,
                                         struct kt_error *error);
void kt_workingset_close(struct kt_workingset *set);

/* Seconds that one call took, from one interval. */
double kt_workingset_time(struct kt_workingset *set);

struct kt_workingset_facts kt_workingset_facts(const struct kt_workingset *set);

/* Bytes of the largest cache, as far as the system tells; and what overflows all of them, four times that. */
uint64_t kt_workingset_cache(void);
uint64_t kt_workingset_flush(void);

/* Where a set's operands are. Pure. */
struct kt_workingset_layout {
    uint64_t shift[32]; /* add to an operand's addresses in the job; wraps. Of operands that stay: 0 */
    uint64_t stride, touched;
    uint32_t still; /* as in the facts */
};
void kt_workingset_lay_out(const struct kt_job *job, uint32_t still, uint64_t modulus,
                           struct kt_workingset_layout *out);

#endif
