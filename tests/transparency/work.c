/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work on one BLAS and LAPACK by the Fortran and the C interface, printed with all bits. Compiled with 32- and 64-bit
 * integers (-DINT=long), into modules and into programs (-DMAIN), each linked to a library of its own.
 */
#include <complex.h>
#include <stdio.h>
#include <string.h>

#ifndef INT
#define INT int
#endif

enum { N = 67, ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

void dgemm_(const char *, const char *, const INT *, const INT *, const INT *, const double *, const double *,
            const INT *, const double *, const INT *, const double *, double *, const INT *, size_t, size_t);
void dgesv_(const INT *, const INT *, double *, const INT *, INT *, double *, const INT *, INT *);
void dsyev_(const char *, const char *, const INT *, double *, const INT *, double *, double *, const INT *, INT *,
            size_t, size_t);
void zgeqrf_(const INT *, const INT *, double complex *, const INT *, double complex *, double complex *, const INT *,
             INT *);
double ddot_(const INT *, const double *, const INT *, const double *, const INT *);
float sdot_(const INT *, const float *, const INT *, const float *, const INT *);
double complex zdotc_(const INT *, const double complex *, const INT *, const double complex *, const INT *);
INT idamax_(const INT *, const double *, const INT *);
void cblas_dgemm(int, int, int, INT, INT, INT, double, const double *, INT, const double *, INT, double, double *, INT);
double cblas_dnrm2(INT, const double *, INT);
void work(const char *name);

static const INT n = N;
static const INT one = 1;
static double a[N * N], b[N * N], c[N * N], w[N];
static double complex z[N * N];
static INT info;

/* Pseudo-random numbers between -1 and 1. */
static void fill(double *x, int count, unsigned seed)
{
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = seed / 2147483648.0 - 1.0;
    }
}

/* All bits of an array in one number (FNV-1a). */
static void show(const char *what, const void *x, size_t bytes)
{
    unsigned long long sum = 14695981039346656037ull;
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ ((const unsigned char *)x)[i]) * 1099511628211ull;
    printf("    %-8s %016llx info %ld\n", what, sum, (long)info);
}

static void products(void)
{
    const double alpha = 0.7;
    const double beta = 0.0;
    dgemm_("T", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, 1, 1);
    show("dgemm", c, sizeof c);
    cblas_dgemm(ROW_MAJOR, TRANS, NO_TRANS, N, N, N, alpha, a, N, b, N, 1.0, c, N);
    show("dgemm", c, sizeof c);
}

static void functions(void)
{
    float x[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)a[i];
    double complex overlap = zdotc_(&n, z, &one, z + N, &one);
    printf("    ddot %a sdot %a dnrm2 %a zdotc %a %a idamax %ld\n", ddot_(&n, a, &one, b, &one),
           sdot_(&n, x, &one, x, &one), cblas_dnrm2(N, a, 1), creal(overlap), cimag(overlap),
           (long)idamax_(&n, a, &one));
}

static void systems(void)
{
    static INT pivots[N];
    static double space[4 * N];
    const INT length = 4 * N;
    dgesv_(&n, &n, a, &n, pivots, b, &n, &info);
    show("dgesv", b, sizeof b);
    show("pivots", pivots, sizeof pivots);
    dsyev_("V", "L", &n, c, &n, w, space, &length, &info, 1, 1);
    show("dsyev", w, sizeof w);
    show("vectors", c, sizeof c);
}

static void factors(void)
{
    static double complex tau[N];
    static double complex space[4 * N];
    const INT length = 4 * N;
    zgeqrf_(&n, &n, z, &n, tau, space, &length, &info);
    show("zgeqrf", z, sizeof z);
    show("tau", tau, sizeof tau);
}

void work(const char *name)
{
    printf("%s\n", name);
    fill(a, N * N, 1);
    fill(b, N * N, 2);
    fill((double *)z, 2 * N * N, 3);
    products();
    functions();
    systems();
    factors();
}

#ifdef MAIN
int main(void)
{
    work("program");
    return 0;
}
#endif
