/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A BLAS library whose routines tell who they are instead of computing. Built several times:
 *   -DANSWER=n   ddot_ returns n, to see which library a caller reached
 *   -DF2C        complex results through a hidden first argument, float functions return double
 *   -DILP64      64-bit integers
 *   -DNESTED     idamax_ goes through cblas_idamax
 */
#include <complex.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#ifdef ILP64
typedef int64_t integer;
#else
typedef int32_t integer;
#endif

#ifndef ANSWER
#define ANSWER 1
#endif

double ddot_(const integer *n, const double *x, const integer *incx, const double *y, const integer *incy);
double ddot_(const integer *n, const double *x, const integer *incx, const double *y, const integer *incy)
{
    (void)x;
    (void)y;
    (void)incx;
    (void)incy;
    if (*n == -9)
        raise(SIGKILL);
    return ANSWER;
}

/* Compiled as a jump: the return address that ddot_ sees is cblas_ddot's caller. */
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy)
{
    static integer n_, incx_, incy_;
    n_ = n;
    incx_ = incx;
    incy_ = incy;
    return ddot_(&n_, x, &incx_, y, &incy_);
}

static integer place_of_largest(integer n, const double *x)
{
    integer best = 0;
    for (integer i = 0; i < n; i++)
        if (best == 0 || x[i] > x[best - 1])
            best = i + 1;
    return best;
}

#ifdef NESTED
size_t cblas_idamax(int n, const double *x, int incx);
size_t cblas_idamax(int n, const double *x, int incx)
{
    (void)incx;
    return (size_t)place_of_largest(n, x) - 1;
}
#define PLACE_OF_LARGEST(n, x) ((integer)cblas_idamax(n, x, 1) + 1)
#else
#define PLACE_OF_LARGEST(n, x) place_of_largest(n, x)
#endif

integer idamax_(const integer *n, const double *x, const integer *incx);
integer idamax_(const integer *n, const double *x, const integer *incx)
{
    (void)incx;
    return PLACE_OF_LARGEST(*n, x);
}

#ifdef F2C
double sdot_(const integer *n, const float *x, const integer *incx, const float *y, const integer *incy);
double sdot_(const integer *n, const float *x, const integer *incx, const float *y, const integer *incy)
{
    (void)incx;
    (void)incy;
    return (double)x[0] * (double)y[0] + *n;
}

void zdotu_(double *result, const integer *n, const double *x, const integer *incx, const double *y,
            const integer *incy);
void zdotu_(double *result, const integer *n, const double *x, const integer *incx, const double *y,
            const integer *incy)
{
    (void)incx;
    (void)incy;
    result[0] = x[0] + *n;
    result[1] = y[0];
}
#else
float sdot_(const integer *n, const float *x, const integer *incx, const float *y, const integer *incy);
float sdot_(const integer *n, const float *x, const integer *incx, const float *y, const integer *incy)
{
    (void)incx;
    (void)incy;
    return x[0] * y[0] + (float)*n;
}

double _Complex zdotu_(const integer *n, const double *x, const integer *incx, const double *y, const integer *incy);
double _Complex zdotu_(const integer *n, const double *x, const integer *incx, const double *y, const integer *incy)
{
    (void)incx;
    (void)incy;
    return x[0] + *n + I * y[0];
}

float _Complex cdotu_(const integer *n, const float *x, const integer *incx, const float *y, const integer *incy);
float _Complex cdotu_(const integer *n, const float *x, const integer *incx, const float *y, const integer *incy)
{
    (void)incx;
    (void)incy;
    return x[0] + (float)*n + I * y[0];
}
#endif

/* Reports the hidden lengths it got through info: 100 * first + second. */
void dormqr_(const char *side, const char *trans, const integer *m, const integer *n, const integer *k, double *a,
             const integer *lda, const double *tau, double *c, const integer *ldc, double *work, const integer *lwork,
             integer *info, size_t side_length, size_t trans_length);
void dormqr_(const char *side, const char *trans, const integer *m, const integer *n, const integer *k, double *a,
             const integer *lda, const double *tau, double *c, const integer *ldc, double *work, const integer *lwork,
             integer *info, size_t side_length, size_t trans_length)
{
    (void)side, (void)trans, (void)m, (void)n, (void)k, (void)a, (void)lda, (void)tau, (void)c, (void)ldc, (void)work;
    (void)lwork;
    *info = (integer)(100 * side_length + trans_length);
}

/* Its name is all that is known of it. */
int somatcopy_(int a, int b, int c, int d, int e, int f, int g, int h);
int somatcopy_(int a, int b, int c, int d, int e, int f, int g, int h)
{
    return a + 10 * (b + 10 * (c + 10 * (d + 10 * (e + 10 * (f + 10 * (g + 10 * h))))));
}

/* These call the program's error handlers, as BLAS does. */
void cblas_dscal(int n, double alpha, double *x, int incx);
void cblas_dscal(int n, double alpha, double *x, int incx)
{
    extern void cblas_xerbla(int, const char *, const char *, ...) __attribute__((weak));
    (void)x, (void)incx;
    if (n < 0 && cblas_xerbla)
        cblas_xerbla(1, "cblas_dscal", "n = %d, alpha = %g\n", n, alpha);
}

void dpotrf_(const char *uplo, const integer *n, double *a, const integer *lda, integer *info, size_t uplo_length);
void dpotrf_(const char *uplo, const integer *n, double *a, const integer *lda, integer *info, size_t uplo_length)
{
    extern void xerbla_(const char *, const integer *, size_t) __attribute__((weak));
    (void)uplo, (void)n, (void)a, (void)lda, (void)uplo_length;
    *info = -1;
    if (xerbla_)
        xerbla_("DPOTRF", info, 6);
}
