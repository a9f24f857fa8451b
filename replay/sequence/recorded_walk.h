/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of a level one by one: those of all threads, thread after thread; or those of one process in the order in
 * which they began. A part of the recording.
 */
#ifndef KT_RECORDED_WALK_H
#define KT_RECORDED_WALK_H

#include "model/tracker/timeline.h"
#include "trace/read/cursor.h"

struct kt_recorded_walk {
    enum kt_level level;
    struct kt_timeline *timeline; /* of one process; NULL: of all threads; owned */
    struct kt_cursor cursor;
    struct kt_call last;
    uint64_t last_args[KT_CONTEXT_WORDS];
    bool ended;
};

struct kt_recorded_found {
    struct kt_call call;
    uint64_t args[KT_CONTEXT_WORDS];
    double seconds;
};

/* PROCESS: its calls in the order of time; NULL: thread after thread. */
void kt_recorded_walk_begin(const struct kt_trace *trace, enum kt_level level, const struct kt_process *process,
                            struct kt_recorded_walk *out);
/* False at the end, which frees the walk. */
bool kt_recorded_walk_next(struct kt_recorded_walk *walk, struct kt_recorded_found *out);
void kt_recorded_walk_end(struct kt_recorded_walk *walk);

#endif
