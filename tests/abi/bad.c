/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that misbehaves, depending on N: what replay has to get over.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *run_for_ever(void *argument)
{
    for (;;)
        ;
    return argument;
}

double ddot_(const int32_t *n, const double *x, const int32_t *incx, const double *y, const int32_t *incy);
double ddot_(const int32_t *n, const double *x, const int32_t *incx, const double *y, const int32_t *incy)
{
    double sum = 0;
    static pthread_t thread;
    if (*n == 50)
        printf("a library that talks\n"), fflush(stdout);
    if (*n == 500 && !thread)
        pthread_create(&thread, NULL, run_for_ever, NULL);
    if (*n == 100)
        raise(SIGSEGV);
    while (*n == 200)
        pause();
    if (*n == 300)
        exit(0);
    if (*n == 400)
        abort();
    for (int32_t i = 0; i < *n; i++)
        sum += x[i * *incx] * y[i * *incy];
    return sum;
}

/* Says of systems of 5 that the third argument is wrong, of 6 that the matrix is singular. */
void dgesv_(const int32_t *n, const int32_t *nrhs, double *a, const int32_t *lda, int32_t *ipiv, double *b,
            const int32_t *ldb, int32_t *info);
void dgesv_(const int32_t *n, const int32_t *nrhs, double *a, const int32_t *lda, int32_t *ipiv, double *b,
            const int32_t *ldb, int32_t *info)
{
    (void)nrhs, (void)a, (void)lda, (void)ipiv, (void)b, (void)ldb;
    *info = *n == 5 ? -3 : *n == 6 ? 2 : 0;
}
