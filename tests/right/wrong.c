/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries that are not right, each in one respect, in front of the reference library. FAULT is which:
 *
 *   1  dtrsm: one element is off by 1e-9 of it where n = 37
 *   2  dgemm: writes an element past the end of C where m = 22, k = 64
 *   3  dgemv: multiplies what y held by beta = 0 instead of not reading it, where n = 30
 *   4  dpotrf: info = 3 where n = 37, though the factorisation is right
 *   5  dgemm: takes ten times as long where k is odd
 *   6  dsyev: an eigenvector that is not quite one, where n = 22
 *   7  ddot: leaves by exit where n = 64
 *   8  dgesv: writes below the last row of A, into the gap before the next column
 *   9  dgemv: multiplies what malloc gave by beta = 0, where n = 30
 *   10 dscal: never returns where x(1) is NAN, and crashes where x(1) is INFINITY
 *   11 ddot: takes 2 ms longer where x(1) is subnormal
 *   12 dpotrf: right, but takes a minute where n = 37
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#if FAULT == 1
typedef void trsm(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
                  const double *, const int *, double *, const int *);
trsm dtrsm_;

void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb)
{
    ((trsm *)next("dtrsm_"))(side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);
    if (*n == 37)
        b[5 + 3 * *ldb] *= 1 + 1e-9;
}
#elif FAULT == 2 || FAULT == 5
typedef void gemm(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                  const int *, const double *, const int *, const double *, double *, const int *);
gemm dgemm_;

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc)
{
    gemm *real = (gemm *)next("dgemm_");
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    real(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (FAULT == 2 && *m == 22 && *k == 64)
        c[*m + (*n - 1) * *ldc] = 1;
    clock_gettime(CLOCK_MONOTONIC, &to);
    double length = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    struct timespec now = to;
    while (FAULT == 5 && *k % 2 &&
           (double)(now.tv_sec - to.tv_sec) + 1e-9 * (double)(now.tv_nsec - to.tv_nsec) < 9 * length)
        clock_gettime(CLOCK_MONOTONIC, &now);
}
#elif FAULT == 3 || FAULT == 9
typedef void gemv(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
                  const int *, const double *, double *, const int *);
gemv dgemv_;

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy)
{
    const double one = 1;
    int careless = *n == 30 && *beta == 0;
    double *given = malloc((size_t)*m * sizeof *given);
    for (int i = 0; careless && i < *m; i++)
        y[i * *incy] = *beta * (FAULT == 9 ? given[i] : y[i * *incy]);
    free(given);
    ((gemv *)next("dgemv_"))(trans, m, n, alpha, a, lda, x, incx, careless ? &one : beta, y, incy);
}
#elif FAULT == 4 || FAULT == 12
typedef void potrf(const char *, const int *, double *, const int *, int *);
potrf dpotrf_;

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info)
{
    ((potrf *)next("dpotrf_"))(uplo, n, a, lda, info);
    if (FAULT == 4 && *n == 37)
        *info = 3;
    if (FAULT == 12 && *n == 37)
        nanosleep(&(struct timespec){.tv_sec = 60}, NULL);
}
#elif FAULT == 6
typedef void syev(const char *, const char *, const int *, double *, const int *, double *, double *, const int *,
                  int *);
syev dsyev_;

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info)
{
    ((syev *)next("dsyev_"))(jobz, uplo, n, a, lda, w, work, lwork, info);
    if (*n == 22 && *lwork >= *n)
        a[1 + 2 * *lda] += 1e-9;
}
#elif FAULT == 7
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    typedef double dot(const int *, const double *, const int *, const double *, const int *);
    if (*n == 64)
        exit(0);
    return ((dot *)next("ddot_"))(n, x, incx, y, incy);
}
#elif FAULT == 8
typedef void gesv(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
gesv dgesv_;

void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivot, double *b, const int *ldb, int *info)
{
    ((gesv *)next("dgesv_"))(n, nrhs, a, lda, pivot, b, ldb, info);
    a[*n] = 0;
}
#elif FAULT == 10
typedef void scal(const int *, const double *, double *, const int *);
scal dscal_;

void dscal_(const int *n, const double *alpha, double *x, const int *incx)
{
    while (__builtin_isnan(x[0]))
        __asm__ volatile("");
    if (__builtin_isinf(x[0]))
        __builtin_trap();
    ((scal *)next("dscal_"))(n, alpha, x, incx);
}
#elif FAULT == 11
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    typedef double dot(const int *, const double *, const int *, const double *, const int *);
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    now = from;
    while (__builtin_fpclassify(0, 1, 4, 3, 2, x[0]) == 3 &&
           (double)(now.tv_sec - from.tv_sec) + 1e-9 * (double)(now.tv_nsec - from.tv_nsec) < 2e-3)
        clock_gettime(CLOCK_MONOTONIC, &now);
    return ((dot *)next("ddot_"))(n, x, incx, y, incy);
}
#endif
