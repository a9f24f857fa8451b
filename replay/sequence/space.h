/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that a sequence of calls is played in: all that their operands cover, at the addresses that were
 * recorded. Where these are taken in this process, everything is moved by the same multiple of 1 GiB; where that does
 * not help either, each piece lies where there is room, at its address modulo 2 MiB. What caches, prefetchers and page
 * tables can notice of addresses is kept in each case, but for the distances between pieces in the last.
 */
#ifndef KT_SPACE_H
#define KT_SPACE_H

#include "trace/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KT_LAYOUT_PAGE = 4096, KT_LAYOUT_PIECE = 2 << 20 };

/* Bytes LO to HI - 1. */
struct kt_range {
    uint64_t lo, hi;
};

/* Pages; zeros: none yet. */
struct kt_ranges {
    struct kt_range *range; /* after kt_ranges_join sorted, with gaps between them; owned */
    size_t count;
    size_t joined; /* so many of them were, when last seen */
};

/* Adds the pages of some bytes. False if they cannot be real. */
bool kt_ranges_add(struct kt_ranges *ranges, uint64_t lo, uint64_t hi);
void kt_ranges_join(struct kt_ranges *ranges);
uint64_t kt_ranges_bytes(const struct kt_ranges *ranges);
void kt_ranges_free(struct kt_ranges *ranges);

enum kt_space_kind { KT_AS_RECORDED, KT_MOVED, KT_COMPACTED };

/* What was close together, and where it is now. */
struct kt_piece {
    uint64_t lo, hi; /* recorded */
    uint64_t shift;  /* to be added; wraps */
};

struct kt_space {
    enum kt_space_kind kind;
    struct kt_piece *piece; /* sorted; owned */
    size_t pieces;
    unsigned char *spare; /* for addresses of operands that calls do not reference: some pages */
};

/* The pieces of joined ranges: those nearer to each other than KT_LAYOUT_PIECE are in one. */
size_t kt_space_pieces(const struct kt_ranges *ranges, struct kt_piece **out);

/* Maps them into this process and touches the pages of the ranges. */
enum kt_status kt_space_map(const struct kt_ranges *ranges, struct kt_space *out, struct kt_error *error);

/* Where what was at that address is now; 0 if it is in no piece. */
uint64_t kt_space_at(const struct kt_space *space, uint64_t address);

#endif
