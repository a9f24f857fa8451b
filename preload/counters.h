/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's counters. Each thread opens its own on its first call and reads them before and after every call.
 *
 * Hardware counters are read in user space where the kernel allows it; they need no descriptor then. All others take
 * one read of the kernel for a whole group. Descriptors are the program's: ours are moved out of its way to high
 * numbers, take a quarter of its limit at most, and are asked whether they still are what we opened before each read.
 * A program that closes all it does not know is none the worse; its counts are n/a from then on.
 */
#ifndef KT_COUNTERS_H
#define KT_COUNTERS_H

#include "preload/events.h"

/* At the start of the process. */
KT_HIDDEN void kt_counters_start(void);

/* Around each call, if there are events: before the clock is read first, after it is read last. */
KT_HIDDEN void kt_counters_begin(unsigned depth);

/* Fills in how far each event's counter went since that begin, UINT64_MAX for n/a; returns kt_event_count. */
KT_HIDDEN unsigned kt_counters_end(unsigned depth, uint64_t *delta);

KT_HIDDEN void kt_counters_close(void);
KT_HIDDEN void kt_counters_after_fork(void); /* in the child */

#endif
