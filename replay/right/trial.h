/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single calls of recorded shapes whose results are looked at. A trial is a process that holds one library and calls
 * on operands in memory that it shares with the tool: the tool fills them, has the call made, and finds the results in
 * place. A library that crashes, hangs or ends its process ends a trial and nothing else.
 */
#ifndef KT_TRIAL_H
#define KT_TRIAL_H

#include "replay/call/call.h"
#include "replay/measure/child.h"
#include "replay/call/job.h"
#include "replay/call/library.h"

/* Memory of the tool and of the processes that it starts from then on: jobs' operands with room before and behind. */
enum { KT_GROUND_MARGIN = 65536 };

struct kt_ground {
    unsigned char *base;
    uint64_t bytes;
};

enum kt_status kt_ground_open(uint64_t bytes, struct kt_ground *out, struct kt_error *error);
void kt_ground_close(struct kt_ground *ground);

enum kt_trial_end { KT_TRIAL_RETURNED, KT_TRIAL_MISSING, KT_TRIAL_ENDED };

struct kt_trial_result {
    enum kt_trial_end end;
    int64_t info; /* 0 if the routine has none */
    struct kt_returned returned;
    double seconds;
    bool timeout; /* ENDED: it was killed for taking too long, LIMIT seconds */
    double limit;
    char why[KT_CHILD_END]; /* ENDED */
};

struct kt_trial {
    const struct kt_library *library; /* borrowed, not loaded */
    const struct kt_jobs *jobs;
    const struct kt_ground *ground;
    bool plain; /* nothing is filled but operands, and what the library prints goes nowhere */
    struct kt_child child;
};

void kt_trial_prepare(const struct kt_library *library, const struct kt_jobs *jobs, const struct kt_ground *ground,
                      struct kt_trial *out);

/* Starts a process if there is none. */
enum kt_status kt_trial_start(struct kt_trial *trial, struct kt_error *error);

/*
 * Calls job number JOB, whose operands are at its places from the ground's base + KT_GROUND_MARGIN on, and waits for at
 * most so many seconds. FILLING is written to the stack below the call and to the memory that malloc gives next, up to
 * half a MB, unless the trial is plain. Starts a process if there is none; an error means that none can be started.
 */
enum kt_status kt_trial_call(struct kt_trial *trial, size_t job, unsigned char filling, double limit,
                             struct kt_trial_result *out, struct kt_error *error);
void kt_trial_close(struct kt_trial *trial);

#endif
