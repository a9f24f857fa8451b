/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Profile mode: instead of a stream of events a thread has a table with a cell for each shape that it calls, in which
 * calls, their time and a histogram of it add up. What is counted survives the death of the process; it takes
 * KT_PROFILE_MEMORY at most, whatever the program does, and what does not fit is summed up by routine.
 */
#ifndef KT_PROFILE_H
#define KT_PROFILE_H

#include "preload/shim.h"

/*
 * A call begins and ends; the stream is open (kt_open_stream) in the meantime. WORD: as for kt_begin. If it cannot be
 * counted the first tells why.
 */
KT_HIDDEN enum kt_loss kt_profiler_begin(struct kt_frame *frame, const uint64_t *word, unsigned words);
KT_HIDDEN void kt_profiler_end(const struct kt_frame *frame, uint64_t ticks, int64_t info, uint64_t passed);

#endif
