/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shapes of calls that nobody made, as if they had been recorded, and the jobs of a worker that follow from them.
 */
#ifndef KT_FORGE_H
#define KT_FORGE_H

#include "replay/call/job.h"
#include "replay/setup/timing.h"

struct kt_forged {
    struct kt_shape_group *shape; /* by call, as the others; owned */
    struct kt_entry *entry;
    unsigned char **args;
    size_t count;
    struct kt_shapes shapes;
    struct kt_jobs jobs;
    size_t *job_of; /* by call: number of its job + 1, or 0 */
};

/* Operands are far apart, so that the arena keeps what their addresses are modulo the page. OUT must stay where it is.
 */
void kt_forge(const struct kt_timing_call *call, size_t calls, size_t int_bytes, struct kt_forged *out);
/* The reverse of kt_values_decode() for a Fortran call; ARGS has room for symbol->arg_bytes. */
void kt_forge_encode(const struct kt_symbol *symbol, const struct kt_values *values, unsigned char *args);

void kt_forged_free(struct kt_forged *forged);

#endif
