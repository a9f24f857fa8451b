/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/arena.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* No address space is larger: sums of such sizes cannot overflow. */
#define LARGEST_RANGE (UINT64_C(1) << 47)

static bool is_referenced(const struct kt_operand *o)
{
    return o->lo != o->hi;
}

/* Indices of the referenced operands by address; returns how many. */
static int sort_by_address(const struct kt_operand *operand, int count, int order[KT_MAX_OPERANDS])
{
    int sorted = 0;
    for (int i = 0; i < count; i++) {
        if (!is_referenced(&operand[i]))
            continue;
        int at = sorted++;
        for (; at > 0 && operand[order[at - 1]].lo > operand[i].lo; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return sorted;
}

static uint64_t round_up(uint64_t x)
{
    return (x + KT_ARENA_PAGE - 1) / KT_ARENA_PAGE * KT_ARENA_PAGE;
}

static bool is_plausible(const struct kt_operand *operand, int count)
{
    for (int i = 0; i < count; i++)
        if (operand[i].hi < operand[i].lo || operand[i].hi - operand[i].lo > LARGEST_RANGE)
            return false;
    return true;
}

bool kt_arena_layout(const struct kt_operand *operand, int count, uint64_t address[], uint64_t *bytes)
{
    int order[KT_MAX_OPERANDS];
    if (!is_plausible(operand, count))
        return false;
    int sorted = sort_by_address(operand, count, order);
    uint64_t shift = 0;       /* arena offset - recorded address; wraps */
    uint64_t recorded_hi = 0; /* highest recorded address so far */
    for (int i = 0; i < sorted; i++) {
        const struct kt_operand *o = &operand[order[i]];
        uint64_t gap = o->lo > recorded_hi ? o->lo - recorded_hi : 0;
        if (i == 0)
            shift = o->lo % KT_ARENA_PAGE - o->lo;
        else if (gap >= KT_ARENA_GAP)
            shift -= gap - gap % KT_ARENA_PAGE - KT_ARENA_GAP;
        recorded_hi = o->hi > recorded_hi ? o->hi : recorded_hi;
        address[order[i]] = o->base + shift;
    }
    uint64_t spare = round_up(recorded_hi + shift);
    for (int i = 0; i < count; i++)
        if (!is_referenced(&operand[i]))
            address[i] = spare + operand[i].base % KT_ARENA_PAGE;
    *bytes = spare + 2 * KT_ARENA_PAGE;
    return true;
}

enum kt_status kt_arena_open(uint64_t bytes, struct kt_arena *out, struct kt_error *error)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    *out = (struct kt_arena){0};
    if (base == MAP_FAILED)
        return kt_fail(error, KT_SYSTEM, "cannot map %llu bytes for operands: %s", (unsigned long long)bytes,
                       strerror(errno));
    *out = (struct kt_arena){.base = base, .bytes = bytes};
    return KT_OK;
}

void kt_arena_touch(struct kt_arena *arena, uint64_t bytes)
{
    bytes = bytes < arena->bytes ? bytes : arena->bytes;
    for (; arena->touched < bytes; arena->touched += KT_ARENA_PAGE)
        *(volatile unsigned char *)(arena->base + arena->touched) = 0;
}

void kt_arena_close(struct kt_arena *arena)
{
    if (arena->base)
        munmap(arena->base, arena->bytes);
    *arena = (struct kt_arena){0};
}

uint64_t kt_arena_limit(void)
{
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes ? kilobytes * 1024 / 2 : UINT64_C(1) << 30;
}
