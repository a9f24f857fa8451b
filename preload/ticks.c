/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/ticks.h"

#include "ktrace/clock.h"
#include "preload/file.h"
#include "preload/recorder.h"
#include "preload/system.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

static uint64_t cost;

struct kt_anchor kt_ticks_anchor(void)
{
    struct timespec monotonic;
    struct timespec real;
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    uint64_t ticks = kt_ticks_now();
    clock_gettime(CLOCK_REALTIME, &real);
    return (struct kt_anchor){.ticks = ticks,
                              .monotonic_ns = (uint64_t)monotonic.tv_sec * 1000000000u + (uint64_t)monotonic.tv_nsec,
                              .realtime_ns = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec};
}

uint64_t kt_ticks_now(void)
{
    struct timespec now;
    if (KT_LIKELY(!(kt_extras & KT_EXTRA_CLOCK)))
        return kt_clock_start();
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t kernel_clock_cost(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 200; i++) {
        uint64_t start = kt_ticks_now();
        uint64_t ticks = kt_ticks_now() - start;
        least = ticks < least ? ticks : least;
    }
    return least;
}

void kt_ticks_measure(void)
{
    cost = kt_extras & KT_EXTRA_CLOCK ? kernel_clock_cost() : kt_clock_cost();
}

uint64_t kt_ticks_cost(void)
{
    return cost;
}

/*
 * Time stamp counters of all processors run alike, whatever their clock and sleep, if the processor says so. Where it
 * does not, durations may be wrong by as much as its clock changes, and calls that change processors by any amount.
 */
static bool is_counter_invariant(void)
{
#ifdef __x86_64__
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1 << 8);
#else
    return true;
#endif
}

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/"

/* Linux watches the counters, and takes one that proves unreliable from its list of clocks. */
static bool is_counter_given_up(void)
{
    char clocks[256];
    size_t length = kt_file_read(CLOCKS "available_clocksource", clocks, sizeof clocks);
    return length && !strstr(clocks, "tsc");
}

/* Clocks of virtual machines are the counter, multiplied. Where the host warrants that the counters of all processors
 * agree, the C library reads such a clock off the counter; otherwise it has to ask the kernel, which takes longer. */
static bool is_counter_warranted(void)
{
    enum { READINGS = 32 };
    char clock[64];
    struct timespec t;
    uint64_t library = UINT64_MAX;
    uint64_t kernel = UINT64_MAX;
    if (!kt_file_read(CLOCKS "current_clocksource", clock, sizeof clock) ||
        (!strstr(clock, "kvm-clock") && !strstr(clock, "hyperv")))
        return false;
    for (int i = 0; i < READINGS; i++) {
        uint64_t begin = kt_clock_start();
        clock_gettime(CLOCK_MONOTONIC, &t);
        uint64_t middle = kt_clock_stop();
        kt_system_call(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
        uint64_t end = kt_clock_stop();
        library = middle - begin < library ? middle - begin : library;
        kernel = end - middle < kernel ? end - middle : kernel;
    }
    return library < kernel / 2;
}

const char *kt_ticks_doubt(void)
{
    if (strcmp(KT_CLOCK_NAME, "tsc") != 0)
        return NULL;
    if (!is_counter_invariant())
        return "the processor does not say that its time stamp counter runs at a constant rate";
    if (is_counter_given_up() && !is_counter_warranted())
        return "the kernel does not offer the time stamp counter as a clock: it found it unreliable";
    return NULL;
}
