/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of routines with which libraries do different things where contents are no ordinary numbers. */
#include <stdio.h>

enum { N = 12, WORK = 4000 };

extern void dscal_(const int *, const double *, double *, const int *);
extern int idamax_(const int *, const double *, const int *);
extern double dnrm2_(const int *, const double *, const int *);
extern void dger_(const int *, const int *, const double *, const double *, const int *, const double *, const int *,
                  double *, const int *);
extern void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
                   const int *, const double *, double *, const int *);
extern void dtrsv_(const char *, const char *, const char *, const int *, const double *, const int *, double *,
                   const int *);
extern void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *, const int *,
                    double *, const int *, double *, const int *, int *, int *);

static double a[N * N], u[N * N], vt[N * N], x[N], y[N], work[WORK];
static int integers[8 * N];

int main(void)
{
    const int n = N;
    const int one = 1;
    const int lwork = WORK;
    const double half = 0.5;
    const double plus = 1;
    int info;
    for (int i = 0; i < N * N; i++)
        a[i] = (i * 7 % 11 + 1) / 12.0 + (i % (N + 1) == 0 ? N : 0);
    for (int i = 0; i < N; i++)
        x[i] = y[i] = i + 1;
    dscal_(&n, &half, x, &one);
    dger_(&n, &n, &half, x, &one, y, &one, a, &n);
    dgemv_("N", &n, &n, &half, a, &n, x, &one, &plus, y, &one);
    dtrsv_("U", "N", "N", &n, a, &n, x, &one);
    double sum = idamax_(&n, x, &one) + dnrm2_(&n, x, &one);
    dgesdd_("A", &n, &n, a, &n, x, u, &n, vt, &n, work, &lwork, integers, &info);
    printf("%g %d\n", sum, info);
    return 0;
}
