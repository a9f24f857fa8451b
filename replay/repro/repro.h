/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A C program that makes one recorded call: same arguments, same alignment and overlap of the operands, legal
 * contents. It needs the C library and the BLAS or LAPACK library, nothing else, and fits into a bug report.
 *
 * Operands that overlap share a block of memory; every block has exactly the bytes that its operands span.
 */
#ifndef KT_REPRO_H
#define KT_REPRO_H

#include "trace/read/cursor.h"
#include "trace/shape/snapshots.h"

#include <stdio.h>

struct kt_repro_block {
    uint64_t lo, hi; /* recorded addresses; lo = hi: an operand that is not referenced */
    uint64_t place;  /* where it begins if all blocks lie as in replay's arena; keeps the address modulo the page */
};

/* How the program makes the call end with the recorded info. */
enum kt_cause {
    KT_CAUSE_NONE,         /* info is 0, or there is none */
    KT_CAUSE_ARGUMENT,     /* an illegal argument, passed as recorded */
    KT_CAUSE_NAN,          /* OPERAND contains a NAN */
    KT_CAUSE_NOT_POSITIVE, /* diagonal element AT of OPERAND is negative */
    KT_CAUSE_ZERO,         /* diagonal element AT of OPERAND is 0 */
    KT_CAUSE_ZERO_COLUMN,  /* column AT of the tridiagonal matrix that OPERAND and the next two hold is 0 */
    KT_CAUSE_ZERO_CROSS,   /* row and column AT of OPERAND are 0 */
    KT_CAUSE_UNKNOWN,      /* it does not */
};

struct kt_repro {
    const struct kt_trace *trace;
    const struct kt_call *call;
    const struct kt_snapshot *held; /* what operands contained; NULL: that is made */
    unsigned at_most;               /* seconds after which the program fails; 0: it waits */
    struct kt_values values;
    size_t int_bytes;                           /* of the library */
    struct kt_operand operand[KT_MAX_OPERANDS]; /* with recorded addresses */
    int operands;
    struct kt_repro_block block[KT_MAX_OPERANDS];
    int blocks;
    int block_of[KT_MAX_OPERANDS]; /* of each operand; -1: NULL is passed for it */
    bool has_info;                 /* the call has returned one */
    int64_t info;
    enum kt_cause cause;
    int cause_operand;
    int64_t cause_at; /* from 0 */
};

/* TRACE, CALL and HELD, which may be NULL, must live as long as OUT. KT_BAD_INPUT if no program can make the call. */
enum kt_status kt_repro_plan(const struct kt_trace *trace, const struct kt_call *call, const struct kt_snapshot *held,
                             struct kt_repro *out, struct kt_error *error);

/* Is it called by another name than the usual one, which *USUAL has then? */
bool kt_repro_is_renamed(const struct kt_repro *repro, struct kt_symbol *usual);

void kt_repro_print(const struct kt_repro *repro, FILE *out);

#endif
