/* SPDX-License-Identifier: BSD-3-Clause */
/* A BLAS whose names have no underscore; -DMAIN: a program that calls it. */
double ddot(const int *n, const double *x, const int *incx, const double *y, const int *incy);

#ifdef MAIN
#include <stdio.h>

int main(void)
{
    const double x[] = {1, 2, 3};
    const int n = 3;
    const int one = 1;
    printf("%g\n", ddot(&n, x, &one, x, &one));
    return 0;
}
#else
void sgemm(void);
void dgemm(void);
void zgemm(void);
void sgemm(void)
{
}
void dgemm(void)
{
}
void zgemm(void)
{
}

double ddot(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    double sum = 0;
    for (int i = 0; i < *n; i++)
        sum += x[i * *incx] * y[i * *incy];
    return sum;
}
#endif
