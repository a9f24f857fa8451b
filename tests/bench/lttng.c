/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a recorder made with LTTng-UST costs, for make bench: one event a call, with the arguments and the duration.
 * One event and two readings of the time stamp counter are cheaper than an event at entry and another at return.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"

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
    uint64_t start = __rdtsc();
    double result = next_ddot(n, x, incx, y, incy);
    lttng_ust_tracepoint(blas, ddot, n, x, incx, y, incy, __rdtsc() - start);
    return result;
}

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t la, size_t lb)
{
    const struct gemm call = {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
    uint64_t start = __rdtsc();
    next_dgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, la, lb);
    lttng_ust_tracepoint(blas, dgemm, &call, __rdtsc() - start);
}
