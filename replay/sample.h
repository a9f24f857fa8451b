/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One timed call: operands restored and brought into a context, the clock read as the shim reads it, one call.
 *
 * A call is short enough for one reading to be exact to the clock's own cost, which is subtracted; what is timed is
 * then what was recorded in situ, also a single call between two readings.
 */
#ifndef KT_SAMPLE_H
#define KT_SAMPLE_H

#include "replay/cache.h"
#include "replay/call.h"
#include "replay/data.h"
#include "replay/job.h"

struct kt_sampler {
    struct kt_arena arena;
    struct kt_data_pool *pool;
    const struct kt_job *job;                   /* whose operands are in the arena, or NULL */
    struct kt_operand operand[KT_MAX_OPERANDS]; /* of that job, at addresses of this process */
    uint64_t address[KT_MAX_OPERANDS];
    uint64_t state;                 /* of random places */
    uint64_t start_ticks, start_ns; /* for the length of a tick */
    double clock_ticks;             /* what two readings cost */
};

/* How to call a job: in which function, with integers of which width. */
struct kt_target {
    void *function;
    size_t int_bytes;
};

/* BYTES: of the largest job. */
enum kt_status kt_sampler_open(uint64_t bytes, struct kt_sampler *out, struct kt_error *error);

/* Puts the operands of the job into the arena, unless they are there already. True if they were not. */
bool kt_sampler_prepare(struct kt_sampler *sampler, const struct kt_job *job);

/* Times one call of the prepared job in seconds. *INFO is its info result. */
double kt_sampler_time(struct kt_sampler *sampler, const struct kt_target *target, const struct kt_context *context,
                       int64_t *info);

#endif
