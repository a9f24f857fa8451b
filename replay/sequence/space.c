/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/space.h"

#include "trace/base/memory.h"

#include <errno.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define HIGHEST (UINT64_C(1) << 47)

enum { SPARE_BYTES = 1 << 16 };

/* --- ranges ---------------------------------------------------------------------------------------------------- */

static int compare_ranges(const void *a, const void *b)
{
    const struct kt_range *x = a;
    const struct kt_range *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

void kt_ranges_join(struct kt_ranges *r)
{
    size_t joined = 0;
    if (r->count)
        qsort(r->range, r->count, sizeof *r->range, compare_ranges);
    for (size_t i = 0; i < r->count; i++) {
        struct kt_range *last = joined ? &r->range[joined - 1] : NULL;
        if (!last || r->range[i].lo > last->hi)
            r->range[joined++] = r->range[i];
        else if (r->range[i].hi > last->hi)
            last->hi = r->range[i].hi;
    }
    r->count = joined;
    r->joined = joined;
}

/* Most calls use what the calls before them did: joined now and then, they stay few. */
bool kt_ranges_add(struct kt_ranges *r, uint64_t lo, uint64_t hi)
{
    enum { MANY = 4096 };
    if (hi <= lo)
        return true;
    if (lo < KT_LAYOUT_PAGE || hi > HIGHEST)
        return false;
    struct kt_range pages = {lo / KT_LAYOUT_PAGE * KT_LAYOUT_PAGE,
                             (hi + KT_LAYOUT_PAGE - 1) / KT_LAYOUT_PAGE * KT_LAYOUT_PAGE};
    struct kt_range *last = r->count ? &r->range[r->count - 1] : NULL;
    if (last && pages.lo >= last->lo && pages.hi <= last->hi)
        return true;
    if (r->count >= 2 * r->joined + MANY)
        kt_ranges_join(r);
    r->range = kt_room_for_one(r->range, r->count, sizeof *r->range);
    r->range[r->count++] = pages;
    return true;
}

uint64_t kt_ranges_bytes(const struct kt_ranges *r)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->count; i++)
        bytes += r->range[i].hi - r->range[i].lo;
    return bytes;
}

void kt_ranges_free(struct kt_ranges *r)
{
    free(r->range);
    *r = (struct kt_ranges){0};
}

/* --- pieces ---------------------------------------------------------------------------------------------------- */

size_t kt_space_pieces(const struct kt_ranges *r, struct kt_piece **out)
{
    size_t count = 0;
    *out = NULL;
    for (size_t i = 0; i < r->count; i++) {
        if (count && r->range[i].lo - (*out)[count - 1].hi < KT_LAYOUT_PIECE) {
            (*out)[count - 1].hi = r->range[i].hi;
            continue;
        }
        *out = kt_room_for_one(*out, count, sizeof **out);
        (*out)[count++] = (struct kt_piece){.lo = r->range[i].lo, .hi = r->range[i].hi};
    }
    return count;
}

static bool map_at(uint64_t address, uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *found = mmap((void *)address, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (found == (void *)address)
        return true;
    if (found != MAP_FAILED) /* a kernel that takes the address for a hint */
        munmap(found, bytes);
    return false;
}

/* All of them, or none. */
static bool map_all(struct kt_space *space, uint64_t shift)
{
    for (size_t i = 0; i < space->pieces; i++) {
        struct kt_piece *p = &space->piece[i];
        p->shift = shift;
        if (p->hi + shift <= HIGHEST && map_at(p->lo + shift, p->hi - p->lo)) {
            map_at(p->lo + shift - KT_LAYOUT_PAGE, KT_LAYOUT_PAGE); /* see kt_arena_open; it may be there already */
            continue;
        }
        while (i-- > 0)
            munmap((void *)(space->piece[i].lo + shift), space->piece[i].hi - space->piece[i].lo);
        return false;
    }
    return true;
}

static bool map_moved(struct kt_space *space)
{
    enum { TRIALS = 512 };
    const uint64_t step = UINT64_C(1) << 30;
    for (uint64_t i = 1; i <= TRIALS; i++)
        if (map_all(space, i * step) || map_all(space, -i * step))
            return true;
    return false;
}

static bool map_compacted(struct kt_space *space)
{
    for (size_t i = 0; i < space->pieces; i++) {
        struct kt_piece *p = &space->piece[i];
        uint64_t bytes = p->hi - p->lo + KT_LAYOUT_PIECE;
        void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (found == MAP_FAILED)
            return false;
        p->shift = (uint64_t)found + (p->lo - (uint64_t)found) % KT_LAYOUT_PIECE - p->lo;
    }
    return true;
}

static void touch(const struct kt_ranges *ranges, const struct kt_space *space)
{
    for (size_t i = 0; i < ranges->count; i++) {
        uint64_t bytes = ranges->range[i].hi - ranges->range[i].lo;
        unsigned char *at = (unsigned char *)kt_space_at(space, ranges->range[i].lo);
        for (uint64_t offset = 0; offset < bytes; offset += KT_LAYOUT_PAGE)
            *(volatile unsigned char *)(at + offset) = 0;
    }
}

enum kt_status kt_space_map(const struct kt_ranges *ranges, struct kt_space *out, struct kt_error *error)
{
    *out = (struct kt_space){0};
    out->pieces = kt_space_pieces(ranges, &out->piece);
    out->spare = mmap(NULL, SPARE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (out->spare == MAP_FAILED)
        return kt_fail(error, KT_SYSTEM, "cannot map memory for the sequence: %s", strerror(errno));
    out->kind = map_all(out, 0) ? KT_AS_RECORDED : map_moved(out) ? KT_MOVED : KT_COMPACTED;
    if (out->kind == KT_COMPACTED && !map_compacted(out))
        return kt_fail(error, KT_SYSTEM, "cannot map memory for the sequence: %s", strerror(errno));
    touch(ranges, out);
    return KT_OK;
}

uint64_t kt_space_at(const struct kt_space *space, uint64_t address)
{
    size_t lo = 0;
    for (size_t hi = space->pieces; lo < hi;) {
        size_t middle = lo + (hi - lo) / 2;
        if (space->piece[middle].hi <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    const struct kt_piece *p = &space->piece[lo];
    return lo < space->pieces && p->lo <= address ? address + p->shift : 0;
}
