/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * R's contexts (r.h): one for each function that runs, the innermost first, with the statement that ran when it began.
 */
#ifndef KT_R_CONTEXT_H
#define KT_R_CONTEXT_H

#include "preload/r_object.h"

#include <setjmp.h>

/* RCNTXT, as far as it is looked at. What follows the instruction differs: the reference is somewhere there. */
struct kt_r_context {
    struct kt_r_context *outer;
    int flag;
    sigjmp_buf jump;
    int protected, depth;
    const char *promises, *function, *parent, *call, *scope, *at_exit, *end, *end_data, *memory;
    int state[3];
    const char *bytecode, *instruction;
    const char *more[8];
};

enum { KT_R_MOST_CONTEXTS = 200 };

/* NULL: it is not that of a function. */
static inline const char *kt_r_context_closure(const struct kt_r_context *context)
{
    enum { IS_FUNCTION = 4 };
    return context->flag & IS_FUNCTION ? kt_r_object_at((const char *)&context->function, KT_R_CLOSURE) : NULL;
}

static inline const struct kt_r_context *kt_r_context_at(const struct kt_r_context *const *at)
{
    return (const struct kt_r_context *)(const void *)kt_readable_object((const char *)at, sizeof(struct kt_r_context));
}

static inline const struct kt_r_context *kt_r_context_outer(const struct kt_r_context *context)
{
    return kt_r_context_at((const struct kt_r_context *const *)&context->outer);
}

/* Looks for R's variables that tell statements. Within a slow path. */
KT_HIDDEN void kt_r_context_start(void);

/* True if it is known where contexts keep statements, which is looked for in the chain of this one. */
KT_HIDDEN bool kt_r_context_knows_statements(const struct kt_r_context *innermost);

/* The reference of the statement that is outside of a context; NULL as the context: that runs now. */
KT_HIDDEN const char *kt_r_context_statement_outside(const struct kt_r_context *inner);

/* Of all that the functions and statements of a chain depend on: equal hashes mean the same path. */
KT_HIDDEN uint64_t kt_r_context_hash(const struct kt_r_context *innermost);

#endif
