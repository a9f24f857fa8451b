/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files share that a thread's calls come to when its stream is not ready: preload/gate.c decides,
 * preload/streams.c has the streams, preload/region.c the regions, preload/record.c the events that are not usual.
 */
#ifndef KT_GATE_H
#define KT_GATE_H

#include "preload/shim.h"

/* What is in kt_stream.ready: a frame's address is even, and a stream is ready for no even epoch. */
static inline bool kt_is_frame(uintptr_t ready)
{
    return ready % 2 == 0;
}

/* --- preload/gate.c --- */

/* Where the stream has a chunk its head tells of the loss even if the process is killed. */
KT_HIDDEN void kt_count_loss(enum kt_loss cause, uint64_t calls);

/* A call is not recorded; what is passed on in it is lost with it. */
KT_HIDDEN void kt_lose(struct kt_frame *frame, enum kt_loss cause);

/* What is not recorded because no slow path can be entered is lost for this. */
KT_HIDDEN enum kt_loss kt_loss_when_busy(void);

/* After a failure the thread asks again only now and then: a call must not cost a system call each time. */
KT_HIDDEN bool kt_is_time_to_try(void);

/* So many nested calls were passed on. */
KT_HIDDEN void kt_count_passed_in(struct kt_stream *stream, uint64_t passed);

/* The epoch that a stream is made ready for. Whoever changes it increases it, perhaps to an even one. */
KT_HIDDEN uintptr_t kt_odd_epoch(void);

/* The frame whose event is being written, as its address, or 0. */
KT_HIDDEN uintptr_t kt_writer_of(const struct kt_stream *stream);

/*
 * Are we in a signal handler that interrupted an event? If not, but one was begun, its writer was left by a jump: the
 * stream goes on in a new chunk.
 */
KT_HIDDEN bool kt_interrupts_writer(struct kt_stream *stream, const struct kt_frame *now);

/* Why events of this thread cannot be stored, or KT_LOSS_COUNT: it has a stream that nobody is writing to. */
KT_HIDDEN enum kt_loss kt_pass(const struct kt_frame *frame);

/* --- preload/streams.c --- */

/* Of threads without one. */
extern KT_HIDDEN struct kt_stream kt_no_stream;

/* Within a slow path. Why there is no stream, or KT_LOSS_COUNT. OUT: a stream of kt_self. */
KT_HIDDEN enum kt_loss kt_stream_open(struct kt_stream **out);

/* --- preload/region.c --- */

/*
 * Has the stream tell in which regions the thread is. It may have entered and left them while nothing was recorded;
 * those that came and went in the meantime are left out. What finds no room follows later.
 */
KT_HIDDEN void kt_tell_regions(struct kt_stream *stream, const struct kt_frame *now);

/* In a child: it is in the same regions, from now on. */
KT_HIDDEN void kt_regions_after_fork(void);

#endif
