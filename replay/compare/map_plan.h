/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare --map: which library calls of which sizes are to go to, from what was measured.
 *
 * All shapes go to the library that is certainly best for the program as a whole, if there is one, but those that
 * another one is certainly faster for. A rule is for shapes of one routine with the same options that go to one
 * library, and for what lies between their sizes, unless a shape was measured there that goes elsewhere. Beyond the
 * sizes that were measured nothing is claimed.
 */
#ifndef KT_MAP_PLAN_H
#define KT_MAP_PLAN_H

#include "replay/compare/comparison.h"

struct kt_planned_rule {
    const struct kt_routine *routine;
    bool row_major;
    char option[KT_MAX_ARGS];                    /* by argument: its letter; 0: it is none */
    int64_t low[KT_MAX_ARGS], high[KT_MAX_ARGS]; /* by argument: of sizes */
    size_t lane;
    size_t *shape; /* owned */
    size_t shapes;
    double calls;             /* of these in the program, */
    double seconds;           /* which took so many there */
    struct kt_ratio ratio;    /* to the recorded library */
    double gain, least, most; /* seconds of the program, with the 95 % interval */
};

struct kt_map_plan {
    struct kt_planned_rule *rule; /* those of a routine one after the other; owned */
    size_t rules;
    bool is_used[KT_MOST_LANES];
    struct kt_ratio ratio; /* of BLAS in the program to the recorded library alone, as predicted */
    double seconds;        /* of it */
    double application;    /* of the program; NAN: not known */
};

void kt_map_plan_make(const struct kt_comparison *comparison, struct kt_map_plan *out);
void kt_map_plan_free(struct kt_map_plan *plan);

/* As ktrace/library_map.h has it. */
enum kt_status kt_map_plan_write(const struct kt_map_plan *plan, const struct kt_comparison *comparison,
                                 const char *path, struct kt_error *error);

/* What it comes to: a line for people, and JSON. PATH: NULL if nothing was written. */
void kt_map_plan_print(const struct kt_map_plan *plan, const char *path);
json_t *kt_map_plan_json(const struct kt_map_plan *plan, const struct kt_comparison *comparison, const char *path);

#endif
