/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is in the memory of a sequence before it is played: each place holds what the first call that reads it needs,
 * and if a later one needs something special there (a definite matrix, pivots), then that. From there on the calls'
 * results are the inputs of later ones, as they were in the program.
 *
 * Results must stay ordinary numbers for as many calls as the program made. Matrices are therefore filled to have a
 * norm near 1, and scalars other than 0, 1 and -1, which belonged to the program's data and not to these, become such
 * as change magnitudes little: factors of what is overwritten nearly 1, factors of what is added small.
 */
#ifndef KT_CONTENTS_H
#define KT_CONTENTS_H

#include "replay/call/data.h"
#include "replay/sequence/space.h"
#include "replay/sequence/recorded.h"

/* An operand to be filled. */
struct kt_filling {
    const struct kt_recorded_call *call;
    int operand;
};

struct kt_contents {
    const struct kt_space *space;
    struct kt_data_pool *pool;
    struct kt_filling *random, *special; /* in the order of calls; owned */
    size_t randoms, specials;
};

/* The operands of a recorded call where they are now. Returns how many. */
int kt_operands_placed(const struct kt_recorded_call *call, const struct kt_space *space,
                       struct kt_operand out[KT_MAX_OPERANDS]);

/* Plans what to fill for COUNT calls. */
void kt_contents_plan(const struct kt_space *space, struct kt_data_pool *pool, const struct kt_recorded_call *call,
                      size_t count, struct kt_contents *out);
void kt_contents_fill(const struct kt_contents *contents);
void kt_contents_free(struct kt_contents *contents);

/* Does the call overwrite what it reads, and take as long as that demands? Iterations on what an earlier call left, in
 * place of what the program put there meanwhile, may end at once: dgelsd of 300 took 4.5 ms so, and 8.9 in the program.
 * Such routines have no operation count. */
bool kt_contents_used_up(const struct kt_space *space, const struct kt_recorded_call *call);

/* Fills what one call reads (KT_READ), or writes (KT_WRITE). */
void kt_contents_refill(const struct kt_contents *contents, const struct kt_recorded_call *call, enum kt_access access);

/*
 * After a call: can its results be the inputs of many more? Small operands are kept near 1, as filling them again costs
 * little and disturbs little; large ones as far from overflow and denormal numbers as two more products need.
 */
bool kt_results_ordinary(const struct kt_space *space, const struct kt_recorded_call *call);

/* Replaces scalars in stored arguments as said above; their classes (trace/shape/shape.h) stay. */
void kt_scalars_steady(const struct kt_symbol *symbol, unsigned char *args);

#endif
