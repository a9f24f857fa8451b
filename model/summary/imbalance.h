/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How evenly the ranks of a job share its BLAS and LAPACK time: the time of the busiest rank over the mean of all, for
 * everything and for each routine. 1 is even; the busiest rank would be done 1 - 1/imbalance earlier if it were.
 * A rank without a trace made no call that can be seen, or its trace was not given; it does not count.
 */
#ifndef KT_IMBALANCE_H
#define KT_IMBALANCE_H

#include "model/summary/summary.h"
#include "trace/shape/ranks.h"

struct kt_rank_time {
    uint64_t calls, calls_top;
    double seconds_blas; /* of outermost calls */
};

/* Of one routine, inclusive times, or of all, outermost calls; of a routine outermost calls, too, where nested ones are
 * sampled. */
struct kt_balance {
    const char *routine; /* NULL: all; borrowed */
    double max, min, mean;
    size_t max_rank, min_rank; /* index in the ranks */
};

struct kt_imbalance {
    struct kt_ranks ranks;
    struct kt_rank_time *time; /* one for each of them */
    struct kt_balance all;     /* if there are ranks */
    struct kt_balance *routine;
    size_t routines; /* the one that keeps the busiest rank longest behind the mean first */
};

void kt_imbalance_find(const struct kt_trace *trace, const struct kt_summary *summary, struct kt_imbalance *out);
void kt_imbalance_free(struct kt_imbalance *imbalance);

/* max / mean; NAN if there was no time. */
double kt_balance_ratio(const struct kt_balance *balance);

#endif
