/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with two versions of a routine; -DONLY_OLD: as it was before the new one, to link old programs with. */
typedef double dot(const int *, const double *, const int *, const double *, const int *);
dot old_dot;
dot new_dot;

double old_dot(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    (void)n, (void)x, (void)incx, (void)y, (void)incy;
    return 1;
}

__asm__(".symver old_dot, ddot_@OLD");

#ifndef ONLY_OLD
double new_dot(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    (void)n, (void)x, (void)incx, (void)y, (void)incy;
    return 2;
}

__asm__(".symver new_dot, ddot_@@NEW");
#endif
