/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparisons in the store of results. Ratios are made of pairs, so series count only together with those that were
 * measured beside them: their key holds the set of all libraries. Another set is another measurement.
 * What shares measure may stand beside each other on all hosts of a kind.
 */
#ifndef KT_COMPARISON_STORE_H
#define KT_COMPARISON_STORE_H

#include "replay/compare/comparison.h"

struct kt_comparison_store;

/* The comparison's workers, contexts and schedule are there. NULL if there is no store, or a library is not known well
 * enough; then the functions below do nothing. */
struct kt_comparison_store *kt_comparison_store_open(struct kt_comparison *comparison);

/* Reads into the schedule the shapes that an earlier comparison of the trace met in sequence, and marks them as met. */
void kt_comparison_store_read_met(struct kt_comparison_store *store);
/* Reads the others. Which shapes are met, and which are too light, does not change any more. */
void kt_comparison_store_read(struct kt_comparison_store *store);
/* Reads again what other shares have measured meanwhile. */
void kt_comparison_store_read_others(struct kt_comparison_store *store);
/* Is nothing of that shape left to be measured, by what was read? */
bool kt_comparison_store_knows(const struct kt_comparison_store *store, size_t shape);
/* Writes that this share is measured; returns how many kinds of hosts, or sets of libraries, else have shares of the
 * trace. */
size_t kt_comparison_store_mark(struct kt_comparison_store *store);
void kt_comparison_store_close(struct kt_comparison_store *store);

/* The number of the first round that is not in the store. */
unsigned kt_comparison_store_round(const struct kt_comparison_store *store);

/* Writes what is new; unless it is the LAST time, only if the last time is some seconds ago. */
void kt_comparison_store_keep(struct kt_comparison_store *store, bool last);

#endif
