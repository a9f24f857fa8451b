/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of one matrix and several vectors, one after the other in one thread, that one matrix product can replace.
 *
 * Calls that follow each other may depend on each other in ways that no trace shows: x of the next may be computed from
 * y of the last. So calls count only if all vectors x, and all y, are the columns or rows of one array each, which the
 * calls go through in order, and no y is in the array of x or in the matrix.
 */
#ifndef KT_REPEATED_H
#define KT_REPEATED_H

#include "replay/advise/form.h"

enum { KT_FEWEST_REPEATED = 4 };

struct kt_repeated {
    uint64_t runs, calls;      /* of one matrix each; all calls in runs. 0: there are none */
    uint64_t each;             /* calls of a run, on average: what one product replaces */
    struct kt_call_form first; /* of the first run */
    double dx, dy;             /* elements from one vector to the next one in it */
};

/* One for each of the outermost shapes, in their order; to be freed. */
struct kt_repeated *kt_repeated_find(const struct kt_trace *trace, const struct kt_shapes *shapes);

/* The product; false: there is none that the operands fit. */
bool kt_repeated_product(const struct kt_repeated *repeated, struct kt_call_form *out);

#endif
