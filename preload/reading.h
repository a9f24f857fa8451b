/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readings of a counter: taking one without the kernel, and how far the counter went between two.
 *
 * The page that a counter's descriptor maps tells which of the processor's counters it is on at this moment and what to
 * add. The kernel changes the page whenever the thread moves or counters take turns, so it is read again until nothing
 * changed meanwhile, as linux/perf_event.h says.
 */
#ifndef KT_READING_H
#define KT_READING_H

#include "ktrace/clock.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* A counter at one moment. Times are nanoseconds; they go apart while others have the hardware. */
struct kt_reading {
    uint64_t value;
    uint64_t enabled; /* KT_NOT_READ: nothing is known */
    uint64_t running;
};
#define KT_NOT_READ UINT64_MAX

/* --- without the kernel ------------------------------------------------------------------------------------ */

/* Tests have a processor of their own. */
#ifndef KT_RDPMC
#define KT_PAGE_CLOCK() kt_clock_start()
#if defined(__x86_64__)
#define KT_RDPMC(index) ((uint64_t)__builtin_ia32_rdpmc((int)(index)))
#define KT_HAS_RDPMC    1
#else
#define KT_RDPMC(index) ((void)(index), (uint64_t)0)
#define KT_HAS_RDPMC    0
#endif
#endif

static inline bool kt_page_is_readable(const volatile struct perf_event_mmap_page *page)
{
    return KT_HAS_RDPMC && page->cap_user_rdpmc && page->cap_user_time;
}

/* Nanoseconds since the kernel wrote the page's times. */
static inline uint64_t kt_page_age(const volatile struct perf_event_mmap_page *page)
{
    uint64_t cycles = KT_PAGE_CLOCK();
    uint64_t shift = page->time_shift;
    uint64_t mult = page->time_mult;
    if (page->cap_user_time_short)
        cycles = page->time_cycles + ((cycles - page->time_cycles) & page->time_mask);
    return page->time_offset + (cycles >> shift) * mult + (((cycles & ((1ull << shift) - 1)) * mult) >> shift);
}

/* A counter has so many bits, of which the kernel keeps the upper ones in the offset: a signed number. */
static inline uint64_t kt_page_count(const volatile struct perf_event_mmap_page *page, uint32_t index)
{
    unsigned unused = 64u - page->pmc_width;
    return (uint64_t)((int64_t)(KT_RDPMC(index - 1) << unused) >> unused);
}

static inline void kt_page_read(const volatile struct perf_event_mmap_page *page, struct kt_reading *out)
{
    uint32_t before;
    do {
        before = page->lock;
        __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the writer is the kernel on this processor */
        uint64_t age = kt_page_age(page);
        uint32_t index = page->index; /* 0: not on a counter now, and the offset is all */
        out->value = (uint64_t)page->offset + (index ? kt_page_count(page, index) : 0);
        out->enabled = page->time_enabled + age;
        out->running = page->time_running + (index ? age : 0);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (page->lock != before);
}

/* --- between two readings ---------------------------------------------------------------------------------- */

enum kt_delta {
    KT_DELTA_NONE,    /* one was not taken, or the counter is another */
    KT_DELTA_EXACT,   /* it counted all the time */
    KT_DELTA_SCALED,  /* it counted a part of the time; scaled up to all of it */
    KT_DELTA_STARVED, /* it did not count */
};

/* *COUNT is UINT64_MAX if it is not known. In integers: the program's floating-point flags stay what they are. */
static inline enum kt_delta kt_reading_delta(const struct kt_reading *a, const struct kt_reading *b, uint64_t *count)
{
    uint64_t value = b->value - a->value;
    uint64_t enabled = b->enabled - a->enabled;
    uint64_t running = b->running - a->running;
    *count = UINT64_MAX;
    if (a->enabled == KT_NOT_READ || b->enabled == KT_NOT_READ || value > INT64_MAX || running > enabled)
        return KT_DELTA_NONE;
    if (running == 0 && enabled > 0)
        return KT_DELTA_STARVED;
    *count = running == enabled ? value : (uint64_t)((unsigned __int128)value * enabled / running);
    return running == enabled ? KT_DELTA_EXACT : KT_DELTA_SCALED;
}

#endif
