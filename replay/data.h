/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contents of replayed operands: random numbers in [-1, 1) without denormals, and where a routine needs more to do
 * what it did in the application, contents that are legal for it: a definite matrix, a well-conditioned triangle or
 * factorisation, pivots, reflectors with their scalars. No call can then overflow, underflow or end early.
 *
 * Contents are a function of the operand's place in the call, so writing them again restores the operand.
 *
 * What is legal is said once, here: replay computes it, and the programs of `ktrace repro` contain it as text.
 */
#ifndef KT_DATA_H
#define KT_DATA_H

#include "trace/operand.h"

enum kt_fill {
    KT_FILL_NOTHING,  /* any contents do */
    KT_FILL_RANDOM,   /* in [-1, 1), both parts of complex numbers */
    KT_FILL_DOMINANT, /* the same times FACTOR, but the diagonal is real and from LEAST to twice that */
    KT_FILL_RULE,     /* each element follows from its place: RULE */
    KT_FILL_TAU,      /* 2 / |v|^2, where v, one of REFLECTORS, is 1 on the diagonal and what is stored below it */
};

/*
 * Rules: element I of N of a vector, or of a column of a matrix, counted from 0, as an expression of C. draw(k) is a
 * random integer from 0 to k - 1.
 */
#define KT_DATA_RULES(X)                                                                                         \
    X(KT_ANY, i + 1) /* integers of which nothing else is known: a permutation, no row exchanges, true */        \
    X(KT_SPD, 4 + draw(1024) / 256.0) /* the diagonal of a definite or triangular matrix, stored as a vector */  \
    X(KT_PIVOTS, i + 1 + draw(n - i)) /* LAPACK's row exchanges: row i with any row from i on, counted from 1 */ \
    X(KT_ROTM, ((const double[]){-1, 0.8, -0.6, 0.6, 0.8}[i])) /* a full rotation: flag, h11, h21, h12, h22 */

struct kt_recipe {
    enum kt_fill fill;
    double factor, least;
    enum kt_data rule;
    const struct kt_operand *reflectors;
};

/* What makes operand number I of the call legal. */
struct kt_recipe kt_data_recipe(const struct kt_operand *operand, int count, int i);

/* A band that row-major LAPACKE stores transposed: a matrix with the diagonal in column O->diagonal. */
bool kt_data_is_stored_band(const struct kt_operand *operand);

/* The expression of a rule, as text; NULL if there is none for that kind of data. */
const char *kt_data_rule_text(enum kt_data rule);

struct kt_data_pool;

struct kt_data_pool *kt_data_pool_new(void);
void kt_data_pool_free(struct kt_data_pool *pool);

/* Writes the contents of operand number I of the call; bases are addresses of this process. */
void kt_data_fill(const struct kt_data_pool *pool, const struct kt_operand *operand, int count, int i);

#endif
