/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and where their calls go (preload/bind.c). */
#ifndef KT_BIND_H
#define KT_BIND_H

#include "preload/names.h"

/* What the name of a slot is, and how it is called. */
KT_HIDDEN const char *kt_slot_name(const struct kt_slot *slot);
KT_HIDDEN const struct kt_interface *kt_interface_of(const struct kt_slot *slot);

/* Of an entry that a binding names. */
KT_HIDDEN const struct kt_interface *kt_interface_of_entry(unsigned entry);

/* The slot of an exported name, NULL if there is none. */
KT_HIDDEN struct kt_slot *kt_slot_find(const char *name);

/* May objects be unloaded right now? */
KT_HIDDEN bool kt_is_closing(void);

/* No routine of that name can be found: ends the program as the dynamic linker would have. */
_Noreturn KT_HIDDEN void kt_fail_like_the_linker(const char *symbol);

/* In the child, where no other thread is any more. */
KT_HIDDEN void kt_bind_after_fork(void);

#endif
