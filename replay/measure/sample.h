/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One timed call: operands restored and brought into a context, the clock read as the shim reads it, one call.
 *
 * A call is short enough for one reading to be exact to the clock's own cost, which is subtracted; what is timed is
 * then what was recorded in situ, also a single call between two readings.
 */
#ifndef KT_SAMPLE_H
#define KT_SAMPLE_H

#include "replay/call/call.h"
#include "replay/call/data.h"
#include "replay/measure/disturbance.h"
#include "replay/call/job.h"
#include "replay/measure/stage.h"
#include "replay/measure/strangers.h"
#include "replay/measure/workingset.h"

struct kt_sampler {
    struct kt_arena arena;
    struct kt_layout layout;
    uint64_t page; /* places of sets of operands are multiples of it */
    struct kt_stage *stage;
    struct kt_data_pool *pool;
    const struct kt_job *job;                   /* whose operands are in the arena, or NULL */
    bool made;                                  /* their contents are made, whatever is known of them */
    struct kt_operand operand[KT_MAX_OPERANDS]; /* of that job, at addresses of this process */
    uint64_t address[KT_MAX_OPERANDS];
    struct kt_operand other[KT_MAX_OPERANDS]; /* the same elsewhere, where a call brings the code back */
    uint64_t other_address[KT_MAX_OPERANDS];
    bool has_other;
    uint64_t state;                      /* of random places */
    uint64_t contents;                   /* how many different ones operands have had */
    uint64_t start_ticks, start_ns;      /* for the length of a tick */
    double clock_ticks;                  /* what two readings cost */
    struct kt_disturbances disturbances; /* of the calls timed so far; the caller may empty it */
    struct kt_timer timer;               /* of another kind than the wall timer, whose readings are taken here */
    struct kt_workingset *set;           /* KT_TIMER_SETS: of the job, opened when it is first timed cold; owned */
    const struct kt_job *first_job;      /* of all */
    uint64_t *flush_bytes;               /* by job: see kt_workingset_grow; owned */
    struct kt_strangers strangers;       /* none unless the caller finds them */
    double thunk_ticks;                  /* what the job's thunk does; below 0: not measured yet */
    /* Writes what operand number I holds, unless it returns false; NULL: nobody knows. The caller may set it. */
    bool (*fill)(const struct kt_job *job, int i, uint64_t at);
};

/* How to call a job: in which function, with integers of which width. */
struct kt_target {
    void *function;
    size_t int_bytes;
};

/* For these jobs, a library with so many threads, and contexts for which the hierarchy is calibrated. */
enum kt_status kt_sampler_open(const struct kt_jobs *jobs, int threads, const struct kt_hierarchy *hierarchy,
                               struct kt_sampler *out, struct kt_error *error);

/* Puts the operands of the job into the arena, unless they are there already. True if they were not. MADE: with made
 * contents also where it is known what they held. */
bool kt_sampler_prepare(struct kt_sampler *sampler, const struct kt_job *job, bool made);

/* Times one call of the prepared job in seconds, in a context that the plan, made for it, brings about, or several
 * single calls, each in that context, where the clock's steps are too large for one (kt_timer_calls): their mean. *INFO
 * is the info result of the last. */
double kt_sampler_time(struct kt_sampler *sampler, const struct kt_target *target, const struct kt_plan *plan,
                       int64_t *info);

#endif
