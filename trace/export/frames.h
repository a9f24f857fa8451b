/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of stacks, numbered: places, and the routines that they call. */
#ifndef KT_FRAMES_H
#define KT_FRAMES_H

#include "trace/shape/callers.h"

struct kt_frame {
    const struct kt_place *place; /* NULL: a routine */
    const char *routine;          /* then; borrowed */
};

/* Zeros: none. */
struct kt_frames {
    struct kt_frame *frame; /* owned */
    size_t count;
    void *tree; /* of these by what they are */
};
void kt_frames_free(struct kt_frames *frames);

enum { KT_STACK_FRAMES = KT_PATH_PLACES + 1 };

/* Indices of the frames of a call of the routine from SITE, the routine first. Returns how many. */
size_t kt_frames_of_call(struct kt_frames *frames, struct kt_callers *callers, const struct kt_process *process,
                         uint64_t site, const char *routine, size_t out[KT_STACK_FRAMES]);

/* Its function or routine, as text. */
void kt_frame_name(const struct kt_frame *frame, char *out, size_t size);

/* Its file, or the object it is in; NULL: not known, or a routine. */
const char *kt_frame_file(const struct kt_frame *frame);

/* 0: not known. */
int kt_frame_line(const struct kt_frame *frame);

#endif
