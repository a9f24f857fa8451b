/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Row-major calls of CBLAS as the same call in column-major terms. Pure functions.
 */
#ifndef KT_COLUMN_MAJOR_H
#define KT_COLUMN_MAJOR_H

#include "trace/table/symbol.h"

/* False where there is no such call: LAPACKE moves the elements of row-major matrices. */
bool kt_column_major(const struct kt_symbol *symbol, const struct kt_values *values, struct kt_values *out);

#endif
