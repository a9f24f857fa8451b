/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of a workload that are no single calls: what they add up to, as cells of a profile (FORMAT.md). Shapes have
 * cells of their own as far as there is room; the others are counted by entry, in overflow cells.
 */
#ifndef KT_REMAINDER_H
#define KT_REMAINDER_H

#include "trace/read/cursor.h"

#include <stddef.h>

enum { KT_TALLY_BINS = 512 };

/* Calls of one shape, in ticks of the workload. Zeros: none. */
struct kt_tally {
    uint64_t calls, ticks, least, most;
    uint64_t passed; /* calls nested in them */
    bool only_sums;  /* there are no bins */
    uint64_t *bin;   /* KT_TALLY_BINS counts of durations, as in a profile; NULL: there are no calls, or none; owned */
};

/* COUNT calls that took so many ticks each, or as near to that as is known. */
void kt_tally_add(struct kt_tally *tally, uint64_t ticks, uint64_t count);
/* What is left without those of LESS. */
struct kt_tally kt_tally_without(const struct kt_tally *all, const struct kt_tally *less);
void kt_tally_free(struct kt_tally *tally);

/* The bytes of a file s0. Zeros: not begun. */
struct kt_remainder {
    unsigned char *bytes;
    size_t size;
};

void kt_remainder_begin(struct kt_remainder *remainder, const struct kt_anchor *anchor, uint64_t threads);
/* WORD: of a call of the shape, as kt_canonical_words has them; NULL: an overflow cell. */
void kt_remainder_add(struct kt_remainder *remainder, uint16_t entry, const struct kt_tally *tally,
                      const uint64_t *word, size_t words, int64_t info);
/* A thread, and how many of the calls of all cells were its own. */
void kt_remainder_add_thread(struct kt_remainder *remainder, uint64_t tid, uint64_t calls, uint64_t ticks);
void kt_remainder_free(struct kt_remainder *remainder);

#endif
