/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker is a process that holds one library and times jobs on request. Libraries never meet in one process, and a
 * library that crashes, hangs or exits takes only its worker with it: the job is given up on this library, a new
 * worker goes on with the others.
 */
#ifndef KT_WORKER_H
#define KT_WORKER_H

#include "replay/measure/child.h"
#include "replay/measure/context.h"
#include "replay/measure/schedule.h"
#include "replay/flush/eviction.h"
#include "replay/call/job.h"
#include "replay/call/library.h"

enum { KT_VISIT_SAMPLES = 20 }; /* at most, from one request */

/* What a worker says of itself when it has loaded its library. */
struct kt_hello {
    char version[256];
    double flush_effect; /* see kt_cache_check */
    int processor;       /* that it stays on; KT_NO_PROCESSOR: on none */
};

/* Of one that was kept: does it say what a worker can say? */
bool kt_hello_is_sound(const struct kt_hello *hello);

struct kt_worker {
    struct kt_library library;
    const struct kt_jobs *jobs;
    const struct kt_hierarchy *hierarchy;
    struct kt_hello hello;
    char **failure;  /* by job: why it was given up on this library, or NULL; owned */
    bool *broken;    /* by job: it ended badly: the library has the routine, and was not just too slow */
    bool *by_chance; /* by job: its failure tells nothing of another time */
    struct kt_disturbances disturbances; /* of the samples of the last request that was served */
    bool made;                           /* contents are made also where it is known what operands held, */
    bool counts;                         /* or else subnormal numbers are counted: */
    uint64_t subnormal;                  /* in what the last call of the last request left, */
    bool met_subnormal; /* and whether an instruction met one, as far as the calling thread's processor tells */
    bool rests;         /* its process stands still while it is not asked: threads of its library disturb nobody */
    bool short_lived;   /* its processes are renewed in every round: what a first call asks for is in no sample */
    unsigned hangs;     /* jobs that did not return: after some the library is given up */
    struct kt_child child;
};

/* A worker for the library, which it takes over, so far without a process. JOBS and the hierarchy, calibrated for all
 * contexts that will be asked for, must live as long. */
void kt_worker_prepare(struct kt_library *library, const struct kt_jobs *jobs, const struct kt_hierarchy *hierarchy,
                       struct kt_worker *out);
/* Starts its process, which is otherwise started when it is needed. */
enum kt_status kt_worker_start(struct kt_worker *worker, struct kt_error *error);
void kt_worker_close(struct kt_worker *worker);

/* Has the next request served by a new process: what differs from process to process is then sampled too. */
void kt_worker_renew(struct kt_worker *worker);

/*
 * Times a job in a context, at most KT_VISIT_SAMPLES times for short calls, into SECONDS. COUNT of these count, 0 if
 * the job has failed: see failure; behind them stand those that worker->disturbances.left_out says. An error means that
 * no worker can be started any more.
 */
enum kt_status kt_worker_time(struct kt_worker *worker, size_t job, const struct kt_context *context,
                              double seconds[KT_VISIT_SAMPLES], size_t *count, struct kt_error *error);

/* Adds what kt_worker_time() has just returned to a series, with what disturbed it. */
void kt_worker_keep(const struct kt_worker *worker, unsigned round, const double *seconds, size_t count,
                    struct kt_series *series);

/* Gives up all jobs that have not failed yet, for that reason, which may not hold another time. */
void kt_worker_give_up(struct kt_worker *worker, const char *why);

#endif
