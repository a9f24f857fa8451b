/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls of the program took beyond their replay, and why: another pace of the machine, first calls, page faults,
 * threads that held each other up (kt_comparison_blas).
 */
#ifndef KT_COMPARISON_PACE_H
#define KT_COMPARISON_PACE_H

#include "replay/compare/comparison.h"

/* Sets first_calls, disturbance, pace, waited and contention. The sums of the lanes are made. */
void kt_comparison_pace_find(struct kt_comparison *comparison);

#endif
