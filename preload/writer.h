/* SPDX-License-Identifier: BSD-3-Clause */
/* The call whose event a stream is just being told. */
#ifndef KT_WRITER_H
#define KT_WRITER_H

#include "preload/thread.h"

/*
 * Are we in a signal handler that interrupted an event? If not, but one was begun, its writer was left by a jump: the
 * stream goes on in a new chunk.
 */
KT_HIDDEN bool kt_writer_is_interrupted(struct kt_stream *stream, const struct kt_frame *now);

#endif
