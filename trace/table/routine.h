/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A routine as trace/routines/ describes it: its arguments in Fortran order, what they mean, which memory
 * the operands cover and how many operations a call does. How a routine can be called (Fortran, CBLAS) is the
 * business of trace/table/symbol.h.
 *
 * The notation is explained in trace/routines/README.md.
 */
#ifndef KT_ROUTINE_H
#define KT_ROUTINE_H

#include "trace/base/error.h"
#include "trace/table/expr.h"
#include "trace/table/relation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KT_MAX_ARGS = 40, KT_NAME = 32 };

enum kt_role {
    KT_TRANS, /* options with a CBLAS enumeration */
    KT_UPLO,
    KT_SIDE,
    KT_DIAG,
    KT_OPTION, /* any other character option */
    KT_SIZE,
    KT_LD,
    KT_INC,
    KT_SCALAR,
    KT_ARRAY,
    KT_LWORK,
    KT_INTEGER, /* any other integer */
    KT_LOGICAL,
    KT_PROCEDURE,
    KT_INFO,
};

enum kt_type { KT_S, KT_D, KT_C, KT_Z, KT_I };

/* What a call does with an array. KT_UPDATE is KT_READ | KT_WRITE, but KT_WRITE where arg.beta is 0. */
enum kt_access { KT_READ = 1, KT_WRITE = 2, KT_READ_WRITE = 3, KT_WORK = 4, KT_UPDATE = 8 };

enum kt_form { KT_FORM_ARRAY, KT_FORM_VECTOR, KT_FORM_MATRIX, KT_FORM_BAND, KT_FORM_PACKED };

/* What makes random contents of an input legal (replay/call/data.c). */
enum kt_data {
    KT_ANY,
    KT_SPD,
    KT_TRIANGLE,
    KT_LU,
    KT_LDL,
    KT_SCHUR,
    KT_HESSENBERG,
    KT_RFP_SPD,
    KT_RFP_TRIANGLE,
    KT_REFLECTORS,
    KT_TAU,
    KT_PIVOTS,
    KT_NEIGHBOURS,
    KT_HALVES,
    KT_HALFSORTED,
    KT_SORTED,
    KT_UNIT,
    KT_SCALE,
    KT_VALUE,
    KT_TSQR,
    KT_ROTM,
    KT_INDEX,
    KT_LADDER,
    KT_BOUNDS,
    KT_TYPES,
    KT_SQUARES,
    KT_UNITARY,
    KT_ANGLE,
    KT_COSINES,
    KT_FIRST,
    KT_ALTERNATE,
    KT_TREE,
    KT_TREE_PLACES,
};

/* Which other values of a number are legal besides the one that the table names: {<=EXPR}, {>=EXPR}. */
enum kt_legal_range { KT_NO_BOUND, KT_AT_MOST, KT_AT_LEAST };

struct kt_shape {
    enum kt_form form;
    struct kt_expr dim[4]; /* array, vector, packed: n; matrix: m, n; band: m, n, kl, ku */
    int step;              /* argument index of the leading dimension or increment, -1: none or constant */
    int constant_step;     /* the leading dimension itself; 0: none */
    int uplo;              /* argument index, -1: all of it or constant */
    int diag;              /* argument index, -1: the diagonal always counts, or constant */
    char constant_uplo;    /* U or L for good; 0: no */
    char constant_diag;    /* U: the diagonal is 1 and never referenced */
};

struct kt_arg {
    char name[KT_NAME];  /* Fortran name, lower case */
    char cname[KT_NAME]; /* name in the CBLAS interface */
    enum kt_role role;
    enum kt_type type;     /* of a scalar or of the elements of an array; KT_I for sizes */
    enum kt_access access; /* arrays, and options that are written, too */
    bool shown;            /* a workspace that the high-level LAPACKE interface has, as cname: it returns something */
    int beta;              /* KT_UPDATE: argument index of the scalar */
    enum kt_data data;
    struct kt_expr data_parameter; /* what the contents depend on besides; no expression: 0 */
    struct kt_shape shape;         /* arrays only */
    uint32_t letters;     /* legal letters of an option, a set as in trace/table/expr.h; 0: those usual for its role */
    struct kt_expr legal; /* of a number: a legal value, for a workspace the least; no expression: any size */
    enum kt_legal_range bound; /* of a number: LEGAL is the largest legal value, or the smallest */
};

/*
 * Interfaces beside the Fortran one, or without it where the Fortran name is not known to mean this routine; of an
 * undescribed function nothing is known but the name, as it is exported.
 */
enum kt_interface {
    KT_HAS_CBLAS = 1,
    KT_HAS_LAPACKE = 2,
    KT_HAS_LAPACKE_WORK = 4,
    KT_NO_FORTRAN = 8,
    KT_IS_UNDESCRIBED = 16
};

struct kt_routine {
    char name[KT_NAME];  /* dgemm */
    enum kt_type type;   /* T */
    unsigned interfaces; /* bit set of enum kt_interface */
    bool has_result;
    enum kt_type result;
    int args;
    struct kt_arg *arg;         /* owned */
    struct kt_expr mul, add;    /* operations in T; no expression: unknown */
    struct kt_expr flops;       /* real operations, in place of mul and add */
    struct kt_relations *check; /* what tells a right result; NULL: nothing but a library that has it; owned */
    char section[KT_NAME];      /* blas1, blas2, ... */
    char *text;                 /* the family's line, continuations joined; owned */
    struct kt_made *made;       /* parameters of its symbols (trace/table/symbol.h); owned */
};

struct kt_table {
    struct kt_routine *routine; /* owned */
    size_t count;
};

/* Parses family lines; NAME is for messages. OUT is to be freed also after an error. */
enum kt_status kt_table_parse(const char *text, const char *name, struct kt_table *out, struct kt_error *error);

/* The same, added to a table. */
enum kt_status kt_table_add(const char *text, const char *name, struct kt_table *table, struct kt_error *error);

void kt_table_free(struct kt_table *table);

/* NULL if there is none. */
const struct kt_routine *kt_table_find(const struct kt_table *table, const char *routine);

/* Are these values of all arguments within the bounds that the table gives? Where it gives none any value is. */
bool kt_is_within_bounds(const struct kt_routine *routine, const double *values);

size_t kt_type_bytes(enum kt_type type); /* of an element; integers count as 4 */
bool kt_type_is_complex(enum kt_type type);
enum kt_type kt_type_real(enum kt_type type); /* KT_S or KT_D */

#endif
