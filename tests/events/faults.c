/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * faults PAGES [fork|close]: calls of BLAS whose outputs are memory that was never touched, each made twice. The first
 * of the two has PAGES page faults, the second none. Before them come small calls, so that code is in memory, and
 * behind them one of an interface that calls another of the same routine. With fork a child does the same, with close
 * all descriptors are closed and one more call is made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, DOUBLES = PAGE / sizeof(double) };

void dcopy_(const int *n, const double *x, const int *incx, double *y, const int *incy);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t transa_length, size_t transb_length);

void cblas_dcopy(int n, const double *x, int incx, double *y, int incy);

static double *fresh(int pages)
{
    void *at = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || madvise(at, (size_t)pages * PAGE, MADV_NOHUGEPAGE) != 0)
        abort();
    return at;
}

static double *touched(int pages)
{
    return memset(fresh(pages), 0, (size_t)pages * PAGE);
}

static void copy(int n, const double *x, double *y)
{
    static const int one = 1;
    dcopy_(&n, x, &one, y, &one);
}

/* C, of one column of pages, is overwritten. */
static void multiply(int m, const double *a, const double *b, double *c)
{
    static const int one = 1;
    static const double alpha = 1;
    static const double beta = 0;
    dgemm_("N", "N", &m, &one, &one, &alpha, a, &m, b, &one, &beta, c, &m, 1, 1);
}

static void work(int pages)
{
    const double *x = touched(pages);
    double *small = touched(2);
    double *y = fresh(pages);
    double *c = fresh(pages);
    copy(DOUBLES, x, small);
    multiply(DOUBLES, x, x, small);
    copy(pages * DOUBLES, x, y);
    copy(pages * DOUBLES, x, y);
    multiply(pages * DOUBLES, x, x, c);
    multiply(pages * DOUBLES, x, x, c);
    cblas_dcopy(DOUBLES, x, 1, small, 1);
}

static void close_all(void)
{
    double x = 1;
    double y = 2;
    for (int file = 3; file < sysconf(_SC_OPEN_MAX) && file < 1 << 16; file++)
        close(file);
    copy(1, &x, &y);
    printf("%g\n", y);
}

int main(int argc, char **argv)
{
    int pages = argc > 1 ? atoi(argv[1]) : 64;
    const char *then = argc > 2 ? argv[2] : "";
    work(pages);
    if (!strcmp(then, "fork") && fork() == 0) {
        work(pages);
        exit(0);
    }
    if (!strcmp(then, "close"))
        close_all();
    while (wait(NULL) > 0)
        ;
    return 0;
}
