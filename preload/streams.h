/* SPDX-License-Identifier: BSD-3-Clause */
/* The streams of the process's threads, and threads as a whole. */
#ifndef KT_STREAMS_H
#define KT_STREAMS_H

#include "preload/thread.h"

struct kt_totals {
    uint64_t calls, skipped, passed, room_ticks;
    uint64_t lost[KT_LOSS_COUNT];
};

/* At the start. */
KT_HIDDEN bool kt_streams_start(void);

/* Within a slow path. Why there is no stream, or KT_LOSS_COUNT. OUT: a stream of kt_self. */
KT_HIDDEN enum kt_loss kt_streams_open(struct kt_stream **out);

/* Of all threads: how many calls; what they have committed to memory that is no file's is written. Within slow paths.
 */
KT_HIDDEN struct kt_totals kt_streams_totals(void);
KT_HIDDEN void kt_streams_save(void);

/* This thread ends. */
KT_HIDDEN void kt_streams_close(void);

/* In a forked child. */
KT_HIDDEN void kt_streams_forget(void);

#endif
