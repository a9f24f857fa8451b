/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens inside the outermost calls of profiles whose nested calls are counted in some of these only
 * (KTRACE_NESTED): estimates for all of them.
 *
 * Cells add weights up (profile.h) and know the outermost routine that a nested call was in, but keep no squares: there
 * are no intervals, and all that a sample says is loose. What is known without a sample are the number of calls that
 * nest in the outermost calls of each routine, and the time of these. So what nests in a routine takes of that time the
 * part that it takes in the sample, and the weighted sums of nested calls are scaled to what follows: calls and times
 * add up to what they are. Nested calls of an unknown outermost routine (there was no room for their shape, or the
 * trace is of before version 2.9) are scaled by what is known of the process.
 */
#ifndef KT_INSIDE_COUNTS_H
#define KT_INSIDE_COUNTS_H

#include "model/summary/inside_calls.h"

/* To what the walk found in streams of events. */
void kt_inside_counts_add(const struct kt_trace *trace, struct kt_inside_found *found);

#endif
