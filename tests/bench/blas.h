/* SPDX-License-Identifier: BSD-3-Clause */
/* The routines that make bench calls, and the arguments of the longer one as one object. */
#ifndef KT_BENCH_BLAS_H
#define KT_BENCH_BLAS_H

#include <stddef.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t la, size_t lb);

struct gemm {
    const char *transa, *transb;
    const int *m, *n, *k;
    const double *alpha, *a;
    const int *lda;
    const double *b;
    const int *ldb;
    const double *beta, *c;
    const int *ldc;
};

#endif
