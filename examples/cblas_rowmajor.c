/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PageRank of a small random web, with row-major matrices by the CBLAS interface: the power method, first with one
 * start vector, then with several at once.
 *
 *     cc -O2 cblas_rowmajor.c -lblas -lm -o cblas_rowmajor
 */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 300, STARTS = 8, STEPS = 60 };

static double links[PAGES * PAGES]; /* links[i * PAGES + j]: share of page j's weight that goes to page i */

static void fill_links(void)
{
    for (int i = 0; i < PAGES * PAGES; i++)
        links[i] = rand() % 20 == 0;
    for (int j = 0; j < PAGES; j++) {
        links[((j + 1) % PAGES) * PAGES + j] = 1.0;
        cblas_dscal(PAGES, 1.0 / cblas_dasum(PAGES, links + j, PAGES), links + j, PAGES);
    }
}

/* One start vector: y = 0.85 L x + 0.15 / PAGES. Returns the last change. */
static double rank_pages(double *x)
{
    double y[PAGES];
    double change = 0.0;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < PAGES; i++)
            y[i] = 0.15 / PAGES;
        cblas_dgemv(CblasRowMajor, CblasNoTrans, PAGES, PAGES, 0.85, links, PAGES, x, 1, 1.0, y, 1);
        cblas_daxpy(PAGES, -1.0, y, 1, x, 1);
        change = cblas_dnrm2(PAGES, x, 1);
        cblas_dcopy(PAGES, y, 1, x, 1);
    }
    return change;
}

/* Several start vectors, one per column of X, without damping. */
static void spread(double *x)
{
    static double y[PAGES * STARTS];
    for (int step = 0; step < STEPS; step++) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, PAGES, STARTS, PAGES, 1.0, links, PAGES, x, STARTS, 0.0,
                    y, STARTS);
        cblas_dcopy(PAGES * STARTS, y, 1, x, 1);
    }
}

int main(void)
{
    static double x[PAGES];
    static double several[PAGES * STARTS];

    srand(2);
    fill_links();
    for (int i = 0; i < PAGES; i++) {
        x[i] = 1.0 / PAGES;
        several[i * STARTS + i % STARTS] = 1.0;
    }
    double change = rank_pages(x);
    spread(several);
    size_t best = cblas_idamax(PAGES, x, 1);
    printf("page %zu has rank %.9f, last change %.1e, weight kept %.9f\n", best, x[best], change,
           cblas_dasum(PAGES * STARTS, several, 1));
    return change < 1e-6 ? EXIT_SUCCESS : EXIT_FAILURE;
}
