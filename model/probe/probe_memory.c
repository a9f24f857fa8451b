/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/probe/probe_memory.h"

#include "model/probe/claims.h"
#include "model/loops/stopwatch.h"
#include "trace/base/free_memory.h"
#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, SPARE = 16 << 20, LOADS = 640, LOADS_MAX = 16384, UNROLL = 16 };

/* --- the mapping ------------------------------------------------------------------------------------------------- */

/* Some is left for all else: where address space is limited, the last of it must not go here. */
static bool map(size_t bytes, bool huge, struct kt_probe_memory *out)
{
    size_t mapped = bytes + HUGE_PAGE;
    void *mapping = mmap(NULL, mapped + SPARE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return false;
    munmap((char *)mapping + mapped, SPARE);
    uintptr_t base = ((uintptr_t)mapping + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    *out =
        (struct kt_probe_memory){.base = (unsigned char *)base, .bytes = bytes, .mapping = mapping, .mapped = mapped};
    madvise(out->base, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); /* may fail: then pages are what they are */
    return true;
}

/* Of the mapping that holds ADDRESS, as /proc/self/smaps tells. */
static size_t huge_bytes(const void *address)
{
    char line[512];
    bool here = false;
    size_t found = 0;
    FILE *file = fopen("/proc/self/smaps", "r");
    while (file && fgets(line, sizeof line, file)) {
        unsigned long from;
        unsigned long to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            here = (uintptr_t)address >= from && (uintptr_t)address < to;
        else if (here && !strncmp(line, "AnonHugePages:", 14))
            found += strtoull(line + 14, NULL, 10) * 1024;
    }
    if (file)
        fclose(file);
    return found;
}

bool kt_probe_memory_reserve(size_t bytes, bool huge, struct kt_probe_memory *out)
{
    size_t most = kt_free_memory(NULL) / 2;
    bytes = (bytes < most ? bytes : most) / HUGE_PAGE * HUGE_PAGE;
    while (bytes >= 1 << 20 && !map(bytes, huge, out))
        bytes /= 2;
    out->seed = 1;
    return bytes >= 1 << 20;
}

bool kt_probe_memory_open(size_t bytes, bool huge, struct kt_probe_memory *out)
{
    if (!kt_probe_memory_reserve(bytes, huge, out))
        return false;
    memset(out->base, 1, out->bytes);
    out->huge = huge_bytes(out->base);
    out->page = out->huge >= out->bytes ? HUGE_PAGE : (size_t)sysconf(_SC_PAGESIZE);
    return true;
}

size_t kt_probe_memory_span(size_t least, size_t cpus)
{
    enum { SMALL_PART = 4 };
    json_t *claims = kt_claims_of_system();
    double bytes = fmax((double)least, SMALL_PART * kt_claims_last_cache(claims, cpus));
    json_decref(claims);
    return (size_t)ceil(bytes / HUGE_PAGE) * HUGE_PAGE;
}

void kt_probe_memory_close(struct kt_probe_memory *memory)
{
    munmap(memory->mapping, memory->mapped);
}

/* --- chains --------------------------------------------------------------------------------------------------------
 */

static void *address_of(const struct kt_probe_memory *memory, const struct kt_pattern *p, size_t i)
{
    size_t stop = i / p->width;
    size_t shift = stop >= (p->count + 1) / 2 ? p->shift : 0;
    stop = p->stop ? p->stop[stop] : stop;
    return memory->base + stop * p->stride + i % p->width * p->spacing + shift;
}

/* Elements that follow each other and are visited in random order: those of a page, or all if they are few pages. */
static size_t group_of(const struct kt_probe_memory *memory, const struct kt_pattern *p)
{
    size_t n = p->count * p->width;
    enum { FEW_PAGES = 32 };
    if (p->stop || p->stride * p->count <= FEW_PAGES * memory->page || memory->page == HUGE_PAGE)
        return n;
    size_t group = memory->page / p->stride * p->width;
    return group > p->width ? group : n;
}

static void mix(uint32_t *order, size_t n, uint64_t *seed)
{
    for (size_t i = n; i > 1; i--) {
        size_t other = kt_any_number(seed) % i;
        uint32_t kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* Successors are put down in a small array first: writing the chain itself in its own order would take longer than
 * walking it. */
static void build(struct kt_probe_memory *memory, const struct kt_pattern *p)
{
    size_t n = p->count * p->width;
    size_t group = group_of(memory, p);
    uint32_t *order = kt_resize(NULL, 2 * n, sizeof *order);
    uint32_t *next = order + n;
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t i = 0; i < n; i += group)
        mix(order + i, n - i < group ? n - i : group, &memory->seed);
    for (size_t i = 0; i < n; i++)
        next[order[i]] = order[i + 1 < n ? i + 1 : 0];
    for (size_t i = 0; i < n; i++)
        *(void **)address_of(memory, p, i) = address_of(memory, p, next[i]);
    free(order);
}

void *kt_probe_walk(void *from, size_t n)
{
    void **p = from;
    for (size_t i = 0; i < n / UNROLL; i++) {
#pragma GCC unroll 16
        for (int k = 0; k < UNROLL; k++) {
            p = *p;
            __asm__("" : "+r"(p));
        }
    }
    return p;
}

struct walk {
    void *from;
    size_t loads;
};

static void walk(void *context)
{
    struct walk *w = context;
    w->from = kt_probe_walk(w->from, w->loads);
    __asm__ volatile("" : "+r"(w->from));
}

struct kt_lap kt_probe_chase(struct kt_probe_memory *memory, const struct kt_pattern *p)
{
    size_t n = p->count * p->width;
    build(memory, p);
    size_t loads = n < LOADS ? LOADS : n > LOADS_MAX ? LOADS_MAX : n;
    struct walk w = {address_of(memory, p, 0), loads / UNROLL * UNROLL};
    /* What is much larger than any cache needs no walk to be out of them. */
    size_t warm = n < LOADS ? 2 * n : n > 32 * LOADS_MAX ? n / 8 : n;
    w.from = kt_probe_walk(w.from, warm / UNROLL * UNROLL + UNROLL);
    /* Short walks repeated: others that use the same cache let some pass undisturbed. */
    struct kt_lap lap = kt_lap(walk, &w, 5);
    double cycle = lap.ticks / lap.cycles;
    memory->cycle = memory->cycle > 0 && cycle > memory->cycle * 1.001 ? memory->cycle * 1.001 : cycle;
    return (struct kt_lap){lap.ticks / (double)w.loads, lap.ticks / memory->cycle / (double)w.loads};
}
