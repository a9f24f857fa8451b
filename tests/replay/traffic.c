/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One BLAS call whose operands are in no cache, for a simulator of caches:
 *
 *     traffic ROUTINE 1      makes the call
 *     traffic ROUTINE 0      does everything but the call
 *
 * so that the difference is the call's own traffic. The same call was made before: once on the same operands, so that
 * nothing is left to bind or to allocate; then the caches are swept; then on other operands, so that the library's
 * code, tables and buffers are in cache again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *beta, double *c, const int *ldc);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb);

enum { AREA = 1 << 18 /* doubles */, SWEEP = 16 << 20 /* bytes */ };

static const int one = 1;
static const double half = 0.5;

/*
 * Operands in one area, at different places in a line. Those of products begin at a multiple of 32 bytes, as do their
 * columns: the simulator counts an access to two lines as one miss, and blocked kernels read 32 bytes at once.
 */
static void axpy(double *area)
{
    const int n = 20000;
    daxpy_(&n, &half, area + 3, &one, area + 100005, &one);
}

static void dot(double *area)
{
    const int n = 3000;
    const int inc = -20;
    ddot_(&n, area + 1, &inc, area + 100005, &one);
}

static void gemv(double *area)
{
    const int m = 203;
    const int n = 190;
    const int ld = 333;
    dgemv_("T", &m, &n, &half, area + 5, &ld, area + 100005, &one, &half, area + 200003, &one);
}

static void gemm(double *area)
{
    const int m = 120;
    const int n = 100;
    const int k = 90;
    const int ld = 252;
    dgemm_("N", "T", &m, &n, &k, &half, area + 4, &ld, area + 100012, &ld, &half, area + 200008, &ld);
}

static void syrk(double *area)
{
    const int n = 130;
    const int k = 70;
    const int ld = 172;
    dsyrk_("L", "N", &n, &k, &half, area + 4, &ld, &half, area + 200008, &ld);
}

static void trsm(double *area)
{
    const int m = 140;
    const int n = 60;
    const int ld = 212;
    dtrsm_("L", "U", "N", "N", &m, &n, &half, area + 4, &ld, area + 200008, &ld);
}

static const struct {
    const char *name;
    void (*call)(double *area);
} calls[] = {{"daxpy", axpy}, {"ddot", dot}, {"dgemv", gemv}, {"dgemm", gemm}, {"dsyrk", syrk}, {"dtrsm", trsm}};

/* Page by page the same in every run. */
static double *make_area(void)
{
    double *area = aligned_alloc(1 << 21, AREA * sizeof *area);
    if (!area)
        abort();
    for (int i = 0; i < AREA; i++)
        area[i] = 1.5 + i % 1000 / 1000.0;
    return area;
}

static void sweep(void)
{
    char *memory = malloc(SWEEP);
    if (!memory)
        abort();
    memset(memory, 1, SWEEP);
    __asm__ volatile("" : : "r"(memory) : "memory");
    free(memory);
}

int main(int argc, char **argv)
{
    double *area = make_area();
    double *other = make_area();
    for (size_t i = 0; argc == 3 && i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(argv[1], calls[i].name) != 0)
            continue;
        calls[i].call(area);
        sweep();
        calls[i].call(other);
        if (*argv[2] == '1')
            calls[i].call(area);
        return 0;
    }
    fprintf(stderr, "usage: traffic ROUTINE 0|1\n");
    return 2;
}
