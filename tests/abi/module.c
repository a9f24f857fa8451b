/* SPDX-License-Identifier: BSD-3-Clause */
/* An extension module that calls BLAS, as Python's are: loaded into a scope of its own. */
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
double through(void) __attribute__((weak));
double module_dot(void);
double module_cblas_dot(void);
double module_through(void);
double module_jump(const int *n, const double *x, const int *incx, const double *y, const int *incy);

double module_dot(void)
{
    static const double x[1] = {1};
    static const int one = 1;
    return ddot_(&one, x, &one, x, &one);
}

double module_cblas_dot(void)
{
    static const double x[1] = {1};
    return cblas_ddot(1, x, 1, x, 1);
}

/* Compiled as a jump: what it calls returns to its caller. */
__attribute__((optimize("optimize-sibling-calls"))) double module_jump(const int *n, const double *x, const int *incx,
                                                                       const double *y, const int *incy)
{
    return ddot_(n, x, incx, y, incy);
}

double module_through(void)
{
    return through ? through() : -1;
}
