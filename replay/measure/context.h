/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contexts in which a call is re-timed: where its operands are when it begins.
 *
 *     warm        every line is read, in the order of the interface: operands are where a caller who just used them
 *                 left them, as far as they fit
 *     cold        every line is flushed to memory, outputs and workspace too; code and TLB stay warm
 *     allcold     the same, and the library's code, the TLB and the branch predictors are cold
 *     coldcode    operands warm, but the library's code and the branch predictors are cold
 *     l1, l2, l3  evicted from that cache and those nearer, by reading other memory: in the next one
 *     tracked     each operand, in parts, where the trace says that it was
 *
 * Or one of them for each operand: "A=cold,B=warm". A condition without a name in such a list is that of all other
 * operands, otherwise they are warm.
 *
 * Where operands overlap and their conditions differ, the nearer one holds.
 *
 * Whatever the context, it becomes a plan: a list of few kinds of steps that are carried out (replay/measure/stage.h)
 * between restoring the operands and reading the clock.
 */
#ifndef KT_CONTEXT_H
#define KT_CONTEXT_H

#include "model/tracker/placement.h"
#include "trace/base/error.h"

enum kt_kind { KT_WARM, KT_COLD, KT_EVICTED, KT_TRACKED };

/* Where an operand is to be. */
struct kt_condition {
    enum kt_kind kind;
    unsigned cache; /* KT_EVICTED: from that one, 0 is the nearest */
};

enum { KT_CONTEXT_NAME = 128, KT_OPERAND_NAME = 16 };

struct kt_context {
    char name[KT_CONTEXT_NAME]; /* as it was asked for */
    struct kt_condition others; /* of operands that are not named */
    struct {
        char operand[KT_OPERAND_NAME]; /* capital or small */
        struct kt_condition condition;
    } named[KT_MAX_OPERANDS];
    int names;
    bool code; /* is cold too */
};

/* A context of one condition; NULL if there is no such context. */
const struct kt_context *kt_context_find(const char *name);

/*
 * What --context was given: contexts joined by commas or, with an equals sign in it, one context with conditions of
 * single operands. Adds to LIST, of *COUNT, those that are not yet in it. Contexts live as long as the process, so a
 * pointer means the same in a worker, which is forked.
 */
enum kt_status kt_contexts_parse(const char *text, const struct kt_context **list, size_t *count, size_t most,
                                 struct kt_error *error);

/* Does it need to know where the operands were? */
bool kt_context_is_tracked(const struct kt_context *context);

/* Which of the names that it has are those of one of these operands, as bits. */
unsigned kt_context_names_of(const struct kt_context *context, const struct kt_operand *operand, int count);

/* --- plans ------------------------------------------------------------------------------------------------- */

enum kt_step_kind {
    KT_FLUSH,     /* a part of an operand, to memory */
    KT_TOUCH,     /* a part of an operand, by reading its lines upwards */
    KT_EVICT,     /* everything, from CACHE and those nearer */
    KT_COLD_CODE, /* makes code, TLB and predictors cold */
    KT_FILL,      /* other data takes the place of what was flushed */
    KT_RECALL,    /* the routine is called on other operands: its code and its branches are back */
    KT_PAGES,     /* a part of an operand: its pages are in the TLB again, its lines still in memory */
};

struct kt_step {
    enum kt_step_kind kind;
    int operand;
    float from, to; /* which part, counted in bytes from the first to the last: 0 to 1 */
    unsigned cache;
};

enum { KT_MOST_STEPS = KT_MAX_OPERANDS * (KT_MAX_CACHES + 2) + KT_MAX_CACHES + 3 };

struct kt_plan {
    struct kt_step step[KT_MOST_STEPS];
    int steps;
};

/* One plan for each way in which the operands may be placed; a sample is the weighted mean over all of them. */
struct kt_plans {
    struct kt_plan plan[KT_MOST_PLACEMENTS];
    double weight[KT_MOST_PLACEMENTS]; /* their sum is 1 */
    unsigned count;
};

/*
 * The plans for a call with these operands. PLACED may be NULL unless the context is tracked. Far parts come first,
 * as what is brought to a near cache passes the farther ones, and the last access to an operand is taken to have gone
 * upwards: its first bytes are the farthest.
 *
 * Flushed lines leave holes in the caches, and a cache with holes is faster: nothing has to be displaced. So the holes
 * are filled, by an eviction that comes anyway or by KT_FILL. Both displace the routine's code, and the system calls
 * that count what disturbs samples displace what the processor knows of its branches, wherever the kernel defends
 * itself: a ddot of 2,000 warm elements took 350 ns right behind them, 150 otherwise. KT_RECALL brings both back where
 * the context has code warm; `l2` and `l3` leave that out, as they are what reading other memory brings about. Pure
 * functions.
 */
void kt_plans_make(const struct kt_context *context, const struct kt_operand *operand, int count,
                   const struct kt_caches *caches, const struct kt_placements_of_shape *placed, struct kt_plans *out);

/* The farthest cache that it names, counted from 0; 0 if none. */
unsigned kt_context_last_cache(const struct kt_context *context);

/* A set of caches, as bits, from which plans of the context evict: what has to be calibrated. */
unsigned kt_context_evicts(const struct kt_context *context, const struct kt_caches *caches);

#endif
