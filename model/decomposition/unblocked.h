/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LAPACK routines that ran without blocks although they have blocked code and the problem is large: the library's
 * ILAENV gave them a block size of 1, or the workspace had no room for more. Told from calls whose inside was recorded:
 * the blocked routine handed all of its problem to the unblocked one, in one call. Blocked code never does, but for
 * problems below a crossover, and those are left out.
 */
#ifndef KT_UNBLOCKED_H
#define KT_UNBLOCKED_H

#include "trace/read/cursor.h"

/* Sizes up to this one may be done without blocks: the largest crossover of reference LAPACK. */
enum { KT_UNBLOCKED_SMALL = 128 };

struct kt_unblocked {
    const char *routine, *inner; /* dgeqrf, dgeqr2; borrowed from the trace */
    uint64_t seen;               /* calls with larger sizes whose inside was recorded, */
    uint64_t calls;              /* of these, those without blocks, */
    uint64_t roomy;              /* and of these, those whose workspace had room for blocks for certain */
    double seconds;              /* of CALLS */
    struct kt_call first;        /* the first of them; to be dropped */
};

struct kt_unblocked_walk;
struct kt_unblocked_walk *kt_unblocked_walk_new(void);
/* Calls come in the order of kt_cursor_next. */
void kt_unblocked_walk_add(struct kt_unblocked_walk *walk, const struct kt_call *call);
/* Frees the walk. Returns the routines that ran without blocks, most time first, to be freed with the function below.
 */
struct kt_unblocked *kt_unblocked_walk_finish(struct kt_unblocked_walk *walk, size_t *count);
void kt_unblocked_free(struct kt_unblocked *found, size_t count);

#endif
