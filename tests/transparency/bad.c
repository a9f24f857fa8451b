/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interposer that is noticed: at one call of ddot or dgemm it does what ktrace must not do. BAD says what:
 * bit, stderr, status, file or crash; anything else is harmless.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

static int is_bad(const char *how)
{
    const char *bad = getenv("BAD");
    return bad && strcmp(bad, how) == 0;
}

static void misbehave(void)
{
    if (is_bad("stderr"))
        fprintf(stderr, "a library was here\n");
    if (is_bad("status"))
        _Exit(3);
    if (is_bad("crash"))
        abort();
    if (is_bad("file"))
        fclose(fopen("left", "w"));
}

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    double (*next)(const int *, const double *, const int *, const double *, const int *) = dlsym(RTLD_NEXT, "ddot_");
    misbehave();
    return next(n, x, incx, y, incy);
}

/* The last bit of the last element of the result. */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc)
{
    void (*next)(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                 const int *, const double *, const int *, const double *, double *, const int *) =
        dlsym(RTLD_NEXT, "dgemm_");
    next(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (is_bad("bit"))
        *(char *)&c[*m - 1 + (size_t)*ldc * (size_t)(*n - 1)] ^= 1;
}
