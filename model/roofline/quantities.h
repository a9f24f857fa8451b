/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work and memory traffic of a call, as a roofline needs them (paper 002, chapters 2 and 6), from its arguments alone.
 * Pure functions.
 *
 *     traffic = lines loaded + max(0, lines stored to - last cache)
 *
 * Whatever a call touches is loaded once, also what it only writes, as caches fetch a line before a part of it is
 * written; what it stored stays in the last cache as far as it fits there. That is the least that a call moves between
 * memory and caches if none of its operands is in a cache at the start: daxpy has 1/8 flop per byte, 1/12 where its
 * vectors do not fit, dgemv up to 1/4, dgemm n/12 and then n/16.
 */
#ifndef KT_QUANTITIES_H
#define KT_QUANTITIES_H

#include "trace/read/cursor.h"

struct kt_quantities {
    double flops;   /* NAN: not known */
    double loaded;  /* bytes of all lines that operands are on, each once; workspaces left out. NAN: not known */
    double stored;  /* bytes of the lines that are written */
    bool is_single; /* some of its numbers are of single precision */
};

enum { KT_LINE_SHIFT = 6 }; /* where the machine does not tell: lines of 64 bytes */

void kt_quantities_of(const struct kt_call *call, double flops, unsigned line_shift, struct kt_quantities *out);

/* The same of a call that nobody recorded. INT_BYTES: of the library's integers. */
void kt_quantities_of_values(const struct kt_symbol *symbol, const struct kt_values *values, size_t int_bytes,
                             double flops, unsigned line_shift, struct kt_quantities *out);

/* Bytes; CACHE_BYTES: of the last cache, as far as this process has it. */
double kt_quantities_traffic(const struct kt_quantities *quantities, double cache_bytes);

/* Flops per byte: 0 where nothing is computed, INFINITY where nothing is moved, NAN where one of them is not known or
 * there is neither. */
double kt_intensity(double flops, double bytes);

#endif
