/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands in a space of few lines, and a simulator of these lines that does what the definitions say, element by
 * element, to hold the cache tracker against.
 */
#ifndef KT_SIMULATED_LINES_H
#define KT_SIMULATED_LINES_H

#include "model/tracker/tracker.h"

enum { LINE = 64, SHIFT = 6, SPACE = 1 << 16, LINES = SPACE / LINE, MOST_OPERANDS = 4 };

/* Operands AT bytes from the begin of the space, of double precision. */
struct kt_operand kt_sim_matrix(uint64_t at, int64_t rows, int64_t cols, int64_t ld, enum kt_access access);
struct kt_operand kt_sim_vector(uint64_t at, int64_t n, int64_t inc, enum kt_access access);

/* A random number 0 .. BELOW - 1; the same ones in every run. */
uint64_t kt_sim_draw(uint64_t below);

/* Any part of the space: matrices of all structures, vectors of any increment, elements of 4 to 16 bytes. */
struct kt_operand kt_sim_any_operand(void);

/* Traces repeat operands, as programs do, and take parts of earlier ones. */
struct kt_operand kt_sim_next_operand(struct kt_operand *pool, int pooled);

typedef bool kt_sim_lines[LINES];

/* Adds the lines of an operand: element by element from the definitions of vectors and matrices in BLAS, not through
 * runs. */
void kt_sim_add(kt_sim_lines set, const struct kt_operand *o);

/* How many lines were used since LINE was, itself included. LAST: number of the call that used each last, from 1. */
uint64_t kt_sim_distance(const int last[LINES], int line);

/* Two private caches, of which two processors share the second, and one that all share. */
extern const struct kt_caches kt_sim_caches;

#endif
