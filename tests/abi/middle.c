/* SPDX-License-Identifier: BSD-3-Clause */
/* A library between a module and BLAS; its own BLAS is not the first one in the module's scope. */
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
double through(void);

double through(void)
{
    static const double x[1] = {1};
    static const int one = 1;
    return 10 * ddot_(&one, x, &one, x, &one);
}
