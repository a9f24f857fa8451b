/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/nested/nest_foreign.h"

#include <stdarg.h>

/* Sums numbers: whether its caller has passed any in vector registers, al says. */
int drot(int count, ...)
{
    va_list list;
    double sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, double);
    va_end(list);
    return (int)sum;
}

__asm__(".globl dscal\n.type dscal, @function\ndscal: movq %r10, %rax\nret\n.size dscal, .-dscal");

__m256d daxpy(__m256d a, __m256d b, __m256d c, __m256d d, __m256d e, __m256d f, __m256d g, __m256d h)
{
    return a + 2 * b + 4 * c + 8 * d + 16 * e + 32 * f + 64 * g + 128 * h;
}

__m512d dswap(__m512d a, __m512d b, __m512d c, __m512d d, __m512d e, __m512d f, __m512d g, __m512d h)
{
    return a + 2 * b + 4 * c + 8 * d + 16 * e + 32 * f + 64 * g + 128 * h;
}

long dcopy(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l)
{
    return a +
           2 * (b + 2 * (c + 2 * (d + 2 * (e + 2 * (f + 2 * (g + 2 * (h + 2 * (i + 2 * (j + 2 * (k + 2 * l))))))))));
}
