/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls ddot(n=1) or dgemm(n=4) many times and prints nanoseconds per call, the best of several stretches.
 * Usage: calls ddot|dgemm CALLS
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t la, size_t lb);

static volatile double sink; /* results are used, as far as the compiler can tell */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double stretch(int is_gemm, long calls)
{
    static const double a[16] = {1, 0.5};
    static double c[16];
    const double one = 1;
    const double zero = 0;
    const int n1 = 1;
    const int n4 = 4;
    double start = now();
    for (long i = 0; i < calls; i++) {
        if (is_gemm)
            dgemm_("N", "N", &n4, &n4, &n4, &one, a, &n4, a, &n4, &zero, c, &n4, 1, 1);
        else
            sink = ddot_(&n1, a, &n1, a, &n1);
    }
    return 1e9 * (now() - start) / (double)calls;
}

int main(int argc, char **argv)
{
    enum { STRETCHES = 10 };
    int is_gemm = argc > 1 && !strcmp(argv[1], "dgemm");
    long calls = argc > 2 ? atol(argv[2]) : 1000000;
    double best = 1e300;
    stretch(is_gemm, 1000);
    for (int i = 0; i < STRETCHES; i++) {
        double ns = stretch(is_gemm, calls / STRETCHES);
        best = ns < best ? ns : best;
    }
    printf("%.2f\n", best);
    return 0;
}
