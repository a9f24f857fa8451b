/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache lines that an operand touches, as runs of lines. Lines, not bytes: an element that lies on two lines
 * touches both, and of a column of a matrix only the lines that hold its elements count, not what lies between columns.
 *
 * Runs are maximal and disjoint: columns that share or adjoin lines are one run, so a matrix whose columns follow each
 * other closely is a single run, found at once.
 */
#ifndef KT_LINE_RUNS_H
#define KT_LINE_RUNS_H

#include "trace/table/operand.h"

/* Lines [first, end); line 1 begins at address 1 << shift. */
struct kt_line_run {
    uint64_t first, end;
};

/* Two operands with equal keys touch the same lines. */
struct kt_lines_key {
    uint64_t word[5];
};

/* Walks over the runs, by addresses that grow, or shrink if the operand is a vector with a negative increment. */
struct kt_line_runs {
    const struct kt_operand *operand;
    unsigned shift; /* log2 of the bytes of a line */
    bool uniform;   /* runs of equal length at equal distances */
    uint64_t at;    /* uniform: the first byte of the next run */
    uint64_t step;  /* uniform: bytes from run to run, all but the last as if unsigned */
    uint64_t bytes; /* uniform: of a run */
    int64_t left;   /* runs not yet read */
    int64_t next;   /* otherwise: the next one */
    struct kt_line_run ahead;
};

/* True if the operand's memory can be: its lines can be counted in a reasonable time. Others must not be walked over.
 */
bool kt_lines_are_sane(const struct kt_operand *operand);

/* What walking over the operands of calls has taken. To be zeroed. */
struct kt_lines_walked {
    uint64_t calls, steps;
};

/* True if all operands of the next call are sane, and to walk over them keeps what all calls take in proportion to
 * their number: a damaged or hostile trace of some kilobytes may name operands that take hours. Others must not be
 * walked over.
 */
bool kt_lines_affords(struct kt_lines_walked *walk, const struct kt_operand *operand, int count);

void kt_line_runs_begin(const struct kt_operand *operand, unsigned shift, struct kt_line_runs *out);

static inline struct kt_line_run kt_lines_between(uint64_t lo, uint64_t hi, unsigned shift)
{
    return lo < hi ? (struct kt_line_run){lo >> shift, ((hi - 1) >> shift) + 1} : (struct kt_line_run){0, 0};
}

/* The next run as it is; empty ones too. */
static inline struct kt_line_run kt_line_runs_take(struct kt_line_runs *runs)
{
    uint64_t lo, hi;
    runs->left--;
    if (runs->uniform) {
        lo = runs->at;
        hi = lo + runs->bytes;
        runs->at += runs->step;
    } else {
        kt_operand_run(runs->operand, runs->next++, &lo, &hi);
    }
    return kt_lines_between(lo, hi, runs->shift);
}

/* Single lines at equal distances of at least two lines: of COUNT elements, STEP bytes from one to the next. */
struct kt_line_series {
    uint64_t at, step;
    uint64_t count;
    unsigned shift;
};

/* If the operand's runs are such lines: rows of matrices are, as vectors. */
bool kt_line_series_of(const struct kt_operand *operand, unsigned shift, struct kt_line_series *out);

/* The run ahead is given out once the next one neither touches nor adjoins it. */
static inline bool kt_line_runs_next(struct kt_line_runs *runs, struct kt_line_run *out)
{
    struct kt_line_run now = runs->ahead;
    runs->ahead = (struct kt_line_run){0, 0};
    while (runs->left > 0) {
        struct kt_line_run next = kt_line_runs_take(runs);
        if (next.first == next.end)
            continue;
        if (now.first == now.end) {
            now = next;
        } else if (next.first <= now.end && next.end >= now.first) {
            now.first = next.first < now.first ? next.first : now.first;
            now.end = next.end > now.end ? next.end : now.end;
        } else {
            runs->ahead = next;
            break;
        }
    }
    *out = now;
    return now.first < now.end;
}

struct kt_lines_key kt_lines_key_of(const struct kt_operand *operand, unsigned shift);

/* How many lines the operand touches. */
uint64_t kt_lines_of(const struct kt_operand *operand, unsigned shift);

/* How many different lines a call touches: the least that it moves if none of them is in cache. */
uint64_t kt_lines_of_call(const struct kt_operand *operand, int count, unsigned shift);

#endif
