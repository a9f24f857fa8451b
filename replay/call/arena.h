/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that replayed operands live in: one mapping, reused for all shapes, whose pages are touched before use.
 *
 * What makes one placement of operands faster than another is kept from the recorded call: every address modulo
 * the page, overlap, adjacency, and every distance that a cache or a prefetcher could notice. Only the large gaps
 * between operands are shortened.
 */
#ifndef KT_ARENA_H
#define KT_ARENA_H

#include "replay/machine/pages.h"
#include "trace/table/operand.h"

enum { KT_ARENA_PAGE = 4096, KT_ARENA_GAP = 65536 };

/* What is asked for beyond the recorded layout. All 0: nothing. */
struct kt_layout {
    enum kt_pages pages; /* KT_PAGES_HUGE: addresses are kept modulo the huge page */
    uint64_t align;      /* addresses passed are multiples of it, a power of two up to the small page; 0: as recorded */
    uint64_t misalign;   /* and, if it is larger than ALIGN, no multiples of this power of two */
};

struct kt_arena {
    unsigned char *base; /* aligned to huge pages */
    uint64_t bytes;
    uint64_t touched; /* pages below have been written */
};

/*
 * Where the operands go: ADDRESS[i] is the pointer to pass for the i-th, relative to the arena's base, and *BYTES how
 * much of the arena is used. Distances below KT_ARENA_GAP between neighbours are exact, larger ones become
 * KT_ARENA_GAP plus the distance modulo the page. With an alignment, operands that overlap move together, so that of
 * those the lowest is aligned; all others are, one by one (Whaley & Castaldo, section 4.4). Operands that the call does
 * not reference get a place in a spare page. False if the recorded ranges cannot be real. A pure function.
 */
bool kt_arena_layout(const struct kt_layout *layout, const struct kt_operand *operand, int count, uint64_t address[],
                     uint64_t *bytes);

/* The page of the layout: places of whole sets of operands differ by multiples of it. */
uint64_t kt_arena_page(const struct kt_layout *layout);

/* Reserves address space. There is memory before the base, too: kernels of OpenBLAS for complex dot products read the
 * element before a vector whose increment is -1. Pages cost nothing before they are touched. */
enum kt_status kt_arena_open(uint64_t bytes, enum kt_pages pages, struct kt_arena *out, struct kt_error *error);
void kt_arena_touch(struct kt_arena *arena, uint64_t bytes);
void kt_arena_close(struct kt_arena *arena);

#endif
