/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inverses that are computed for one product: getri, then gemv or gemm with its result as a factor. Solving with the
 * factors (getrs) does without both.
 *
 * An inverse counts if exactly one recorded call reads it before something is written there, and that call is such a
 * product. What the program itself reads of it no trace shows.
 */
#ifndef KT_INVERSE_H
#define KT_INVERSE_H

#include "replay/advise/form.h"

struct kt_inverse {
    uint64_t calls;            /* of getri, for products of the same number of vectors; 0: there are none */
    double vectors;            /* that the inverse is multiplied with */
    char trans;                /* of the inverse in the product */
    struct kt_call_form first; /* the first of these calls */
};

/* One for each of the outermost shapes, in their order; to be freed. */
struct kt_inverse *kt_inverse_find(const struct kt_trace *trace, const struct kt_shapes *shapes);

/* The call that solves; false: there is none. */
bool kt_inverse_solve(const struct kt_inverse *inverse, struct kt_call_form *out);

#endif
