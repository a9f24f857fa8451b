/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Profiles: what calls add up to, by shape, where the calls themselves were not recorded. The reader has checked all of
 * it when the trace was opened. What works on calls works on the counts of a profile as well, one cell after the other.
 */
#ifndef KT_PROFILE_READER_H
#define KT_PROFILE_READER_H

#include "trace/read/cursor.h"
#include "trace/base/samples.h"

/*
 * What counts of nested calls stand for where nested calls are counted in some outermost calls only (KTRACE_NESTED):
 * each call counts as often as the inside that it is in stands for outermost calls; so do outermost calls whose
 * inside was recorded, and no others. Where nested calls are counted in all, each counts once.
 */
struct kt_counts_weighted {
    bool is_known; /* false: of calls without room for their shape, which count once here */
    double calls, seconds;
    double nested, nested_seconds; /* calls nested in them, one level down */
};

/* Calls of one shape, or without room for their shape; of one thread at a time, in one kind of nesting. */
struct kt_counts {
    struct kt_call call; /* the first one; complete if any is. Without a shape: args is NULL */
    enum kt_nesting nesting;
    const struct kt_entry *outermost; /* of nested calls: the outermost one that they are in; NULL: not known */
    uint64_t begun, calls;            /* of these, CALLS have returned */
    double seconds; /* of outermost calls without what recording their insides took, if there are others to tell that */
    double seconds_self;
    uint64_t leaves; /* of CALLS, those that contain no call, counted or passed on */
    double seconds_leaves;
    bool nest; /* there are calls in them, counted or passed on */
    uint64_t
        drawn; /* of outermost CALLS, those whose inside was recorded; in the others nested calls of any depth were */
    uint64_t passed;
    struct kt_counts_weighted weighted;
    bool is_current; /* the innermost call in progress, if any, is one of them */
    const struct kt_cell *cell;
};

/* All counts of a trace; ARGS of a call and CELL are valid until the next. */
struct kt_counts_cursor {
    const struct kt_trace *trace;
    size_t process, stream, cell;
    uint64_t n;
    uint64_t word[KT_CONTEXT_WORDS]; /* of the call, with what it returned */
};
void kt_counts_begin(const struct kt_trace *trace, struct kt_counts_cursor *out);
bool kt_counts_next(struct kt_counts_cursor *cursor, struct kt_counts *out);

/* N calls took from FROM to TO seconds. */
typedef void kt_counts_visitor(void *arg, double from, double to, uint64_t n);
/* Durations of the calls as far as the histogram tells: at most as many as there are calls. */
void kt_counts_durations(const struct kt_counts *counts, kt_counts_visitor *visit, void *arg);
void kt_counts_samples(const struct kt_counts *counts, bool only_leaves, struct kt_samples *out);

/* What each thread has done. */
struct kt_thread_counts {
    const struct kt_process *process;
    uint64_t tid; /* 0: threads that are not known one by one */
    uint64_t calls, calls_top;
    double seconds; /* of outermost calls, as in kt_counts */
};
size_t kt_thread_counts(const struct kt_trace *trace, struct kt_thread_counts **out); /* to be freed */

/* Threads that made calls. */
size_t kt_process_threads(const struct kt_process *process);

bool kt_process_is_profile(const struct kt_process *process);
/* Is any process of the trace a profile? */
bool kt_is_profile(const struct kt_trace *trace);

#endif
