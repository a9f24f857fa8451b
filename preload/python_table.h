/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPython's tables from instructions to lines: co_lnotab of 3.8 and 3.9 (Objects/lnotab_notes.txt of CPython),
 * co_linetable of 3.10 (PEP 626) and of 3.11 to 3.13 (Objects/locations.md). Pure functions.
 */
#ifndef KT_PYTHON_TABLE_H
#define KT_PYTHON_TABLE_H

#include "preload/shim.h"

enum kt_python_table { KT_PYTHON_LNOTAB, KT_PYTHON_RANGES, KT_PYTHON_LOCATIONS };

/* The line of the instruction at AT, in bytes from the begin of the code, which begins at line FIRST. FIRST, if the
 * table does not tell. */
KT_HIDDEN int kt_python_table_line(enum kt_python_table kind, const unsigned char *table, size_t bytes, int first,
                                   size_t at);

#endif
