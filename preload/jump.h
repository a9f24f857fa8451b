/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the functions are that preload/jumps.S stands in front of. */
#ifndef KT_JUMP_H
#define KT_JUMP_H

#include "preload/shim.h"

/* Finds those of the C library: a jump may come from a signal handler, which should not have to ask. */
KT_HIDDEN void kt_jump_start(void);

/* Is known where a jump goes to? */
extern KT_HIDDEN bool kt_knows_targets;

/* The function that CALLER would have reached without us, by its number: 0 _Unwind_RaiseException, 1 __cxa_begin_catch.
 * A program may have several of each. */
KT_HIDDEN void *kt_jump_find(unsigned which, const void *caller);

/* Before objects are unloaded. */
KT_HIDDEN void kt_jump_forget(void);

#endif
