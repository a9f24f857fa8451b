/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls ran at the same time: of other threads and processes of one machine. The calls of a machine are walked
 * once, in the order in which they began. Only those that are under way are kept, so memory is that of the threads.
 */
#ifndef KT_OVERLAP_H
#define KT_OVERLAP_H

#include "trace/shape/shape.h"

/* Of some outermost calls. */
struct kt_overlap {
    double calls, at_begin; /* AT_BEGIN: calls of others that were under way when they began, added */
    double seconds, beside; /* BESIDE: seconds of calls of others while they ran, added */
};

struct kt_thread_overlap {
    const struct kt_process *process;
    uint32_t tid;
    struct kt_overlap of;
};

struct kt_overlaps {
    bool known;      /* false: there are no single calls, or only a sample of them */
    double busy;     /* seconds in which a call of a process is under way, all processes added; NAN: not known */
    double *busy_in; /* the same by process; owned */
    unsigned most;   /* calls that were under way at the same time */
    struct kt_overlap all;
    struct kt_overlap *shape; /* by shape of the outermost calls; owned */
    size_t shapes;
    struct kt_thread_overlap *thread; /* by process and thread; owned */
    size_t threads;
};

void kt_overlaps_find(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_overlaps *out);
void kt_overlaps_free(struct kt_overlaps *overlaps);

/* Of a thread that made no call zeros. */
struct kt_overlap kt_overlap_of_thread(const struct kt_overlaps *overlaps, const struct kt_process *process,
                                       uint64_t tid);

/* Calls of others when one of them began, and on the average while they ran; NAN: there are none. */
double kt_overlap_at_begin(const struct kt_overlap *of);
double kt_overlap_beside(const struct kt_overlap *of);

#endif
