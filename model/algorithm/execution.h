/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The truth that predictions are compared with: algorithms really carried out, call by call, by a library that a
 * process of its own loads.
 *
 * Candidates are compared with each other, so they take turns: in each round each runs once, in random order, on fresh
 * data that lie where they lay before. Rounds are spread over several processes, as where pages lie differs between
 * them. The library is loaded as those that time calls for models load it, for one thread. Times are wall time, or
 * processor time where others had the processor meanwhile. Ctrl-C ends it: what rounds there were are kept.
 */
#ifndef KT_EXECUTION_H
#define KT_EXECUTION_H

#include "model/algorithm/algorithm.h"
#include "trace/base/stats.h"

struct kt_candidate {
    const struct kt_algorithm *algorithm;
    double parameter[KT_MOST_PARAMETERS];
    double *seconds; /* of each round; owned once there were any, see kt_candidates_free */
    int rounds;
};

struct kt_execution_rules {
    const char *blas; /* path, soname or short name, or several joined by commas; borrowed */
    int rounds;       /* at most, at least 3 */
    int processes;
    double budget; /* seconds; no further round begins after it, but 3 there are */
};

/* In steps, for who does something else between rounds: until it does not go on, or one fails; at least 3 rounds then
 * were complete, unless it was interrupted. Closing fills in SECONDS and ROUNDS. */
struct kt_execution;
enum kt_status kt_execution_open(struct kt_candidate *candidate, size_t candidates,
                                 const struct kt_execution_rules *rules, struct kt_execution **out,
                                 struct kt_error *error);
bool kt_execution_goes_on(const struct kt_execution *execution);
enum kt_status kt_execution_round(struct kt_execution *execution, struct kt_error *error);
int kt_execution_processes(const struct kt_execution *execution); /* that there were so far */
void kt_execution_close(struct kt_execution *execution);          /* NULL is allowed */

/* All at once. Fills in SECONDS and ROUNDS of each, the same number for all: the I-th of one and of another were run in
 * turn. */
enum kt_status kt_execute(struct kt_candidate *candidate, size_t candidates, const struct kt_execution_rules *rules,
                          struct kt_error *error);
/* What kt_execute, unless it failed, or kt_execution_close made. */
void kt_candidates_free(struct kt_candidate *candidate, size_t candidates);

/* Of its rounds: best is the lower quartile. */
struct kt_stat kt_candidate_stat(const struct kt_candidate *candidate);

/* Median of the quotients A / B of their rounds, with its 95 % interval. */
struct kt_stat kt_candidate_ratio(const struct kt_candidate *a, const struct kt_candidate *b);

#endif
