/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls whose results are known, for the programs of this folder. They want the reference library, whose LAPACK calls
 * BLAS through symbols.
 */
#ifndef KT_TEST_WORK_H
#define KT_TEST_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t transa_length, size_t transb_length);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
#ifdef __cplusplus
}
#endif

/* The sum of the squares of 1 to n, for n <= 4. */
static inline bool work_dot(int n)
{
    static const double x[] = {1, 2, 3, 4};
    static const double expected[] = {0, 1, 5, 14, 30};
    const int one = 1;
    return ddot_(&n, x, &one, x, &one) == expected[n];
}

static inline bool work_product(void)
{
    const double a[] = {1, 2, 3, 4};
    const double zero = 0;
    const double one = 1;
    const int n = 2;
    double c[4];
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, 1, 1);
    return c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22;
}

/* Calls routines that call routines. */
static inline bool work_solve(void)
{
    double a[] = {4, 3, 6, 3};
    double b[] = {10, 6};
    const int n = 2;
    const int one = 1;
    int ipiv[2];
    int info;
    dgesv_(&n, &one, a, &n, ipiv, b, &n, &info);
    return info == 0 && b[0] == 1 && b[1] == 1;
}

static inline bool work_factor(void)
{
    double a[] = {4, 2, 2, 5};
    const int n = 2;
    int info;
    dpotrf_("L", &n, a, &n, &info, 1);
    return info == 0 && a[0] == 2 && a[1] == 1 && a[3] == 2;
}

/* TIMES calls of ddot; tells of a wrong result. */
static inline void work_times(int times)
{
    int wrong = 0;
    for (int i = 0; i < times; i++)
        wrong += !work_dot(1 + i % 4);
    if (wrong)
        printf("%d wrong\n", wrong);
}

#endif
