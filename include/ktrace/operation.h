/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of expressions over the arguments of a routine, compiled to postfix programs: those of the tools
 * (trace/expr.h), and those that ktgen makes of the same table for the shim (preload/extent.h).
 */
#ifndef KT_OPERATION_H
#define KT_OPERATION_H

/* By the number of values that they take; each leaves one. The shim's alone are marked. */
enum kt_operation {
    KT_OP_NUMBER,
    KT_OP_ARG,
    KT_OP_OPTION_IN,
    KT_OP_ENUM_IN,   /* shim: an option of CBLAS is one of a set */
    KT_OP_ROW_MAJOR, /* shim: the layout is */
    KT_OP_FLOAT,     /* shim: a number, or a part of one, is not 0 */
    KT_OP_DOUBLE,
    KT_OP_LEVELS, /* of one value */
    KT_OP_LG,
    KT_OP_PACKED, /* shim: elements of a triangle of that size */
    KT_OP_ADD,    /* of two */
    KT_OP_SUB,
    KT_OP_MUL,
    KT_OP_DIV,
    KT_OP_LESS,
    KT_OP_GREATER,
    KT_OP_EQUAL,
    KT_OP_AND,
    KT_OP_OR,
    KT_OP_MIN,
    KT_OP_MAX,
    KT_OP_QUOTIENT,
    KT_OP_AT_MOST,
    KT_OP_AT_LEAST,
    KT_OP_VECTOR, /* shim: length, increment; elements from the first to the last in memory */
    KT_OP_SELECT, /* of three */
    KT_OP_MATRIX, /* of four; shim: rows, columns, is row-major, leading dimension; elements as of a vector */
    KT_OP_END     /* shim: the value is the number of elements; the operand the bytes of one, 0: of an integer */
};

static inline int kt_operation_values(enum kt_operation operation)
{
    return operation < KT_OP_LEVELS   ? 0
           : operation < KT_OP_ADD    ? 1
           : operation < KT_OP_SELECT ? 2
           : operation < KT_OP_MATRIX ? 3
                                      : 4;
}

/*
 * The shim's programs are of 16-bit words: an operation and, in the lower bits, its operand: of ARG to DOUBLE the place
 * of the argument in the record. Sets follow in two words, lower half first: letters as in kt_letter_bit(), values of
 * CBLAS as bits from KT_OP_FIRST_ENUM on.
 */
enum { KT_OP_OPERAND_BITS = 10, KT_OP_FIRST_ENUM = 111, KT_OP_DEPTH = 32 /* values at a time */ };

#endif
