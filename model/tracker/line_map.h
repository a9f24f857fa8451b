/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who owns each line of memory. Memory is cut into blocks of 4096 lines, found through a hash table. A block is a
 * sorted list of pieces, each owned as a whole, or, once these are too many, the owner of each line.
 *
 * A run of lines costs a look-up per block that it touches, and in it O(log pieces) or O(lines). A gigabyte that was
 * touched at once is 4096 blocks of one piece; the columns of a matrix that is stored by rows take about as many steps
 * as they have elements.
 */
#ifndef KT_LINE_MAP_H
#define KT_LINE_MAP_H

#include "model/tracker/line_runs.h"

enum { KT_BLOCK_LINES = 4096, KT_NO_OWNER = 0 };

struct kt_line_piece {
    uint32_t first; /* line within the block; the piece ends where the next one begins */
    uint32_t owner; /* KT_NO_OWNER: none */
};

struct kt_block {
    uint64_t number;
    struct kt_line_piece *piece; /* owned; the first begins at 0; NULL: see owner */
    uint32_t pieces, room;
    uint32_t *owner; /* of each line, NULL: see piece; owned */
};

/* Zeros: nobody owns anything. */
struct kt_line_map {
    struct kt_block *block; /* owned; the order is that in which they were first touched */
    size_t blocks;
    uint32_t *slot; /* index of the block + 1, 0: free; owned */
    size_t slots;   /* a power of two */
    size_t last;    /* the block that was found last */
};

/* Lines met, by owner. Both arrays have room for all owners there are; LINES begins as zeros. */
struct kt_owner_count {
    uint64_t *lines; /* index = owner */
    uint32_t *owner; /* those that were met, in that order */
    uint32_t owners;
};

/* Counts the owners of the run's lines. */
void kt_line_map_count(struct kt_line_map *map, const struct kt_line_run *run, struct kt_owner_count *count);

/* The same, and gives the lines to OWNER. */
void kt_line_map_give(struct kt_line_map *map, const struct kt_line_run *run, uint32_t owner,
                      struct kt_owner_count *count);

/* The same of a series of lines. */
void kt_line_map_count_series(struct kt_line_map *map, const struct kt_line_series *series,
                              struct kt_owner_count *count);
void kt_line_map_give_series(struct kt_line_map *map, const struct kt_line_series *series, uint32_t owner,
                             struct kt_owner_count *count);

void kt_line_map_copy(const struct kt_line_map *map, struct kt_line_map *out);
void kt_line_map_free(struct kt_line_map *map);

#endif
