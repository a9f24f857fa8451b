/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that a call's operands cover, from its arguments and the table. Pure functions.
 *
 * Every operand is described in column-major terms, also for row-major calls: a matrix is a number of columns of
 * some stride, and of each column a run of rows belongs to the operand (all, a triangle's, a band's). Vectors are
 * one run, or one per element where the increment is not 1.
 */
#ifndef KT_OPERAND_H
#define KT_OPERAND_H

#include "trace/table/symbol.h"

enum { KT_MAX_OPERANDS = 32 };

/* The parameter of reflectors: in columns below the diagonal, stored in another way, in rows right of the diagonal. */
enum { KT_REFLECTORS_IN_COLUMNS, KT_REFLECTORS_OTHERWISE, KT_REFLECTORS_IN_ROWS };

struct kt_operand {
    const char *name;         /* as the symbol's interface names it; borrowed */
    const struct kt_arg *arg; /* NULL for the result of a CBLAS function */
    enum kt_form form;
    enum kt_access access; /* KT_READ, KT_WRITE, KT_READ_WRITE or KT_WORK */
    uint64_t base;         /* the pointer passed */
    uint64_t lo, hi;       /* smallest byte range that holds every element; lo = hi: not referenced */
    int64_t rows, cols;    /* vectors: the elements, 1 */
    int64_t ld;            /* leading dimension, or increment of a vector, in elements */
    int64_t below, above;  /* rows j-above .. j+below of column j belong to the operand */
    int64_t diagonal;      /* band: storage row of the diagonal */
    int64_t parameter;     /* of the kind of its data: see trace/routines/README.md */
    uint64_t elements;     /* that belong to it */
    size_t elem;           /* bytes of an element */
};

/* Operands in the order of the interface; returns how many. INT_BYTES: width of the library's integers. */
int kt_operands(const struct kt_symbol *symbol, const struct kt_values *values, size_t int_bytes,
                struct kt_operand out[KT_MAX_OPERANDS]);

/* How many contiguous runs of bytes the operand consists of, and the I-th of them as [*LO, *HI); runs may be empty. */
int64_t kt_operand_runs(const struct kt_operand *operand);
void kt_operand_run(const struct kt_operand *operand, int64_t i, uint64_t *lo, uint64_t *hi);

/* Bytes of one floating-point number of it: a complex element has two. 0: its elements are none. */
size_t kt_operand_number_bytes(const struct kt_operand *operand);

/* Real floating-point operations of the call; NAN if the routine's count is not known. */
double kt_flops(const struct kt_routine *routine, const struct kt_values *values);

/* Bytes that the call must at least move between registers and memory: read once, written once, no workspace. */
double kt_bytes(const struct kt_operand *operand, int count);

/* True for a LAPACK call that only asks for the best size of its workspace (lwork = -1). */
bool kt_is_query(const struct kt_routine *routine, const struct kt_values *values);

#endif
