/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/tracker/line_map.h"

#include "trace/base/memory.h"

enum { FIRST_ROOM = 4, FIRST_SLOTS = 64, MOST_PIECES = 64 };

static void count_lines(struct kt_owner_count *count, uint32_t owner, uint64_t lines)
{
    if (!count->lines[owner])
        count->owner[count->owners++] = owner;
    count->lines[owner] += lines;
}

/* --- blocks ------------------------------------------------------------------------------------------------ */

static size_t slot_of(const struct kt_line_map *map, uint64_t number)
{
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (map->slots - 1);
    while (map->slot[at] && map->block[map->slot[at] - 1].number != number)
        at = (at + 1) & (map->slots - 1);
    return at;
}

static void grow_slots(struct kt_line_map *map)
{
    map->slots = map->slots ? 2 * map->slots : FIRST_SLOTS;
    map->slot = kt_resize(map->slot, map->slots, sizeof *map->slot);
    memset(map->slot, 0, map->slots * sizeof *map->slot);
    for (size_t i = 0; i < map->blocks; i++)
        map->slot[slot_of(map, map->block[i].number)] = (uint32_t)i + 1;
}

/* NULL if none of its lines was ever given to anybody. */
static struct kt_block *find_block(struct kt_line_map *map, uint64_t number)
{
    if (map->blocks == 0)
        return NULL;
    if (map->block[map->last].number == number)
        return &map->block[map->last];
    uint32_t found = map->slot[slot_of(map, number)];
    if (!found)
        return NULL;
    map->last = found - 1;
    return &map->block[map->last];
}

static void set_one_piece(struct kt_block *block, uint32_t owner)
{
    if (!block->piece) {
        free(block->owner);
        block->owner = NULL;
        block->room = FIRST_ROOM;
        block->piece = kt_resize(NULL, FIRST_ROOM, sizeof *block->piece);
    }
    block->piece[0] = (struct kt_line_piece){0, owner};
    block->pieces = 1;
}

static struct kt_block *add_block(struct kt_line_map *map, uint64_t number)
{
    if (2 * (map->blocks + 1) > map->slots)
        grow_slots(map);
    map->block = kt_room_for_one(map->block, map->blocks, sizeof *map->block);
    struct kt_block *block = &map->block[map->blocks];
    *block = (struct kt_block){.number = number};
    set_one_piece(block, KT_NO_OWNER);
    map->slot[slot_of(map, number)] = (uint32_t)map->blocks + 1;
    map->last = map->blocks++;
    return block;
}

/* --- pieces ------------------------------------------------------------------------------------------------ */

/* The piece that holds LINE. */
static uint32_t find_piece(const struct kt_block *block, uint32_t line)
{
    uint32_t low = 0;
    uint32_t count = block->pieces;
    while (count > 1) {
        uint32_t half = count / 2;
        low = block->piece[low + half].first <= line ? low + half : low;
        count -= half;
    }
    return low;
}

static uint32_t piece_end(const struct kt_block *block, uint32_t i)
{
    return i + 1 < block->pieces ? block->piece[i + 1].first : KT_BLOCK_LINES;
}

/* From the piece I, which holds line FIRST; returns the piece that holds line END - 1. */
static uint32_t count_pieces(const struct kt_block *block, uint32_t i, uint32_t first, uint32_t end,
                             struct kt_owner_count *count)
{
    for (;; i++) {
        uint32_t until = piece_end(block, i);
        count_lines(count, block->piece[i].owner, (until < end ? until : end) - first);
        if (until >= end)
            return i;
        first = until;
    }
}

/* Puts COUNT pieces in the place of those from FIRST to LAST. */
static void replace_pieces(struct kt_block *block, uint32_t first, uint32_t last, const struct kt_line_piece *piece,
                           uint32_t count)
{
    uint32_t pieces = block->pieces - (last - first + 1) + count;
    if (pieces > block->room) {
        block->room = 2 * pieces;
        block->piece = kt_resize(block->piece, block->room, sizeof *block->piece);
    }
    memmove(block->piece + first + count, block->piece + last + 1, (block->pieces - last - 1) * sizeof *block->piece);
    memcpy(block->piece + first, piece, count * sizeof *piece);
    block->pieces = pieces;
}

/* Owners of some lines side by side: most of the time goes by looking at columns of matrices line by line. */
typedef uint32_t owners_of_four __attribute__((vector_size(16), aligned(4)));

static void fill(uint32_t *owner, uint32_t first, uint32_t end, uint32_t with)
{
    owners_of_four four = {with, with, with, with};
    uint32_t line = first;
    for (; line + 4 <= end; line += 4)
        *(owners_of_four *)(owner + line) = four;
    for (; line < end; line++)
        owner[line] = with;
}

static void use_lines(struct kt_block *block)
{
    block->owner = kt_resize(NULL, KT_BLOCK_LINES, sizeof *block->owner);
    for (uint32_t i = 0; i < block->pieces; i++)
        fill(block->owner, block->piece[i].first, piece_end(block, i), block->piece[i].owner);
    free(block->piece);
    block->piece = NULL;
}

/* What is left of the pieces at both ends stays theirs. */
static void give_pieces(struct kt_block *block, uint32_t first, uint32_t end, uint32_t owner,
                        struct kt_owner_count *count)
{
    struct kt_line_piece made[3];
    uint32_t made_count = 0;
    uint32_t from = find_piece(block, first);
    uint32_t to = count_pieces(block, from, first, end, count);
    uint32_t owner_behind = block->piece[to].owner;
    bool rest = end < piece_end(block, to);
    if (block->piece[from].first < first)
        made[made_count++] = block->piece[from];
    made[made_count++] = (struct kt_line_piece){first, owner};
    if (rest)
        made[made_count++] = (struct kt_line_piece){end, owner_behind};
    replace_pieces(block, from, to, made, made_count);
    if (block->pieces > MOST_PIECES)
        use_lines(block);
}

/* --- lines ------------------------------------------------------------------------------------------------- */

static bool sixteen_of(const uint32_t *owner, uint32_t of)
{
    const owners_of_four *four = (const owners_of_four *)owner;
    owners_of_four same = {of, of, of, of};
    owners_of_four other = (four[0] ^ same) | (four[1] ^ same) | (four[2] ^ same) | (four[3] ^ same);
    return !(other[0] | other[1] | other[2] | other[3]);
}

static void count_single(const struct kt_block *block, uint32_t first, uint32_t end, struct kt_owner_count *count)
{
    for (uint32_t line = first; line < end;) {
        uint32_t begin = line;
        uint32_t owner = block->owner[line];
        while (line + 16 <= end && sixteen_of(block->owner + line, owner))
            line += 16;
        while (line < end && block->owner[line] == owner)
            line++;
        count_lines(count, owner, line - begin);
    }
}

static void count_block(const struct kt_block *block, uint32_t first, uint32_t end, struct kt_owner_count *count)
{
    if (block->owner)
        count_single(block, first, end, count);
    else
        count_pieces(block, find_piece(block, first), first, end, count);
}

static void give_block(struct kt_block *block, uint32_t first, uint32_t end, uint32_t owner,
                       struct kt_owner_count *count)
{
    if (end - first == KT_BLOCK_LINES) {
        count_block(block, first, end, count);
        set_one_piece(block, owner);
    } else if (block->owner) {
        count_single(block, first, end, count);
        fill(block->owner, first, end, owner);
    } else {
        give_pieces(block, first, end, owner, count);
    }
}

/* --- runs -------------------------------------------------------------------------------------------------- */

/* The part of the run from line AT on that lies in one block, counted from the block's begin. */
static void part_in_block(const struct kt_line_run *run, uint64_t at, uint32_t *first, uint32_t *end)
{
    uint64_t left = run->end - at;
    *first = (uint32_t)(at % KT_BLOCK_LINES);
    *end = left < KT_BLOCK_LINES - *first ? *first + (uint32_t)left : KT_BLOCK_LINES;
}

void kt_line_map_count(struct kt_line_map *map, const struct kt_line_run *run, struct kt_owner_count *count)
{
    for (uint64_t at = run->first; at < run->end;) {
        uint32_t first, end;
        part_in_block(run, at, &first, &end);
        const struct kt_block *block = find_block(map, at / KT_BLOCK_LINES);
        if (block)
            count_block(block, first, end, count);
        else
            count_lines(count, KT_NO_OWNER, end - first);
        at += end - first;
    }
}

void kt_line_map_give(struct kt_line_map *map, const struct kt_line_run *run, uint32_t owner,
                      struct kt_owner_count *count)
{
    for (uint64_t at = run->first; at < run->end;) {
        uint32_t first, end;
        part_in_block(run, at, &first, &end);
        struct kt_block *block = find_block(map, at / KT_BLOCK_LINES);
        if (!block && owner != KT_NO_OWNER)
            block = add_block(map, at / KT_BLOCK_LINES);
        if (block)
            give_block(block, first, end, owner, count);
        at += end - first;
    }
}

/* --- series ------------------------------------------------------------------------------------------------ */

/* The lines of a series that lie in one block. */
struct in_block {
    uint64_t number, at, step, count;
    unsigned shift;
};

/* The next ones of what is left of the series, which they leave. */
static struct in_block take_block(struct kt_line_series *left)
{
    uint64_t bytes = (uint64_t)KT_BLOCK_LINES << left->shift;
    uint64_t room = bytes - left->at % bytes;
    uint64_t fit = room <= left->step ? 1 : (room + left->step - 1) / left->step;
    struct in_block taken = {left->at / bytes, left->at, left->step, fit, left->shift};
    taken.count = fit < left->count ? fit : left->count;
    left->at += taken.count * left->step;
    left->count -= taken.count;
    return taken;
}

static uint32_t line_at(const struct in_block *lines, uint64_t i)
{
    return (uint32_t)(((lines->at + i * lines->step) >> lines->shift) % KT_BLOCK_LINES);
}

static void count_owners(struct kt_block *block, const struct in_block *lines, struct kt_owner_count *count)
{
    for (uint64_t i = 0; i < lines->count;) {
        uint64_t begin = i;
        uint32_t owner = block->owner[line_at(lines, i)];
        while (++i < lines->count && block->owner[line_at(lines, i)] == owner)
            ;
        count_lines(count, owner, i - begin);
    }
}

static void give_owners(struct kt_block *block, const struct in_block *lines, uint32_t owner,
                        struct kt_owner_count *count)
{
    count_owners(block, lines, count);
    for (uint64_t i = 0; i < lines->count; i++)
        block->owner[line_at(lines, i)] = owner;
}

static void count_in_block(struct kt_block *block, const struct in_block *lines, struct kt_owner_count *count)
{
    if (!block)
        count_lines(count, KT_NO_OWNER, lines->count);
    else if (block->owner)
        count_owners(block, lines, count);
    else
        for (uint64_t i = 0; i < lines->count; i++)
            count_lines(count, block->piece[find_piece(block, line_at(lines, i))].owner, 1);
}

static void give_in_block(struct kt_block *block, const struct in_block *lines, uint32_t owner,
                          struct kt_owner_count *count)
{
    if (!block->owner && block->pieces + 2 * lines->count > MOST_PIECES)
        use_lines(block);
    if (block->owner)
        give_owners(block, lines, owner, count);
    else
        for (uint64_t i = 0; i < lines->count; i++)
            give_pieces(block, line_at(lines, i), line_at(lines, i) + 1, owner, count);
}

void kt_line_map_count_series(struct kt_line_map *map, const struct kt_line_series *series,
                              struct kt_owner_count *count)
{
    struct kt_line_series left = *series;
    while (left.count) {
        struct in_block lines = take_block(&left);
        count_in_block(find_block(map, lines.number), &lines, count);
    }
}

void kt_line_map_give_series(struct kt_line_map *map, const struct kt_line_series *series, uint32_t owner,
                             struct kt_owner_count *count)
{
    struct kt_line_series left = *series;
    while (left.count) {
        struct in_block lines = take_block(&left);
        struct kt_block *block = find_block(map, lines.number);
        if (!block && owner != KT_NO_OWNER)
            block = add_block(map, lines.number);
        if (block)
            give_in_block(block, &lines, owner, count);
    }
}

/* --- the whole --------------------------------------------------------------------------------------------- */

static void *copy_of(const void *array, size_t count, size_t bytes)
{
    return array ? memcpy(kt_resize(NULL, count, bytes), array, count * bytes) : NULL;
}

void kt_line_map_copy(const struct kt_line_map *map, struct kt_line_map *out)
{
    *out = *map;
    out->block = NULL;
    for (size_t i = 0; i < map->blocks; i++) {
        const struct kt_block *block = &map->block[i];
        out->block = kt_room_for_one(out->block, i, sizeof *out->block);
        out->block[i] = *block;
        out->block[i].piece = copy_of(block->piece, block->room, sizeof *block->piece);
        out->block[i].owner = copy_of(block->owner, KT_BLOCK_LINES, sizeof *block->owner);
    }
    out->slot = copy_of(map->slot, map->slots, sizeof *map->slot);
}

void kt_line_map_free(struct kt_line_map *map)
{
    for (size_t i = 0; i < map->blocks; i++) {
        free(map->block[i].piece);
        free(map->block[i].owner);
    }
    free(map->block);
    free(map->slot);
    *map = (struct kt_line_map){0};
}
