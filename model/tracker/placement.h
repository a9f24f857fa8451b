/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the operands of recorded calls were when the calls began, as far as the trace tells: what the tracker (model/)
 * finds out and the context `tracked` brings about. Replay does not know the tracker: the command gives it the source.
 */
#ifndef KT_PLACEMENT_H
#define KT_PLACEMENT_H

#include "trace/table/operand.h"
#include "trace/shape/shape.h"

/* The levels of a hierarchy, nearest first; what is in none of its caches is in memory. */
enum { KT_MAX_CACHES = 4, KT_MOST_PLACEMENTS = 4 };

/* Placements of another number were found otherwise: to be raised with every change of what the tracker says. */
enum { KT_PLACING_METHOD = 1 };

struct kt_cache {
    uint64_t bytes;  /* that can be used without a significant penalty, as far as known */
    unsigned shared; /* by that many processors */
};

struct kt_caches {
    struct kt_cache cache[KT_MAX_CACHES];
    unsigned count;
    uint64_t line; /* bytes */
};

/*
 * One way in which the operands of a shape's calls were placed. SHARE[operand][level] of the operand's lines were in
 * that cache, SHARE[operand][caches.count] in memory; the shares of an operand add up to 1. Operands are those of
 * kt_operands() for the shape, in its order.
 */
struct kt_placement {
    float share[KT_MAX_OPERANDS][KT_MAX_CACHES + 1];
    double weight; /* share of the shape's calls; those of a shape add up to 1 */
};

struct kt_placements_of_shape {
    struct kt_placement placement[KT_MOST_PLACEMENTS]; /* heaviest first */
    unsigned count;                                    /* 0: not known */
};

/* Of each of the shapes of that level, in their order; OUT has room for SHAPES->count. */
typedef enum kt_status kt_placements_source(const struct kt_trace *trace, enum kt_level level,
                                            const struct kt_shapes *shapes, const struct kt_caches *caches,
                                            struct kt_placements_of_shape *out, struct kt_error *error);

/* Set by the command; NULL: there is none, and no context `tracked`. */
extern kt_placements_source *kt_placements;

#endif
