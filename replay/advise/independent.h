/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches in a trace: calls of one shape that followed each other in one thread, while no other thread of the program
 * called, and that are independent of each other (replay/call/batch.h). A call that depends on one of those before it
 * begins another batch. What several threads call already is in none.
 */
#ifndef KT_INDEPENDENT_H
#define KT_INDEPENDENT_H

#include "replay/call/batch.h"

/* Of a shape. */
struct kt_independent {
    struct kt_call_batch batch; /* the first one of as many calls as were asked for; no calls: there is none */
    uint64_t batches;           /* so many there are */
    uint64_t most;              /* calls that are independent of each other and followed each other */
    uint64_t dependent;         /* calls that depend on one before them in the batch, */
    struct kt_call_batch_conflict reason; /* and why the first does */
    const struct kt_process *process;     /* of the last call, */
    uint32_t tid;                         /* and its thread */
    bool is_shared;                       /* several threads of a process make such calls: none is in a batch */
};

/* Batches of that many calls, at most KT_MOST_BATCHED, of each of the outermost shapes, in their order; to be freed. */
struct kt_independent *kt_independent_find(const struct kt_trace *trace, const struct kt_shapes *shapes, size_t calls);
void kt_independent_free(struct kt_independent *independent, size_t count);

/* Is there a batch that can be replayed with that layout? NULL, and it is laid out; otherwise why not, in OUT. */
enum { KT_WHY_NO_BATCH = 160 };
const char *kt_independent_lay_out(struct kt_independent *independent, size_t calls, const struct kt_layout *layout,
                                   char out[KT_WHY_NO_BATCH]);

#endif
