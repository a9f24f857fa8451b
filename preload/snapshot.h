/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * KTRACE_SNAPSHOT: what the operands of the first calls of each shape hold before the call, one file each.
 *
 * Only calls of the program itself: writing takes milliseconds, and would count as time of the call that one is nested
 * in. Contents go from the operands to the file by write(2), without a copy of ours, so memory that cannot be read is
 * an error of the system call and nothing else. They end
 * where the operand's last element does (preload/elements.h). No thread waits for another.
 */
#ifndef KT_SNAPSHOT_H
#define KT_SNAPSHOT_H

#include "preload/shim.h"

/* At the start of the process; true if there will be snapshots. */
KT_HIDDEN bool kt_snapshot_start(void);

/* Before the call begins, if it is one of the first of its shape. WORD: those of its event. */
KT_HIDDEN void kt_snapshot(const struct kt_frame *frame, const uint64_t *word, unsigned words);

/* Snapshots that could not be taken, or would have exceeded the limit of all. */
KT_HIDDEN uint64_t kt_snapshot_missing(void);

#endif
