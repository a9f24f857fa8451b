/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * To preload behind libktrace.so: a dgemm_ that takes SLOW_PERCENT per cent longer than the library's where m is
 * SLOW_M.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef void gemm(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                  const int *, const double *, const int *, const double *, double *, const int *);
gemm dgemm_;

static gemm *real;
static int slow_m;
static double factor;

__attribute__((constructor)) static void start(void)
{
    const char *percent = getenv("SLOW_PERCENT");
    const char *m = getenv("SLOW_M");
    factor = percent ? atof(percent) / 100 : 0;
    slow_m = m ? atoi(m) : -1;
    real = (gemm *)dlsym(RTLD_NEXT, "dgemm_");
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc)
{
    double from = now();
    real(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    double to = now();
    double until = to + (*m == slow_m ? factor * (to - from) : 0);
    while (now() < until)
        ;
}
