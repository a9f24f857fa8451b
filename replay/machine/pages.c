/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/pages.h"

#include "trace/free_memory.h"

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
    char line[128] = "";
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
    bool was_read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    return was_read && !strstr(line, "[never]");
}

uint64_t kt_pages_limit(void)
{
    return kt_free_memory(NULL) / 2;
}
