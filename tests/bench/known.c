/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * known TIMES: calls whose operands are where the program's earlier calls put them. Each kind has a size of its own:
 *
 *     dgemv 200    the same matrix each time, with short calls between: in the second level
 *     dgemv 300    100 matrices in turn, 72 MB: in memory
 *     dgemv 260    the same matrix, but a ddot over 4 MB between: out of the second level, in the third at best
 *     dgemm 48     300 sets of matrices in turn, 17 MB
 *     ddot 4000    of what dcopy has just written
 *     ddot 4001    vectors that lie in turn in 64 MB: in memory
 *     dgemv 220    the same matrix, but the program itself reads 64 MB between: no trace tells that
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
double ddot_(const int *, const double *, const int *, const double *, const int *);
void dcopy_(const int *, const double *, const int *, double *, const int *);

static const double one = 1, zero = 0;
static const int step = 1;

/* So many doubles, random ones. */
static double *take(size_t count)
{
    double *x = aligned_alloc(4096, (count * sizeof *x + 4095) / 4096 * 4096);
    if (!x)
        exit(2);
    for (size_t i = 0; i < count; i++)
        x[i] = 2.0 * rand() / RAND_MAX - 1;
    return x;
}

static void multiply(const double *a, int n, const double *x, double *y)
{
    dgemv_("N", &n, &n, &one, a, &n, x, &step, &zero, y, &step, 1);
}

static double dot(const double *x, const double *y, int n)
{
    return ddot_(&n, x, &step, y, &step);
}

static void multiply_matrices(double *m, int n)
{
    dgemm_("N", "N", &n, &n, &n, &one, m, &n, m + n * n, &n, &zero, m + 2 * n * n, &n, 1, 1);
}

enum { LONG = 1 << 18, MANY = 1 << 23, MATRICES = 100, SETS = 300 };

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 100;
    const int n = 4000;
    double *a200 = take(200 * 200), *a220 = take(220 * 220), *a260 = take(260 * 260);
    double *a300 = take((size_t)MATRICES * 300 * 300), *sets = take((size_t)SETS * 3 * 48 * 48);
    double *x = take(LONG), *y = take(LONG), *many = take(MANY), *u = take(8192), *v = take(8192);
    double sum = 0;
    for (int i = 0; i < times; i++) {
        for (int k = 0; k < 3; k++) {
            multiply(a200, 200, u, v);
            dcopy_(&n, u, &step, v, &step);
            sum += dot(u, v, n);
        }
        multiply(a300 + (size_t)(i % MATRICES) * 300 * 300, 300, u, v);
        multiply_matrices(sets + (size_t)(i % SETS) * 3 * 48 * 48, 48);
        sum += dot(many + (size_t)i * 8191 % (MANY / 2 - 4096), many + MANY / 2 + (size_t)i * 8191 % (MANY / 2 - 4096),
                   4001);
        sum += dot(x, y, LONG);
        multiply(a260, 260, u, v);
    }
    for (int i = 0; i < times; i++) {
        for (size_t k = 0; k < MANY; k += 8)
            sum += many[k];
        multiply(a220, 220, u, v);
    }
    fprintf(stderr, "%.3g\n", sum);
    return 0;
}
