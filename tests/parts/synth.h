/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synthetic calls: legal arguments for any symbol of the table, stored as a record stores them, so that everything
 * that works on recorded calls works on these.
 *
 * What is legal follows from the table as far as it says so: leading dimensions from the operands' shapes, letters
 * of options from the expressions that test them, sizes of reflectors from the operands that hold them. The few
 * rules that the table does not know are in synth.c, each with its reason.
 */
#ifndef KT_SYNTH_H
#define KT_SYNTH_H

#include "trace/table/symbol.h"

enum { KT_SYNTH_ARG_BYTES = 16 * KT_MAX_PARAMS };

struct kt_synth {
    uint64_t state; /* of the random numbers; any value is a seed */
    bool distinct;  /* every argument has a value of its own, none is 0; otherwise random, corner cases included */
    bool large;     /* sizes of 60 and more: LAPACK's blocked code and its divide and conquer */
    bool queries;   /* now and then only ask for the size of the workspace */
};

/* A random number 0 .. BELOW - 1. */
uint64_t kt_synth_draw(struct kt_synth *synth, uint64_t below);

/* A random number between -1 and 1, a multiple of 2^-20, never 0. */
double kt_synth_number(struct kt_synth *synth);

/* Arguments of a call; addresses are 0. ROW_MAJOR is ignored where the symbol has no layout. */
void kt_synth_arguments(struct kt_synth *synth, const struct kt_symbol *symbol, bool row_major,
                        unsigned char args[KT_SYNTH_ARG_BYTES]);

/* Sets the addresses of all address parameters, in the order of the interface. */
void kt_synth_set_addresses(const struct kt_symbol *symbol, const uint64_t *address, unsigned char *args);

#endif
