/* SPDX-License-Identifier: BSD-3-Clause */
/* The library of routines that do nothing: nothing.h. */
#include "nothing.h"

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    (void)n, (void)incx, (void)y, (void)incy;
    return *x;
}

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t ltrans)
{
    (void)trans, (void)m, (void)n, (void)alpha, (void)lda, (void)x, (void)incx, (void)beta, (void)incy, (void)ltrans;
    *y = *a;
}

void dlarfg_(const int *n, double *alpha, double *x, const int *incx, double *tau)
{
    (void)n, (void)x, (void)incx;
    *tau = *alpha;
}

void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivot, double *b, const int *ldb, int *info)
{
    (void)n, (void)lda, (void)pivot, (void)b, (void)ldb;
    *info = 0;
    switch (*nrhs) {
    case INSIDE_DDOT:
        call_ddot(a, INSIDE);
        break;
    case INSIDE_DGEMV:
        call_dgemv(a, INSIDE);
        break;
    default:
        call_dlarfg(a, INSIDE);
    }
}
