/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How launchers of parallel programs tell a process which one of how many it is: by variables of its environment. So
 * the rank is known without MPI, before the program begins, and in programs that never use MPI.
 *
 * The first row whose rank variable holds a number counts: a launcher proper comes before the batch system that it may
 * run under, whose variables would say where the launcher itself runs. Columns: rank, number of ranks, name of the job;
 * "" where the launcher has none.
 */
#ifndef KTRACE_LAUNCHER_H
#define KTRACE_LAUNCHER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define KT_LAUNCHERS(X)                                                                        \
    X("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE") /* Open MPI */         \
    X("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "")                 /* MVAPICH 2 */        \
    X("MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", "")                 /* MVAPICH 3 */        \
    X("PMI_RANK", "PMI_SIZE", "PMI_JOBID")                              /* MPICH, Intel MPI */ \
    X("PALS_RANKID", "", "PALS_APID")                                   /* HPE Cray PALS */    \
    X("ALPS_APP_PE", "", "ALPS_APP_ID")                                 /* Cray ALPS */        \
    X("JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "")                   /* IBM jsrun */        \
    X("FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_JOB_ID")                 /* Flux */             \
    X("PMIX_RANK", "SLURM_STEP_NUM_TASKS", "PMIX_NAMESPACE")            /* any with PMIx */    \
    X("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "")                       /* srun */

/* Of the batch system, where the launcher names no job. */
#define KT_JOBS(X) X("SLURM_JOB_ID") X("PBS_JOBID") X("LSB_JOBID")

struct kt_launched {
    int64_t rank;    /* -1: not known */
    int64_t ranks;   /* 0: not known */
    const char *job; /* in the environment; NULL: not known */
};

/* A number without a sign, or -1. */
static inline int64_t kt_launcher_number(const char *variable)
{
    const char *text = *variable ? getenv(variable) : NULL;
    char *end;
    if (!text || *text < '0' || *text > '9')
        return -1;
    int64_t number = (int64_t)strtoul(text, &end, 10);
    return *end == '\0' && number < INT32_MAX ? number : -1;
}

static inline const char *kt_launcher_job(const char *variable)
{
    const char *job = *variable ? getenv(variable) : NULL;
#define KT_JOB_FIND(batch) \
    if (!job || !*job)     \
        job = getenv(batch);
    KT_JOBS(KT_JOB_FIND)
#undef KT_JOB_FIND
    return job && *job ? job : NULL;
}

static inline struct kt_launched kt_launched(void)
{
    static const struct {
        const char *rank, *ranks, *job;
    } launcher[] = {
#define KT_LAUNCHER_ROW(rank, ranks, job) {rank, ranks, job},
        KT_LAUNCHERS(KT_LAUNCHER_ROW)
#undef KT_LAUNCHER_ROW
    };
    for (size_t i = 0; i < sizeof launcher / sizeof *launcher; i++) {
        int64_t rank = kt_launcher_number(launcher[i].rank);
        if (rank < 0)
            continue;
        int64_t ranks = kt_launcher_number(launcher[i].ranks);
        return (struct kt_launched){rank, ranks > rank ? ranks : 0, kt_launcher_job(launcher[i].job)};
    }
    return (struct kt_launched){-1, 0, NULL};
}

#endif
