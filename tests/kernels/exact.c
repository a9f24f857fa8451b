/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends its process unless each call finds what ktrace/kernel.h says: for tests/cli/kernel.sh. Single precision. */
#include <ktrace/kernel.h>

#include <stdlib.h>

static int64_t vector(int64_t n)
{
    return n * (int64_t)sizeof(float);
}

static double flops(int64_t n)
{
    return (double)n;
}

static double bytes(int64_t n)
{
    return 100 * (double)n;
}

static void *prepare(int64_t n)
{
    int64_t *prepared = malloc(sizeof *prepared);
    *prepared = n;
    return prepared;
}

static void fill(int64_t n, int buffer, void *at)
{
    for (int64_t i = 0; i < n; i++)
        ((float *)at)[i] = buffer ? 1 : (float)i;
}

/* Of the highest power of two that the address is a multiple of, up to a page. */
static int64_t alignment_of(const void *at)
{
    uint64_t address = (uintptr_t)at | 4096;
    return (int64_t)(address & -address);
}

static void run(int64_t n, void *const *buffer, void *prepared)
{
    const float *x = buffer[0];
    float *y = buffer[1];
    if (*(int64_t *)prepared != n || alignment_of(x) != 16 || alignment_of(y) != 4096)
        exit(41);
    for (int64_t i = 0; i < n; i++) {
        if (x[i] != (float)i || y[i] != 1)
            exit(42);
        y[i] += x[i] + 1;
    }
}

const struct ktrace_kernel ktrace_kernel = {
    .version = KTRACE_KERNEL_VERSION,
    .name = "exact",
    .number = sizeof(float),
    .buffer = {{"x", KTRACE_READ, vector, 16}, {"y", KTRACE_READ_WRITE, vector, 4096}},
    .run = run,
    .flops = flops,
    .bytes = bytes,
    .prepare = prepare,
    .fill = fill};
