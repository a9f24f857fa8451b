/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an earlier replay found of the caches holds for the later ones: the same operands are then said to be in the
 * same places. Known are the sweeps that evict, unless one of a cache of one processor is doubted, as the doubts of a
 * bad moment are no facts; and, apart from them, how much of the last cache a process gets.
 */
#ifndef KT_KNOWN_CACHES_H
#define KT_KNOWN_CACHES_H

#include "replay/setup/setup.h"

/* What the system says of the caches, and what `ktrace probe` knows better. */
void kt_caches_find(struct kt_hierarchy *out);

/* Both for a hierarchy that was found, from the store or by measuring. RECALL may be NULL; FRESH: measure in any case.
 * The sweeps of the set EVICTED (bits); the size of the last cache, as large as this process gets it. */
void kt_known_sweeps(struct kt_recall *recall, bool fresh, unsigned evicted, struct kt_hierarchy *hierarchy);
void kt_known_last_cache(struct kt_recall *recall, bool fresh, struct kt_hierarchy *hierarchy);

#endif
