/* SPDX-License-Identifier: BSD-3-Clause */
/* To be preloaded behind the shim: the rank that DEATH_RANK names is killed in its 20th product of matrices. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef void dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                   int);

void cblas_dgemm(int layout, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc)
{
    static dgemm *next;
    static int calls;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    const char *victim = getenv("DEATH_RANK");
    if (!next)
        next = (dgemm *)dlsym(RTLD_NEXT, "cblas_dgemm");
    if (rank && victim && !strcmp(rank, victim) && ++calls == 20)
        raise(SIGKILL);
    next(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
