/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What outermost calls from each place of a program add up to: by function and object, as callers, or by line.
 */
#ifndef KT_BY_PLACE_H
#define KT_BY_PLACE_H

#include "model/summary/summary.h"
#include "trace/shape/callers.h"

/* Outermost calls from one place. */
struct kt_caller {
    const struct kt_place *place;
    uint64_t calls;
    double seconds;
};

/* The callers of a summary by place, largest time first. Returns how many; *OUT is to be freed. */
size_t kt_callers_by_place(struct kt_callers *callers, const struct kt_sums *addresses, struct kt_caller **out);
/* The same by line (kt_place_compare_lines). */
size_t kt_callers_by_line(struct kt_callers *callers, const struct kt_sums *addresses, struct kt_caller **out);

#endif
