/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is tried on a trace: each of its shapes with each rule that applies to it, heaviest shapes first.
 */
#ifndef KT_CANDIDATES_H
#define KT_CANDIDATES_H

#include "replay/advise/rules.h"

enum { KT_MOST_CANDIDATES = 200 };

struct kt_proposal {
    const struct kt_rule *rule;
    const struct kt_shape_group *shape;
    size_t number;             /* of the shape in its list */
    struct kt_call_form to;    /* the other call; without a routine it is the recorded one with the arguments */
    const unsigned char *args; /* ARGS, borrowed */
    double each;               /* calls of the shape that it replaces */
    double calls;              /* of the shape that it can replace */
    double seconds;            /* of these, in the program */
};

/* Those worth SECONDS at least; to be freed. */
struct kt_proposal *kt_candidates_find(const struct kt_trace *trace, const struct kt_shapes *shapes,
                                       const char *routines, double seconds, size_t *count);

/* The symbol of the other call, under a name of the family that the recorded one has: scipy_cblas_dgemm64_ and
 * scipy_dgemv_64_. */
bool kt_candidate_symbol(const struct kt_proposal *candidate, struct kt_symbol *out);

#endif
