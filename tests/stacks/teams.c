/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls ddot from the threads of an OpenMP program, one after the other. */
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

static double data[64];
volatile double sink;

__attribute__((noinline)) double norm(int n)
{
    const int one = 1;
    double sum = ddot_(&n, data, &one, data, &one);
    return sum + 1;
}

__attribute__((noinline)) void team(int n)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(3)
    for (int i = 0; i < 12; i++) {
#pragma omp ordered
        sink = norm(n) + 1;
    }
}

int main(void)
{
    for (int i = 0; i < 9; i++)
        team(i);
    sink = norm(2) + 1;
    return 0;
}
