/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of a call as a workload has them: what tells of the program or its data is gone, what the time depends on
 * stays. Operands move with all that lies near them, by whole pages: places in a page, overlaps and distances below
 * KT_LAYOUT_PIECE stay. Of a scalar its class stays (zero, one, minus one, other), of a tolerance of LAPACK the power
 * of two.
 */
#ifndef KT_CANONICAL_H
#define KT_CANONICAL_H

#include "replay/sequence/space.h"
#include "trace/read/cursor.h"

/* Zeros: no memory yet. */
struct kt_canonical {
    struct kt_ranges ranges; /* that operands of the calls cover */
    struct kt_piece *piece;  /* after settle: sorted, with their shifts; owned */
    size_t pieces;
};

void kt_canonical_add(struct kt_canonical *canonical, const struct kt_call *call);
/* All calls were added: each piece gets its place. */
void kt_canonical_settle(struct kt_canonical *canonical);

/* Those of a call; returns how many. OUT has room for KT_CONTEXT_WORDS. */
size_t kt_canonical_words(const struct kt_canonical *canonical, const struct kt_call *call, uint64_t *out);

void kt_canonical_free(struct kt_canonical *canonical);

#endif
