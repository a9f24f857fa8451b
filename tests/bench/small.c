/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of millions of small calls: many small linear systems y' = A y, integrated by the classical Runge-Kutta
 * method; eleven calls of BLAS on vectors of length 32 in each step. Prints a checksum.
 * Usage: small STEPS
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 32, SYSTEMS = 8 };

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t ltrans);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
void dcopy_(const int *n, const double *x, const int *incx, double *y, const int *incy);
double dnrm2_(const int *n, const double *x, const int *incx);

static const int length = N;
static const int one = 1;

static void derivative(const double *a, const double *y, double *dy)
{
    const double unit = 1;
    const double zero = 0;
    dgemv_("N", &length, &length, &unit, a, &length, y, &one, &zero, dy, &one, 1);
}

static void step(const double *a, double *y, double h)
{
    static const double advance[4] = {0, 0.5, 0.5, 1};
    static const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double slope[N] = {0};
    double at[N];
    double next[N];
    dcopy_(&length, y, &one, next, &one);
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < N; i++)
            at[i] = y[i] + h * advance[stage] * slope[i];
        derivative(a, at, slope);
        double factor = h * weight[stage];
        daxpy_(&length, &factor, slope, &one, next, &one);
    }
    dcopy_(&length, next, &one, y, &one);
}

/* Skew-symmetric: the length of y does not change. */
static void make_system(double *a, double *y, int which)
{
    for (int j = 0; j < N; j++) {
        y[j] = cos(which + j);
        for (int i = 0; i < N; i++)
            a[i + j * N] =
                sin((double)((i + 1) * (j + 1) + which)) * (i < j) - sin((double)((i + 1) * (j + 1) + which)) * (i > j);
    }
}

int main(int argc, char **argv)
{
    static double a[SYSTEMS][N * N];
    static double y[SYSTEMS][N];
    long steps = argc > 1 ? atol(argv[1]) : 100000;
    double sum = 0;
    for (int s = 0; s < SYSTEMS; s++)
        make_system(a[s], y[s], s);
    for (long i = 0; i < steps; i++) {
        int s = (int)(i % SYSTEMS);
        step(a[s], y[s], 1e-3);
        sum += dnrm2_(&length, y[s], &one);
    }
    printf("%.12g\n", sum);
    return 0;
}
