/* SPDX-License-Identifier: BSD-3-Clause */
/* Which line of the program a shape mostly comes from: the one that most of the time of its outermost calls belongs to.
 */
#ifndef KT_SHAPE_SOURCE_H
#define KT_SHAPE_SOURCE_H

#include "trace/shape/callers.h"
#include "trace/shape/shape.h"

#include <jansson.h>

struct kt_shape_source {
    const struct kt_place *place; /* NULL: no call is known; valid as long as the callers and the trace */
    double share;                 /* of the time of the shape's calls */
};

/* One for each shape, in their order; to be freed. */
struct kt_shape_source *kt_shape_sources_find(const struct kt_shapes *shapes, struct kt_callers *callers);

/* The object, function, file, line and offset of a place; null where they are not known. */
json_t *kt_place_json(const struct kt_place *place);

/* The same with the share; null: not known. */
json_t *kt_shape_source_json(const struct kt_shape_source *source);

/* "demo.py:112 kalman", or nothing. */
void kt_shape_source_text(const struct kt_shape_source *source, char *out, size_t size);

#endif
