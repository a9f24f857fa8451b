/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the recorded program again between the rounds of a replay. What a call took in one recording and what it takes
 * in a replay some minutes later differ by what the machine was like; a run and the visits and passes next to it met
 * the same spells, and are a pair. Pairs are kept as they were measured: whoever reads them compares
 * (model/decomposition/ paired.h).
 */
#ifndef KT_AGAIN_H
#define KT_AGAIN_H

#include "replay/sequence/sequence.h"
#include "replay/setup/setup.h"

#include <jansson.h>

/* By job: seconds of one call; NAN: it was not made. */
struct kt_again_times {
    double *mean, *median;
    double *played, *played_median; /* the same of those calls that the sequence plays; owned, as the others */
};

struct kt_again_run {
    double wall, cpu, blas; /* seconds of the process, of the processors for it, and of its calls */
    double calls;
    double before; /* of the replay's rounds, how many were over */
    struct kt_again_times times;
};

struct kt_again_pass {
    double before;
    double *mean, *median; /* by job; owned */
};

struct kt_again_known; /* which job a call of another recording is of */

struct kt_again {
    const struct kt_setup *setup;
    enum kt_level level;
    char **command;       /* owned */
    const char *cwd;      /* where it runs; NULL: here */
    bool has_input;       /* a file, on our standard input */
    char directory[4096]; /* of traces; "": none */
    int processor;        /* that runs stay on; KT_NO_PROCESSOR: wherever the system has them */
    double limit;         /* seconds of a run */
    int runs_wanted;
    struct kt_again_run *run; /* owned */
    size_t runs;
    struct kt_again_pass *pass; /* owned */
    size_t passes;
    double seconds;    /* that runs took */
    char stopped[300]; /* why there are no more runs, or "" */
    struct kt_again_known *known;
    size_t knowns;
};

/* COMMAND ends with NULL; NULL: as recorded, in the recorded directory. RUNS: at most that many. To be closed also
 * after an error. */
enum kt_status kt_again_begin(const struct kt_setup *setup, enum kt_level level, char *const *command, int runs,
                              struct kt_again *out, struct kt_error *error);

/* Is a run due when PART of the time is over? Will there be no more? */
bool kt_again_is_due(const struct kt_again *again, double part);
bool kt_again_is_over(const struct kt_again *again);

/* One run, when so many ROUNDS are over. A program that fails, or makes other calls than were recorded, is not run any
 * more. PLAYED: the sequence; NULL: none. */
void kt_again_run(struct kt_again *again, unsigned rounds, const struct kt_sequence *played);

/* Keeps the last pass of the sequence. */
void kt_again_keep_pass(struct kt_again *again, unsigned rounds, const struct kt_sequence *played);

void kt_again_close(struct kt_again *again);

/* Adds to the DOCUMENT of the replay, under "again", what each run took, and to each of its shapes what a call took in
 * the runs, and in each context next to them. */
void kt_again_add_json(const struct kt_again *again, const struct kt_schedule *schedule,
                       const struct kt_replay_options *options, json_t *document);

#endif
