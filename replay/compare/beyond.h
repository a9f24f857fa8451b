/* SPDX-License-Identifier: BSD-3-Clause */
/* What takes longer on a library than on the baseline by more than compare --fail-above allows. */
#ifndef KT_BEYOND_H
#define KT_BEYOND_H

#include "replay/compare/comparison.h"
#include "trace/command/field.h"

/* All calls, those of a routine, or of a shape. */
struct kt_beyond {
    size_t lane;
    const char *routine;                /* NULL: all calls; borrowed */
    const struct kt_shape_group *shape; /* NULL: all of the routine; borrowed */
    struct kt_ratio ratio;              /* to the baseline */
    double share;                       /* of the recorded time */
};

/*
 * In *OUT, to be freed: all calls first, then routines and shapes that take 1 % of the time. What counts is longer with
 * its whole 95 % interval, of at least KT_FEWEST_PAIRS pairs, by more than the part ABOVE. Returns how many.
 */
size_t kt_beyond_find(const struct kt_comparison *comparison, double above, struct kt_beyond **out);

/* {"above", "fails", "beyond": [...]}, as comparison_document.c describes it. */
extern const struct kt_field kt_beyond_fields[];
json_t *kt_beyond_json(const struct kt_comparison *comparison);
/* A finding for a screen, or a table for a comment. */
void kt_beyond_screen(const struct kt_comparison *comparison);
void kt_beyond_markdown(const struct kt_comparison *comparison);

#endif
