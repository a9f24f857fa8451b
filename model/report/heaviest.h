/* SPDX-License-Identifier: BSD-3-Clause */
/* The places of a report: a line of the program, or a function where lines are not known, and a routine that it calls.
 */
#ifndef KT_HEAVIEST_H
#define KT_HEAVIEST_H

#include "model/report/report.h"

struct kt_heavy {
    const struct kt_place *place;       /* NULL: not known */
    const struct kt_shape_group *shape; /* the one that takes most */
    double of_shape;                    /* seconds of that */
    size_t shapes;
    double calls, seconds;
    struct kt_decomposition parts; /* of what was replayed: finished */
};

/* Calls of one shape at one place. */
struct kt_calls_from {
    const struct kt_place *place; /* NULL: not known */
    const char *routine;
    size_t shape; /* index in the report's list */
    double calls, seconds;
};

/* All of them, those of a place next to each other; their seconds add up to those of the report's shapes. Returns how
 * many; *OUT is to be freed. */
size_t kt_heaviest_calls(const struct kt_report *report, struct kt_calls_from **out);

/* Brings a list of one's own into that order, and adds up calls of one shape at one place. Returns how many are left.
 */
size_t kt_heaviest_sort(struct kt_calls_from *from, size_t count);

/* How many of the first of them, COUNT in all, are of one place. */
size_t kt_heaviest_of_place(const struct kt_calls_from *from, size_t count);

/* All places, most time first; *OUT is to be freed. */
size_t kt_heaviest_find(const struct kt_report *report, struct kt_heavy **out);

#endif
