/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fits a polynomial to noisy samples through the normal equations, by the Fortran interface of BLAS and LAPACK:
 * everything is passed by reference, matrices are column-major, and each character argument has a hidden length
 * behind the last argument.
 *
 *     cc -O2 c_example.c -llapack -lblas -lm -o c_example
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 2000, TERMS = 12, ROUNDS = 50 };

void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *beta, double *c, const int *ldc, size_t uplo_length, size_t trans_length);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t trans_length);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
             const int *ldb, int *info, size_t uplo_length);
double dnrm2_(const int *n, const double *x, const int *incx);

static double design[SAMPLES * TERMS]; /* column j: Chebyshev polynomial of degree j */

static void fill_design(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        double t = 2.0 * i / (SAMPLES - 1) - 1.0;
        for (int j = 0; j < TERMS; j++)
            design[i + j * SAMPLES] = cos(j * acos(t));
    }
}

static void fill_samples(double *y)
{
    for (int i = 0; i < SAMPLES; i++) {
        double t = 2.0 * i / (SAMPLES - 1) - 1.0;
        y[i] = exp(t) * sin(4.0 * t) + 0.05 * (rand() / (double)RAND_MAX - 0.5);
    }
}

/* Coefficients from (A'A) x = A'y; leaves the residual in Y and returns its norm. */
static double fit(double *y, double *x)
{
    const int m = SAMPLES;
    const int n = TERMS;
    const int one = 1;
    const double minus = -1.0;
    const double unit = 1.0;
    const double zero = 0.0;
    double normal[TERMS * TERMS];
    int info;

    dsyrk_("L", "T", &n, &m, &unit, design, &m, &zero, normal, &n, 1, 1);
    dgemv_("T", &m, &n, &unit, design, &m, y, &one, &zero, x, &one, 1);
    dpotrf_("L", &n, normal, &n, &info, 1);
    if (info != 0)
        return NAN;
    dpotrs_("L", &n, &one, normal, &n, x, &n, &info, 1);
    dgemv_("N", &m, &n, &minus, design, &m, x, &one, &unit, y, &one, 1);
    return dnrm2_(&m, y, &one);
}

int main(void)
{
    static double y[SAMPLES];
    double x[TERMS];
    double sum = 0.0;

    srand(1);
    fill_design();
    for (int round = 0; round < ROUNDS; round++) {
        fill_samples(y);
        sum += fit(y, x);
    }
    printf("mean residual %.12g, first coefficients %.6f %.6f %.6f\n", sum / ROUNDS, x[0], x[1], x[2]);
    return isnan(sum) ? EXIT_FAILURE : EXIT_SUCCESS;
}
