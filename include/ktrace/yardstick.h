/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the machine is at this moment, in ticks of ktrace/clock.h. Records and replays read the same, so that what
 * they say compares.
 *
 *   chain   additions of which each needs the one before: one takes a cycle of the core, whatever others do.
 *   wide    additions that need nothing: as many at once as the core has room for. Whoever shares the core takes of it.
 *   memory  loads of flushed lines, each of which tells where the next one is.
 *
 * Both operands of an addition are registers: some cores add small constants while they rename registers. A reading
 * takes some microseconds.
 */
#ifndef KTRACE_YARDSTICK_H
#define KTRACE_YARDSTICK_H

#include "ktrace/clock.h"

/* Clocks may move in steps of 10 ns: each of the three takes about a hundred of them. */
enum {
    KT_YARD_ADDITIONS = 4096, /* of the chain; the others are KT_YARD_WIDTH times as many */
    KT_YARD_WIDTH = 4,
    KT_YARD_LOADS = 8,
    KT_YARD_UNROLLED = 16,
    KT_YARD_LINES = 4096 /* bytes that the loads are spread over */
};

struct kt_yardstick {
    uint64_t chain, wide, memory; /* ticks, clock readings included */
};

#define KT_YARD_TWICE(x) x x
#define KT_YARD_FOUR(x)  KT_YARD_TWICE(KT_YARD_TWICE(x))

#if defined(__x86_64__)
#define KT_HAS_YARDSTICK 1
#define KT_YARD_ADD(to)  "add %4, %" #to "\n\t"
#define KT_YARD_ONE(to)  "add %1, %" #to "\n\t"
#elif defined(__aarch64__)
#define KT_HAS_YARDSTICK 1
#define KT_YARD_ADD(to)  "add %" #to ", %" #to ", %4\n\t"
#define KT_YARD_ONE(to)  "add %" #to ", %" #to ", %1\n\t"
#else
#define KT_HAS_YARDSTICK 0
#define KT_YARD_ADD(to)  ""
#define KT_YARD_ONE(to)  ""
#endif

static inline uint64_t kt_yard_chain(void)
{
    uint64_t sum = 1;
    uint64_t one = 1;
    uint64_t start = kt_clock_stop();
    for (int i = 0; i < KT_YARD_ADDITIONS; i += KT_YARD_UNROLLED)
        __asm__ volatile(KT_YARD_FOUR(KT_YARD_FOUR(KT_YARD_ONE(0))) : "+r"(sum) : "r"(one) : "cc");
    return kt_clock_stop() - start;
}

static inline uint64_t kt_yard_wide(void)
{
    uint64_t a = 1, b = 1, c = 1, d = 1;
    uint64_t one = 1;
    uint64_t start = kt_clock_stop();
    for (int i = 0; i < KT_YARD_ADDITIONS * KT_YARD_WIDTH; i += KT_YARD_UNROLLED)
        __asm__ volatile(KT_YARD_FOUR(KT_YARD_ADD(0) KT_YARD_ADD(1) KT_YARD_ADD(2) KT_YARD_ADD(3))
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d)
                         : "r"(one)
                         : "cc");
    return kt_clock_stop() - start;
}

static inline void kt_yard_flush(void *line)
{
#if defined(__x86_64__)
    __builtin_ia32_clflush(line);
#elif defined(__aarch64__)
    __asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
#else
    (void)line;
#endif
}

/* Neither neighbours nor in a row: nothing foresees the next one. */
static inline void **kt_yard_line(unsigned char *lines, unsigned i)
{
    enum { APART = 128, STEP = 13 };
    return (void **)(void *)(lines + APART * (i % KT_YARD_LOADS * STEP % (KT_YARD_LINES / APART)));
}

/* LINES: KT_YARD_LINES bytes, aligned to 8, that nobody else uses meanwhile. */
static inline uint64_t kt_yard_memory(unsigned char *lines)
{
    void *volatile *at = kt_yard_line(lines, 0);
    for (unsigned i = 0; i < KT_YARD_LOADS; i++)
        *kt_yard_line(lines, i) = kt_yard_line(lines, i + 1);
    for (unsigned i = 0; i < KT_YARD_LOADS; i++)
        kt_yard_flush(kt_yard_line(lines, i));
    __sync_synchronize();
    uint64_t start = kt_clock_stop();
    for (unsigned i = 0; i < KT_YARD_LOADS; i++)
        at = *at;
    __asm__ volatile("" ::"r"(at));
    return kt_clock_stop() - start;
}

/* Of two chains the shorter one: an interruption falls into one of them. The others differ from reading to reading, and
 * only means over many tell. */
static inline struct kt_yardstick kt_yard_read(unsigned char *lines)
{
    struct kt_yardstick y = {kt_yard_chain(), 0, 0};
    uint64_t again = kt_yard_chain();
    y.chain = again < y.chain ? again : y.chain;
    y.wide = kt_yard_wide();
    y.memory = kt_yard_memory(lines);
    return y;
}

#endif
