/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells ktrace what it is doing: implicit time steps of a heat equation, whose parts are regions. The set-up is not of
 * interest, and not recorded.
 *
 *     cc -O2 -I ../include regions.c -llapack -lblas -o regions
 *
 * It runs alone as well: nothing has to be linked, and with -DKTRACE_OFF nothing is left of it.
 */
#include "ktrace/ktrace.h"

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 300, STEPS = 200, CHECKS = 20 };

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
             const int *ldb, int *info, size_t uplo_length);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda, const double *x,
            const int *incx, const double *beta, double *y, const int *incy, size_t uplo_length);
double dnrm2_(const int *n, const double *x, const int *incx);

static const int n = POINTS;
static const int one = 1;
static const double unit = 1;
static double matrix[POINTS * POINTS], factor[POINTS * POINTS], heat[POINTS], check[POINTS];

static void set_up(void)
{
    int info;
    for (int i = 0; i < POINTS; i++) {
        matrix[i + i * POINTS] = 3;
        if (i)
            matrix[i + (i - 1) * POINTS] = -1;
        heat[i] = i == POINTS / 2;
    }
    for (int i = 0; i < POINTS * POINTS; i++)
        factor[i] = matrix[i];
    dpotrf_("L", &n, factor, &n, &info, 1);
    if (info)
        abort();
}

static void step(void)
{
    int info;
    ktrace_begin("solve");
    dpotrs_("L", &n, &one, factor, &n, heat, &n, &info, 1);
    ktrace_end();
}

static void check_residual(void)
{
    const double zero = 0;
    ktrace_begin("check");
    dsymv_("L", &n, &unit, matrix, &n, heat, &one, &zero, check, &one, 1);
    dnrm2_(&n, check, &one);
    ktrace_end();
}

int main(void)
{
    ktrace_pause();
    set_up();
    ktrace_resume();
    ktrace_begin("time loop");
    for (int i = 1; i <= STEPS; i++) {
        step();
        if (i % CHECKS == 0)
            check_residual();
    }
    ktrace_end();
    printf("norm %.3g\n", dnrm2_(&n, heat, &one));
    return 0;
}
