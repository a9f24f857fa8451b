/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions over the arguments of a routine: operand dimensions, workspace lengths, operation counts.
 *
 * An expression is compiled once into a small postfix program and evaluated for every call. All values are
 * doubles: sizes are exact up to 2^53, operation counts need more than 64-bit integers offer. Options are the
 * code of their upper-case letter, or of a digit 0 to 5.
 */
#ifndef KT_EXPR_H
#define KT_EXPR_H

#include "trace/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By the number of values that they take; each leaves one. */
enum kt_operation {
    KT_OP_NUMBER,
    KT_OP_ARG,
    KT_OP_OPTION_IN,
    KT_OP_LEVELS, /* of one value */
    KT_OP_LG,
    KT_OP_ADD, /* of two */
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
    KT_OP_SELECT /* of three */
};

struct kt_op {
    uint8_t code;     /* enum kt_operation */
    uint8_t arg;      /* which argument, for operations that read one */
    uint32_t letters; /* of accepted letters, kt_letter_bit() */
    double number;
};

struct kt_expr {
    struct kt_op *op; /* owned; freed by kt_expr_free */
    size_t count;     /* 0: no expression */
};

/* Names known to an expression: returns the index of the argument or -1; *IS_OPTION tells a character option. */
struct kt_scope {
    int (*find)(const void *context, const char *name, size_t length, int *is_option);
    const void *context;
};

/* Compiles the text from *CURSOR on, moves *CURSOR behind it and fills OUT. */
enum kt_status kt_expr_parse(const char **cursor, const struct kt_scope *scope, struct kt_expr *out,
                             struct kt_error *error);

/* Value for the argument values V, indexed by argument. */
double kt_expr_eval(const struct kt_expr *expr, const double *v);

/* Does the value depend on that argument? */
bool kt_expr_uses(const struct kt_expr *expr, int arg);

void kt_expr_free(struct kt_expr *expr);

/* Sets of option letters are 32 bits: A to Z, then 0 to 5. No bit for other characters. */
uint32_t kt_letter_bit(char letter);

/* Reads letters from *CURSOR on and moves it behind them. */
uint32_t kt_letters_read(const char **cursor);

#endif
