/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Are the results of a comparison's libraries right? Shares check those of their own shapes.
 */
#ifndef KT_COMPARISON_CHECK_H
#define KT_COMPARISON_CHECK_H

#include "replay/compare/comparison.h"

#define KT_CHECKED_PART 0.2 /* of the budget, but for a few seconds where it is short */

/* As the options want it. */
enum kt_status kt_comparison_check(struct kt_comparison *comparison, struct kt_error *error);

/* Fills in what the other shares found. */
void kt_comparison_check_others(struct kt_comparison *comparison);

#endif
