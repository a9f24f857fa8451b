/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of a call's operands in poisoned memory.
 *
 * Operands that overlap are copied together, as a block. A block's copy lies between pages that cannot be touched, in
 * every other run flush with the one behind it, otherwise with the one before it. What the table says is read has the
 * application's contents, all else poison, another in each run. Poison is the same in every 32-bit word, whatever the
 * type of the operand.
 */
#ifndef PROOF_COPIES_H
#define PROOF_COPIES_H

#include "tests/proof/passing.h"

enum { PROOF_RUNS = 3, PROOF_CELL = 8 };

enum proof_end { PROOF_FIRST, PROOF_LAST, PROOF_NO_END };

/* Which operand is declared one element too small, and at which end. */
struct proof_mutation {
    int operand;
    enum proof_end end;
};

struct proof_block {
    uint64_t lo, hi;       /* the application's */
    size_t units;          /* 32-bit words */
    uint32_t *input;       /* contents before the call, where the table says they are read */
    unsigned char *access; /* of each unit: KT_READ, KT_WRITE, KT_WORK */
};

struct proof_place {
    uint32_t *begin, *end; /* what can be touched */
    uint32_t *data;
};

struct proof_run {
    uint32_t poison;
    struct proof_place place[KT_MAX_OPERANDS]; /* of each block */
    uint32_t cell[KT_MAX_ARGS][PROOF_CELL];    /* scalars, from the third word on */
    uint64_t word[PROOF_WORDS];
    struct proof_result result;
};

struct proof_copies {
    const struct proof_call *call;
    struct proof_block block[KT_MAX_OPERANDS];
    int blocks;
    int block_of[KT_MAX_OPERANDS];         /* of each operand */
    unsigned char scalar[KT_MAX_ARGS][16]; /* before the call */
    struct proof_run run[PROOF_RUNS + 1];  /* the last is for mutations */
    int running;
    struct proof_result original;
};

/* What went wrong; an operand of -1: not in an operand. */
struct proof_finding {
    const char *what; /* NULL: nothing */
    int operand;
    int64_t byte; /* from the pointer passed */
};

/* Saves the inputs and places all copies. False if there is no memory, or an operand is too large to copy. */
bool proof_copies_make(const struct proof_call *call, struct proof_copies *out);

/* Makes the call on the application's own data. */
void proof_copies_original(struct proof_copies *c);

/* The call on a copy, and what it changed that it should not. */
struct proof_finding proof_copies_run(struct proof_copies *c, int run);

/* After all runs: outputs must be equal. */
struct proof_finding proof_copies_compare(const struct proof_copies *c);

/* True if it shows in the results that the element is missing, whatever the poison in its place. */
bool proof_copies_mutate(struct proof_copies *c, struct proof_mutation m);

/* Where the address of a fault in a run lies: near the operand that it is told for. */
struct proof_finding proof_copies_fault(const struct proof_copies *c, const void *address);

/* info of the call on the application's data; 0 if the routine has none. */
int32_t proof_copies_info(const struct proof_copies *c);

#endif
