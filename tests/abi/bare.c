/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with functions of its own whose names are short forms of routines; -DMAIN: a program that calls them. */
double drot(double angle, int times);
int dscal(const char *text);
long DGEMM(long a, long b, long c, long d, long e, long f, long g, long h);

#ifdef MAIN
#include <stdio.h>

double module_dot(void);

int main(void)
{
    printf("%g %d %ld %g\n", drot(0.5, 3), dscal("abc"), DGEMM(1, 2, 3, 4, 5, 6, 7, 8), module_dot());
    return 0;
}
#else
double drot(double angle, int times)
{
    return angle * times;
}

int dscal(const char *text)
{
    int length = 0;
    while (text[length])
        length++;
    return length;
}

long DGEMM(long a, long b, long c, long d, long e, long f, long g, long h)
{
    return a + 10 * (b + 10 * (c + 10 * (d + 10 * (e + 10 * (f + 10 * (g + 10 * h))))));
}
#endif
