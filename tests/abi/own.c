/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a routine of its own, beside that of a library, and a module that calls one of the two. */
#include <dlfcn.h>
#include <stdio.h>

typedef double dot(const int *, const double *, const int *, const double *, const int *);
dot ddot_;

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    (void)n, (void)x, (void)incx, (void)y, (void)incy;
    return 50;
}

int main(int argc, char **argv)
{
    static const double x[1] = {1};
    static const int one = 1;
    printf("%g\n", ddot_(&one, x, &one, x, &one));
#ifndef STATIC
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    double (*call)(void) = module ? (double (*)(void))dlsym(module, "module_dot") : NULL;
    printf("%g\n", call ? call() : -1);
#endif
    (void)argc, (void)argv;
    return 3;
}
