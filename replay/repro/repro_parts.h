/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a reproducing program as the files repro_*.c print them. Private to those.
 */
#ifndef KT_REPRO_PARTS_H
#define KT_REPRO_PARTS_H

#include "replay/repro/repro.h"

#include <stdio.h>

const struct kt_symbol *kt_repro_symbol(const struct kt_repro *repro);
bool kt_repro_has_procedure(const struct kt_repro *repro); /* is one passed? */
const char *kt_repro_type(enum kt_type type);              /* C's name of it */

/* Which helper functions the statements of the program call. */
struct kt_repro_needs {
    bool draw, number, complex_number, diagonal, squared, hartley, sum;
};
struct kt_repro_needs kt_repro_find_needs(const struct kt_repro *repro);

void kt_repro_print_comment(const struct kt_repro *repro, FILE *out);
void kt_repro_print_headers(FILE *out);
void kt_repro_print_helpers(const struct kt_repro *repro, const struct kt_repro_needs *needs, FILE *out);

/* Statements that fill operand number I, and those that sum up what the call left in it. */
void kt_repro_print_fill(const struct kt_repro *repro, int i, FILE *out);
void kt_repro_print_sum(const struct kt_repro *repro, int i, FILE *out);

#endif
