/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with 32-bit integers that has 64-bit ones under other names; -DMAIN: a program that calls both. */
#include <stdint.h>

#define ROUTINES(integer, suffix)                                                                                      \
    double ddot##suffix(const integer *n, const double *x, const integer *incx, const double *y, const integer *incy); \
    integer idamax##suffix(const integer *n, const double *x, const integer *incx);

ROUTINES(int32_t, _)
ROUTINES(int64_t, _64_)

#ifdef MAIN
int main(void)
{
    static const double x[1] = {1};
    static const int64_t one = 1;
    static const int64_t n = ((int64_t)1 << 32) + 2;
    double sum = ddot_((const int32_t *)&n, x, (const int32_t *)&one, x, (const int32_t *)&one);
    return sum + ddot_64_(&n, x, &one, x, &one) == 2 ? 0 : 1;
}
#else
double ddot_(const int32_t *n, const double *x, const int32_t *incx, const double *y, const int32_t *incy)
{
    return *n + x[0] * y[0] - *incx - *incy;
}

double ddot_64_(const int64_t *n, const double *x, const int64_t *incx, const double *y, const int64_t *incy)
{
    return (double)(*n >> 32) + x[0] * y[0] - (double)(*incx * *incy);
}

/* The second element is the largest if there is one. */
int32_t idamax_(const int32_t *n, const double *x, const int32_t *incx)
{
    return (void)incx, *n <= 0 ? 0 : x[0] < x[1] ? 2 : 1;
}

int64_t idamax_64_(const int64_t *n, const double *x, const int64_t *incx)
{
    return (void)incx, *n <= 0 ? 0 : x[0] < x[1] ? 2 : 1;
}
#endif
