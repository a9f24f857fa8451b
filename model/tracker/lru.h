/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access distances in the sequence of calls that one cache sees (Peise & Bientinesi, section 3): a fully associative
 * cache that replaces the least recently used line holds a line if the access distance, the number of different lines
 * touched since its last access and including all that the call of that access touched, is no more than it can hold.
 * All lines of a call count as touched at once.
 *
 * The paper scans the calls backwards for every operand. Here each line belongs to a group, the lines that one operand
 * touched and that nobody has touched since; a line map tells the group of a line, a Fenwick tree over the calls how
 * many lines were last touched by a call or later ones. Costs per operand: the map's for each run of lines, and
 * O(log calls) in the tree for each group met, where only calls count that still own lines. An operand whose lines
 * are still one whole group, be it a matrix of any number of columns, is found by its key and moved as a whole, in
 * O(log calls): that is what most operands of a program are.
 */
#ifndef KT_LRU_H
#define KT_LRU_H

#include "model/tracker/line_map.h"

/* The distance of what was never touched. */
#define KT_NEVER UINT64_MAX

struct kt_lru_group {
    struct kt_lines_key key;
    uint64_t lines, all; /* that it still owns, and owned at first; 0: a free group */
    uint32_t call;       /* slot of the call that touched it last */
    uint32_t next;       /* of those with the same hash, or of the free ones */
    uint64_t marks;      /* whatever the caller marked its lines with */
};

/* Lines of an operand that are of one group; 0: were never touched. */
struct kt_lru_part {
    int operand;
    uint32_t group;
    uint64_t lines;
};

/* To be made with kt_lru_make. */
struct kt_lru {
    unsigned shift; /* log2 of the bytes of a line */
    struct kt_line_map map;
    struct kt_lru_group *group; /* the first is none; owned */
    uint32_t groups, room;
    uint32_t free; /* first free group, 0: none */
    struct kt_owner_count met;
    struct kt_lru_part *part; /* of the operands of the current call; owned */
    size_t parts, part_room;
    uint32_t *chain; /* first group of each hash; owned */
    uint32_t chains; /* a power of two */
    uint32_t alive;  /* groups that own lines */
    uint64_t *tree;  /* Fenwick: lines last touched by each call; owned */
    uint32_t calls;  /* room in the tree, a power of two */
    uint32_t now;    /* slot of the current call, from 1 */
    uint64_t lines;  /* touched so far */
};

void kt_lru_make(unsigned shift, struct kt_lru *out);
void kt_lru_copy(const struct kt_lru *lru, struct kt_lru *out);
void kt_lru_free(struct kt_lru *lru);

/* Both are called by kt_lru_call with CONTEXT. */
struct kt_lru_visit {
    /* So many lines of an operand were at that distance when the call began, and had these marks; equal distances may
     * be told apart. */
    void (*tell)(void *context, int operand, uint64_t distance, uint64_t lines, uint64_t marks);
    /* After all is told: the marks of an operand's lines from now on. May be NULL. */
    uint64_t (*mark)(void *context, int operand);
    void *context;
};

/* The next call. Its operands must be sane (model/tracker/line_runs.h). */
void kt_lru_call(struct kt_lru *lru, const struct kt_operand *operand, int count, const struct kt_lru_visit *visit);

/* The operand's lines are as if never touched: another processor wrote them. */
void kt_lru_forget(struct kt_lru *lru, const struct kt_operand *operand);

#endif
