/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library whose routines do next to nothing but call each other: dgesv calls dgetrf and dgetrs, which calls ddot;
 * dpotrf calls the program's xerbla between two calls of ddot. No arithmetic with floating-point numbers. -DALONE: a
 * library that has nothing but a dpotrf, which calls xerbla.
 */
#include <stddef.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
int idamax_(const int *n, const double *x, const int *incx);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *ipiv,
             double *b, const int *ldb, int *info, size_t trans_length);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void xerbla_(const char *name, const int *info, size_t length) __attribute__((weak));

#ifdef ALONE
#define ddot_(n, x, incx, y, incy) ((void)(n), (void)(x), (void)(incx))
#else
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    (void)n, (void)incx, (void)incy;
    return x == y ? *x : *y;
}

int idamax_(const int *n, const double *x, const int *incx)
{
    int best = 1;
    (void)incx;
    for (int i = 1; i < *n; i++)
        if (x[i] > x[best - 1])
            best = i + 1;
    return best;
}

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info)
{
    (void)m, (void)n, (void)a, (void)lda;
    *ipiv = 1;
    *info = 0;
}

void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *ipiv,
             double *b, const int *ldb, int *info, size_t trans_length)
{
    (void)trans, (void)lda, (void)ipiv, (void)ldb, (void)trans_length;
    *b = ddot_(n, a, nrhs, a, nrhs);
    *info = 0;
}

void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info)
{
    dgetrf_(n, n, a, lda, ipiv, info);
    if (*info == 0)
        dgetrs_("N", n, nrhs, a, lda, ipiv, b, ldb, info, 1);
}
#endif

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length)
{
    (void)uplo, (void)uplo_length;
    ddot_(n, a, lda, a, lda);
    *info = -1;
    if (xerbla_)
        xerbla_("DPOTRF", info, 6);
    ddot_(n, a, lda, a, lda);
}
