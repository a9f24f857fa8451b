/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a program may have to wait for one call: makes many calls of ddot(n=1), reads the time stamp counter after
 * each, and counts the gaps that exceed the median by 1, 5, 10, 20, 50 and 100 us. For the gaps above 20 us it asks the
 * kernel what happened: a page fault, a sleep, a preemption, or nothing that it counts (an interrupt, the host, a
 * system call). Usage: pauses CALLS [SECONDS]      at least that many calls for at least that long Prints: seconds,
 * calls, median ns, the six counts, largest gap in us, the four causes, and the thread's voluntary and involuntary
 * context switches and page faults.
 */
#include "blas.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

enum { BATCH = 1000, FINE = 2048, MOST_LONG = 1000000, LIMITS = 6, LONG_US = 20 };
enum cause { FAULT, SLEPT, PREEMPTED, OTHER, CAUSES };

struct gap {
    uint32_t ticks;
    uint32_t cause;
};

static const double limit_us[LIMITS] = {1, 5, 10, 20, 50, 100};
static uint32_t fine[FINE]; /* gaps of so many ticks */
static struct gap longer[MOST_LONG];
static long n_longer;
static double ticks_per_us;
static struct rusage before; /* as of the last time that the kernel was asked */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double measure_clock(void)
{
    double start = now();
    uint64_t ticks = __rdtsc();
    while (now() - start < 0.05)
        continue;
    return (double)(__rdtsc() - ticks) / (now() - start) / 1e6;
}

static enum cause ask_kernel(void)
{
    struct rusage after;
    getrusage(RUSAGE_THREAD, &after);
    enum cause cause = OTHER;
    if (after.ru_minflt + after.ru_majflt != before.ru_minflt + before.ru_majflt)
        cause = FAULT;
    else if (after.ru_nvcsw != before.ru_nvcsw)
        cause = SLEPT;
    else if (after.ru_nivcsw != before.ru_nivcsw)
        cause = PREEMPTED;
    before = after;
    return cause;
}

static void note(uint64_t ticks)
{
    enum cause cause = (double)ticks > LONG_US * ticks_per_us ? ask_kernel() : OTHER;
    if (n_longer < MOST_LONG)
        longer[n_longer++] = (struct gap){ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks, cause};
}

static double batch(void)
{
    static const double x[1] = {0.5};
    const int one = 1;
    double sum = 0;
    ask_kernel();
    uint64_t last = __rdtsc();
    for (int i = 0; i < BATCH; i++) {
        sum += ddot_(&one, x, &one, x, &one);
        uint64_t ticks = __rdtsc() - last;
        last += ticks;
        if (ticks < FINE) {
            fine[ticks]++;
        } else {
            note(ticks);
            last = __rdtsc();
        }
    }
    return sum;
}

static double median(long calls)
{
    long seen = 0;
    for (int ticks = 0; ticks < FINE; ticks++) {
        seen += fine[ticks];
        if (2 * seen >= calls)
            return ticks;
    }
    return FINE;
}

static long count_above(double ticks)
{
    long count = 0;
    for (long i = 0; i < n_longer; i++)
        count += longer[i].ticks > ticks;
    return count;
}

static void print(long calls, double seconds)
{
    double middle = median(calls);
    long causes[CAUSES] = {0};
    uint32_t largest = 0;
    for (long i = 0; i < n_longer; i++) {
        largest = longer[i].ticks > largest ? longer[i].ticks : largest;
        if (longer[i].ticks > middle + LONG_US * ticks_per_us)
            causes[longer[i].cause]++;
    }
    printf("%.3f %ld %.1f", seconds, calls, 1e3 * middle / ticks_per_us);
    for (int i = 0; i < LIMITS; i++)
        printf(" %ld", count_above(middle + limit_us[i] * ticks_per_us));
    printf(" %.1f", largest / ticks_per_us);
    for (int i = 0; i < CAUSES; i++)
        printf(" %ld", causes[i]);
    printf(" %ld %ld %ld\n", before.ru_nvcsw, before.ru_nivcsw, before.ru_minflt + before.ru_majflt);
}

int main(int argc, char **argv)
{
    volatile double sink; /* results are used, as far as the compiler can tell */
    long wanted = argc > 1 ? atol(argv[1]) : 10000000;
    double at_least = argc > 2 ? atof(argv[2]) : 0;
    long calls = 0;
    memset(fine, 0xff, sizeof fine); /* its pages are there before anything is timed */
    memset(fine, 0, sizeof fine);
    memset(longer, 0xff, sizeof longer);
    ticks_per_us = measure_clock();
    double start = now();
    while (calls < wanted || now() - start < at_least) {
        sink = batch();
        calls += BATCH;
    }
    (void)sink;
    print(calls, now() - start);
    return 0;
}
