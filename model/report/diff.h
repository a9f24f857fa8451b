/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two runs of an application: which shapes of outermost calls appeared and vanished, and which got slower or faster.
 *
 * Times of one run are no independent draws: the machine has slow spells. So the calls of a shape are cut into blocks,
 * in the order in which they were made, and the medians of these are compared, by ranks. What all shapes have in
 * common, the machine as a whole, is estimated and taken out, and where that is much a shape is granted any part of it,
 * as it is of what the shapes of its routine have in common; a change has to be larger than a margin, and than what
 * shapes differ by from run to run; and the probabilities are corrected for the number of shapes. The total is tested
 * in the same way: what shapes with too few calls to tell take counts as unchanged in it, and what is new or vanished
 * in full.
 */
#ifndef KT_DIFF_H
#define KT_DIFF_H

#include "model/report/rank_test.h"
#include "trace/shape/shape.h"

enum { KT_DIFF_BLOCKS = 16, KT_DIFF_LEAST = 6 /* blocks to be compared */, KT_DIFF_TEXT = 160 };

enum kt_change {
    KT_SAME,    /* as good as the margin tells: the interval of the shift is within it */
    KT_UNSURE,  /* no change that could be shown, but the interval reaches beyond the margin */
    KT_TOO_FEW, /* calls to tell */
    KT_SMALL,   /* part of the time to matter */
    KT_UNLIKE, /* recording what nests in its calls made those of one run longer, which cannot be subtracted to the last
                */
    KT_SLOWER,
    KT_FASTER,
    KT_APPEARED,
    KT_VANISHED,
    KT_CHANGES
};
extern const char *const kt_change_name[KT_CHANGES];

/* One run. */
struct kt_diff_side {
    uint64_t calls;
    double total; /* s */
    struct kt_stat stat;
    double block[KT_DIFF_BLOCKS]; /* logarithms of the medians of blocks of calls */
    int blocks;
    double subtracted; /* part of TOTAL that was subtracted for recording what nests in the calls */
};

struct kt_diff_shape {
    struct kt_call first;                 /* in the earliest run that has it; borrowed */
    const char *routine;                  /* borrowed */
    const struct kt_shape_group *most[2]; /* the run's group of that shape that took most time, NULL: none; borrowed */
    char text[KT_DIFF_TEXT + 1];
    uint64_t also; /* what its words say besides (trace/shape/shape_words.h) */
    struct kt_diff_side side[2];
    double ratio;              /* median of the second run over that of the first, with the drift */
    double shift;              /* the same, from the blocks without the spells of the machine: what is tested */
    double shift_lo, shift_hi; /* 95 % interval of SHIFT */
    double lo, hi;             /* the same, as far as RATIO if that lies outside */
    double p;                  /* of so much of a change by chance, corrected; NAN: not tested */
    enum kt_change change;
};

struct kt_diff_routine {
    const char *name; /* borrowed */
    uint64_t calls[2];
    double total[2]; /* s */
    double drift;    /* common factor of its tested shapes, the drift of all in it; NAN: fewer than three */
    int changed;     /* of its shapes */
};

struct kt_diff_limits {
    double margin; /* smallest change that matters: 0.03 */
    double share;  /* of a run's BLAS time that a shape must have to be tested: 0.001 */
    double level;  /* probability of a false alarm, over all shapes: 0.05 */
};
extern const struct kt_diff_limits kt_diff_usual;

struct kt_diff {
    struct kt_diff_shape *shape; /* changed ones first, by how much time they won or lost */
    size_t shapes;
    struct kt_diff_routine *routine; /* largest change of time first */
    size_t routines;
    double total[2]; /* of outermost calls, s */
    double drift;    /* common factor of all shapes; NAN: too few of them */
    bool drift_out;  /* it is taken out: the runs are of one library and machine */
    double spread;   /* of shapes about that, as a factor's logarithm: one standard deviation, robust */
    double margin;   /* that was used */
    size_t tested, changed;
    struct kt_diff_shape all; /* the time of all shapes, tested as one of its own that is not counted; no routine */
};

/* COMPARABLE: same library, same machine, so that what is common to all shapes is drift. The shapes stay owned by the
 * caller and must live as long as OUT. */
void kt_diff_make(const struct kt_shapes shapes[2], bool comparable, const struct kt_diff_limits *limits,
                  struct kt_diff *out);
void kt_diff_free(struct kt_diff *diff);

/* The factor that ratios are told without; 1: none. */
double kt_diff_drift(const struct kt_diff *diff);

/* Did the shape, or the total, become slower by more than the part ABOVE, the interval of its shift included? */
bool kt_diff_is_above(const struct kt_diff *diff, const struct kt_diff_shape *shape, double above);
/* Did any shape, or the total? */
bool kt_diff_fails(const struct kt_diff *diff, double above);

/* Steps of the above, for tests. Block medians of samples; then all else, from sides that are filled in. */
void kt_diff_fill(struct kt_diff_side *side, const struct kt_samples *samples, uint64_t calls, double total);
void kt_diff_judge(struct kt_diff *diff, const struct kt_diff_limits *limits);

#endif
