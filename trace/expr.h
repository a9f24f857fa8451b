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

#include "ktrace/operation.h"
#include "trace/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
