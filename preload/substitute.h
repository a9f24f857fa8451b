/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * KTRACE_BLAS: calls of routines go to another library than the program's own.
 *
 * The library is opened beside the program's (preload/beside.h). It is loaded before a call can need it: at the start
 * if the program has a BLAS by then, otherwise before the program opens anything. To load it on the way of a call would
 * mean to wait for the linker's lock.
 */
#ifndef KT_SUBSTITUTE_H
#define KT_SUBSTITUTE_H

#include "preload/shim.h"

/* At the start of the process, when the options are known. */
KT_HIDDEN void kt_substitute_start(void);

/* Is there something to load? Loads it; runs code of the library, so no lock may be held. */
KT_HIDDEN bool kt_substitute_is_due(void);
KT_HIDDEN void kt_substitute_load(void);

/* Do calls go elsewhere? */
KT_HIDDEN bool kt_substitute_is_on(void);

/*
 * Where a call goes that would reach TARGET: the routine of the other library; TARGET itself if that has none of these
 * conventions, or if TARGET is no library's. WHERE: code of the caller; FIXED: TARGET is what the caller looked up.
 * Within a slow path, which pauses.
 */
KT_HIDDEN void *kt_substitute(const struct kt_slot *slot, void *target, uintptr_t where, bool fixed);

#endif
