/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where events go. A thread stores them in a chunk at the begin of its own file, which it has mapped into memory, so
 * that what was committed survives the death of the process; a full chunk is written behind the others, and its memory
 * used anew. Disk space is reserved before it is used: a full disk is a counted loss and never a SIGBUS. No file
 * descriptor stays open, and none is opened where the program could meet it (preload/apart.h).
 */
#ifndef KT_TAPE_H
#define KT_TAPE_H

#include "preload/shim.h"

/* Room for an event at the limit of a stream, and for the ends of some calls behind it. */
enum { KT_TAPE_MARGIN = 1024 };

/*
 * Each returns why there is no room, KT_LOSS_COUNT if there is. With signals and cancellation blocked; the first also
 * makes the file.
 */
KT_HIDDEN enum kt_loss kt_tape_begin(struct kt_stream *stream);
KT_HIDDEN enum kt_loss kt_tape_advance(struct kt_stream *stream);

/* Makes ready what is left of the chunk, for a stream that cannot advance any more. */
KT_HIDDEN void kt_tape_stock(struct kt_stream *stream);

/* The rest of the chunk is left empty: what was stored there last may not be whole. */
KT_HIDDEN void kt_tape_skip(struct kt_stream *stream);

/* Is there no room for another event? */
static inline bool kt_tape_is_full(const struct kt_stream *stream)
{
    return stream->cursor > stream->room;
}

/* Gives back what the file does not need. Only the thread itself may do so: nobody else knows when it writes. */
KT_HIDDEN void kt_tape_end(struct kt_stream *stream);

/* What the stream has committed to a chunk that is not shared with its file; its thread may go on. */
KT_HIDDEN void kt_tape_save(struct kt_stream *stream);

/* In a forked child, which has files of its own and the whole limit for them. */
KT_HIDDEN void kt_tape_forget(void);

#endif
