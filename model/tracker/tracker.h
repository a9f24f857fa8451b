/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the operands of each call are when it begins, from the calls before it: access distances (model/tracker/lru.h)
 * in the caches of each processor and in those that all share, and from distances the share of an operand that a cache
 * of some size holds (Peise & Bientinesi, section 3).
 *
 * - Levels that one processor has, or two that are threads of one core, see the calls made on that processor. What
 *   another processor writes is no longer in them. Further levels see the calls of all threads of the process, in the
 *   order in which they began; processes do not see each other.
 * - A call that the library spreads over several processors counts as made on the one that called.
 * - A line that no call has touched yet counts as in memory: what the program itself did is not known.
 */
#ifndef KT_TRACKER_H
#define KT_TRACKER_H

#include "model/tracker/lru.h"
#include "model/tracker/placement.h"

struct kt_tracker;

struct kt_tracker *kt_tracker_new(const struct kt_caches *caches);
void kt_tracker_free(struct kt_tracker *tracker);

/* SHARE[operand][level], see struct kt_placement. */
typedef float kt_shares[KT_MAX_OPERANDS][KT_MAX_CACHES + 1];

/*
 * The next call, made on that processor: tells where its operands were, and that they have been used now. False, and
 * nothing happens, if they cannot be real, or would take too long (kt_lines_affords).
 */
bool kt_tracker_call(struct kt_tracker *tracker, unsigned cpu, const struct kt_operand *operand, int operands,
                     kt_shares share);

/* The levels that each processor has for itself, as the tracker takes it: the first ones. */
unsigned kt_tracker_private_levels(const struct kt_caches *caches);

/*
 * The expected share of lines at that distance, in bytes, that a cache of so many bytes still holds: 1 if it is near, 0
 * if far, and in between where the distance is about the cache's size. KT_NEVER: 0.
 */
double kt_cached_share(uint64_t distance, uint64_t cache);

#endif
