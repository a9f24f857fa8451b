/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces for the tests of the reader, and what it finds in them. What is expected fails the test that runs if it is
 * not so.
 */
#ifndef KT_READ_BACK_H
#define KT_READ_BACK_H

#include "tests/parts/tracegen.h"
#include "trace/read/reader.h"

#define SPEC            "trace/routines"
#define GESV_ARGS(info) "3 1 0x1000 3 0x2000 0x3000 3 " info

enum { MS = KT_GEN_HZ / 1000, CHUNK = 4096, PID = 42 };

/* Begins a trace whose only symbol so far is ddot, which is DOT; a ddot in thread 7. */
enum { DOT = 1 };
void kt_begin_dots(struct kt_gen *gen, uint32_t pid);
void kt_add_dot(struct kt_gen *gen, unsigned depth, uint64_t start, uint64_t ticks);

/* A trace of CALLS ddots in one thread. */
void kt_make_dots(struct kt_gen *gen, int calls);

/* How many of them fit into a chunk, once the group's setup has run. */
extern int kt_dots;
int kt_dots_setup(void **state);

/* A thread's dgesv with a dgemm and a ddot in it, then a ddot of its own; another thread's ddot. */
void kt_make_nested(struct kt_gen *gen);

/* The file offset of an event of the first thread, as their lengths tell it. */
long kt_event_offset(const struct kt_gen *gen, long chunk, int event);

void kt_open_fine(const struct kt_gen *gen, struct kt_trace *trace);

/* Ends the trace and opens it; closes it and removes its files. */
void kt_read_back(struct kt_gen *gen, bool clean, struct kt_trace *trace);
void kt_read_done(struct kt_trace *trace, struct kt_gen *gen);

int kt_count_calls(const struct kt_trace *trace);
void kt_expect_note(const struct kt_trace *trace, const char *text);

/* Of a trace that has ended: so many calls and, unless NULL, this note; otherwise none. */
void kt_expect_calls(const struct kt_gen *gen, int calls, const char *note);

#endif
