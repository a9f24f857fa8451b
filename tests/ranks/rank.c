/* SPDX-License-Identifier: BSD-3-Clause */
/* rank CALLS...: makes as many calls as each argument says, and rests a while behind each. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

int main(int argc, char **argv)
{
    const int one = 1;
    const double x = 1;
    double sum = 0;
    for (int i = 1; i < argc; i++) {
        for (int calls = atoi(argv[i]); calls > 0; calls--)
            sum += ddot_(&one, &x, &one, &x, &one);
        usleep(2000);
    }
    printf("%g\n", sum);
    return 0;
}
