/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clock of records and of replays: both read it with the same instructions, so that their times compare.
 *
 * kt_clock_start() may be executed before earlier instructions have finished, but the call that follows cannot
 * finish before it. kt_clock_stop() waits until the call's instructions have executed (lfence; rdtscp waits, too, and
 * took 12 ns longer where it was measured). Ticks are those of the time stamp counter, or nanoseconds where there is
 * none.
 */
#ifndef KTRACE_CLOCK_H
#define KTRACE_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#define KT_CLOCK_NAME "tsc"

static inline uint64_t kt_clock_start(void)
{
    return __builtin_ia32_rdtsc();
}

static inline uint64_t kt_clock_stop(void)
{
    __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
}

#elif defined(__aarch64__)
#define KT_CLOCK_NAME "cntvct"

static inline uint64_t kt_clock_start(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static inline uint64_t kt_clock_stop(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
}

#else
#define KT_CLOCK_NAME "monotonic"

static inline uint64_t kt_clock_start(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t kt_clock_stop(void)
{
    return kt_clock_start();
}
#endif

/* The least that two readings with nothing between them take, in ticks: part of every recorded and replayed duration.
 */
static inline uint64_t kt_clock_cost(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 200; i++) {
        uint64_t start = kt_clock_start();
        uint64_t ticks = kt_clock_stop() - start;
        least = ticks < least ? ticks : least;
    }
    return least;
}

#endif
