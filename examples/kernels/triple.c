/* SPDX-License-Identifier: BSD-3-Clause */
/* The product of matrices as it is defined: three loops, one of them down the columns of B. */
#include "square.h"

static void run(int64_t n, void *const *buffer, void *prepared)
{
    const double *a = buffer[0];
    const double *b = buffer[1];
    double *c = buffer[2];
    (void)prepared;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

const struct ktrace_kernel ktrace_kernel = {
    .version = KTRACE_KERNEL_VERSION, .name = "triple", .buffer = SQUARE_BUFFERS, .run = run, .flops = square_flops};
