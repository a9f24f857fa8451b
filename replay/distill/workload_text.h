/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text files of a workload: what was called in which library, and on what machine. Nothing tells of the program:
 * of a library its file's name if that is one that BLAS libraries have.
 */
#ifndef KT_WORKLOAD_TEXT_H
#define KT_WORKLOAD_TEXT_H

#include "trace/read/state.h"
#include "trace/shape/shape.h"

/* Symbols and libraries of all processes of a trace, each once. */
struct kt_workload_names {
    const struct kt_entry **entry; /* id - 1; of the first process that has it; owned */
    size_t entries;
    const struct kt_object **object; /* by id; owned */
    size_t objects;
    uint16_t **id; /* by process and entry of the trace: id in the workload, 0: none; owned */
    size_t processes;
};

/* Of what the program itself called. */
void kt_workload_names_find(const struct kt_trace *trace, const struct kt_shapes *shapes,
                            struct kt_workload_names *out);
void kt_workload_names_free(struct kt_workload_names *names);

/* Where the workload is in time. */
struct kt_workload_clock {
    struct kt_anchor first, last;
    double before; /* seconds that the program had run when its recording began */
};

/* The contents of the files; to be freed. */
char *kt_workload_meta(const struct kt_trace *trace, const struct kt_process *process,
                       const struct kt_workload_clock *clock);
char *kt_workload_definitions(const struct kt_workload_names *names);
char *kt_workload_end(const struct kt_state *state, const struct kt_workload_clock *clock, uint64_t calls,
                      uint64_t passed);
char *kt_workload_readme(void);

#endif
