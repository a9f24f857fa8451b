/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorder that everybody writes first, for make bench: one line of text a call, with its arguments and the times
 * of its entry and return, through fprintf into the file that NAIVE_OUT names.
 */
#include "blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static __typeof__(ddot_) *next_ddot;
static __typeof__(dgemm_) *next_dgemm;
static FILE *out;

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("NAIVE_OUT");
    *(void **)&next_ddot = dlsym(RTLD_NEXT, "ddot_");
    *(void **)&next_dgemm = dlsym(RTLD_NEXT, "dgemm_");
    out = fopen(path ? path : "/dev/null", "w");
    if (!out) {
        fprintf(stderr, "naive.so: cannot write %s\n", path);
        exit(4);
    }
}

static struct timespec now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    struct timespec begin = now();
    double result = next_ddot(n, x, incx, y, incy);
    struct timespec end = now();
    fprintf(out, "%ld.%09ld %ld.%09ld ddot_ n=%d x=%p incx=%d y=%p incy=%d\n", begin.tv_sec, begin.tv_nsec, end.tv_sec,
            end.tv_nsec, *n, (const void *)x, *incx, (const void *)y, *incy);
    return result;
}

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t la, size_t lb)
{
    struct timespec begin = now();
    next_dgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, la, lb);
    struct timespec end = now();
    fprintf(out,
            "%ld.%09ld %ld.%09ld dgemm_ transa=%c transb=%c m=%d n=%d k=%d alpha=%g a=%p lda=%d b=%p ldb=%d beta=%g "
            "c=%p ldc=%d\n",
            begin.tv_sec, begin.tv_nsec, end.tv_sec, end.tv_nsec, *transa, *transb, *m, *n, *k, *alpha, (const void *)a,
            *lda, (const void *)b, *ldb, *beta, (const void *)c, *ldc);
}
