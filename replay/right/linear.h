/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands as linear maps: products with a vector, in the widest arithmetic there is and with a bound of their rounding
 * errors. An identity between products of matrices is verified on random vectors (Freivalds 1977), which takes as many
 * operations as the operands have elements.
 */
#ifndef KT_LINEAR_H
#define KT_LINEAR_H

#include "trace/table/operand.h"
#include "trace/table/relation.h"

/* SIZE is what |A| |B| |v| has where the value is an element of A B v: rounding errors are in proportion to it. */
struct kt_number {
    long double re, im, size;
};

struct kt_vector {
    struct kt_number *element; /* owned */
    int64_t count;
};

/* A factor of a relation with its operands in memory. */
struct kt_linear {
    enum kt_matrix_part part;
    const struct kt_operand *operand, *second; /* at addresses of this process */
    char uplo;                                 /* of an operand that is a full matrix: U or L counts; 0: all */
    bool row_major;                            /* matrices are described transposed (trace/table/operand.h) */
    bool transposed, conjugated;
};

struct kt_vector kt_vector_new(int64_t count);
void kt_vector_free(struct kt_vector *vector);

/* Columns; 0: those of whatever it is applied to (the identity, a permutation). */
int64_t kt_linear_cols(const struct kt_linear *linear);

/* *V becomes its product with the map; elements that it lacks count as 0. */
void kt_linear_apply(const struct kt_linear *linear, struct kt_vector *v);

#endif
