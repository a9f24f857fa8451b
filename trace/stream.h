/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread's stream: finds the chunks of the file that can be believed and, in each, the records that can be.
 * A part of the reader, whose files alone include this.
 */
#ifndef KT_STREAM_H
#define KT_STREAM_H

#include "trace/reader.h"

/* Good records in a row, as offsets in the file. */
struct kt_span {
    uint64_t begin, end;
};

struct kt_stream {
    char *path;
    uint32_t tid;
    const unsigned char *bytes;
    size_t size;
    bool mapped; /* otherwise a copy in memory */
    struct kt_span *span;
    size_t spans;
    uint64_t calls;          /* in the spans */
    uint64_t completed;      /* of those, calls that have returned */
    uint64_t last_ticks;     /* when the last sign of life was given */
    struct kt_anchor anchor; /* of the last chunk */
    uint64_t lost[KT_LOSS_COUNT];
};

/* COPY: the process is still running, so that the file may shrink and records may change at any time. */
enum kt_status kt_stream_load(const char *path, bool copy, struct kt_stream *out, struct kt_error *error);
void kt_stream_free(struct kt_stream *stream);

/* Fills in everything from spans on. Needs the process's entries; notes go to the trace. */
void kt_stream_check(struct kt_stream *stream, const struct kt_process *process, struct kt_trace *trace);

/* Has the call returned? Both fields are written then, in no particular order. */
static inline bool kt_record_is_complete(const struct kt_record *record)
{
    return record->ticks != 0 && record->start != 0;
}

#endif
