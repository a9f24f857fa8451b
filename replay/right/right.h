/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Are the results of libraries right? Each shape is called on each library, on operands that are the same for all, in
 * a process of its own (replay/right/trial.h), and
 *
 *   - what the table says about the results must hold (replay/right/residual.h),
 *   - they may differ from those of the reference library only as much as rounding explains
 * (replay/right/difference.h),
 *   - info must be that of the reference library, or 0 if the recorded call ended with 0,
 *   - nothing outside what the call writes may change (replay/right/guard.h),
 *   - all this must hold again when everything that is no input holds something else: workspaces, gaps, operands
 *     that are only written, the stack, memory from malloc.
 *
 * All residuals are in units in which a right result has one of order 1, and one above KT_RESIDUAL_LIMIT is wrong.
 *
 * A call that does not return within its time limit is neither right nor wrong: the library, or the machine of that
 * minute, may be slow.
 */
#ifndef KT_RIGHT_H
#define KT_RIGHT_H

#include "replay/call/job.h"
#include "replay/call/library.h"

#include <jansson.h>

#define KT_RESIDUAL_LIMIT 30.0

/* Of numbers that the store keeps. */
enum kt_verdict_of_result { KT_RESULT_UNCHECKED, KT_RESULT_RIGHT, KT_RESULT_WRONG, KT_RESULT_UNFINISHED };

struct kt_rightness {
    enum kt_verdict_of_result verdict;
    double residual; /* the worst one; NAN: none was computed */
    bool lasts;      /* another check would find the same */
    char *what;      /* WRONG: how. UNCHECKED: why. UNFINISHED: within which time. Otherwise NULL. Owned */
};

struct kt_right {
    const struct kt_jobs *jobs; /* borrowed */
    size_t libraries;
    struct kt_rightness *of; /* [library * jobs->count + job]; owned */
    char without[1024];      /* why no reference library is compared with; "": one is */
    double seconds;          /* that it took */
};

struct kt_store;

struct kt_right_options {
    double budget;          /* seconds after which no further shape is begun */
    double limit;           /* seconds that a call of the reference library may take; larger shapes do without it */
    struct kt_store *store; /* of what is known to be right; NULL: none */
    const unsigned *owner;  /* by job: the number of the process that checks it; NULL: this one checks all */
    unsigned number;        /* of this process */
};

/* JOBS and the libraries, which are not loaded here, must live as long. An error means that nothing could be checked.
 */
enum kt_status kt_right_check(const struct kt_library *const *library, size_t libraries, const struct kt_jobs *jobs,
                              const struct kt_right_options *options, struct kt_right *out, struct kt_error *error);
void kt_right_free(struct kt_right *right);

/* Fills in what other processes found, and left in the store, of jobs that are theirs. */
void kt_right_read_others(const struct kt_library *const *library, const struct kt_right_options *options,
                          struct kt_right *right);

const struct kt_rightness *kt_right_of(const struct kt_right *right, size_t library, size_t job);

/* Shapes of which that is the verdict. */
size_t kt_right_count(const struct kt_right *right, size_t library, enum kt_verdict_of_result verdict);

/* Largest residual of the library; NAN: none. */
double kt_right_worst(const struct kt_right *right, size_t library);

/* Is anything of any library wrong? */
bool kt_right_found(const struct kt_right *right);

/* {"worst_residual", "residual_limit", "shapes_checked", "shapes_unchecked", "wrong": [{"routine", "args", "calls",
 * "what", "residual", "reproduce"}], "unchecked": [{"routine", "args", "calls", "why"}], "unfinished": the same,
 * "not_compared": why there is no reference library} of a library, only "worst_residual": null where nothing was looked
 * at. TRACE is for the command that reproduces. */
json_t *kt_right_json(const struct kt_right *right, size_t library, const struct kt_trace *trace);

/* What is wrong, and with which command to see it; how much was checked. NAME[i] is that of library i. */
void kt_right_print(const struct kt_right *right, const char *const *name, const struct kt_trace *trace);

#endif
