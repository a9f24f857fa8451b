/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardly does anything with large buffers, and says how long they were made: for tests/cli/kernel.sh. */
#include <ktrace/kernel.h>

#include <stdio.h>
#include <time.h>

static double asked;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t vector(int64_t n)
{
    return n * (int64_t)sizeof(double);
}

/* The last thing that is asked before there are buffers. */
static double flops(int64_t n)
{
    asked = now();
    return (double)n;
}

static void run(int64_t n, void *const *buffer, void *prepared)
{
    (void)n, (void)prepared;
    if (asked > 0)
        fprintf(stderr, "made in %g s\n", now() - asked);
    asked = 0;
    *(double *)buffer[1] = 1;
}

const struct ktrace_kernel ktrace_kernel = {.version = KTRACE_KERNEL_VERSION,
                                            .name = "large",
                                            .run = run,
                                            .flops = flops,
                                            .buffer = {{"x", KTRACE_READ, vector, 0}, {"y", KTRACE_WRITE, vector, 0}}};
