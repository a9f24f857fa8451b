/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the processor counted in the calls of each shape, where the events of a trace (KTRACE_EVENTS) are those of one
 * of the candidates of model/roofline/hardware_events.h.
 */
#ifndef KT_SHAPE_COUNTS_H
#define KT_SHAPE_COUNTS_H

#include "model/roofline/hardware_events.h"
#include "model/decomposition/spread.h"
#include "trace/shape/shape.h"

struct kt_shape_count {
    size_t calls, room;                 /* counted ones that are kept */
    double *value[KT_COUNTABLES_COUNT]; /* of each call, NAN: not counted; owned */
};

struct kt_shape_counts {
    bool any;
    const struct kt_event_candidate *chosen[KT_COUNTABLES_COUNT]; /* of the first process that counted; NULL: not */
    struct kt_shape_count *shape;                                 /* by index of the shape; owned */
    size_t shapes;
};

void kt_shape_counts_collect(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_shape_counts *out);
void kt_shape_counts_free(struct kt_shape_counts *counts);

/* The median of what was counted in the calls of that shape; NAN: nothing was. */
double kt_shape_counted(const struct kt_shape_counts *counts, size_t shape, enum kt_countable countable);

/* Flops over traffic of its calls: FLOPS of one of them where none were counted. N of 0: traffic was not counted. */
struct kt_spread kt_shape_intensity(const struct kt_shape_counts *counts, size_t shape, double flops);

#endif
