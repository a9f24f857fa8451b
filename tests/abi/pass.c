/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that passes calls on to another, which it looks up by the names that it has itself, as MKL's libmkl_rt.so.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdlib.h>

typedef double dot(const int *, const double *, const int *, const double *, const int *);

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    static dot *pass;
    if (!pass) {
        void *other = dlopen(OTHER, RTLD_LAZY | RTLD_GLOBAL);
        pass = other ? (dot *)dlsym(other, "ddot_") : NULL;
        if (!pass)
            abort();
    }
    return pass(n, x, incx, y, incy);
}
