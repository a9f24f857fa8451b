/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second walk over a trace that holds what nests in some outermost calls only (KTRACE_NESTED): what an outermost
 * call counts for in sums, now that it is known which calls of its shape recording made longer, and what happens
 * inside, as estimates.h estimates it.
 */
#ifndef KT_INSIDE_CALLS_H
#define KT_INSIDE_CALLS_H

#include "model/summary/estimates.h"
#include "trace/shape/shape.h"

struct kt_inside_found {
    struct kt_insides of; /* numbers of routines are places in NAME */
    const char **name;    /* borrowed from the trace; the array is owned */
};

struct kt_inside_walk;
/* SHAPES: of outermost calls. */
struct kt_inside_walk *kt_inside_walk_new(const struct kt_trace *trace, const struct kt_shapes *shapes);
/* Calls come in the order of kt_cursor_next. Returns the seconds of an outermost one in sums. SHAPE: its place among
 * the shapes; SIZE_MAX if it is nested or has not returned. */
double kt_inside_walk_add(struct kt_inside_walk *walk, const struct kt_call *call, size_t *shape);
/* Frees the walk. */
void kt_inside_walk_finish(struct kt_inside_walk *walk, struct kt_inside_found *out);
void kt_inside_found_free(struct kt_inside_found *found);

/* Operations and traffic of a call; a question for a workspace size does neither. */
struct kt_call_work {
    double flops, bytes;
};
struct kt_call_work kt_call_work_of(const struct kt_call *call);

#endif
