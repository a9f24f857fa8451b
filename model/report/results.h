/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which call made the results of two runs differ: their outermost calls in pairs, by thread and order, compared by the
 * sums over their operands (trace/read/checksums.h).
 */
#ifndef KT_RESULTS_H
#define KT_RESULTS_H

#include "model/report/distances.h"
#include "trace/read/checksums.h"

enum { KT_RESULT_NAMES = 160 };

/* A call of both runs, or where one has another call than the other. */
struct kt_result_pair {
    bool is_there;
    double when;                 /* s, in the first run */
    struct kt_call call[2];      /* kept; of a run that has no further call, without entry */
    uint64_t number[2];          /* as `ktrace dump` numbers them */
    char names[KT_RESULT_NAMES]; /* of the operands, scalars and so on that differ, separated by blanks */
    bool sampled;                /* some of these are summed in part */
};

struct kt_results {
    bool has_in, has_out;            /* both runs have sums before, or after */
    size_t processes[2], threads[2]; /* threads: that made calls */
    uint64_t calls[2];               /* outermost ones */
    uint64_t same, differ, inputs_differ, unknown;
    struct kt_result_pair first;       /* inputs agree, or are not known if there are none, and outputs differ */
    struct kt_result_pair first_input; /* inputs differ */
    struct kt_result_pair order;       /* the runs make different calls from here on, in that thread; */
    size_t orders;                     /* in so many threads */
    struct kt_distances distances;
};

/* The traces must stay open as long as OUT. */
void kt_results_make(const struct kt_trace trace[2], struct kt_results *out);
void kt_results_free(struct kt_results *results);

/* Do the runs differ in anything? */
bool kt_results_differ(const struct kt_results *results);

#endif
