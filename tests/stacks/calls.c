/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls ddot in many ways: from functions that are inlined, that recurse, that have arrays of different lengths. */
#include <stdlib.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

static const int one = 1;
static double data[64];
volatile double sink;

__attribute__((noinline)) double leaf(int n)
{
    double sum = ddot_(&n, data, &one, data, &one);
    return sum + 1;
}

static inline __attribute__((always_inline)) double inlined(int n)
{
    double sum = ddot_(&n, data, &one, data, &one);
    return sum * 2;
}

static inline __attribute__((always_inline)) double twice(int n)
{
    return inlined(n) + 1;
}

__attribute__((noinline)) double recurse(int depth, int n)
{
    if (depth == 0)
        return leaf(n) + 1;
    double sum = recurse(depth - 1, n) + 1;
    return depth % 2 ? sum + leaf(n) : sum;
}

__attribute__((noinline)) double with_array(int length)
{
    volatile double array[length + 1];
    array[length] = leaf(length) + 1;
    return array[length] + 1;
}

/* The same function at the same height of the stack, from two lines. */
__attribute__((noinline)) double from_two_lines(int which)
{
    double sum;
    if (which % 3 == 0)
        sum = leaf(3) + 2;
    else
        sum = leaf(4) + 3;
    return sum * 2;
}

static int compare(const void *a, const void *b)
{
    sink = twice(5);
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    srand(1);
    for (int i = 0; i < 12; i++) {
        int number[] = {rand() % 9, 3, 5};
        sink = leaf(1) + 1;
        sink = twice(2) + 1;
        sink = recurse(rand() % 6, 3) + 1;
        sink = with_array(rand() % 40) + 1;
        sink = from_two_lines(rand()) + 1;
        qsort(number, 3, sizeof *number, compare);
    }
    return 0;
}
