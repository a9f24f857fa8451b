/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of threads whose stream is not ready. */
#ifndef KT_GATE_H
#define KT_GATE_H

#include "preload/shim.h"

extern KT_HIDDEN uint64_t kt_interval; /* one in how many calls is recorded, if KT_EXTRA_SAMPLE */

/* Why events of this thread cannot be stored, or KT_LOSS_COUNT: it has a stream that nobody is writing to. */
KT_HIDDEN enum kt_loss kt_gate_pass(const struct kt_frame *frame);

#endif
