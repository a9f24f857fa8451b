/* SPDX-License-Identifier: BSD-3-Clause */
/* Two runs as a comment on a change of the program: the verdict, a table of what changed, and the rest in a line. */
#ifndef KT_DIFF_MARKDOWN_H
#define KT_DIFF_MARKDOWN_H

#include "model/report/diff.h"
#include "trace/command/shape_source.h"

struct kt_diff_told {
    const struct kt_diff *diff;
    const struct kt_diff_limits *limits;
    const struct kt_shapes *shapes;        /* of both runs */
    struct kt_shape_source *const *source; /* of these */
    const char *why;                       /* the drift is not taken out; NULL: it is */
    bool incomplete[2];                    /* that run did not end, or some of it cannot be read */
    double fail_above;                     /* below 0: changes are told, nothing fails */
    size_t top;                            /* rows */
};

/* The line that the shape mostly comes from in the second run, or in the first if only that has it. */
const struct kt_shape_source *kt_diff_source(const struct kt_diff_told *told, const struct kt_diff_shape *shape);

/* "Passes: nothing became slower by more than 5 %." */
void kt_diff_verdict(const struct kt_diff *diff, double fail_above, char *out, size_t size);

/* To standard output. */
void kt_diff_markdown(const struct kt_diff_told *told);

#endif
