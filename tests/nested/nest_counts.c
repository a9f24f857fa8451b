/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of LAPACK and BLAS in numbers that are known: `mixed N` N rounds of several; `short N` N small least squares
 * problems; `long N` N solutions that take long and nest two calls each; `paused N` mixed ones of which some are made
 * during a pause; `inner N` N calls of a routine that another one called before.
 */
#include "include/ktrace/ktrace.h"
#include "tests/nested/nest.h"

#include <stdlib.h>

void dgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
            const int *ldb, double *work, const int *lwork, int *info, size_t trans_length);

void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
             const int *ldb, int *info, size_t uplo_length);

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);

enum { SMALL = 16, LARGE = 200 };

static int wrong;

static int is_small(const double *re, const double *im)
{
    (void)im;
    return nest_is_small(re);
}

/* The matrix is the identity, but for one element. */
static void least_squares(int n)
{
    static double a[SMALL * SMALL], b[SMALL], work[SMALL * 64];
    const int one = 1;
    const int lwork = SMALL * 64;
    int info = -1;
    memset(a, 0, sizeof *a * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        a[i * n + i] = b[i] = 1;
    a[n] = 1;
    dgels_("N", &n, &n, &one, a, &n, b, &n, work, &lwork, &info, 1);
    wrong += info != 0 || b[1] < 0.99 || b[1] > 1.01 || b[0] > 0.01 || b[0] < -0.01;
}

/* The factor is twice the identity. */
static void solve_many(void)
{
    static double a[LARGE * LARGE], b[LARGE * LARGE];
    const int n = LARGE;
    int info = -1;
    for (int i = 0; i < n * n; i++) {
        a[i] = i % (n + 1) ? 0 : 2;
        b[i] = 4;
    }
    dpotrs_("L", &n, &n, a, &n, b, &n, &info, 1);
    wrong += info != 0 || b[0] != 1 || b[n * n - 1] != 1;
}

static void factor(int round)
{
    double a[] = {4, 3, 6, 3};
    const int n = 2;
    int ipiv[2];
    int info = -1;
    if (round == 0)
        wrong += !work_solve();
    dgetrf_(&n, &n, a, &n, ipiv, &info);
    wrong += info != 0 || a[3] != -1.5;
}

static void mix(int round)
{
    wrong += !work_solve() + !work_factor() + !work_product() + !nest_schur(is_small);
    least_squares(4 + round % 3);
    nest_tagged();
}

static void mix_with_pauses(int round)
{
    if (round % 10 == 3)
        ktrace_pause();
    if (round % 10 == 5)
        ktrace_resume();
    mix(round);
}

static void make_calls(const char *which, int round)
{
    if (!strcmp(which, "mixed"))
        mix(round);
    else if (!strcmp(which, "paused"))
        mix_with_pauses(round);
    else if (!strcmp(which, "inner"))
        factor(round);
    else if (!strcmp(which, "short"))
        least_squares(SMALL);
    else
        solve_many();
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 99;
    for (int i = 0; i < atoi(argv[2]); i++)
        make_calls(argv[1], i);
    printf("%d wrong, %d tags\n", wrong, nest_tags);
    return 0;
}
