/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls whose reproduction needs more than arguments: those that end with an info other than 0, operands that overlap
 * or are not referenced, negative increments; eigenvalues and LAPACKE, of which there are no small test programs. Links
 * with reference BLAS, LAPACK and LAPACKE; tests/replay/repro.sh traces it.
 */
#include <complex.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef double complex zcomplex;

void xerbla_(const char *name, const int *info, size_t length);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
void zpotrf_(const char *, const int *, zcomplex *, const int *, int *, size_t);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
void dtrtri_(const char *, const char *, const int *, double *, const int *, int *, size_t, size_t);
void dtrtrs_(const char *, const char *, const char *, const int *, const int *, const double *, const int *, double *,
             const int *, int *, size_t, size_t, size_t);
void dgesvd_(const char *, const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, double *, const int *, int *, size_t, size_t);
double ddot_(const int *, const double *, const int *, const double *, const int *);
void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
void zaxpy_(const int *, const zcomplex *, const zcomplex *, const int *, zcomplex *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);

void dsyev_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *,
            size_t, size_t);
void dgeev_(const char *, const char *, const int *, double *, const int *, double *, double *, double *, const int *,
            double *, const int *, double *, const int *, int *, size_t, size_t);
void dsygv_(const int *, const char *, const char *, const int *, double *, const int *, double *, const int *,
            double *, double *, const int *, int *, size_t, size_t);
int LAPACKE_dgesv(int, int, int, double *, int, int *, double *, int);
int LAPACKE_dpotrf(int, char, int, double *, int);
int LAPACKE_dpotrf_work(int, char, int, double *, int);
int LAPACKE_dpbtrf(int, char, int, int, double *, int);
int LAPACKE_dgbsv(int, int, int, int, int, double *, int, int *, double *, int);
int LAPACKE_dgels(int, char, int, int, int, double *, int, double *, int);
int LAPACKE_dsyevd(int, char, char, int, double *, int, double *);
int LAPACKE_dgees(int, char, char, int (*)(const double *, const double *), int, double *, int, int *, double *,
                  double *, double *, int);
int LAPACKE_dgesvd(int, char, char, int, int, double *, int, double *, double *, int, double *, int, double *);
double LAPACKE_dlange(int, char, int, int, const double *, int);

/* The reference library's would end the program. */
void xerbla_(const char *name, const int *info, size_t length)
{
    printf("%.*s: %d\n", (int)length, name, *info);
}

enum { N = 5, LD = 7 };
static double a[LD * N], b[LD * N], work[100];
static zcomplex z[LD * N];
static int pivots[N];
static int info;
static const int n = N, ld = LD, one = 1;

static void fill(double *matrix)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LD; i++)
            matrix[i + j * LD] = i == j ? 20 + i : (i * 7 + j * 3) % 5;
}

/* Info of the call before, and where it comes from. */
static void report(const char *call)
{
    printf("%s: info = %d\n", call, info);
}

static void not_positive(void)
{
    fill(a);
    a[3 + 3 * LD] = -1;
    dpotrf_("L", &n, a, &ld, &info, 1);
    report("dpotrf");
    for (int i = 0; i < LD * N; i++)
        z[i] = i % (LD + 1) == 0 ? 10 : 0;
    z[1 + LD] = -1;
    zpotrf_("U", &n, z, &ld, &info, 1);
    report("zpotrf");
}

static void singular(void)
{
    fill(a);
    memset(a + 2 * LD, 0, LD * sizeof *a);
    dgetrf_(&n, &n, a, &ld, pivots, &info);
    report("dgetrf");
    fill(a);
    fill(b);
    memset(a + 4 * LD, 0, LD * sizeof *a);
    dgesv_(&n, &n, a, &ld, pivots, b, &ld, &info);
    report("dgesv");
    fill(a);
    a[2 + 2 * LD] = 0;
    dtrtri_("U", "N", &n, a, &ld, &info, 1, 1);
    report("dtrtri");
    a[1 + LD] = 0;
    dtrtrs_("L", "T", "N", &n, &n, a, &ld, b, &ld, &info, 1, 1, 1);
    report("dtrtrs");
}

static void illegal(void)
{
    const int negative = -1, small = 3;
    dgesv_(&negative, &n, a, &ld, pivots, b, &ld, &info);
    report("dgesv");
    dpotrf_("x", &n, a, &ld, &info, 1);
    report("dpotrf");
    dgetrf_(&n, &n, a, &small, pivots, &info);
    report("dgetrf");
}

static void odd_operands(void)
{
    static double memory[200];
    const double alpha = -2.5, beta = 0;
    const zcomplex gamma = 1 - 2 * I;
    const int backwards = -2, lwork = -1;
    memory[0] = ddot_(&n, memory, &one, memory, &one);
    daxpy_(&n, &alpha, memory, &backwards, memory + 20, &one);
    daxpy_(&n, &alpha, memory + 40, &one, memory + 45, &one); /* adjacent */
    zaxpy_(&n, &gamma, z, &one, z + 10, &one);
    dgemm_("N", "T", &n, &n, &n, &alpha, memory, &ld, memory + 3, &ld, &beta, memory + 101, &ld, 1,
           1); /* A, B overlap */
    dgesvd_("N", "N", &n, &n, a, &ld, work, NULL, &one, NULL, &one, work + N, &lwork, &info, 1, 1);
    report("dgesvd");
}

static void eigenvalues(void)
{
    const int type = 1, lwork = 100, least = 4 * N;
    fill(a);
    dsyev_("V", "l", &n, a, &ld, work + 80, work, &type, &info, 1, 1); /* too small a workspace */
    report("dsyev");
    dsyev_("V", "l", &n, a, &ld, b, work, &lwork, &info, 1, 1);
    report("dsyev");
    dgeev_("N", "V", &n, a, &ld, work + 80, work + 90, NULL, &one, b, &n, work, &least, &info, 1, 1);
    report("dgeev");
    fill(a);
    fill(b);
    b[1 + LD] = -1;
    dsygv_(&type, "N", "U", &n, a, &ld, b, &ld, work, work + N, &lwork, &info, 1, 1);
    report("dsygv");
}

static int is_real(const double *re, const double *im)
{
    return *re == *re && *im == 0;
}

enum { ROWS = 101, COLUMNS = 102 };

static void through_lapacke(int layout)
{
    static double band[4 * N * N];
    fill(a);
    fill(b);
    info = LAPACKE_dgesv(layout, N, 3, a, LD, pivots, b, LD);
    report("LAPACKE_dgesv");
    work[0] = LAPACKE_dlange(layout, '1', N, N, a, LD);
    fill(a);
    a[2 + 2 * LD] = -1;
    info = LAPACKE_dpotrf(layout, 'U', N, a, LD);
    report("LAPACKE_dpotrf");
    a[1 + LD] = 0.0 / 0.0;
    info = LAPACKE_dpotrf(layout, 'U', N, a, LD);
    report("LAPACKE_dpotrf");
    info = LAPACKE_dpotrf_work(layout, 'U', N, a, 2);
    report("LAPACKE_dpotrf_work");
    for (int i = 0; i < 4 * N * N; i++)
        band[i] = 100; /* no definite matrix */
    info = LAPACKE_dpbtrf(layout, 'L', N, 1, band, LD);
    report("LAPACKE_dpbtrf");
    memset(band, 0, sizeof band);
    info = LAPACKE_dgbsv(layout, N, 1, 1, 2, band, LD, pivots, b, LD);
    report("LAPACKE_dgbsv");
    fill(a);
    info = LAPACKE_dgels(layout, 'T', N, 3, 2, a, LD, b, LD);
    report("LAPACKE_dgels");
    info = LAPACKE_dsyevd(layout, 'V', 'U', N, a, LD, work);
    report("LAPACKE_dsyevd");
    info = LAPACKE_dgees(layout, 'V', 'S', is_real, N, a, LD, pivots, work, work + N, b, LD);
    report("LAPACKE_dgees");
    info = LAPACKE_dgesvd(layout, 'S', 'N', N, 4, a, LD, work, b, LD, NULL, LD, work + N);
    report("LAPACKE_dgesvd");
}

int main(void)
{
    eigenvalues();
    through_lapacke(COLUMNS);
    through_lapacke(ROWS);
    not_positive();
    singular();
    illegal();
    odd_operands();
    return 0;
}
