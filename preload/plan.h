/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How calls of an entry are compared in profile mode: which bits of their words tell shapes apart. Addresses do not,
 * letters count in upper case, scalars by class: 0, 1, -1 or other, as they select code paths by class
 * (trace/shape/shape.c).
 */
#ifndef KT_PLAN_H
#define KT_PLAN_H

#include "ktrace/format.h"
#include "preload/names.h"

#include <string.h>

enum { KT_PLAN_SCALARS = 8, KT_PLANS = 1 << 16 };

struct kt_plan {
    uint32_t routine; /* the same for all entries of one routine */
    uint16_t words, scalars;
    struct {
        uint16_t offset; /* in the arguments */
        uint16_t kind;   /* enum kt_kind */
    } scalar[KT_PLAN_SCALARS];
    uint64_t mask[]; /* of each word: bits that must agree */
};

/* By entry; in memory that is only there where it is used. */
extern KT_HIDDEN _Atomic(const struct kt_plan *) *kt_plans;

/* Makes room for plans, within a slow path. */
KT_HIDDEN bool kt_plan_start(void);

/* The plan of an entry, made if there is none. NULL: there is no room for it, or we are in a slow path. */
KT_HIDDEN KT_COLD const struct kt_plan *kt_plan_make(unsigned entry);

/* NULL: not made yet. */
static inline const struct kt_plan *kt_plan_of(unsigned entry)
{
    return atomic_load_explicit(&kt_plans[entry], memory_order_acquire);
}

enum kt_scalar_class { KT_SCALAR_ZERO, KT_SCALAR_ONE, KT_SCALAR_MINUS_ONE, KT_SCALAR_OTHER };

/* In integers: comparing numbers could raise floating-point exceptions. */
static inline enum kt_scalar_class kt_class_of(uint64_t bits, uint64_t one, uint64_t sign)
{
    if ((bits & ~sign) == 0)
        return KT_SCALAR_ZERO;
    if ((bits & ~sign) != one)
        return KT_SCALAR_OTHER;
    return bits & sign ? KT_SCALAR_MINUS_ONE : KT_SCALAR_ONE;
}

static inline uint64_t kt_part_of(const unsigned char *at, bool is_double, unsigned part)
{
    uint64_t number = 0;
    uint32_t half;
    if (is_double) {
        memcpy(&number, at + 8 * part, sizeof number);
        return number;
    }
    memcpy(&half, at + 4 * part, sizeof half);
    return half;
}

static inline enum kt_scalar_class kt_class_at(const uint64_t *word, const struct kt_plan *plan, unsigned i)
{
    enum kt_kind kind = plan->scalar[i].kind;
    bool is_double = kind == KT_DOUBLE || kind == KT_CDOUBLE;
    const uint64_t sign = is_double ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
    const uint64_t one = is_double ? 0x3ff0000000000000u : 0x3f800000u;
    const unsigned char *at = (const unsigned char *)(word + KT_CALL_HEAD_WORDS) + plan->scalar[i].offset;
    if ((kind == KT_CFLOAT || kind == KT_CDOUBLE) && kt_part_of(at, is_double, 1) & ~sign)
        return KT_SCALAR_OTHER;
    return kt_class_of(kt_part_of(at, is_double, 0), one, sign);
}

/* Most are the same number each time. */
static inline bool kt_is_same_scalar(const uint64_t *a, const uint64_t *b, const struct kt_plan *plan, unsigned i)
{
    unsigned at = KT_CALL_HEAD_WORDS + plan->scalar[i].offset / 8u;
    bool same = a[at] == b[at] && (plan->scalar[i].kind != KT_CDOUBLE || a[at + 1] == b[at + 1]);
    return KT_LIKELY(same) || kt_class_at(a, plan, i) == kt_class_at(b, plan, i);
}

static inline uint64_t *kt_words_of(const struct kt_cell *cell)
{
    return (uint64_t *)(void *)((char *)cell + sizeof *cell + kt_bins_of(cell) * sizeof(uint64_t));
}

/* Where a call was made: by the application, or in which call. */
struct kt_where {
    enum kt_nesting nesting;
    uint32_t within; /* of a nested call: entry of the outermost one, + 1 */
};

static inline struct kt_where kt_where_of(const struct kt_cell *cell)
{
    return (struct kt_where){(enum kt_nesting)cell->nesting, cell->nesting == KT_NOT_NESTED ? 0 : cell->within};
}

/* Of outermost calls the return address and the source line count as well. */
static inline bool kt_is_of_cell(const struct kt_cell *cell, const struct kt_plan *plan, struct kt_where where,
                                 unsigned entry, const uint64_t *word)
{
    const uint64_t *first = kt_words_of(cell);
    uint64_t changed = (cell->entry ^ entry) | ((uint64_t)cell->nesting ^ where.nesting);
    changed |= where.nesting == KT_NOT_NESTED ? (first[1] ^ word[1]) | (first[0] ^ word[0]) >> KT_SOURCE_SHIFT
                                              : cell->within ^ where.within;
    if (changed)
        return false;
    for (unsigned i = KT_CALL_HEAD_WORDS; i < plan->words; i++)
        changed |= (first[i] ^ word[i]) & plan->mask[i];
    for (unsigned i = 0; i < plan->scalars && !changed; i++)
        changed = !kt_is_same_scalar(first, word, plan, i);
    return !changed;
}

static inline uint64_t kt_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static inline uint64_t kt_hash_of(const struct kt_plan *plan, struct kt_where where, unsigned entry,
                                  const uint64_t *word)
{
    bool is_outermost = where.nesting == KT_NOT_NESTED;
    uint64_t hash = kt_mix(entry, is_outermost ? word[1] : where.nesting);
    hash = kt_mix(hash, is_outermost ? word[0] >> KT_SOURCE_SHIFT : where.within);
    for (unsigned i = KT_CALL_HEAD_WORDS; i < plan->words; i++)
        hash = kt_mix(hash, word[i] & plan->mask[i]);
    for (unsigned i = 0; i < plan->scalars; i++)
        hash = kt_mix(hash, kt_class_at(word, plan, i));
    return hash;
}

#endif
