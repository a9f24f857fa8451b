/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of an open trace, one after the other. The reader has checked them all: nothing can fail here.
 */
#ifndef KT_CURSOR_H
#define KT_CURSOR_H

#include "trace/reader.h"

/* A call as stored. Pointers stay valid as long as the trace is open. */
struct kt_call {
    uint64_t n; /* 0, 1, ... in the order of kt_cursor_next */
    const struct kt_process *process;
    uint32_t tid;
    const struct kt_entry *entry;
    const struct kt_record *record; /* head; depth, cpu, start, ticks, caller */
    const unsigned char *args;      /* entry->symbol.arg_bytes of them */
    int64_t parent;                 /* n of the call it is nested in, -1: none */
    bool complete;                  /* it has returned */
};

/* All calls: process by process, thread by thread, in the order in which they began. */
enum { KT_CURSOR_LEVELS = 64 };
struct kt_cursor {
    const struct kt_trace *trace;
    size_t process, stream;
    size_t span;     /* of good records in the stream */
    uint64_t offset; /* in the span */
    uint64_t n;
    int64_t open[KT_CURSOR_LEVELS];   /* n of the last call at each depth, -1: none that can be a parent */
    uint64_t until[KT_CURSOR_LEVELS]; /* ticks when that call ended */
};
void kt_cursor_begin(const struct kt_trace *trace, struct kt_cursor *out);
bool kt_cursor_next(struct kt_cursor *cursor, struct kt_call *out);

/* Duration of a call in seconds without the clock readings; never negative. */
double kt_call_seconds(const struct kt_call *call);

/* Value of the info argument, if the routine has one and the call has returned. */
bool kt_call_info(const struct kt_call *call, int64_t *info);

#endif
