/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the time of a trace goes: its calls summed up by routine, by caller, by thread and by process.
 *
 * Calls nest: a LAPACK routine calls BLAS routines. Time counts once: what a group of calls took "inclusive" leaves
 * out calls nested in a call of the same group, and "self" leaves out all nested calls. Callers, threads and
 * processes count outermost calls only, those that the application itself made.
 */
#ifndef KT_SUMMARY_H
#define KT_SUMMARY_H

#include "model/summary/inside_calls.h"

/* Of a routine that is called within outermost calls of which only some have their inside recorded: what of the sum is
 * an estimate, and from how many of the outermost calls that contain it. */
struct kt_sum_estimate {
    struct kt_estimate of[KT_INSIDE_TIMED]; /* calls, seconds, seconds of its own */
    uint64_t sampled, outermost;
};

/* What one group of calls adds up to. */
struct kt_sum {
    const char *routine;                    /* by routine and by caller; otherwise NULL; borrowed */
    const struct kt_process *process;       /* by thread and process, and of parts; by caller the first one that has
                                               the place; otherwise NULL */
    uint64_t id;                            /* by caller: kt_call_site(); by thread: its id */
    uint64_t calls;                         /* by caller: outermost ones; by thread and process: recorded ones */
    uint64_t calls_top;                     /* outermost ones among them */
    uint64_t recorded;                      /* by routine: of CALLS, as far as they are in the trace */
    double seconds;                         /* inclusive; by caller, thread and process: of outermost calls */
    double seconds_self;                    /* by routine: without nested calls */
    double flops, bytes;                    /* by routine: of the calls that SECONDS covers; NAN: not known */
    const struct kt_sum_estimate *estimate; /* by routine: NULL if all is exact; the summary's */
};

struct kt_sums {
    struct kt_sum *sum; /* largest inclusive time first */
    size_t count;
};

struct kt_summary {
    uint64_t calls; /* all records */
    uint64_t calls_top;
    uint64_t passed;                /* nested calls that were not recorded (KTRACE_NESTED) */
    uint64_t unfinished;            /* calls that have not returned: they have no time */
    const struct kt_process *first; /* the process that began first */
    double seconds;                 /* wall time of the longest process, from its begin to its end, */
    double seconds_before;          /* and how much of it was before its first call */
    double seconds_all;             /* wall time of all processes added */
    double seconds_blas;            /* of outermost calls */
    double squares;                 /* of the seconds of outermost calls, added; NAN: not known */
    double seconds_self;            /* of all routines: the same, but for calls inside one that has not returned */
    struct kt_sums routines, threads, processes;
    struct kt_sums callers; /* each with one routine */
    struct kt_sums parts;   /* what each process contributes to each routine; in no useful order. Only outermost calls
                               where SAMPLED */
    bool sampled;           /* nested calls are recorded in some outermost calls only: */
    bool estimated;         /* and there are such calls, so that what routines do is an estimate */
    struct kt_inside_found inside;
    struct kt_sum_estimate *estimate; /* by number of the routine in INSIDE; owned */
};

/* Sums up a whole trace. */
void kt_summary_collect(const struct kt_trace *trace, struct kt_summary *out);

/* Seconds in all outermost calls, of which one in SAMPLE was recorded, with a 95 % interval; lo and hi NAN: not known.
 */
struct kt_estimate kt_summary_of_all(const struct kt_summary *summary, uint64_t sample);
void kt_summary_free(struct kt_summary *summary);

/* The same step by step, for a walk that has more to do. Calls come in the order of kt_cursor_next; finish frees the
 * summariser. */
struct kt_summariser;
struct kt_summariser *kt_summariser_new(void);
void kt_summariser_add(struct kt_summariser *summariser, const struct kt_call *call);
/* The same with seconds that kt_inside_walk_add returned: nested calls are counted, and their times estimated at the
 * end. */
void kt_summariser_add_settled(struct kt_summariser *summariser, const struct kt_call *call, double seconds);
void kt_summariser_add_profiles(struct kt_summariser *summariser,
                                const struct kt_trace *trace); /* what is in no walk */
void kt_summariser_finish(struct kt_summariser *summariser, struct kt_summary *out);
/* Behind finish, once; frees the walk. */
void kt_summary_add_inside(const struct kt_trace *trace, struct kt_summary *summary, struct kt_inside_walk *walk);
void kt_summary_add_wall_times(const struct kt_trace *trace, struct kt_summary *out);

#endif
