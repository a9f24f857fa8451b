/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The single calls of a workload as streams of events, one for each thread that made some, as FORMAT.md has them. What
 * nests in a call is not told, but how much it was.
 */
#ifndef KT_WINDOW_EVENTS_H
#define KT_WINDOW_EVENTS_H

#include "trace/read/cursor.h"

/* One call: words as kt_canonical_words has them. */
struct kt_window_call {
    uint16_t entry;
    const uint64_t *word;
    size_t words;
    uint64_t start, ticks;
    int64_t info, faults; /* faults -1: not known */
    uint64_t passed;      /* calls nested in it */
};

struct kt_window_stream {
    uint32_t tid; /* in the trace; in the workload threads are 1, 2, ... */
    unsigned char *bytes;
    size_t size;
    uint64_t calls, ticks, passed;
    uint64_t last; /* ticks: the end of the last call */
    struct kt_window_slot {
        uint16_t entry;
        uint64_t word[KT_CONTEXT_WORDS];
    } slot[KT_CONTEXTS];
};

/* Zeros: none yet. */
struct kt_window_streams {
    struct kt_window_stream **stream; /* owned */
    size_t count;
};

/* ANCHOR: of the workload. Calls of a thread come in their order. */
void kt_window_events_add(struct kt_window_streams *streams, uint32_t tid, const struct kt_anchor *anchor,
                          const struct kt_window_call *call);
void kt_window_events_free(struct kt_window_streams *streams);

#endif
