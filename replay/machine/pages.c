/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/pages.h"

#include "trace/base/free_memory.h"
#include "trace/base/now.h"
#include "trace/base/samples.h"
#include "trace/base/lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALL_PAGE = 4096 };

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

unsigned char *kt_pages_map(uint64_t bytes, enum kt_pages pages)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint64_t wanted = round_up(bytes, SMALL_PAGE);
    uint64_t with_margin = wanted + KT_HUGE_PAGE;
    unsigned char *at = mmap(NULL, with_margin, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    unsigned char *base = at + (round_up((uint64_t)at, KT_HUGE_PAGE) - (uint64_t)at);
    uint64_t behind = (uint64_t)(at + with_margin - (base + wanted));
    if (base > at)
        munmap(at, (uint64_t)(base - at));
    if (behind)
        munmap(base + wanted, behind);
    if (pages != KT_PAGES_ANY)
        madvise(base, wanted, pages == KT_PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return base;
}

void kt_pages_unmap(unsigned char *base, uint64_t bytes)
{
    if (base)
        munmap(base, round_up(bytes, SMALL_PAGE));
}

bool kt_pages_huge_exist(void)
{
    char line[128];
    return kt_lines_first("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line) && !strstr(line, "[never]");
}

/* Of PAGES pages that nobody has touched. */
static double touch_seconds(size_t pages)
{
    volatile unsigned char *at = kt_pages_map(pages * SMALL_PAGE, KT_PAGES_SMALL);
    if (!at)
        return NAN;
    double begin = kt_now();
    for (size_t i = 0; i < pages; i++)
        at[i * SMALL_PAGE] = 1;
    double seconds = kt_now() - begin;
    kt_pages_unmap((unsigned char *)at, pages * SMALL_PAGE);
    return seconds / (double)pages;
}

double kt_pages_fault_seconds(void)
{
    enum { BURSTS = 9, PAGES = 512 };
    struct kt_samples bursts = {0};
    double seconds = NAN;
    for (int i = 0; i < BURSTS; i++) {
        seconds = touch_seconds(PAGES);
        if (isnan(seconds))
            break;
        kt_samples_add(&bursts, seconds);
    }
    if (!isnan(seconds))
        seconds = kt_samples_stat(&bursts, KT_BEST_MEDIAN).median;
    kt_samples_free(&bursts);
    return seconds;
}

uint64_t kt_pages_limit(void)
{
    return kt_free_memory(NULL) / 2;
}
