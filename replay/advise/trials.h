/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorded calls and those that could take their place, timed in pairs: one right after the other in random order, in
 * the same context, and in one worker process unless library, threads or layout are what differs. That is `tracked`
 * where the trace tells where operands were, otherwise warm and cold; a pair's times are then those at the place
 * between both where the program's calls were.
 */
#ifndef KT_TRIALS_H
#define KT_TRIALS_H

#include "replay/advise/candidates.h"
#include "replay/compare/ratio.h"
#include "replay/measure/worker.h"
#include "replay/setup/setup.h"

/* The two forms of a call. */
enum { KT_RECORDED_FORM, KT_OTHER_FORM, KT_FORMS };

/* Where forms are timed. */
struct kt_trials_where {
    struct kt_library library[KT_FORMS];
    struct kt_layout layout[KT_FORMS];
    bool apart;        /* each form in processes of its own; otherwise both where the recorded one is */
    const char *label; /* of the progress bar */
};

/* What was found for a candidate. */
struct kt_tried {
    double *time, *base; /* seconds of pairs: of the other call, and of the recorded calls that it replaces; owned */
    unsigned *round;
    size_t pairs;
    struct kt_ratio ratio;
    double recorded, other; /* medians of BASE and TIME; NAN: none */
    double place;           /* 0: operands were in cache, 1: in memory; NAN: placed as the trace tells */
    const char *failure;    /* why it could not be timed, or NULL */
};

struct kt_trials {
    const struct kt_setup *setup;
    const struct kt_proposal *candidate; /* borrowed */
    struct kt_tried *tried;              /* by candidate, as all that follows; owned */
    size_t count;
    struct kt_shape_group *shape; /* two each: the recorded one and the other one; owned */
    struct kt_placements_of_shape *placed;
    struct kt_call_batch_form *batch;
    struct kt_entry *entry; /* of the other one */
    unsigned char **args;
    struct kt_shapes shapes;
    struct kt_jobs jobs[KT_FORMS]; /* of both forms, for each place where forms are timed */
    struct kt_worker worker[KT_FORMS];
    size_t places; /* one, or each form has its own */
    struct kt_schedule schedule;
    struct kt_error *error;
};

/* The library that the options name, or else the recorded one, with as many threads as they say or as recorded; of
 * LAPACK, which it may lack, as `compare` has it. OUT is to be freed also after an error. */
enum kt_status kt_trials_library(const struct kt_replay_options *options, const struct kt_trace *trace,
                                 struct kt_library *out, struct kt_error *error);

/* Seconds of all processes of the program. */
double kt_trials_program(const struct kt_trace *trace);

/* Makes the calls ready; takes the libraries over. OUT, the setup and the candidates must stay where they are. */
void kt_trials_open(const struct kt_setup *setup, const struct kt_proposal *candidate, size_t count,
                    struct kt_trials_where *where, struct kt_trials *out);
/* Times them within BUDGET seconds, or until the user interrupts. An error means that no worker can be started. */
enum kt_status kt_trials_run(struct kt_trials *trials, double budget, struct kt_error *error);
void kt_trials_close(struct kt_trials *trials);

/* Pairs of a candidate for statistics over several; the weight is the time of its calls in the program. */
struct kt_pairs kt_trials_pairs(const struct kt_trials *trials, size_t i);

#endif
