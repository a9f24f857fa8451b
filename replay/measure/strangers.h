/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of other routines of the library, small ones, right before the one that is timed.
 *
 * A program rarely makes the same call again and again: what the processor has learned of a routine's branches in the
 * call before it has forgotten, or never learned, in a program whose calls take turns. Sums over the BLAS calls in
 * LAPACK's dgeqrf, dpotrf and dgetrf of 100 and 200, operands warm, were 0.94 to 0.98 of what these took there, and
 * are 0.98 to 1.00 with one such call before each.
 */
#ifndef KT_STRANGERS_H
#define KT_STRANGERS_H

#include "replay/call/library.h"

enum { KT_STRANGERS = 5 };

struct kt_strangers {
    void *function[KT_STRANGERS]; /* NULL: the library has no such routine */
    uint64_t state;               /* which comes next is random */
};

/* Those of a loaded library; none if one of them ends the process or hangs. */
void kt_strangers_find(const struct kt_library *library, struct kt_strangers *out);

/* Calls one that is not that routine, given by its name without interface (dgemm); of no effect if there is none. */
void kt_strangers_call(struct kt_strangers *strangers, const char *name);

#endif
