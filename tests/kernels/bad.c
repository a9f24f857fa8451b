/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that are not what they say, one for each -DBAD_... : for tests/cli/kernel.sh. */
#include <ktrace/kernel.h>

#include <stddef.h>
#include <stdlib.h>

#if defined BAD_CRASH || defined BAD_ASKED
static double *volatile nowhere;
#endif

#ifndef BAD_NONE
static int64_t vector(int64_t n)
{
#ifdef BAD_SIZE
    return n * (int64_t)sizeof(double) + 1;
#elif defined BAD_MEMORY
    return n << 40;
#else
    return n * (int64_t)sizeof(double);
#endif
}

static double flops(int64_t n)
{
#ifdef BAD_FLOPS
    return -(double)n;
#elif defined BAD_ASKED
    return nowhere[n];
#else
    return 2 * (double)n;
#endif
}

static void do_harm(int64_t n, double *x, double *y)
{
    (void)n, (void)x, (void)y;
#ifdef BAD_CRASH
    nowhere[n] = 1;
#elif defined BAD_LARGE_CRASH
    if (n > 20)
        abort();
#elif defined BAD_LATE
    static int calls;
    if (++calls > 3 && n == 32)
        abort();
#elif defined BAD_HANG
    for (volatile int64_t i = 0; i<n; i += n> 20 ? 0 : 1)
        ;
#elif defined BAD_EXIT
    exit(7);
#elif defined BAD_BEHIND
    y[n] = 1;
#elif defined BAD_FAR_BEHIND
    y[n + 600] = 1;
#elif defined BAD_BEFORE
    y[-1] = 1;
#elif defined BAD_INPUT
    x[0] = 1;
#endif
}

static void run(int64_t n, void *const *buffer, void *prepared)
{
    double *x = buffer[0];
    double *y = buffer[1];
    (void)prepared;
#ifndef BAD_OUTPUT
    for (int64_t i = 0; i < n; i++)
        y[i] = 2 * x[i] + 1;
#endif
    do_harm(n, x, y);
}

#ifdef BAD_PREPARE
static void *prepare(int64_t n)
{
    (void)n;
    return NULL;
}
#endif

const struct ktrace_kernel ktrace_kernel = {
#ifdef BAD_VERSION
    .version = KTRACE_KERNEL_VERSION + 1,
#else
    .version = KTRACE_KERNEL_VERSION,
#endif
#ifdef BAD_NUMBER
    .number = 3,
#endif
#ifndef BAD_NAME
    .name = "bad",
#endif
#ifndef BAD_BUFFERS
    .buffer = {{"x", KTRACE_READ, vector, 0},
#ifdef BAD_ALIGNMENT
               {"y", KTRACE_WRITE, vector, 48}},
#else
               {"y", KTRACE_WRITE, vector, 0}},
#endif
#endif
#ifdef BAD_PREPARE
    .prepare = prepare,
#endif
    .run = run,
    .flops = flops};
#endif
