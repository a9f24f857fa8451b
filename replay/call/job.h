/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job is a recorded shape made ready for replay: its operands and their places in the arena.
 */
#ifndef KT_JOB_H
#define KT_JOB_H

#include "replay/call/batch.h"
#include "replay/call/held.h"
#include "model/tracker/placement.h"
#include "replay/call/timer.h"
#include "trace/shape/shape.h"
#include "trace/base/stats.h"

struct kt_job {
    const struct kt_shape_group *shape;
    struct kt_operand operand[KT_MAX_OPERANDS]; /* base, lo and hi count from the arena's base */
    int operands;
    uint64_t address[KT_MAX_OPERANDS];           /* pointers to pass, from the arena's base */
    uint64_t bytes;                              /* of the arena */
    bool restore[KT_MAX_OPERANDS];               /* the call changes what it reads there */
    size_t int_bytes;                            /* of the library that was recorded */
    int64_t info;                                /* of most of its calls, 0 if it has none */
    struct kt_stat insitu;                       /* of all its calls */
    const struct kt_placements_of_shape *placed; /* where its operands were; NULL: not known; borrowed */
    const struct kt_snapshot *held;  /* what its operands held; NULL: not known, contents are made; borrowed */
    struct kt_call_batch_form batch; /* that the call is timed in; without a batch it is timed alone */
    char *refused;                   /* why it cannot be replayed, or NULL; owned */
    bool by_chance;                  /* that may not hold another time */
};

struct kt_jobs {
    struct kt_job *job; /* largest total first */
    size_t count;
    uint64_t bytes; /* of the arena that holds any one of them */
    struct kt_layout layout;
    enum kt_timer_kind timer; /* that they are to be timed with */
    int processor;            /* on which, with one thread; KT_NO_PROCESSOR: any */
};

struct kt_jobs_rules {
    const char *filter; /* patterns of routines, joined by commas; NULL: all */
    uint64_t limit;     /* bytes that operands may take */
    struct kt_layout layout;
    const struct kt_placements_of_shape *placed; /* by shape; NULL: not known */
    const struct kt_snapshot **held;             /* by shape; NULL: none is known */
    const struct kt_call_batch_form *batch;      /* by shape; NULL: all calls are timed alone */
    enum kt_timer_kind timer;
};

/* Jobs of the shapes that match. SHAPES, what is placed and held must live as long. */
void kt_jobs_make(const struct kt_shapes *shapes, const struct kt_jobs_rules *rules, struct kt_jobs *out);
void kt_jobs_free(struct kt_jobs *jobs);

/* Records why the job is not replayed; the first reason stays. */
void kt_job_refuse(struct kt_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
