/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls whose reproduction needs more than arguments: those that end with an info other than 0, operands that overlap
 * or are not referenced, negative increments. Links with reference BLAS and LAPACK; tests/repro.sh traces it.
 */
#include <complex.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef double complex zcomplex;

void xerbla_(const char *name, const int *info, size_t length);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
void zpotrf_(const char *, const int *, zcomplex *, const int *, int *, size_t);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
void dtrtri_(const char *, const char *, const int *, double *, const int *, int *, size_t, size_t);
void dtrtrs_(const char *, const char *, const char *, const int *, const int *, const double *, const int *, double *,
             const int *, int *, size_t, size_t, size_t);
void dgesvd_(const char *, const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, double *, const int *, int *, size_t, size_t);
double ddot_(const int *, const double *, const int *, const double *, const int *);
void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
void zaxpy_(const int *, const zcomplex *, const zcomplex *, const int *, zcomplex *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);

/* The reference library's would end the program. */
void xerbla_(const char *name, const int *info, size_t length)
{
    printf("%.*s: %d\n", (int)length, name, *info);
}

enum { N = 5, LD = 7 };
static double a[LD * N], b[LD * N], work[100];
static zcomplex z[LD * N];
static int pivots[N];
static int info;
static const int n = N, ld = LD, one = 1;

static void fill(double *matrix)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LD; i++)
            matrix[i + j * LD] = i == j ? 20 + i : (i * 7 + j * 3) % 5;
}

/* Info of the call before, and where it comes from. */
static void report(const char *call)
{
    printf("%s: info = %d\n", call, info);
}

static void not_positive(void)
{
    fill(a);
    a[3 + 3 * LD] = -1;
    dpotrf_("L", &n, a, &ld, &info, 1);
    report("dpotrf");
    for (int i = 0; i < LD * N; i++)
        z[i] = i % (LD + 1) == 0 ? 10 : 0;
    z[1 + LD] = -1;
    zpotrf_("U", &n, z, &ld, &info, 1);
    report("zpotrf");
}

static void singular(void)
{
    fill(a);
    memset(a + 2 * LD, 0, LD * sizeof *a);
    dgetrf_(&n, &n, a, &ld, pivots, &info);
    report("dgetrf");
    fill(a);
    fill(b);
    memset(a + 4 * LD, 0, LD * sizeof *a);
    dgesv_(&n, &n, a, &ld, pivots, b, &ld, &info);
    report("dgesv");
    fill(a);
    a[2 + 2 * LD] = 0;
    dtrtri_("U", "N", &n, a, &ld, &info, 1, 1);
    report("dtrtri");
    a[1 + LD] = 0;
    dtrtrs_("L", "T", "N", &n, &n, a, &ld, b, &ld, &info, 1, 1, 1);
    report("dtrtrs");
}

static void illegal(void)
{
    const int negative = -1, small = 3;
    dgesv_(&negative, &n, a, &ld, pivots, b, &ld, &info);
    report("dgesv");
    dpotrf_("x", &n, a, &ld, &info, 1);
    report("dpotrf");
    dgetrf_(&n, &n, a, &small, pivots, &info);
    report("dgetrf");
}

static void odd_operands(void)
{
    static double memory[200];
    const double alpha = -2.5, beta = 0;
    const zcomplex gamma = 1 - 2 * I;
    const int backwards = -2, lwork = -1;
    memory[0] = ddot_(&n, memory, &one, memory, &one);
    daxpy_(&n, &alpha, memory, &backwards, memory + 20, &one);
    daxpy_(&n, &alpha, memory + 40, &one, memory + 45, &one); /* adjacent */
    zaxpy_(&n, &gamma, z, &one, z + 10, &one);
    dgemm_("N", "T", &n, &n, &n, &alpha, memory, &ld, memory + 3, &ld, &beta, memory + 101, &ld, 1,
           1); /* A, B overlap */
    dgesvd_("N", "N", &n, &n, a, &ld, work, NULL, &one, NULL, &one, work + N, &lwork, &info, 1, 1);
    report("dgesvd");
}

int main(void)
{
    not_positive();
    singular();
    illegal();
    odd_operands();
    return 0;
}
