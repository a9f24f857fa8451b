/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of an open trace, one after the other. The reader has checked them all: nothing can fail here.
 */
#ifndef KT_CURSOR_H
#define KT_CURSOR_H

#include "trace/files/event.h"
#include "trace/read/reader.h"

#include <math.h>

/* A call as stored. ARGS and COUNTER are valid until the next one is asked for, all else as long as the trace is open.
 */
struct kt_call {
    uint64_t n; /* 0, 1, ... in the order of kt_cursor_next */
    const struct kt_process *process;
    uint32_t tid;
    unsigned depth; /* calls that it is nested in, recorded or not */
    const struct kt_entry *entry;
    uint64_t version;          /* calls of an entry with the same one differ in addresses and info only; 0: not known */
    uint64_t caller;           /* return address */
    uint32_t source;           /* the source line that it was made from (kt_source_line); 0: not known */
    const unsigned char *args; /* entry->symbol.arg_bytes of them */
    int64_t parent;            /* n of the call it is nested in, -1: none */
    uint32_t region;           /* the innermost one that its thread is in (trace/read/regions.h); 0: none */
    bool complete;             /* it has returned; otherwise what follows is 0 */
    bool migrated;             /* it began on another processor */
    bool in_parallel;          /* within a parallel region of the program's OpenMP; of GCC's, others are not known */
    unsigned cpu;              /* where it ended, or where it began */
    uint64_t start, ticks;     /* with the clock readings */
    int64_t faults;            /* page faults that its thread met in it; -1: not known, as it is of short calls */
    uint64_t nested;           /* calls recorded while it ran: those in it, those in these, ... */
    /* Of an outermost call; those recorded in it have the same (KTRACE_NESTED). */
    bool inside_recorded; /* what nests in it is recorded, if anything does; of traces before 2.2 always true */
    double weight;   /* how many outermost calls its inside stands for; 1: for itself alone; 0: it is not recorded */
    uint64_t passed; /* calls, of any depth, that were passed on in it and not recorded; 0 for nested ones */
    const uint64_t *counter; /* what the process's events counted; KT_NOT_COUNTED: not available */
    unsigned counters;
};

#define KT_NOT_COUNTED UINT64_MAX

/* Where the program made the call: its source line if that is known, else the return address. No address has that bit.
 */
#define KT_SITE_IS_SOURCE ((uint64_t)1 << 63)

static inline uint64_t kt_call_site(const struct kt_call *call)
{
    return call->source ? KT_SITE_IS_SOURCE | call->source : call->caller;
}

/* A copy of the call whose arguments live as long as it does, without counters. To be dropped. */
struct kt_call kt_call_keep(const struct kt_call *call);
void kt_call_drop(struct kt_call *kept);

/* Calls in progress, the outermost first; deeper ones are no parents. */
enum { KT_CURSOR_LEVELS = 64 };

struct kt_open_call {
    unsigned depth;
    int64_t n; /* -1: its symbol is not defined */
};

/* All calls: process by process, thread by thread, in the order in which they began. */
struct kt_cursor {
    const struct kt_trace *trace;
    size_t process, stream;
    size_t span;                   /* the next of the stream */
    const unsigned char *at, *end; /* what is left of the one before it */
    uint64_t passed;               /* bytes of the stream that need not stay in memory */
    uint64_t last;                 /* ticks: the last end of a call in the chunk, or its anchor */
    size_t late;                   /* of the stream's ends that are told elsewhere */
    uint64_t n;
    uint64_t versions;       /* so many sets of arguments were told apart */
    uint32_t region, deeper; /* where the thread is (trace/read/regions.h) */
    size_t opens;
    struct kt_open_call open[KT_CURSOR_LEVELS];
    const unsigned char *drawn; /* the event behind the last INSIDE, and what weight that said */
    double drawn_weight;
    double weight; /* of the last call */
    bool inside;   /* what nests in that is recorded */
    struct kt_contexts contexts;
    uint64_t args[KT_CONTEXT_WORDS]; /* of a call that returned something */
};
void kt_cursor_begin(const struct kt_trace *trace, struct kt_cursor *out);
/* From the first call of a stream on; versions differ from those of calls of the other streams. */
void kt_cursor_begin_stream(const struct kt_trace *trace, size_t process, size_t stream, struct kt_cursor *out);
bool kt_cursor_next(struct kt_cursor *cursor, struct kt_call *out);

/* Has it a duration that can be? Counters of processors that differ show here. */
static inline bool kt_call_is_plausible(const struct kt_call *call)
{
    const struct kt_process *p = call->process;
    return !call->complete || !p->longest_ticks ||
           (call->ticks <= p->longest_ticks && call->start - p->first_ticks <= p->longest_ticks);
}

/* Duration of a call in seconds, without the clock readings and without what recording the calls nested in it took;
 * never negative, and 0 if it cannot be. */
static inline double kt_call_seconds(const struct kt_call *call)
{
    const struct kt_process *p = call->process;
    bool known = call->complete && kt_call_is_plausible(call);
    double ticks = known ? (double)call->ticks - p->clock_ticks - (double)call->nested * p->self_ticks : 0;
    return ticks > 0 ? ticks * p->tick_seconds : 0;
}

/* Seconds since the trace's first process began to record; NAN for calls that have not returned: their start is not
 * stored yet. */
static inline double kt_call_start(const struct kt_call *call)
{
    const struct kt_process *p = call->process;
    return call->complete ? p->start + (double)(int64_t)(call->start - p->first_ticks) / p->tick_hz : NAN;
}

/* Value of the info argument, if the routine has one and the call has returned. */
bool kt_call_info(const struct kt_call *call, int64_t *info);

#endif
