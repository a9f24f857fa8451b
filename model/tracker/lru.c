/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/tracker/lru.h"

#include "trace/base/memory.h"

enum { FIRST_CALLS = 1024, FIRST_CHAINS = 256, FIRST_GROUPS = 64 };

/* Nothing is being counted. */
static void grow_groups(struct kt_lru *lru)
{
    lru->room *= 2;
    lru->group = kt_resize(lru->group, lru->room, sizeof *lru->group);
    lru->met.owner = kt_resize(lru->met.owner, lru->room, sizeof *lru->met.owner);
    lru->met.lines = kt_resize(lru->met.lines, lru->room, sizeof *lru->met.lines);
    memset(lru->met.lines, 0, lru->room * sizeof *lru->met.lines);
}

void kt_lru_make(unsigned shift, struct kt_lru *out)
{
    *out = (struct kt_lru){
        .shift = shift, .groups = 1, .room = FIRST_GROUPS / 2, .chains = FIRST_CHAINS, .calls = FIRST_CALLS};
    grow_groups(out);
    out->group[0] = (struct kt_lru_group){0};
    out->chain = calloc(out->chains, sizeof *out->chain);
    out->tree = calloc((size_t)out->calls + 1, sizeof *out->tree);
    if (!out->chain || !out->tree)
        abort();
}

void kt_lru_free(struct kt_lru *lru)
{
    kt_line_map_free(&lru->map);
    free(lru->group);
    free(lru->part);
    free(lru->met.owner);
    free(lru->met.lines);
    free(lru->chain);
    free(lru->tree);
    *lru = (struct kt_lru){0};
}

static void *copy_of(const void *array, size_t count, size_t bytes)
{
    return memcpy(kt_resize(NULL, count, bytes), array, count * bytes);
}

void kt_lru_copy(const struct kt_lru *lru, struct kt_lru *out)
{
    *out = *lru;
    kt_line_map_copy(&lru->map, &out->map);
    out->group = copy_of(lru->group, lru->room, sizeof *lru->group);
    out->met.owner = copy_of(lru->met.owner, lru->room, sizeof *lru->met.owner);
    out->met.lines = copy_of(lru->met.lines, lru->room, sizeof *lru->met.lines);
    out->part = NULL;
    out->part_room = 0;
    out->chain = copy_of(lru->chain, lru->chains, sizeof *lru->chain);
    out->tree = copy_of(lru->tree, (size_t)lru->calls + 1, sizeof *lru->tree);
}

/* --- lines by call ----------------------------------------------------------------------------------------- */

static void add_lines(struct kt_lru *lru, uint32_t call, uint64_t lines)
{
    for (; call <= lru->calls; call += call & -call)
        lru->tree[call] += lines;
}

/* Lines last touched by that call or later ones. */
static uint64_t lines_since(const struct kt_lru *lru, uint32_t call)
{
    uint64_t before = 0;
    for (uint32_t at = call - 1; at > 0; at &= at - 1)
        before += lru->tree[at];
    return lru->lines - before;
}

/* Marks the slots of calls that still own lines with their new numbers, from 1; returns how many. */
static uint32_t number_calls(const struct kt_lru *lru, uint32_t *number)
{
    uint32_t live = 0;
    for (uint32_t i = 1; i < lru->groups; i++)
        if (lru->group[i].all)
            number[lru->group[i].call] = 1;
    for (uint32_t call = 1; call <= lru->calls; call++)
        number[call] = number[call] ? ++live : 0;
    return live;
}

static void rebuild_tree(struct kt_lru *lru, const uint32_t *number)
{
    lru->tree = kt_resize(lru->tree, (size_t)lru->calls + 1, sizeof *lru->tree);
    memset(lru->tree, 0, ((size_t)lru->calls + 1) * sizeof *lru->tree);
    for (uint32_t i = 1; i < lru->groups; i++) {
        struct kt_lru_group *group = &lru->group[i];
        if (!group->all)
            continue;
        group->call = number[group->call];
        add_lines(lru, group->call, group->lines);
    }
}

/* Calls that own no lines any more give their slots back; the order of the others stays. */
static void compact_calls(struct kt_lru *lru)
{
    uint32_t *number = calloc((size_t)lru->calls + 1, sizeof *number);
    if (!number)
        abort();
    uint32_t live = number_calls(lru, number);
    if (live > lru->calls / 2)
        lru->calls *= 2;
    rebuild_tree(lru, number);
    lru->now = live;
    free(number);
}

static void next_call(struct kt_lru *lru)
{
    if (lru->now == lru->calls)
        compact_calls(lru);
    lru->now++;
}

/* --- groups ------------------------------------------------------------------------------------------------ */

/* The multiplications do not wait for each other. */
static uint32_t hash_of(const struct kt_lines_key *key)
{
    const uint64_t *word = key->word;
    uint64_t hash = (word[0] * 0x9e3779b97f4a7c15u + word[1] * 0xc2b2ae3d27d4eb4fu) ^
                    (word[2] * 0x165667b19e3779f9u + word[3] * 0xd6e8feb86659fd93u + word[4]);
    hash ^= hash >> 32;
    return (uint32_t)(hash * 0x9e3779b97f4a7c15u >> 32);
}

static bool same_key(const struct kt_lines_key *a, const struct kt_lines_key *b)
{
    return !((a->word[0] ^ b->word[0]) | (a->word[1] ^ b->word[1]) | (a->word[2] ^ b->word[2]) |
             (a->word[3] ^ b->word[3]) | (a->word[4] ^ b->word[4]));
}

static uint32_t *chain_of(struct kt_lru *lru, const struct kt_lines_key *key)
{
    return &lru->chain[hash_of(key) & (lru->chains - 1)];
}

static void enter_chain(struct kt_lru *lru, uint32_t i)
{
    uint32_t *chain = chain_of(lru, &lru->group[i].key);
    lru->group[i].next = *chain;
    *chain = i;
}

static void grow_chains(struct kt_lru *lru)
{
    lru->chains *= 2;
    lru->chain = kt_resize(lru->chain, lru->chains, sizeof *lru->chain);
    memset(lru->chain, 0, lru->chains * sizeof *lru->chain);
    for (uint32_t i = 1; i < lru->groups; i++)
        if (lru->group[i].all)
            enter_chain(lru, i);
}

/* The group that is exactly these lines, or 0. */
static uint32_t find_whole(struct kt_lru *lru, const struct kt_lines_key *key)
{
    for (uint32_t i = *chain_of(lru, key); i; i = lru->group[i].next)
        if (same_key(&lru->group[i].key, key) && lru->group[i].lines == lru->group[i].all)
            return i;
    return 0;
}

static uint32_t new_group(struct kt_lru *lru, const struct kt_lines_key *key)
{
    if (++lru->alive > lru->chains)
        grow_chains(lru);
    uint32_t i = lru->free;
    if (i) {
        lru->free = lru->group[i].next;
    } else {
        if (lru->groups == lru->room)
            grow_groups(lru);
        i = lru->groups++;
    }
    lru->group[i] = (struct kt_lru_group){.key = *key, .call = lru->now};
    enter_chain(lru, i);
    return i;
}

static void drop_group(struct kt_lru *lru, uint32_t i)
{
    uint32_t *link = chain_of(lru, &lru->group[i].key);
    while (*link != i)
        link = &lru->group[*link].next;
    *link = lru->group[i].next;
    lru->group[i] = (struct kt_lru_group){.next = lru->free};
    lru->free = i;
    lru->alive--;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static void add_part(struct kt_lru *lru, int operand, uint32_t group, uint64_t lines)
{
    if (lru->parts == lru->part_room) {
        lru->part_room = lru->part_room ? 2 * lru->part_room : FIRST_GROUPS;
        lru->part = kt_resize(lru->part, lru->part_room, sizeof *lru->part);
    }
    lru->part[lru->parts++] = (struct kt_lru_part){.operand = operand, .group = group, .lines = lines};
}

/* From what was met of an operand to its parts. Columns that overlap meet a line twice: then it is GIVEN's already.
 * Returns the lines. */
static uint64_t add_met(struct kt_lru *lru, int operand, uint32_t given)
{
    uint64_t all = 0;
    while (lru->met.owners) {
        uint32_t i = lru->met.owner[--lru->met.owners];
        uint64_t lines = lru->met.lines[i];
        lru->met.lines[i] = 0;
        if (i == given && i != KT_NO_OWNER)
            continue;
        add_part(lru, operand, i, lines);
        all += lines;
    }
    return all;
}

static void count_operand(struct kt_lru *lru, const struct kt_operand *operand, int number)
{
    struct kt_line_runs runs;
    struct kt_line_run run;
    struct kt_line_series series;
    if (kt_line_series_of(operand, lru->shift, &series)) {
        kt_line_map_count_series(&lru->map, &series, &lru->met);
    } else {
        kt_line_runs_begin(operand, lru->shift, &runs);
        while (kt_line_runs_next(&runs, &run))
            kt_line_map_count(&lru->map, &run, &lru->met);
    }
    add_met(lru, number, KT_NO_OWNER);
}

/* Gives the operand's lines to a group, or to none; they are not yet taken from those that had them. */
static uint64_t give_operand(struct kt_lru *lru, const struct kt_operand *operand, int number, uint32_t to)
{
    struct kt_line_runs runs;
    struct kt_line_run run;
    struct kt_line_series series;
    if (kt_line_series_of(operand, lru->shift, &series)) {
        kt_line_map_give_series(&lru->map, &series, to, &lru->met);
    } else {
        kt_line_runs_begin(operand, lru->shift, &runs);
        while (kt_line_runs_next(&runs, &run))
            kt_line_map_give(&lru->map, &run, to, &lru->met);
    }
    return add_met(lru, number, to);
}

/* The parts of an operand, and its group: the one that it is, or with GIVE a new one. */
static uint32_t find_parts(struct kt_lru *lru, const struct kt_operand *operand, int number, bool give)
{
    struct kt_lines_key key = kt_lines_key_of(operand, lru->shift);
    uint32_t i = find_whole(lru, &key);
    if (i) {
        add_part(lru, number, i, lru->group[i].lines);
    } else if (give) {
        i = new_group(lru, &key);
        lru->group[i].lines = lru->group[i].all = give_operand(lru, operand, number, i);
    } else {
        count_operand(lru, operand, number);
    }
    return i;
}

static void take(struct kt_lru *lru, uint32_t i, uint64_t lines)
{
    struct kt_lru_group *group = &lru->group[i];
    if (i == KT_NO_OWNER)
        return;
    add_lines(lru, group->call, -lines);
    lru->lines -= lines;
    group->lines -= lines;
    if (group->lines == 0)
        drop_group(lru, i);
}

static void move_whole(struct kt_lru *lru, uint32_t i)
{
    struct kt_lru_group *group = &lru->group[i];
    if (group->call == lru->now)
        return;
    add_lines(lru, group->call, -group->lines);
    add_lines(lru, lru->now, group->lines);
    group->call = lru->now;
}

/* Brings to the current call what was found: parts that are the operand's own group as a whole, others by being taken
 * from theirs. */
static void use_parts(struct kt_lru *lru, const uint32_t *own)
{
    for (size_t p = 0; p < lru->parts; p++) {
        const struct kt_lru_part *part = &lru->part[p];
        uint32_t to = own[part->operand];
        if (part->group == to) {
            move_whole(lru, to);
            continue;
        }
        take(lru, part->group, part->lines);
        add_lines(lru, lru->now, part->lines);
        lru->lines += part->lines;
    }
    lru->parts = 0;
}

static void tell_parts(struct kt_lru *lru, const struct kt_lru_visit *visit)
{
    for (size_t p = 0; p < lru->parts; p++) {
        const struct kt_lru_part *part = &lru->part[p];
        const struct kt_lru_group *group = &lru->group[part->group];
        uint64_t distance = part->group == KT_NO_OWNER ? KT_NEVER : lines_since(lru, group->call);
        visit->tell(visit->context, part->operand, distance, part->lines, group->marks);
    }
}

static bool has_lines(const struct kt_operand *operand)
{
    return operand->lo < operand->hi;
}

/* No two operands can share a line: what was true of one before the call is still found after another was used. */
static bool are_apart(const struct kt_operand *operand, int count, unsigned shift)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (has_lines(&operand[i]) && has_lines(&operand[j]) &&
                operand[i].lo >> shift <= (operand[j].hi - 1) >> shift &&
                operand[j].lo >> shift <= (operand[i].hi - 1) >> shift)
                return false;
    return true;
}

static void find_all(struct kt_lru *lru, const struct kt_operand *operand, int count, bool give, uint32_t *own)
{
    for (int i = 0; i < count; i++)
        own[i] = has_lines(&operand[i]) ? find_parts(lru, &operand[i], i, give) : KT_NO_OWNER;
}

void kt_lru_call(struct kt_lru *lru, const struct kt_operand *operand, int count, const struct kt_lru_visit *visit)
{
    uint32_t own[KT_MAX_OPERANDS] = {KT_NO_OWNER};
    next_call(lru);
    bool apart = are_apart(operand, count, lru->shift);
    find_all(lru, operand, count, apart, own);
    tell_parts(lru, visit);
    if (apart)
        use_parts(lru, own);
    lru->parts = 0;
    for (int i = 0; i < count && !apart; i++) {
        find_all(lru, &operand[i], 1, true, &own[i]);
        use_parts(lru, &own[i]);
    }
    for (int i = 0; i < count && visit->mark; i++)
        if (own[i])
            lru->group[own[i]].marks = visit->mark(visit->context, i);
}

void kt_lru_forget(struct kt_lru *lru, const struct kt_operand *operand)
{
    if (!lru->lines || !has_lines(operand))
        return;
    give_operand(lru, operand, 0, KT_NO_OWNER);
    for (size_t p = 0; p < lru->parts; p++)
        take(lru, lru->part[p].group, lru->part[p].lines);
    lru->parts = 0;
}
