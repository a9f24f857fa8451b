/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorded calls of one thread in their order, as the sequence is played from: of the thread that spent most time
 * in calls of the level. Or, in company, those of all threads of its process, if they ran at the same time. Of a long
 * recording only windows are kept, each a number of calls that follow each other.
 */
#ifndef KT_RECORDED_H
#define KT_RECORDED_H

#include "replay/sequence/windows.h"
#include "trace/shape/shape.h"

/* No gap is played for longer, in seconds: what a program does between two calls has by then cooled the processor down
 * for the second one. Measured with the small dgemm of a molecular code (OpenBLAS, EPYC): 0.46 us without gaps, 0.62
 * after at most 20 us, 1.04 after 100, 1.42 after 500, 1.51 after 5000; 1.7 in the program. */
#define KT_LONGEST_GAP 0.5e-3

struct kt_recorded_call {
    const struct kt_entry *entry;
    uint64_t *args;      /* as stored; in the recording's memory */
    uint32_t shape;      /* its number */
    bool counted;        /* not one of those that only bring the caches into their state */
    bool opens;          /* a window */
    bool ok;             /* its info, if it has one, does not say that it ended early */
    bool in_parallel;    /* it was made within a parallel region of the program's OpenMP */
    unsigned seat;       /* on which it is played in company */
    bool goes_on;        /* the last one of its seat in a window, soon after which its thread made another */
    uint64_t start, end; /* ticks: in the program */
    double gap; /* seconds from the end of the call before it to its start, at most KT_LONGEST_GAP; 0: opens a window.
                   In company from the end of its thread's last call, however long */
    double seconds; /* in situ, without the cost of recording it and what is nested in it */
};

struct kt_recording {
    const struct kt_process *process;
    uint32_t tid;
    size_t threads;          /* that made calls of the level */
    unsigned seats;          /* threads that play; 0: calls of TID only, one after the other */
    double together;         /* calls that were under way at a time, when any was */
    struct kt_course course; /* of all calls that the thread made */
    double trace_seconds;    /* that those of all threads took */
    struct kt_window *window;
    size_t windows;
    struct kt_recorded_call *call; /* of the windows */
    size_t calls;
    unsigned team;     /* threads of the parallel regions that some of these were made in; 0: none was */
    uint64_t **memory; /* of the arguments; owned */
    size_t blocks, words_left;
};

/* How calls are to be played. */
struct kt_recording_how {
    enum kt_level level;
    bool gaps;    /* what is between calls will be waited for */
    bool company; /* calls that ran at the same time do so again */
};

/* OUT is to be freed also if the trace has no such call: then calls is
 * 0. */
void kt_recording_read(const struct kt_trace *trace, const struct kt_shapes *shapes, const struct kt_recording_how *how,
                       const struct kt_recording_limit *limit, struct kt_recording *out);
/* What its calls that count took in another recording of the same program: the calls of the busiest thread that stand
 * at their places, of each shape of that recording the MEAN and the MEDIAN in seconds; NAN: none. */
void kt_recording_times_in(const struct kt_recording *recording, const struct kt_trace *trace,
                           const struct kt_shapes *shapes, enum kt_level level, double *mean, double *median);
double kt_recording_gaps(const struct kt_recording *recording); /* seconds, of a pass: what is waited between calls */
void kt_recording_free(struct kt_recording *recording);

#endif
