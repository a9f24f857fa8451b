/* SPDX-License-Identifier: BSD-3-Clause */
/* The same product in blocks that stay in a cache, in each of which the innermost loop goes along rows. */
#include "square.h"

enum { BLOCK = 48 }; /* three blocks are 54 KiB */

static int64_t end_of(int64_t begin, int64_t n)
{
    return begin + BLOCK < n ? begin + BLOCK : n;
}

static void multiply_blocks(int64_t n, const double *a, const double *b, double *c, int64_t rows, int64_t inner,
                            int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < inner; k++)
            for (int64_t j = 0; j < columns; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void run(int64_t n, void *const *buffer, void *prepared)
{
    const double *a = buffer[0];
    const double *b = buffer[1];
    double *c = buffer[2];
    (void)prepared;
    for (int64_t i = 0; i < n; i += BLOCK)
        for (int64_t k = 0; k < n; k += BLOCK)
            for (int64_t j = 0; j < n; j += BLOCK)
                multiply_blocks(n, a + i * n + k, b + k * n + j, c + i * n + j, end_of(i, n) - i, end_of(k, n) - k,
                                end_of(j, n) - j);
}

const struct ktrace_kernel ktrace_kernel = {
    .version = KTRACE_KERNEL_VERSION, .name = "blocked", .buffer = SQUARE_BUFFERS, .run = run, .flops = square_flops};
