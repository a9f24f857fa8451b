/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A batch: calls of one shape that followed each other in one thread of the program, none of which wrote what another
 * read or wrote. So they can be made in any order, and at the same time.
 *
 * That is known of the operands that calls name. A program may also have computed an operand of one from a result of
 * another by itself, which no trace shows.
 */
#ifndef KT_CALL_BATCH_H
#define KT_CALL_BATCH_H

#include "replay/call/arena.h"
#include "trace/shape/shape.h"

enum { KT_MOST_BATCHED = 256 }; /* calls of a batch */

struct kt_call_batch {
    const struct kt_entry *entry; /* borrowed */
    unsigned char *args;          /* of one call behind the other, as recorded; owned, as what follows */
    struct kt_operand *operand;   /* of all calls, PER_CALL each; as recorded, then from the arena's base on */
    uint64_t *address;            /* pointers to pass, from the arena's base on */
    size_t calls;
    int per_call;
    uint64_t bytes; /* of the arena */
};

/* Adds a call of that shape. */
void kt_call_batch_add(struct kt_call_batch *batch, const struct kt_call *call);
/* Gives operands places in an arena, as kt_arena_layout(). False: they cannot be real. */
bool kt_call_batch_lay_out(struct kt_call_batch *batch, const struct kt_layout *layout);
/* Without calls, but with its memory. */
void kt_call_batch_clear(struct kt_call_batch *batch);
void kt_call_batch_free(struct kt_call_batch *batch);

/* Operands of a call on which it and another call of the batch depend; NULL: there are none. */
struct kt_call_batch_conflict {
    const char *written, *other; /* one that is written, and the one that it meets; borrowed */
};

/* Could the call be made at the same time as all of the batch? */
bool kt_call_batch_is_independent(const struct kt_call_batch *batch, const struct kt_call *call,
                                  struct kt_call_batch_conflict *out);

/* Have the two a byte in common? Those whose columns, or elements, are equally far apart may lie in each other's gaps,
 * as tiles of one matrix do; of all others the whole ranges count. A pure function. */
bool kt_operands_meet(const struct kt_operand *a, const struct kt_operand *b);

/* A batch as it is to be made: one call after the other (1), or in a loop that so many threads share. */
struct kt_call_batch_form {
    const struct kt_call_batch *batch; /* NULL: there is none; borrowed */
    unsigned threads;                  /* not more than its calls */
};

#endif
