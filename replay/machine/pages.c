/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

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

/* --- how much there is ------------------------------------------------------------------------------------- */

/* The number of bytes behind KEY at the beginning of a line of the file; NONE if there is none. */
static uint64_t read_number(const char *path, const char *key, uint64_t unit, uint64_t none)
{
    char line[256];
    unsigned long long number;
    uint64_t found = none;
    FILE *file = fopen(path, "re");
    while (file && found == none && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)) && sscanf(line + strlen(key), " %llu", &number) == 1)
            found = number * unit;
    if (file)
        fclose(file);
    return found;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What the control group leaves, where the process sees its own as the root or by its path. */
static uint64_t left_in_group(void)
{
    char line[512];
    char path[640];
    uint64_t left = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::", 3) != 0)
            continue;
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
        uint64_t most = read_number(path, "", 1, UINT64_MAX);
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", line + 3);
        uint64_t used = read_number(path, "", 1, 0);
        left = most == UINT64_MAX ? most : most > used ? most - used : 0;
    }
    if (file)
        fclose(file);
    return left;
}

static uint64_t left_of(int resource, const char *used_key)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    uint64_t used = read_number("/proc/self/status", used_key, 1024, 0);
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

uint64_t kt_pages_limit(void)
{
    uint64_t left = read_number("/proc/meminfo", "MemAvailable:", 1024, UINT64_C(2) << 30);
    left = smaller(left, left_in_group());
    left = smaller(left, left_of(RLIMIT_AS, "VmSize:"));
    left = smaller(left, left_of(RLIMIT_DATA, "VmData:"));
    return left / 2;
}
