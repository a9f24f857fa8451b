/* SPDX-License-Identifier: BSD-3-Clause */
/* Walsh-Hadamard transform of n numbers in place, by n log2 n additions, for n a power of 2. */
#include <ktrace/kernel.h>

#include <math.h>

static int takes(int64_t n)
{
    return n >= 2 && (n & (n - 1)) == 0;
}

static int64_t bytes(int64_t n)
{
    return n * (int64_t)sizeof(double);
}

static double flops(int64_t n)
{
    return (double)n * log2((double)n);
}

static void run(int64_t n, void *const *buffer, void *prepared)
{
    double *x = buffer[0];
    (void)prepared;
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t block = 0; block < n; block += 2 * half)
            for (int64_t i = block; i < block + half; i++) {
                double sum = x[i] + x[i + half];
                x[i + half] = x[i] - x[i + half];
                x[i] = sum;
            }
}

const struct ktrace_kernel ktrace_kernel = {.version = KTRACE_KERNEL_VERSION,
                                            .name = "wht",
                                            .buffer = {{"x", KTRACE_READ_WRITE, bytes, 0}},
                                            .run = run,
                                            .flops = flops,
                                            .takes = takes};
