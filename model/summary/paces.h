/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which ranks and nodes of a job are slow. Ranks that have more to do take longer and are not slow: the pace of a rank
 * is the time of its calls over the time that calls of these shapes take on average, on all ranks. A slow node has a
 * pace above 1 on most of its ranks; the median over them is its own. Nothing is communicated and no memory is needed
 * but some numbers for each rank.
 */
#ifndef KT_PACES_H
#define KT_PACES_H

#include "model/summary/imbalance.h"
#include "trace/shape/shape.h"

struct kt_quartiles {
    double min, q1, median, q3, max; /* NAN: of nothing */
    size_t count;
};

struct kt_rank_pace {
    double ratio;     /* NAN: it made no call that has a shape */
    bool slow;        /* beyond what differs among the ranks */
    uint64_t calls;   /* that have a shape, */
    size_t shapes;    /* of so many shapes; */
    uint64_t made_of; /* the same for ranks with the same shapes */
    size_t group;     /* index */
};

struct kt_node {
    const char *host; /* borrowed; "" if it is not known */
    size_t ranks;
    uint64_t calls;
    double seconds_blas;
    struct kt_quartiles pace; /* of its ranks */
    bool slow;                /* beyond what differs among the nodes */
    double ratio;             /* its median pace over the median of all nodes */
};

/* Ranks whose calls have the same shapes. */
struct kt_rank_group {
    size_t first, ranks, shapes;
    struct kt_quartiles calls, seconds_blas, pace;
};

struct kt_paces {
    struct kt_rank_pace *rank; /* one for each rank */
    size_t ranks;
    struct kt_node *node; /* the slowest first */
    size_t nodes;
    struct kt_rank_group *group; /* most ranks first */
    size_t groups;
    struct kt_quartiles pace, seconds_blas, wall; /* of the ranks */
    size_t slow_nodes, slow_ranks;                /* the latter on nodes that are not slow themselves */
};

/* A node or rank is named slow if it is above the upper quartile of all by three times the distance of the quartiles,
 * and by KT_PACE_SLOW; of fewer than KT_PACE_LEAST nobody can tell. */
#define KT_PACE_SLOW 1.05
enum { KT_PACE_LEAST = 4 };

/* SHAPES: those of the trace's outermost calls. */
void kt_paces_find(const struct kt_trace *trace, const struct kt_shapes *shapes, const struct kt_imbalance *imbalance,
                   struct kt_paces *out);
void kt_paces_free(struct kt_paces *paces);

#endif
