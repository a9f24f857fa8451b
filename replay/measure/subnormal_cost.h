/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What subnormal numbers cost: calls of shapes whose snapshot, or the results of a call on it, hold such numbers, or
 * that meet them on the way, as in partial sums, are timed on recorded and on made contents, one right after the other,
 * with operands in the caches.
 */
#ifndef KT_SUBNORMAL_COST_H
#define KT_SUBNORMAL_COST_H

#include "replay/measure/worker.h"

#include <jansson.h>

struct kt_subnormal_cost {
    uint64_t held;                 /* subnormal numbers in what the call reads */
    uint64_t left;                 /* in what it leaves */
    bool met;                      /* by an instruction of it, as far as the processor tells */
    struct kt_stat recorded, made; /* seconds; n = 0: not measured */
};

/* Of the first COUNT jobs, the heaviest, for about so many seconds. OUT: one for each job, to be freed; NULL: none of
 * these has recorded contents. */
enum kt_status kt_subnormal_costs(struct kt_worker *worker, size_t count, double budget, struct kt_subnormal_cost **out,
                                  struct kt_error *error);

/* {"operands": see kt_subnormals_json, "left", "met", "context", "seconds", "seconds_ordinary"}; null if there are no
 * such numbers. */
json_t *kt_subnormal_cost_json(const struct kt_job *job, const struct kt_subnormal_cost *cost);

#endif
