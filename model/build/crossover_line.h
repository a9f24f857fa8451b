/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A line that a crossover is looked for along: one size grows, the others stay. Which points of it are timed, what is
 * known of them, and how much the time steps between two of them.
 */
#ifndef KT_CROSSOVER_LINE_H
#define KT_CROSSOVER_LINE_H

#include "model/kernels/grid.h"

enum { KT_CROSSOVER_LINE_MOST = 11, KT_CROSSOVER_MULTIPLE = 8 /* sizes are multiples of it */ };

/* The least step of the logarithm of time between two sizes next to each other. */
#define KT_CROSSOVER_STEP 0.08

/* Along one axis; the other sizes stay. */
struct kt_crossover_line {
    int axis;
    int64_t fixed[KT_MODEL_AXES];
    double product; /* of the others */
    int64_t size[KT_CROSSOVER_LINE_MOST];
    int n;
};

/* What is known of a line: of what could not be timed, nothing. */
struct kt_crossover_reading {
    int64_t size[KT_CROSSOVER_LINE_MOST];
    double seconds[KT_CROSSOVER_LINE_MOST];
    int n;
    bool is_certain; /* nothing was left out as it is noisy */
};

/* Can a call of these sizes be timed? */
typedef bool kt_possible(void *context, const int64_t *size);

int64_t kt_crossover_line_round(double size);
/* The sizes of a line's point. */
void kt_crossover_line_point(const struct kt_crossover_line *line, int64_t size, int64_t out[KT_MODEL_AXES]);
/* Sets the product. */
void kt_crossover_line_multiply(const struct kt_kernel_model *model, struct kt_crossover_line *line);
bool kt_crossover_line_can(const struct kt_crossover_line *line, int64_t size, kt_possible *possible, void *context);

/* Calls WANT, unless it is NULL, for what is not known of a line, or for what is noisy; returns how much that is. */
size_t kt_crossover_line_want(const struct kt_crossover_line *line, const struct kt_kernel_model *model, bool noisy,
                              kt_want *want, void *context);
struct kt_crossover_reading kt_crossover_line_read(const struct kt_crossover_line *line,
                                                   const struct kt_kernel_model *model);

/* Sizes of a line, ascending: from LO to HI, evenly spread over their logarithms, and one beyond either end, but none
 * below 8, to tell steps from growth; returns how many. */
int kt_crossover_line_sizes(int64_t lo, int64_t hi, int64_t out[KT_CROSSOVER_LINE_MOST]);

/* By what factor, as a logarithm, times step between size I and the next one beyond the growth between their
 * neighbours; N > 2. */
double kt_crossover_line_step(const int64_t *size, const double *seconds, int n, int i);

#endif
