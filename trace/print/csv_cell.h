/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values as RFC 4180 has them, of texts that may hold anything. */
#ifndef KT_CSV_CELL_H
#define KT_CSV_CELL_H

#include <stdio.h>

/*
 * TEXT as a cell; in quotes where it has to be. Spreadsheets take what begins with = + - @ for a formula and may run a
 * command for it: such a text gets an apostrophe before it, and control characters become question marks.
 */
void kt_csv_cell(FILE *file, const char *text);

#endif
