/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What events name by a number: objects, libraries among them, and entries, each a name that leads to a routine of a
 * library. Each is told in the definitions when it is first met. Within slow paths, but for the last.
 */
#ifndef KT_ENTRIES_H
#define KT_ENTRIES_H

#include "preload/ask.h"
#include "preload/names.h"
#include "preload/objects.h"

/* False: there is no memory for them. */
KT_HIDDEN bool kt_entries_start(void);

/* The id of an object in the trace; -1 if there are too many. */
KT_HIDDEN int kt_entries_object(const struct kt_loaded *object);

/* The entry of a name that goes to TARGET, in a library with that id; CONVENTION is how it is called there. 0 if there
 * are too many. The slow path pauses: the library is asked. */
KT_HIDDEN unsigned kt_entries_number(const struct kt_slot *slot, void *target, const struct kt_loaded *library, int id,
                                     struct kt_convention *convention);

KT_HIDDEN const struct kt_interface *kt_entries_interface(unsigned entry);

#endif
