/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An algorithm's calls, ready to be made: routines of a loaded library, arguments in memory, operands with data. All
 * arguments of Fortran routines are addresses, and lengths of letters follow, so one prototype serves them all.
 */
#ifndef KT_SCRIPT_H
#define KT_SCRIPT_H

#include "model/algorithm/algorithm.h"

struct kt_script {
    struct kt_script_call *call; /* owned */
    size_t calls;
    uintptr_t *word; /* what is passed, call by call; owned */
    size_t words;
    uint64_t *number; /* of the arguments, each 8 bytes, equal ones once; owned */
    size_t numbers;
    char *store, *fresh;                        /* all operands together, and what they hold at the begin; mapped */
    bool borrows;                               /* these are another script's */
    struct kt_operand storage[KT_MAX_OPERANDS]; /* what they hold */
    int stores;
    size_t bytes;
    uint64_t first; /* the algorithm's address of the store */
    double seconds; /* that it took when it was last timed; 0: not yet */
};

/* An error if a file of the library lacks a routine, or if there are too many calls. To be freed also after one. LIKE:
 * a script of the same algorithm, whose memory this one uses if it needs the same; it has to live longer. NULL: none.
 */
struct kt_timing_loaded;
enum kt_status kt_script_make(const struct kt_algorithm *algorithm, const double *parameter,
                              const struct kt_timing_loaded *library, const struct kt_script *like,
                              struct kt_script *out, struct kt_error *error);

/* Fresh data. */
void kt_script_reset(struct kt_script *script);
/* All calls. */
void kt_script_run(const struct kt_script *script);

#endif
