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

#include "trace/table/operand.h"

enum kt_fill {
    KT_FILL_NOTHING,  /* any contents do */
    KT_FILL_RANDOM,   /* in [-1, 1), both parts of complex numbers */
    KT_FILL_DOMINANT, /* the same times FACTOR, but the diagonal is real and from LEAST to twice that */
    KT_FILL_RFP,      /* like KT_FILL_DOMINANT, in rectangular full packed storage */
    KT_FILL_RULE,     /* each element follows from its place: RULE */
    KT_FILL_TAU, /* 2 / |v|^2, where v, one of REFLECTORS, is 1 on the diagonal and what is stored below it, or beside
                  */
};

/*
 * Rules: element I of N of a vector, or of column COL of a matrix, counted from 0, as an expression of C. draw(k) is a
 * random integer from 0 to k - 1; PARAMETER is what the table says in parentheses behind the kind.
 */
#define KT_DATA_RULES(X)                                                                                             \
    X(KT_ANY, i + 1) /* integers of which nothing else is known: a permutation, no row exchanges, true */            \
    X(KT_SPD, 2 + draw(1024) / 65536.0) /* the diagonal of a definite or triangular matrix, stored as a vector */    \
    /* LAPACK's row exchanges: row i with any row from i on, or up to i, counted from 1 */                           \
    X(KT_PIVOTS, parameter ? 1 + draw(i + 1) : i + 1 + draw(n - i))                                                  \
    X(KT_NEIGHBOURS, i + 1 + (i + 1 < n ? draw(2) : 0)) /* those of a tridiagonal matrix: with the next row only */  \
    /* a permutation of each half, from 1 on in both; the first half has PARAMETER elements */                       \
    X(KT_HALVES, i < parameter ? i + 1 : i + 1 - parameter)                                                          \
    X(KT_HALFSORTED, 2 * (i < parameter ? i : i - parameter) + draw(900) / 1024.0 + (i < parameter)) /* ascending */ \
    X(KT_SORTED, i + 1.25 - (double)parameter + draw(256) / 1024.0) /* ascending and apart, from 1 - PARAMETER on */ \
    X(KT_UNIT, (i % 2 ? -1 : 1) / sqrt((double)(parameter ? parameter : n))) /* a vector of length 1, no zeros */    \
    X(KT_SCALE, 0.5 * (double)(1 << draw(3)))                                /* factors of an equilibration */       \
    X(KT_VALUE, parameter)                                                                                           \
    X(KT_TSQR, i < 5 ? 1 : draw(2048) / 1024.0 - 0.9999) /* T of geqr and gelq: its head has the block sizes */      \
    X(KT_INDEX, i + 1)                                                                                               \
    /* the upper triangle of a matrix with the eigenvalues 1, 2, ... */                                              \
    X(KT_LADDER, i == col ? i + 1 : i < col ? (draw(2048) - 1023.5) / (1024.0 * (double)n) : 0)                      \
    X(KT_BOUNDS, i % 2 ? n + 10 : -10) /* lower and upper bounds of eigenvalues */                                   \
    /* counts of columns by type: PARAMETER % 65536 of the first, PARAMETER / 65536 of the third */                  \
    X(KT_TYPES, i == 0 ? parameter % 65536 : i == 2 ? parameter / 65536 : 0)                                         \
    X(KT_SQUARES, 1 + i * parameter * parameter) /* where matrices of that order begin, one behind the other */      \
    /* Part of the Hartley matrix of order P >> 34, which is unitary, from row P % 2^17, column (P >> 17) % 2^17 */  \
    X(KT_UNITARY, hartley(i + parameter % 131072, col + (parameter >> 17) % 131072, parameter >> 34))                \
    X(KT_ANGLE, 0.25 + draw(1024) / 1024.0)                           /* between 0 and pi / 2 */                     \
    X(KT_COSINES, -2 * cos(M_PI * (double)(i + 1) / (double)(n + 1))) /* eigenvalues of tridiag(1, 0, 1) */          \
    /* order of subproblem I of a divide and conquer of order N, the whole first; at least 1 */                      \
    X(KT_TREE, (n + 1) >> ilogb(i + 1.0) > 2 ? ((n + 1) >> ilogb(i + 1.0)) - 1 : 1)                                  \
    /* a place in the subproblem that the row is in, column by column for each level */                              \
    X(KT_TREE_PLACES, 1 + i % ((n + 1) >> col > 2 ? ((n + 1) >> col) - 1 : 1))                                       \
    X(KT_FIRST, i < parameter)                                 /* selects so many */                                 \
    X(KT_ALTERNATE, i % 2)                                     /* selects every other one, not the first */          \
    X(KT_ROTM, ((const double[]){-1, 0.8, -0.6, 0.6, 0.8}[i])) /* a full rotation: flag, h11, h21, h12, h22 */

struct kt_recipe {
    enum kt_fill fill;
    double factor, least;
    enum kt_data rule;
    const struct kt_operand *reflectors; /* NULL: all have about the same length */
    int64_t parameter;
    int64_t zeros;               /* elements that are this far below the diagonal, or farther, are 0; 0: none are */
    bool transposed;             /* of ZEROS and of the rectangle */
    int64_t rect_rows, diagonal; /* RFP: of the rectangle; row of the diagonal in column 0, another one is below it */
    uint64_t first;              /* where in the pool random contents begin */
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

/*
 * The same with other random numbers for each SEED, where they are random; kt_data_fill takes 0. A branch that depends
 * on data that are met again and again is predicted, which it is not in a program: the dnrm2 of BLIS, which asks each
 * element for its sign, takes 0.57 us for 400 elements that it knows, and 2.3 for others.
 */
void kt_data_fill_anew(const struct kt_data_pool *pool, const struct kt_operand *operand, int count, int i,
                       uint64_t seed);

#endif
