/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A comparison by several processes (replay/setup/share.h): each times its share of the shapes on all libraries, and
 * leaves the times in the store, where whoever is last finds those of all. A share that died is made up for by another
 * run: the store has what it measured.
 */
#ifndef KT_COMPARISON_SHARE_H
#define KT_COMPARISON_SHARE_H

#include "replay/compare/comparison_store.h"

/* Makes the budget that of one share, and says which one is measured. */
void kt_comparison_share_begin(struct kt_comparison *comparison);

/* Works out whose each shape is. Again when some of them are left out. */
void kt_comparison_share_out(struct kt_comparison *comparison);

/* What is of others is not timed. */
void kt_comparison_share_leave(struct kt_comparison *comparison);

/* When this share is measured: reads the others, and says which are missing. *WHOLE: none is. */
enum kt_status kt_comparison_share_gather(struct kt_comparison *comparison, struct kt_comparison_store *store,
                                          bool *whole, struct kt_error *error);

#endif
