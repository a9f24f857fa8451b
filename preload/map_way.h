/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of a map as steps on the arguments of one name (preload/map_ops.h). */
#ifndef KT_MAP_WAY_H
#define KT_MAP_WAY_H

#include "ktrace/library_map.h"
#include "preload/ask.h"
#include "preload/map_ops.h"
#include "preload/names.h"

/* What the condition speaks of that routines of that interface do not have; NULL: they have all. */
KT_HIDDEN const char *kt_map_way_lacks(const struct kt_interface *interface, const struct kt_map_condition *condition);

/* How a name is called, and where its calls may go. */
struct kt_map_way {
    const struct kt_interface *interface;
    struct kt_convention convention;
    void *target[KT_MAP_LIBRARIES]; /* of each library that a rule names */
    void *own;                      /* where calls go that no rule is for */
};

/* The first step, in memory that stays; NULL: there is none left. Within a slow path. */
KT_HIDDEN const struct kt_map_step *kt_map_way_make(const struct kt_map *map, const struct kt_map_way *way);

#endif
