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

#include "trace/operand.h"

enum { KT_ARENA_PAGE = 4096, KT_ARENA_GAP = 65536 };

struct kt_arena {
    unsigned char *base; /* page aligned */
    uint64_t bytes;
    uint64_t touched; /* pages below have been written */
};

/*
 * Where the operands go: ADDRESS[i] is the pointer to pass for the i-th, relative to the arena's base, and *BYTES how
 * much of the arena is used. Distances below KT_ARENA_GAP between neighbours are exact, larger ones become
 * KT_ARENA_GAP plus the distance modulo KT_ARENA_PAGE. Operands that the call does not reference get a place in a
 * spare page. False if the recorded ranges cannot be real. A pure function.
 */
bool kt_arena_layout(const struct kt_operand *operand, int count, uint64_t address[], uint64_t *bytes);

/* Reserves address space; pages cost nothing before they are touched. */
enum kt_status kt_arena_open(uint64_t bytes, struct kt_arena *out, struct kt_error *error);
void kt_arena_touch(struct kt_arena *arena, uint64_t bytes);
void kt_arena_close(struct kt_arena *arena);

/* Bytes that replay may use: half of what the system calls available. */
uint64_t kt_arena_limit(void);

#endif
