/* SPDX-License-Identifier: BSD-3-Clause */
/* The call whose event a stream is just being told. */
#ifndef KT_WRITER_H
#define KT_WRITER_H

#include "preload/thread.h"

/* Will the call of the frame WRITER go on? If not, it was left by a jump: the stream goes on in a new chunk. */
KT_HIDDEN KT_COLD bool kt_writer_will_go_on(struct kt_stream *stream, uintptr_t writer, const struct kt_frame *now);

/* Are we in a signal handler that interrupted an event? */
static inline bool kt_writer_is_interrupted(struct kt_stream *stream, const struct kt_frame *now)
{
    uintptr_t writer = kt_writer_of(stream);
    return KT_UNLIKELY(writer) && kt_writer_will_go_on(stream, writer, now);
}

#endif
