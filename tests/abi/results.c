/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what functions return by the convention given at compile time, and the hidden lengths that arrive. */
#include <complex.h>
#include <stddef.h>
#include <stdio.h>

#ifdef F2C
double sdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
void zdotu_(double *result, const int *n, const double *x, const int *incx, const double *y, const int *incy);
#else
float sdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
double _Complex zdotu_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
float _Complex cdotu_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
#endif
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, double *a, const int *lda,
             const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info,
             size_t side_length, size_t trans_length);

int main(void)
{
    const int n = 3;
    const float x[] = {1.1f};
    const float y[] = {1.3f};
    const double u[] = {0.25};
    const double v[] = {-8};
    double z[2];
    int info = 0;
#ifdef F2C
    printf("%.17g\n", sdot_(&n, x, &n, y, &n));
    zdotu_(z, &n, u, &n, v, &n);
#else
    printf("%.9g\n", (double)sdot_(&n, x, &n, y, &n));
    float _Complex c = cdotu_(&n, x, &n, y, &n);
    printf("%.9g %.9g\n", (double)crealf(c), (double)cimagf(c));
    double _Complex r = zdotu_(&n, u, &n, v, &n);
    z[0] = creal(r);
    z[1] = cimag(r);
#endif
    printf("%.17g %.17g\n", z[0], z[1]);
    dormqr_("Left", "Trans", &n, &n, &n, z, &n, z, z, &n, z, &n, &info, 4, 5);
    printf("%d\n", info);
    return 0;
}
