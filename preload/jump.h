/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the functions are that preload/jumps.S stands in front of. */
#ifndef KT_JUMP_H
#define KT_JUMP_H

#include "preload/shim.h"

/* Finds those of the C library: a jump may come from a signal handler, which should not have to ask. */
KT_HIDDEN void kt_jumps_start(void);

/* The function of that name which CALLER would have reached without us; kept at OWN, unless it may be unloaded. */
KT_HIDDEN void *kt_find_own(const char *name, const void *caller, _Atomic(void *) *own);

/* Before objects are unloaded: the unwinder's functions are in one. */
KT_HIDDEN void kt_jumps_forget(void);

#endif
