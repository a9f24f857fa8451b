/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear least squares by LAPACK's dgelsd, which copes with systems that do not determine all unknowns.
 *
 * The LAPACK is one of this machine, in a process of its own: BLAS libraries do not support being unloaded, and
 * workers, which are forked, must not meet one.
 */
#ifndef KT_LEAST_SQUARES_H
#define KT_LEAST_SQUARES_H

#include "trace/base/error.h"

struct kt_solver;

/* NULL and an error if no LAPACK is found that solves a system of known solution. */
struct kt_solver *kt_solver_open(struct kt_error *error);
void kt_solver_close(struct kt_solver *solver); /* NULL is allowed */

/* X minimises |A X - B|; A has ROWS rows, stored by columns, ROWS * COLUMNS numbers. Of several solutions the shortest.
 */
enum kt_status kt_solver_solve(struct kt_solver *solver, int rows, int columns, const double *a, const double *b,
                               double *x, struct kt_error *error);

#endif
