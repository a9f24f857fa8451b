/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of a million calls of 1,000 shapes: dot products of 1 to 1,498 elements, products with matrices of 1 to 25
 * rows and 1 to 20 columns. Prints a checksum.
 */
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 1000000, DOTS = 500, ROWS = 25, COLUMNS = 20, SHAPES = DOTS + ROWS * COLUMNS, LONGEST = 3 * DOTS };

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t ltrans);

static double x[LONGEST], y[LONGEST], a[ROWS * COLUMNS];
static const int one = 1;

static double dot(int number)
{
    int n = 1 + 3 * number;
    return ddot_(&n, x, &one, y, &one);
}

static double product(int number)
{
    const double unit = 1;
    const double zero = 0;
    int m = 1 + number % ROWS;
    int n = 1 + number / ROWS;
    dgemv_("N", &m, &n, &unit, a, &m, x, &one, &zero, y, &one, 1);
    return y[0];
}

int main(void)
{
    double sum = 0;
    for (int i = 0; i < LONGEST; i++)
        x[i] = y[i] = 1 + i % 7;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        a[i] = 1 + i % 5;
    for (int call = 0; call < CALLS; call++) {
        int shape = call % SHAPES;
        sum += shape < DOTS ? dot(shape) : product(shape - DOTS);
    }
    printf("%g\n", sum);
    return 0;
}
