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

/* All of them, most time first; their seconds add up to those of the report's shapes. Returns how many; *OUT is to be
 * freed. */
size_t kt_heaviest_find(const struct kt_report *report, struct kt_heavy **out);

#endif
