/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls a routine through any of its symbols with arguments that are only known at run time.
 *
 * The generator writes one small C function, a thunk, per class of prototypes: so many integer-class parameters
 * (addresses, integers, enumerations), so many floating-point ones, and the kind of result. On the ABIs that ktrace
 * runs on, integer-class and floating-point parameters are passed independently of each other.
 */
#ifndef KT_CALL_H
#define KT_CALL_H

#include "trace/table/symbol.h"

enum { KT_MAX_WORDS = 2 * KT_MAX_PARAMS, KT_MAX_NUMBERS = 8 };

/* The parameters of one call as a thunk takes them. */
struct kt_parameters {
    int64_t word[KT_MAX_WORDS];    /* integer-class parameters in order; Fortran: then the hidden string lengths */
    double number[KT_MAX_NUMBERS]; /* floating-point registers in order; a float is in the low half */
};

/* What a function returned; which member holds follows from the symbol. */
struct kt_returned {
    int64_t integer;
    double number[2]; /* first two floating-point registers; a float is in the low half of the first */
};

typedef void kt_thunk(void *function, const struct kt_parameters *parameters, struct kt_returned *out);

/* Generated (build/gen/thunks.c). NULL if the symbol's class is unknown, which a test excludes for the whole table. */
kt_thunk *kt_thunk_find(int words, int numbers, bool float_result);

/* The thunk of a symbol. */
kt_thunk *kt_thunk_of(const struct kt_symbol *symbol);

/*
 * Storage for what Fortran passes by reference: the parameters of a call point into it, so it must live as long.
 * INT_BYTES is the width of the library's integers.
 */
struct kt_by_reference {
    _Alignas(16) unsigned char cell[KT_MAX_PARAMS][16];
};

/*
 * Fills OUT for a call of SYMBOL with the stored arguments ARGS of a record, but with ADDRESS[i] in place of the
 * i-th address parameter (arrays and a CBLAS result, in the order of the interface, as kt_operands lists them).
 */
void kt_parameters_fill(const struct kt_symbol *symbol, const unsigned char *args, const uint64_t *address,
                        size_t int_bytes, struct kt_by_reference *cells, struct kt_parameters *out);

/* Does info > 0 mean that the call ended early, as a matrix was not positive definite? */
bool kt_failure_is_early(const struct kt_routine *routine);

/* Info after a call with these cells; 0 if the routine has none. */
int64_t kt_parameters_info(const struct kt_symbol *symbol, const struct kt_by_reference *cells,
                           const struct kt_returned *returned, size_t int_bytes);

#endif
