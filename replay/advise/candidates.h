/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is tried on a trace: each of its shapes with each rule that applies to it, heaviest shapes first.
 */
#ifndef KT_CANDIDATES_H
#define KT_CANDIDATES_H

#include "replay/advise/rules.h"
#include "replay/advise/independent.h"

enum { KT_MOST_CANDIDATES = 200 };

struct kt_proposal {
    const struct kt_rule *rule; /* NULL: a change of the user's choice */
    const struct kt_shape_group *shape;
    size_t number;                   /* of the shape in its list */
    struct kt_call_form to;          /* the other call; without a routine it is the recorded one with the arguments */
    const unsigned char *args;       /* ARGS, borrowed */
    struct kt_call_batch_form batch; /* the calls are timed in it, recorded: one after the other; no batch: alone */
    double each;                     /* calls of the shape that it replaces */
    double calls;                    /* of the shape that it can replace */
    double seconds;                  /* of these, in the program */
};

struct kt_proposals {
    struct kt_proposal *candidate; /* owned */
    size_t count;
};

/* ROUTINES: patterns, NULL: all. LEAST: seconds that the calls of a shape take at least. */
void kt_proposals_find(const struct kt_trace *trace, const struct kt_shapes *shapes, const char *routines, double least,
                       struct kt_proposals *out);
void kt_proposals_free(struct kt_proposals *candidates);

/* A shape in batches of CALLS, shared out to so many threads. */
struct kt_proposal kt_candidate_batch(const struct kt_shape_group *shape, size_t number,
                                      const struct kt_independent *independent, unsigned threads);

/* The symbol of the other call, under a name of the family that the recorded one has: scipy_cblas_dgemm64_ and
 * scipy_dgemv_64_. */
bool kt_candidate_symbol(const struct kt_proposal *candidate, struct kt_symbol *out);

#endif
