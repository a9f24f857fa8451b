/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library whose routines do nothing, so that what is measured of a call of them is the call (nothing.c), and the
 * calls that one_call.c makes of it. Its dgesv calls another of them INSIDE times, through its procedure linkage table,
 * as libraries call their own; which one is its number of right-hand sides.
 */
#ifndef KT_BENCH_NOTHING_H
#define KT_BENCH_NOTHING_H

#include <stddef.h>

enum { INSIDE = 10000 };
enum inside { INSIDE_DDOT = 1, INSIDE_DGEMV, INSIDE_DLARFG };

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t ltrans);
void dlarfg_(const int *n, double *alpha, double *x, const int *incx, double *tau);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivot, double *b, const int *ldb, int *info);

/* So many calls, each at other addresses than the one before. */
static inline void call_ddot(const double *x, int times)
{
    const int one = 1;
    for (int i = 0; i < times; i++)
        ddot_(&one, x + i % 64, &one, x, &one);
}

static inline void call_dgemv(double *x, int times)
{
    const int one = 1;
    const double unit = 1;
    for (int i = 0; i < times; i++)
        dgemv_("N", &one, &one, &unit, x + i % 64, &one, x, &one, &unit, x + 64 + i % 64, &one, 1);
}

static inline void call_dlarfg(double *x, int times)
{
    const int one = 1;
    for (int i = 0; i < times; i++)
        dlarfg_(&one, x + i % 64, x, &one, x + 64 + i % 64);
}

#endif
