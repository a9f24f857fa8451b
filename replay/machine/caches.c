/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/caches.h"

#include "replay/machine/cache.h"
#include "trace/base/cpulist.h"
#include "trace/base/lines.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_INDEX = 16, WORD = 256 };

static void read_word(const char *root, int index, const char *name, char out[WORD])
{
    char path[512];
    snprintf(path, sizeof path, "%s/index%d/%s", root, index, name);
    kt_lines_first(path, out, WORD);
}

/* "32K", "36M" */
static uint64_t parse_size(const char *text)
{
    char unit = 0;
    unsigned long long number = 0;
    sscanf(text, "%llu%c", &number, &unit);
    return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
}

/* Adds the cache of that index if it holds data and is farther than those before it. */
static void add_cache(const char *root, int index, struct kt_caches *out)
{
    char type[WORD], size[WORD], level[WORD], shared[WORD];
    unsigned number = 0;
    read_word(root, index, "type", type);
    read_word(root, index, "size", size);
    read_word(root, index, "level", level);
    read_word(root, index, "shared_cpu_list", shared);
    sscanf(level, "%u", &number);
    int sharing = kt_cpulist_parse(shared, NULL);
    struct kt_cache cache = {.bytes = parse_size(size), .shared = sharing > 0 ? (unsigned)sharing : 1};
    bool has_data = !strcmp(type, "Data") || !strcmp(type, "Unified");
    if (has_data && cache.bytes && number == out->count + 1 && number <= KT_MAX_CACHES)
        out->cache[out->count++] = cache;
}

/* What the C library knows; many processors other than x86 tell nothing. Who shares what it does not say: a third level
 * is taken to be everybody's. */
static void ask_library(struct kt_caches *out)
{
    const int name[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        long bytes = sysconf(name[i]);
        if (bytes <= 0)
            break;
        unsigned shared = name[i] == _SC_LEVEL3_CACHE_SIZE && processors > 1 ? (unsigned)processors : 1;
        out->cache[out->count++] = (struct kt_cache){.bytes = (uint64_t)bytes, .shared = shared};
    }
}

bool kt_caches_read(const char *root, struct kt_caches *out)
{
    *out = (struct kt_caches){.line = kt_line_bytes()};
    for (int i = 0; i < MAX_INDEX; i++)
        add_cache(root ? root : "/sys/devices/system/cpu/cpu0/cache", i, out);
    if (!out->count && !root)
        ask_library(out);
    if (out->count)
        return true;
    *out = (struct kt_caches){.cache = {{32 << 10, 1}, {1 << 20, 1}}, .count = 2, .line = kt_line_bytes()};
    return false;
}

#if defined(__x86_64__)
#include <cpuid.h>

bool kt_machine_is_virtual(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c >> 31;
}
#else
bool kt_machine_is_virtual(void)
{
    return access("/sys/hypervisor/type", F_OK) == 0;
}
#endif
