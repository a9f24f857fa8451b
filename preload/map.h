/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * KTRACE_MAP: calls go where a map of libraries says (ktrace/library_map.h), by their arguments.
 *
 * The binding of a mapped name leads to an entrance, from which steps on the arguments lead to a routine
 * (preload/map_ops.h). A call that is not recorded reaches it by jumps alone. One that is recorded comes to a spare
 * stub first, which is bound to that routine, so that the trace says where the call went. What libraries call
 * themselves is not sent elsewhere: it is part of what a map was made from.
 *
 * The libraries are loaded when KTRACE_BLAS would be (preload/substitute.h). If one of them cannot be used no call is
 * sent anywhere.
 */
#ifndef KT_MAP_H
#define KT_MAP_H

#include "preload/binding.h"

/* At the start of the process, when the options are known. STUB: those of the spare slots. */
KT_HIDDEN void kt_map_start(unsigned char (*stub)[KT_STUB_BYTES]);

/* Is there something to load? Loads it; runs code of the libraries, so no lock may be held. */
KT_HIDDEN bool kt_map_is_due(void);
KT_HIDDEN void kt_map_load(void);

/* In a child: what another thread was loading is to be loaded again. */
KT_HIDDEN void kt_map_after_fork(void);

/* Another thread is loading the libraries, or this one is: nobody can say yet where calls go. */
KT_HIDDEN bool kt_map_is_loading(void);
KT_HIDDEN bool kt_map_is_on(void);

/*
 * The entrance for calls that would reach TARGET; NULL if they are to reach it. WHERE: code of the caller; RECORDED:
 * the routine is to be reached through a stub. Within a slow path, which pauses.
 */
KT_HIDDEN void *kt_map_send(const struct kt_slot *slot, void *target, uintptr_t where, bool recorded);

/* Where a call goes that is not sent: a LAPACK of the map calls its library's BLAS, and nobody else's. */
KT_HIDDEN void *kt_map_keep(const struct kt_slot *slot, void *target, uintptr_t where);

#endif
