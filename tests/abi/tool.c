/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool that is preloaded and wraps a routine: what it answers shows that it was there. */
#include <dlfcn.h>

typedef double dot(const int *, const double *, const int *, const double *, const int *);
dot ddot_;

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    dot *next = (dot *)dlsym(RTLD_NEXT, "ddot_");
    return 100 + (next ? next(n, x, incx, y, incy) : 0);
}
