/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread's stream: finds the chunks of the file that can be believed and, in each, the events that can be.
 * A part of the reader, whose files alone include this.
 */
#ifndef KT_STREAM_H
#define KT_STREAM_H

#include "trace/files/event.h"
#include "trace/read/reader.h"

/* Good events in a row, as offsets in the file; contexts are empty at its begin. */
struct kt_span {
    uint64_t begin, end;
    uint64_t anchor; /* of the chunk, in ticks */
    bool after_gap;  /* events before it are lost: what was in progress then is not known any more */
};

/* Of a call whose end is not the next event. */
struct kt_late_end {
    uint64_t at : 63;        /* where its end is in the file; 0: it has none */
    uint64_t has_passed : 1; /* a PASSED follows that */
    uint64_t nested;         /* calls that began in it, of any symbol */
};

struct kt_stream {
    char *path;
    uint32_t tid;
    const unsigned char *bytes;
    size_t size;
    bool mapped;   /* otherwise a copy in memory */
    bool borrowed; /* from a packed trace: neither */
    struct kt_span *span;
    size_t spans;
    struct kt_late_end *late; /* of each such call, in the order in which they began */
    size_t lates;
    bool is_second;                   /* the thread has another one */
    uint64_t calls;                   /* in the spans, of symbols that are defined */
    uint64_t completed;               /* of those, calls that have returned */
    uint64_t costing[KT_PRICE_COUNT]; /* of those in the spans, calls whose recording costs this */
    uint64_t outermost;               /* of CALLS, those of depth 0 */
    uint64_t inside;                  /* of those, calls in which nested ones are recorded */
    uint64_t migrated;                /* of COMPLETED, calls that ended on another processor than they began on */
    uint64_t longest;                 /* of those, the longest in ticks, and when the first and the last began */
    uint64_t earliest, latest;
    uint64_t *open; /* calls that are in progress at the end, outer ones first: how many of CALLS began before each */
    size_t opens;
    uint64_t last_ticks;     /* when the last sign of life was given */
    struct kt_anchor anchor; /* of the last chunk */
    uint64_t lost[KT_LOSS_COUNT];
    uint64_t skipped, passed;
    struct kt_profile *profile; /* not NULL: it has counts instead of events (trace/read/profile_file.h); owned */
};

/* COPY: the process may still be running, so that the file may shrink and events may be added at any time. Files that
 * are too large for that are read as they are. */
enum kt_status kt_stream_load(const struct kt_files *files, const char *path, bool copy, struct kt_stream *out,
                              struct kt_error *error);
void kt_stream_free(struct kt_stream *stream);

/* Who reads a stream's bytes from the begin on is at AT: where they are a mapped file, those before it need not stay in
 * memory. *PASSED is where they begin, 0 at first. At the end, AT is the size. */
void kt_stream_pass(const struct kt_stream *stream, uint64_t *passed, uint64_t at);
/* The same of one that was read in any order, when all of it was. */
void kt_stream_pass_all(const struct kt_stream *stream);

/* Fills in everything from spans on. Needs the process's entries; notes go to the trace. */
void kt_stream_check(struct kt_stream *stream, const struct kt_process *process, struct kt_trace *trace);

/* The event that ends the call that EVENT begins if that is the next one or EVENT itself, otherwise NULL. */
static inline const unsigned char *kt_next_end(const unsigned char *event, const unsigned char *span_end,
                                               unsigned depth)
{
    struct kt_head call = kt_event_at(event);
    const unsigned char *next = event + 8 * (size_t)call.words;
    if (call.kind == KT_EVENT_DONE)
        return event;
    if (span_end - next < 8)
        return NULL;
    struct kt_head head = kt_event_at(next);
    return kt_ends_call(head) && (head.kind == KT_EVENT_LEAF_END || head.id == depth) ? next : NULL;
}

#endif
