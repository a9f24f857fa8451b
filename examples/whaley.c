/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dot products of the lengths that are given, for examples/whaley.sh: the first figure of Whaley and Castaldo
 * (Achieving accurate and context-sensitive timing for code optimization, 2008).
 *
 *     cc -O2 whaley.c -lblas -o whaley && ./whaley 16 1000 16000000
 */
#include <stdio.h>
#include <stdlib.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

enum { CALLS = 5, PAGE = 4096, OFFSET = 512 };

static double *make_vector(size_t n, size_t offset)
{
    unsigned char *memory = aligned_alloc(PAGE, (n * sizeof(double) + offset + PAGE - 1) / PAGE * PAGE);
    if (!memory)
        abort();
    double *x = (double *)(memory + offset);
    for (size_t i = 0; i < n; i++)
        x[i] = rand() / (RAND_MAX / 2.0) - 1;
    return x;
}

int main(int argc, char **argv)
{
    const int one = 1;
    double sum = 0;
    int largest = 1;
    for (int i = 1; i < argc; i++)
        largest = atoi(argv[i]) > largest ? atoi(argv[i]) : largest;
    const double *x = make_vector((size_t)largest, 0);
    const double *y = make_vector((size_t)largest, OFFSET);
    for (int i = 1; i < argc; i++)
        for (int k = 0; k < CALLS; k++) {
            int n = atoi(argv[i]);
            sum += ddot_(&n, x, &one, y, &one);
        }
    printf("%g\n", sum);
    return 0;
}
