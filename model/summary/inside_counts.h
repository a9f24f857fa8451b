/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens inside the outermost calls of profiles whose nested calls are counted in some of these only
 * (KTRACE_NESTED): estimates for all of them.
 *
 * Cells add weights up (profile.h), but neither know which outermost call a nested one was in nor keep squares:
 * there are no intervals, and all that a sample says is loose. What is known without a sample are the number of nested
 * calls of a process, and the time of the outermost calls of each routine. So what nests in a routine takes of that
 * time the part that it takes in the sample, and the weighted sums of nested calls of a process are scaled to what
 * follows: calls and times add up to what they are.
 */
#ifndef KT_INSIDE_COUNTS_H
#define KT_INSIDE_COUNTS_H

#include "model/summary/inside_calls.h"

/* To what the walk found in streams of events. */
void kt_inside_counts_add(const struct kt_trace *trace, struct kt_inside_found *found);

#endif
