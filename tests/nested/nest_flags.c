/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of a library that does no arithmetic, while any exception of the floating-point unit ends the program. The
 * flags that it has at the end are printed.
 */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);

int main(int argc, char **argv)
{
    double a[1] = {3};
    double b[1] = {0};
    const int one = 1;
    int ipiv[1];
    int info = -1;
    if (argc != 2)
        return 99;
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_ALL_EXCEPT);
    for (int i = 1; i <= atoi(argv[1]); i++)
        dgesv_(&i, &one, a, &i, ipiv, b, &i, &info);
    printf("flags %d\n", fetestexcept(FE_ALL_EXCEPT));
    return 0;
}
