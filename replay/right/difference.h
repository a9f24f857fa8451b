/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results of a library beside those of the reference library, for routines of which the table has no relation, and
 * for what relations cannot see: single elements.
 *
 * How far results may differ depends on how well the inputs determine them. That is measured: the reference library
 * computes them again from inputs of which each element is changed by one rounding, up or down at random (stochastic
 * condition estimation, as in Kenney & Laub, SIAM J. Sci. Comput. 15, 1994). A difference is given in units of
 *
 *     n (eps largest + change)      n        the largest dimension of the operands
 *                                   largest  magnitude of an element of the operand
 *                                   change   the largest that one rounding of all inputs made in it
 *
 * A backward stable algorithm gives what inputs changed by a small multiple of n roundings would give exactly.
 */
#ifndef KT_DIFFERENCE_H
#define KT_DIFFERENCE_H

#include "replay/right/guard.h"

/* Of the results in one operand. */
struct kt_difference {
    double largest;       /* magnitude in the reference's results */
    double difference;    /* largest, between both; INFINITY: one is a number and the other is not */
    int64_t run, element; /* where; of a matrix, column and element of the column */
    bool integers;        /* integers differ */
};

/*
 * Compares two images of the operand. Elements of which all bytes are FILLING in the REFERENCE were not written there
 * and are not compared (-1: all are), nor are those that are no numbers there.
 */
void kt_difference_find(const struct kt_operand *operand, const struct kt_image *reference,
                        const struct kt_image *other, int filling, struct kt_difference *out);

/* Changes each number of the operand in the image by one rounding. */
void kt_inputs_change(const struct kt_operand *operand, const struct kt_image *image, uint64_t *state);

#endif
