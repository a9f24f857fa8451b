/* SPDX-License-Identifier: BSD-3-Clause */
/* What is not recorded is counted, and so is what is passed on. */
#ifndef KT_TALLY_H
#define KT_TALLY_H

#include "preload/shim.h"

/* Where the stream has a chunk its head tells of it even if the process is killed. */
KT_HIDDEN void kt_tally_skipped(uint64_t calls);

/* A call is not recorded; what is passed on in it is lost with it. */
KT_HIDDEN void kt_tally_lost_call(struct kt_frame *frame, enum kt_loss cause);

/* What is not recorded because no slow path can be entered is lost for this. */
KT_HIDDEN enum kt_loss kt_tally_cause_when_busy(void);

/* So many nested calls were passed on. */
KT_HIDDEN void kt_tally_passed_in(struct kt_stream *stream, uint64_t passed);

#endif
