/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What holds between the operands of a routine before and after a call, as the table says it (check= in
 * trace/routines/README.md): A' X' ~ B, Q'^H Q' ~ 1. Relations say what a right result is without another library that
 * computes it, and for results that are not unique: eigenvectors, factors with other pivots.
 */
#ifndef KT_RELATION_H
#define KT_RELATION_H

#include "trace/table/expr.h"

enum { KT_MAX_FACTORS = 7, KT_MAX_PRODUCTS = 3, KT_MAX_RELATIONS = 8, KT_RESULT_OPERAND = -2 };

/* What a factor takes of an operand. */
enum kt_matrix_part {
    KT_PART_ALL,            /* NAME: what belongs to it, the rest is 0; a vector is a column; a scalar a number */
    KT_PART_TRIANGLE,       /* tri(NAME): the same with the unit diagonal, if it has one */
    KT_PART_SYMMETRIC,      /* sym(NAME): its triangle and the same mirrored; sym(NAME,UPLO): that triangle of all */
    KT_PART_HERMITIAN,      /* her(NAME): conjugated besides, with a real diagonal */
    KT_PART_UNIT_LOWER,     /* unl(NAME): of a full m by n matrix what is below the diagonal, 1 on it; m by min(m, n) */
    KT_PART_UPPER,          /* upp(NAME): from the diagonal on; min(m, n) by n */
    KT_PART_LOWER,          /* low(NAME): up to the diagonal; m by min(m, n) */
    KT_PART_DIAGONAL,       /* diag(NAME): the diagonal matrix of a vector */
    KT_PART_PAIRS,          /* pairs(WR,WI): the same of eigenvalues of which complex pairs take two places */
    KT_PART_EXCHANGES,      /* swap(IPIV): LAPACK's row exchanges undone: P of A = P L U */
    KT_PART_PERMUTATION,    /* perm(JPVT): P, so that A P has the columns JPVT of A */
    KT_PART_REFLECTORS,     /* q(A,TAU): H(1) H(2) ..., whose vectors are in A below the diagonal */
    KT_PART_ROW_REFLECTORS, /* ql(A,TAU): H(k)^H ... H(1)^H, whose vectors are in A right of the diagonal: Q of A = L Q
                             */
    KT_PART_ONE,            /* 1: the identity */
    KT_MATRIX_PARTS
};

enum kt_turn { KT_AS_IT_IS, KT_TRANSPOSED, KT_CONJUGATED, KT_BY_OPTION };

struct kt_factor {
    enum kt_matrix_part part;
    bool number;       /* it is a scalar argument */
    int arg, second;   /* indices of arguments, KT_RESULT_OPERAND; -1: none; the second can be an option */
    bool after;        /* NAME': as the call left it */
    enum kt_turn turn; /* ^T, ^H, ^OPTION; of a number ^H conjugates */
    int option;
};

struct kt_product {
    struct kt_factor factor[KT_MAX_FACTORS];
    int factors;
};

struct kt_terms {
    struct kt_product product[KT_MAX_PRODUCTS];
    int products;
};

/* With no right side: the operand of its only factor is determined by the inputs, and can be compared. */
struct kt_relation {
    struct kt_expr condition; /* holds where it is not 0; none: always */
    struct kt_terms left, right;
    char *text; /* as the table has it; owned */
};

struct kt_relations {
    struct kt_relation *relation; /* owned */
    int count;
};

struct kt_routine;

/* Reads relations, separated by semicolons, up to a blank, or the word none. OUT is to be freed also after an error. */
enum kt_status kt_relations_parse(const char **cursor, const struct kt_routine *routine, struct kt_relations *out,
                                  struct kt_error *error);
void kt_relations_free(struct kt_relations *relations);

#endif
