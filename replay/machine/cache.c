/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/cache.h"

#include "ktrace/clock.h"

/* Lines are whole: AddressSanitizer need not know what shares the first and the last one. */
__attribute__((no_sanitize_address)) void kt_lines_touch(uint64_t lo, uint64_t hi)
{
    uint64_t line = kt_line_bytes();
    for (uint64_t at = lo - lo % line; at < hi; at += line)
        (void)*(volatile unsigned char *)at;
}

static uint64_t time_load(const volatile unsigned char *at)
{
    uint64_t start = kt_clock_start();
    (void)*at;
    return kt_clock_stop() - start;
}

double kt_cache_check(void)
{
    enum { TRIES = 64 };
    static unsigned char area[4096];
    uint64_t warm = UINT64_MAX;
    uint64_t cold = UINT64_MAX;
    unsigned char *at = area + sizeof area / 2;
    *at = 1;
    for (int i = 0; i < TRIES; i++) {
        kt_lines_flush((uint64_t)at, (uint64_t)at + 1);
        kt_lines_flushed();
        uint64_t ticks = time_load(at);
        cold = ticks < cold ? ticks : cold;
        ticks = time_load(at);
        warm = ticks < warm ? ticks : warm;
    }
    return warm ? (double)cold / (double)warm : (double)cold;
}
