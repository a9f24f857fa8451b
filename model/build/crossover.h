/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Crossovers: where a library turns from one algorithm to another, as far as a product of sizes decides it.
 *
 * Libraries multiply small matrices without packing them. OpenBLAS does so in dgemm while m n k <= 100^3, and reaches
 * 55 Gflop/s at 448 x 8 x 256 and 34 at 448 x 8 x 320; products with a transposed first factor while m n <= 1200: a
 * step along a surface that runs obliquely through every box of sizes, which no polynomial of a box follows. (A step at
 * one size of one axis is no trouble: boxes are split there.) A model that knows its crossover has separate polynomials
 * on both sides (kt_domain_cross).
 *
 * It is looked for along lines on which one size grows, the others in the middle of theirs, the widest range first: the
 * interval with the largest step of the time beyond what its neighbours let expect is divided until it is one step of
 * the grid. On other lines, with another of the sizes larger or smaller, it has to be there again: at the same product,
 * or, if that size does not matter, at the same place. What is a matter of one size alone is no crossover: the step
 * must not be at the same place if another size that matters differs. All that speaks for one is then timed once more:
 * spells of another pace look like steps. Where a step of the grid is much of the size, the product is told more
 * exactly where the other sizes are small. Pure: what a search wants to know are samples of the model; with all of them
 * it goes on, now or in a later build.
 */
#ifndef KT_CROSSOVER_H
#define KT_CROSSOVER_H

#include "model/build/crossover_line.h"

enum { KT_CROSSOVER_CHECKS = 2 };

enum kt_crossover_state {
    KT_CROSSOVER_DIVIDED,   /* the interval is */
    KT_CROSSOVER_CHECKED,   /* the step is looked for on the other lines */
    KT_CROSSOVER_KNOWN,     /* there is one, or none */
    KT_CROSSOVER_UNCERTAIN, /* samples that decide it are too uncertain themselves */
};

struct kt_crossover_search {
    enum kt_crossover_state state;
    bool is_uncertain; /* something on the way here was */
    bool asked_again;  /* for what is uncertain of the present lines */
    struct kt_crossover_line line;
    int64_t lo, hi;    /* between them is the step */
    double step;       /* of the logarithm of time */
    bool is_sharpened; /* it is known what it is a matter of; lo and hi are of a line on which that is told best */
    unsigned tried;    /* axes of lines, the present one among them */
    struct kt_crossover_line check[KT_CROSSOVER_CHECKS];
    int varied[KT_CROSSOVER_CHECKS];  /* the axis along which it is beside the line */
    bool stays[KT_CROSSOVER_CHECKS];  /* its size does not matter: the step is looked for where it is on the line */
    bool has_counter;                 /* there is a line on which a size that matters is another: */
    struct kt_crossover_line counter; /* the step must not be there where it is on the line */
    bool is_confirming;               /* all that speaks for the step has to be timed twice */
    struct kt_crossover crossover;    /* of state KNOWN */
};

/* Of a model with a domain. POSSIBLE is asked before any point is wanted. */
void kt_crossover_begin(const struct kt_kernel_model *model, struct kt_crossover_search *out);
/* Goes on as far as the model's samples allow; then calls WANT for each point that is to be sampled first, or once more
 * as it may be off by as much as a step, unless it is NULL. Returns how many those are; 0: the search is at its end. */
size_t kt_crossover_go_on(struct kt_crossover_search *search, const struct kt_kernel_model *model,
                          kt_possible *possible, kt_want *want, void *context);

/* The number with the fewest digits that is at least LO and below HI: libraries' authors choose such. */
double kt_crossover_roundest(double lo, double hi);

#endif
