/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker is a process that holds one library and times jobs on request. Libraries never meet in one process, and a
 * library that crashes, hangs or exits takes only its worker with it: the job is given up on this library, a new
 * worker goes on with the others.
 */
#ifndef KT_WORKER_H
#define KT_WORKER_H

#include "replay/cache.h"
#include "replay/job.h"
#include "replay/library.h"

#include <sys/types.h>

enum { KT_VISIT_SAMPLES = 20 }; /* at most, from one request */

/* What a worker says of itself when it has loaded its library. */
struct kt_hello {
    char version[256];
    double flush_effect; /* see kt_cache_check */
    bool pinned;         /* to one processor */
};

struct kt_worker {
    struct kt_library library;
    const struct kt_jobs *jobs;
    struct kt_hello hello;
    char **failure; /* by job: why it was given up on this library, or NULL; owned */
    bool *broken;   /* by job: it ended badly, as opposed to the library not having the routine */
    pid_t pid;      /* 0: none */
    int socket;
};

/* Starts a worker for the library, which it takes over. JOBS must live as long. Close it also after an error. */
enum kt_status kt_worker_open(struct kt_library *library, const struct kt_jobs *jobs, struct kt_worker *out,
                              struct kt_error *error);
void kt_worker_close(struct kt_worker *worker);

/* Has the next request served by a new process: what differs from process to process is then sampled too. */
void kt_worker_renew(struct kt_worker *worker);

/*
 * Times a job in a context, at most KT_VISIT_SAMPLES times for short calls, into SECONDS. Returns how many, 0 if the
 * job has failed: see failure. An error means that no worker can be started any more.
 */
enum kt_status kt_worker_time(struct kt_worker *worker, size_t job, const struct kt_context *context,
                              double seconds[KT_VISIT_SAMPLES], size_t *count, struct kt_error *error);

#endif
