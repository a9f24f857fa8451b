/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The call paths of a program as a tree: what outermost calls add up to below each line of each function that led to
 * them, and at its leaves their routines.
 */
#ifndef KT_BY_PATH_H
#define KT_BY_PATH_H

#include "model/report/by_place.h"

#include <jansson.h>

struct kt_path_node {
    const struct kt_place *place; /* where the next one was called; NULL: a routine */
    const char *routine;          /* NULL: a place; borrowed */
    size_t depth;                 /* 0: nothing is known to have called it */
    size_t parent;                /* index, if DEPTH is not 0 */
    uint64_t calls;
    double seconds;
};

struct kt_paths {
    struct kt_path_node *node; /* what a node contains follows it, largest time first; owned */
    size_t count;
};

/* Does any process have them (KTRACE_STACKS=paths)? */
bool kt_paths_are_recorded(const struct kt_trace *trace);

/* Of the callers of a summary. */
void kt_paths_find(struct kt_callers *callers, const struct kt_sums *sums, struct kt_paths *out);
void kt_paths_free(struct kt_paths *paths);

/* [{place or "routine", "calls", "seconds", "children": [...]}, ...] */
json_t *kt_paths_json(const struct kt_paths *paths);

#endif
