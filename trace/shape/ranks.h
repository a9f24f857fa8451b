/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of parallel jobs: the processes of a trace that their launcher gave the same rank of the same job. A rank
 * can be several processes, as programs start others, and processes can have no rank at all.
 */
#ifndef KT_RANKS_H
#define KT_RANKS_H

#include "trace/read/reader.h"

struct kt_rank {
    const char *job; /* "" if it has no name; borrowed */
    int64_t rank;
    int64_t of;                     /* ranks the job has as the launcher said; 0: not known */
    const struct kt_process *first; /* of its processes, the one that began first */
    size_t processes;
    uint64_t calls;
    double seconds; /* from the start of its first process to the end of its last */
};

struct kt_ranks {
    struct kt_rank *rank; /* by job and rank */
    size_t count;
    size_t jobs;
    size_t expected; /* ranks of all jobs as the launchers said: more than COUNT if some left no trace; 0: not known */
    size_t *of;      /* index = process of the trace: its rank in RANK; KT_NO_RANK */
};

#define KT_NO_RANK SIZE_MAX

void kt_ranks_find(const struct kt_trace *trace, struct kt_ranks *out);
void kt_ranks_free(struct kt_ranks *ranks);

/* The processes of a trace as a tree: each behind its parent, children by rank and in the order in which they began. */
struct kt_branch {
    const struct kt_process *process;
    int depth; /* processes of the trace that it descends from */
};

/* As many as the trace has processes; to be freed by the caller. */
struct kt_branch *kt_process_tree(const struct kt_trace *trace);

#endif
