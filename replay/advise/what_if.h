/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One change of the user's choice, tried on all shapes: each with the other form beside the recorded one, in pairs
 * (replay/advise/trials.h). Every shape has a row: where there is no other form, or no time, it says why.
 */
#ifndef KT_WHAT_IF_H
#define KT_WHAT_IF_H

#include "replay/advise/variation.h"
#include "replay/advise/trials.h"
#include "replay/setup/recall.h"
#include "trace/command/shape_source.h"

struct kt_what_if_row {
    const struct kt_shape_group *shape;
    size_t number;                          /* of the shape in its list */
    size_t trial;                           /* number of its trial; KT_NO_TRIAL: there is none */
    const char *why;                        /* there are no pairs; NULL: there are */
    double calls, insitu;                   /* that the change is for: in the program, and the seconds of them */
    struct kt_stat recorded, other;         /* seconds of a call */
    enum kt_verdict verdict;                /* on the other form */
    double seconds, seconds_lo, seconds_hi; /* that its calls in the program would take less; NAN: not known */
};

#define KT_NO_TRIAL SIZE_MAX

struct kt_what_if {
    struct kt_variation change;
    struct kt_setup setup;
    struct kt_proposal *candidate; /* owned, with the arguments in it */
    size_t candidates;
    struct kt_trials trials;
    struct kt_what_if_row *row; /* heaviest first; owned */
    size_t rows;
    struct kt_what_if_row total;        /* of all rows with pairs; only the verdict and what follows it */
    struct kt_ratio ratio;              /* of their times */
    size_t timed;                       /* such rows, */
    double insitu;                      /* and the seconds of their calls in the program */
    double program;                     /* seconds of all processes */
    double blas;                        /* of all recorded calls of the level */
    struct kt_independent *independent; /* by shape of the setup; NULL unless calls are to be in batches; owned */
    char **why_no_batch;                /* by shape, too; owned */
    unsigned loop;                      /* threads that share a batch; 1: there are none */
    struct kt_callers *callers;
    struct kt_shape_source *source; /* by shape of the setup; owned */
};

/* Opens the trace and the libraries. OUT is to be closed also after an error, and must stay where it is. */
enum kt_status kt_what_if_open(const struct kt_replay_options *options, struct kt_recall *recall,
                               struct kt_what_if *out, struct kt_error *error);
void kt_what_if_close(struct kt_what_if *what_if);

/* What the trials have come to. */
void kt_what_if_find(struct kt_what_if *what_if);

/* For people. */
void kt_what_if_print(const struct kt_what_if *what_if);
json_t *kt_what_if_json(const struct kt_what_if *what_if);

#endif
