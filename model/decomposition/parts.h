/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decomposition of a report's time in total, by shape, by routine and by caller, what could not be taken apart and
 * why, and what all that means in words.
 */
#ifndef KT_PARTS_H
#define KT_PARTS_H

#include "trace/shape/by_caller.h"
#include "trace/shape/callers.h"
#include "model/decomposition/replayed.h"

/* A shape of outermost calls, in situ and as it was replayed. */
struct kt_parts_shape {
    const struct kt_shape_group *group;
    const json_t *replayed; /* element of replay.json, NULL if there is none */
    const char *refusal;    /* then: why; NULL: nothing is said of it */
    struct kt_context_times times;
    struct kt_timed_calls calls;
};

/* One that is told apart, or the sum of all. */
struct kt_parts_group {
    const char *routine;          /* by routine, by shape */
    const struct kt_place *place; /* by caller */
    size_t shape;                 /* by shape; otherwise the one of those replayed that takes longest */
    double heaviest;              /* in-situ seconds of that one */
    double seconds;               /* in situ, also of what could not be taken apart */
    struct kt_decomposition parts;
};

struct kt_parts_groups {
    struct kt_parts_group *group; /* longest first; owned */
    size_t count;
};

/* Calls that could not be taken apart for one reason. */
struct kt_parts_missing {
    const char *why;
    double calls, seconds;
};

struct kt_parts {
    struct kt_parts_group total;
    struct kt_parts_groups shapes, routines, callers;
    struct kt_parts_missing *missing; /* longest first; owned */
    size_t missings;
};

/* SHAPE is an array of all shapes; OF_CALLERS tells who calls them. */
void kt_parts_find(const struct kt_parts_shape *shape, size_t shapes, const struct kt_by_caller *of_callers,
                   struct kt_callers *symbols, struct kt_parts *out);
void kt_parts_free(struct kt_parts *parts);

#endif
