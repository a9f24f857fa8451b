/* SPDX-License-Identifier: BSD-3-Clause */
/* Many calls of a dozen shapes, one after the other and over again: rounds N. */
#include <stdlib.h>

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

enum { LARGEST = 96 };

static double a[LARGEST * LARGEST], b[LARGEST * LARGEST], c[LARGEST * LARGEST];

static void make_calls(int n)
{
    const double one = 1;
    const double zero = 0;
    const int step = 1;
    const int square = n * n;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    dgemv_("T", &n, &n, &one, a, &n, b, &step, &zero, c, &step);
    c[0] += ddot_(&square, a, &step, b, &step);
}

int main(int argc, char **argv)
{
    static const int order[] = {16, 24, 32, 48, 64, 96};
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < LARGEST * LARGEST; i++)
        a[i] = b[i] = 1.0 / (1 + i);
    for (int r = 0; r < rounds; r++)
        for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
            make_calls(order[i]);
    return c[0] == 0;
}
