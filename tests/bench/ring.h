/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the least possible shims (least.c, least_nested.c) store: 64 bytes a call, in a ring of the thread's own that
 * stays in cache. */
#ifndef RING_H
#define RING_H

#include <stdint.h>

struct record {
    uint64_t start, ticks, cpu, word[5];
};

enum { RECORDS = 64 };

struct ring {
    struct record record[RECORDS];
    unsigned at;
};

static _Thread_local struct ring ring __attribute__((aligned(64), tls_model("initial-exec")));

static inline __attribute__((always_inline)) void store(uint64_t start, uint64_t stop, unsigned cpu, const void *a,
                                                        const void *b)
{
    struct record *r = &ring.record[ring.at++ % RECORDS];
    *r = (struct record){start, stop - start, cpu, {(uintptr_t)a, (uintptr_t)b, 1, 2, 3}};
    __asm__ volatile("" ::"r"(r) : "memory");
}

#endif
