/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What recording did to the times of a shape's outermost calls: those that calls were recorded in are dirty, the others
 * are clean. A part of trace/shape/shape.c, which alone includes this.
 */
#ifndef KT_SHAPE_DIRT_H
#define KT_SHAPE_DIRT_H

#include "trace/shape/shape.h"

/* Of the calls of a shape that calls were recorded in: what is to be known of them if others are clean. */
struct kt_dirt {
    uint64_t unseen; /* outermost calls whose inside was not recorded */
    uint64_t cleans; /* calls that none was recorded in, */
    double clean_total;
    struct kt_samples clean; /* and their durations, once there is a dirty one */
    struct kt_samples drawn; /* of dirty calls that were drawn by chance; */
    double drawn_total, drawn_nested;
    double own_total, own_nested; /* of those that stand for themselves alone */
    double self;                  /* seconds that recording a call takes, as the trace says */
    bool sampled;                 /* the process was to record the inside of some calls only */
};

/* A complete call of the shape took SECONDS, by kt_call_seconds. Before it is added to the shape's own samples. */
void kt_dirt_add(struct kt_shape_group *shape, struct kt_dirt *dirt, const struct kt_call *call, double seconds);

/* All calls are added: the shape's samples and total become those that clean calls tell, if there are any. Frees what
 * DIRT holds. */
void kt_dirt_settle(struct kt_shape_group *shape, struct kt_dirt *dirt);

#endif
