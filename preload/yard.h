/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the machine now and then, between the program's own calls (ktrace/yardstick.h). Whether a reading is due is
 * asked where a call leaves its usual way anyhow: when it took long, when room is made, and when so many bytes of
 * events have been stored as come in a few milliseconds: that is what kt_stream.limit stops at.
 */
#ifndef KT_YARD_H
#define KT_YARD_H

#include "preload/shim.h"

/* At the start, when it is known what calls are timed by. */
KT_HIDDEN void kt_yard_start(bool wanted);

/* Room is as it is: where does the next event stop that is to ask for a reading? */
KT_HIDDEN void kt_yard_set_limit(struct kt_stream *stream);

/* Before a call of that depth, with the stream open and room for events. */
KT_HIDDEN void kt_yard_look(struct kt_stream *stream, unsigned depth);

/* Behind the events that end a call, which it did at NOW, in ticks. */
KT_HIDDEN void kt_yard_after(struct kt_stream *stream, unsigned depth, uint64_t now);

#endif
