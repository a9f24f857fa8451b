/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least possible shim, the yardstick of make bench: forward through a cached pointer, two readings of the clock,
 * one 64-byte store into a ring of the thread's own that stays in cache. It handles nothing that a real recorder must.
 */
#include "blas.h"
#include "ring.h"

#include <dlfcn.h>
#include <x86intrin.h>

static __typeof__(ddot_) *next_ddot;
static __typeof__(dgemm_) *next_dgemm;

__attribute__((constructor)) static void resolve(void)
{
    *(void **)&next_ddot = dlsym(RTLD_NEXT, "ddot_");
    *(void **)&next_dgemm = dlsym(RTLD_NEXT, "dgemm_");
}

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    unsigned cpu;
    uint64_t start = __rdtscp(&cpu);
    double result = next_ddot(n, x, incx, y, incy);
    uint64_t stop = __rdtscp(&cpu);
    store(start, stop, cpu, x, y);
    return result;
}

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t la, size_t lb)
{
    unsigned cpu;
    uint64_t start = __rdtscp(&cpu);
    next_dgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, la, lb);
    uint64_t stop = __rdtscp(&cpu);
    store(start, stop, cpu, a, b);
}
