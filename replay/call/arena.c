/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/call/arena.h"

#include "trace/base/memory.h"

#include <errno.h>
#include <string.h>

/* No address space is larger: sums of such sizes cannot overflow. */
#define LARGEST_RANGE (UINT64_C(1) << 47)

static bool is_referenced(const struct kt_operand *o)
{
    return o->lo != o->hi;
}

/* Indices of the referenced operands by address; returns how many. */
static int sort_by_address(const struct kt_operand *operand, int count, int order[])
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

uint64_t kt_arena_page(const struct kt_layout *layout)
{
    return layout->pages == KT_PAGES_HUGE ? KT_HUGE_PAGE : KT_ARENA_PAGE;
}

static bool is_plausible(const struct kt_operand *operand, int count)
{
    for (int i = 0; i < count; i++)
        if (operand[i].hi < operand[i].lo || operand[i].hi - operand[i].lo > LARGEST_RANGE)
            return false;
    return true;
}

/* The shift behind a gap: large ones become small, but stay the same modulo the page. */
static uint64_t shorten(const struct kt_layout *layout, uint64_t shift, uint64_t gap)
{
    uint64_t page = kt_arena_page(layout);
    uint64_t kept = KT_ARENA_GAP + (gap - KT_ARENA_GAP) % page;
    return gap < KT_ARENA_GAP ? shift : shift - (gap - kept);
}

/* How far an address is to move up to be aligned as asked for. */
static uint64_t to_alignment(const struct kt_layout *layout, uint64_t address)
{
    uint64_t align = layout->align ? layout->align : 1;
    uint64_t up = (align - address % align) % align;
    if (layout->misalign > align && (address + up) % layout->misalign == 0)
        up += align;
    return layout->align || layout->misalign ? up : 0;
}

bool kt_arena_layout(const struct kt_layout *layout, const struct kt_operand *operand, int count, uint64_t address[],
                     uint64_t *bytes)
{
    if (!is_plausible(operand, count))
        return false;
    int *order = kt_resize(NULL, (size_t)count, sizeof *order);
    int sorted = sort_by_address(operand, count, order);
    uint64_t shift = 0;       /* arena offset - recorded address; wraps */
    uint64_t recorded_hi = 0; /* highest recorded address so far */
    for (int i = 0; i < sorted; i++) {
        const struct kt_operand *o = &operand[order[i]];
        bool overlaps = i > 0 && o->lo < recorded_hi;
        if (i == 0)
            shift = o->lo % kt_arena_page(layout) - o->lo;
        else if (!overlaps)
            shift = shorten(layout, shift, o->lo - recorded_hi);
        if (!overlaps)
            shift += to_alignment(layout, o->base + shift);
        recorded_hi = o->hi > recorded_hi ? o->hi : recorded_hi;
        address[order[i]] = o->base + shift;
    }
    free(order);
    uint64_t spare = round_up(recorded_hi + shift);
    for (int i = 0; i < count; i++)
        if (!is_referenced(&operand[i]))
            address[i] = spare + operand[i].base % KT_ARENA_PAGE;
    *bytes = spare + 2 * KT_ARENA_PAGE;
    return true;
}

enum kt_status kt_arena_open(uint64_t bytes, enum kt_pages pages, struct kt_arena *out, struct kt_error *error)
{
    unsigned char *front = kt_pages_map(KT_HUGE_PAGE + bytes, pages);
    *out = (struct kt_arena){0};
    if (!front)
        return kt_fail(error, KT_SYSTEM, "cannot map %llu bytes for operands: %s", (unsigned long long)bytes,
                       strerror(errno));
    *out = (struct kt_arena){.base = front + KT_HUGE_PAGE, .bytes = bytes};
    out->base[-1] = 0;
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
        kt_pages_unmap(arena->base - KT_HUGE_PAGE, KT_HUGE_PAGE + arena->bytes);
    *arena = (struct kt_arena){0};
}
