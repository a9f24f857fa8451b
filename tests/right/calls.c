/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of many kinds to be checked; those that tests/right/wrong.c gets wrong are among them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LD = 64, ROUNDS = 20 };

extern void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
                   const double *, const int *, double *, const int *);
extern void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                   const int *, const double *, const int *, const double *, double *, const int *);
extern void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
                   const int *, const double *, double *, const int *);
extern void dpotrf_(const char *, const int *, double *, const int *, int *);
extern void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
extern void dsyev_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *,
                   int *);
extern double ddot_(const int *, const double *, const int *, const double *, const int *);
extern int idamax_(const int *, const double *, const int *);

static double a[LD * LD], b[LD * LD], c[LD * LD], w[LD], work[LD * LD];
static int pivot[LD];

static void fill(double *x)
{
    for (int i = 0; i < LD * LD; i++)
        x[i] = rand() / (double)RAND_MAX - 0.5 + (i % (LD + 1) == 0 ? LD : 0);
}

static void refill(void)
{
    fill(a);
    fill(b);
    fill(c);
}

int main(void)
{
    const int ld = LD;
    const int one = 1;
    const int lwork = LD * LD;
    const double plus = 1;
    const double zero = 0;
    double sum = 0;
    int info;
    for (int round = 0; round < ROUNDS; round++) {
        for (int n = 30; n < 44; n += 7) {
            refill();
            dtrsm_("L", "L", "N", "N", &n, &n, &plus, a, &ld, b, &ld);
            dgemv_("N", &n, &n, &plus, a, &ld, b, &one, &zero, w, &one);
            dgemv_("T", &n, &n, &plus, a, &ld, b, &one, &plus, w, &one);
            dpotrf_("U", &n, a, &ld, &info);
            dgesv_(&n, &one, c, &ld, pivot, b, &ld, &info);
        }
        for (int k = 48; k < 54; k++) {
            refill();
            dgemm_("N", "T", &ld, &k, &k, &plus, a, &ld, b, &ld, &plus, c, &ld);
        }
        for (int m = 20; m < 24; m += 2) {
            refill();
            dgemm_("N", "N", &m, &m, &ld, &plus, a, &ld, b, &ld, &zero, c, &ld);
            dsyev_("V", "L", &m, a, &ld, w, work, &lwork, &info);
        }
        sum += ddot_(&ld, a, &one, b, &one) + idamax_(&ld, a, &one);
    }
    printf("%g\n", sum);
    return 0;
}
