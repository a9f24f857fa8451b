/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes in-situ time apart with the help of replays (DESIGN.md):
 *
 *     in-situ = bound + library + cache + residual,   warm = bound + library
 *
 * Shape by shape, on medians, as an in-situ time is a single draw and only medians compare: cache is what the
 * recorded operand context costs over warm operands, from the tracked replay where there is one, otherwise what
 * in-situ takes longer than warm, but no more than operands from memory explain. The residual is what is left of the
 * time that was measured; it is negative where the application was faster than the warm replay.
 */
#ifndef KT_DECOMPOSITION_H
#define KT_DECOMPOSITION_H

#include "trace/json.h"

/* A shape's times in seconds per call, medians; NAN: not known. */
struct kt_context_times {
    double calls;
    double total; /* measured in all calls together */
    double insitu;
    double warm, cold, tracked;
    double bound;
};

/* In seconds over all calls of the shapes that could be taken apart. */
struct kt_decomposition {
    size_t shapes;
    double calls;
    double insitu;
    double bound, library; /* NAN unless the bound of every shape is known */
    double warm;           /* both together */
    double cache, residual;
    bool tracked; /* cache is from the tracked replay for every shape */
};

/* Shapes that were not replayed warm and either cold or tracked are left out. */
void kt_decompose(const struct kt_context_times *times, size_t count, struct kt_decomposition *out);

/* The file that `ktrace replay` leaves in a trace, its shapes by call. */
struct kt_replayed {
    json_t *document; /* NULL: the trace was not replayed */
    json_t *shapes;   /* key of a call -> element of the document's "shapes" */
};

/* No such file is not an error. OUT is to be freed also after an error. */
enum kt_status kt_replayed_load(const char *trace_path, struct kt_replayed *out, struct kt_error *error);
enum kt_status kt_replayed_from(json_t *document, const char *name, struct kt_replayed *out, struct kt_error *error);
void kt_replayed_free(struct kt_replayed *replayed);

/* The element for that shape, NULL if it was not replayed; and its times, medians over all replays. */
const json_t *kt_replayed_find(const struct kt_replayed *replayed, const struct kt_shape_group *shape);
void kt_replayed_times(const json_t *shape, struct kt_context_times *out);

#endif
