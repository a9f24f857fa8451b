/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decomposition from pairs: runs of the program, and replays next to each (replay/again/again.h). Both met the same
 * spells of the machine and are estimated alike: a median of calls against a median of samples, a mean of calls against
 * the mean of the same calls played. What counts is the ratio in each pair, of which the median over the pairs is
 * taken; the interval is from the bootstrap over pairs, with all shapes of a pair together. Pure functions.
 *
 * Medians leave out what single calls take beyond the others of their shape: pauses, page faults of some. That is a
 * part of its own, UNEVEN.
 */
#ifndef KT_PAIRED_H
#define KT_PAIRED_H

#include "model/decomposition/decomposition.h"

/* Columns: name, where its name stands in text. */
#define KT_PAIRED_PARTS_LIST(X) \
    X(BOUND, "bound")           \
    X(LIBRARY, "library")       \
    X(CACHE, "cache")           \
    X(RESIDUAL, "residual")     \
    X(UNSPLIT, "unsplit")       \
    X(UNEVEN, "uneven")

enum kt_paired_part {
#define KT_PAIRED_ENUM(name, text) KT_PAIRED_##name,
    KT_PAIRED_PARTS_LIST(KT_PAIRED_ENUM)
#undef KT_PAIRED_ENUM
        KT_PAIRED_PARTS
};
extern const char *const kt_paired_part_name[];

/* Of fewer pairs there is no interval of 95 %. */
enum { KT_PAIRED_LEAST = 6, KT_PAIRED_MOST = 1000 };

/* Seconds of one call of a shape, by pair; NAN: not known. */
enum kt_paired_time {
    KT_PAIRED_INSITU, /* the mean */
    KT_PAIRED_MEDIAN,
    KT_PAIRED_PLAYED, /* the mean of the calls that the sequence plays */
    KT_PAIRED_WARM,
    KT_PAIRED_COLD,
    KT_PAIRED_TRACKED,
    KT_PAIRED_SEQUENCE,
    KT_PAIRED_PLAYED_MEDIAN,
    KT_PAIRED_SEQUENCE_MEDIAN,
    KT_PAIRED_CONTEXT, /* the median call replayed where its operands were; see kt_paired_choose_context */
    KT_PAIRED_TIMES
};

struct kt_paired_shape {
    double calls;
    double bound;                  /* seconds; NAN: not known */
    bool uncounted;                /* it is that of bytes only, see kt_context_times */
    double *time[KT_PAIRED_TIMES]; /* by pair; owned by whoever has it */
};

struct kt_paired_sum {
    double seconds;                       /* of the shapes that have pairs: medians over runs */
    double missing;                       /* of the others */
    double unsplit;                       /* of SECONDS, of shapes that no replay played where operands were */
    struct kt_time part[KT_PAIRED_PARTS]; /* as parts of SECONDS, 1 together; NAN: no shape tells */
    double undivided;                     /* of the library's part, what may as well be bound: see decomposition.h */
    struct kt_time beyond;                /* residual and unsplit together: below 0 where replays took longer */
    struct kt_time tracked, sequence;     /* what replays take, as a part of the same calls in situ */
    size_t pairs;                         /* of the shape that has most */
};

/* In sequence where that has pairs (calls of the sequence in a run, and a pass next to it), as a call then finds all
 * that the program's other calls left; otherwise tracked. */
void kt_paired_choose_context(struct kt_paired_shape *shape, size_t pairs);

/*
 * A shape's parts are differences of medians over its pairs, of what the bound, a warm replay, and one in context take
 * as a part of the median call in situ. Of a shape without a replay in context, as in a profile, cache and residual are
 * not known apart: they are UNSPLIT. A replay in context that is faster than one with operands in cache shows that
 * those were not as near as they get: what the library needs is then no more than that. Of the parts only residual,
 * unsplit and uneven may be below 0.
 */
struct kt_paired_sum kt_paired_sum(const struct kt_paired_shape *const *shape, size_t shapes, size_t pairs);

/* What is told of a part: that it is nearly 0; its value with its interval (kt_decomposition_is_told); nothing. */
enum kt_paired_sign { KT_SIGN_NONE, KT_SIGN_KNOWN, KT_SIGN_CANNOT_TELL };
enum kt_paired_sign kt_paired_sign(const struct kt_paired_sum *sum, enum kt_paired_part part);

/* Did replays certainly take longer than the calls in the program, by more than a tenth? They met something else then,
 * and nothing that follows from them is known. */
bool kt_paired_is_slower(const struct kt_paired_sum *sum);

/* The part that takes most, if it is certain to: no other one's interval reaches its own; KT_PAIRED_PARTS: none is. */
enum kt_paired_part kt_paired_dominant(const struct kt_paired_sum *sum);

#endif
