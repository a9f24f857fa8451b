/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways to calls that a process's definitions tell (KTRACE_STACKS=paths): what the recorder kept of a stack, or the
 * return addresses that were found on it since (FORMAT.md, "stack" and "path").
 */
#ifndef KT_STACKS_H
#define KT_STACKS_H

#include "trace/read/reader.h"

struct kt_stack_word {
    uint64_t at, value;
};

/* Zeros: never defined. */
struct kt_stack {
    uint64_t caller;            /* the return address of the call */
    uint64_t pc, sp, fp, bytes; /* where unwinding begins, and what was read from SP on; 0: it is done */
    struct kt_stack_word *word; /* of the stack, by place; all others are not told */
    size_t words;
    uint64_t *address; /* return addresses, CALLER first; NULL: nobody has looked */
    size_t addresses;
};

/* NULL: not known. SOURCE: of a call. */
const struct kt_stack *kt_stack_of(const struct kt_process *process, uint32_t source);

/* Lines of the definitions, by their fields. They return what is wrong, or NULL. */
const char *kt_stack_define(struct kt_process *process, char **field);
const char *kt_stack_define_path(struct kt_process *process, char **field);

void kt_stacks_free(struct kt_process *process);

#endif
