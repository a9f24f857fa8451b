/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls a library with 64-bit integers, whose symbols have the same names. */
#include <stdint.h>

double ddot_(const int64_t *n, const double *x, const int64_t *incx, const double *y, const int64_t *incy);

int main(void)
{
    static const double x[1] = {1};
    const int64_t n = ((int64_t)1 << 32) + 2;
    const int64_t one = 1;
    return ddot_(&n, x, &one, x, &one) == 1 ? 0 : 1;
}
