/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program and others may tell the recorder while it runs: pauses and named regions (include/ktrace/ktrace.h),
 * and the file `control` of the process directory, which `ktrace control` writes into.
 */
#ifndef KT_CONTROL_H
#define KT_CONTROL_H

#include "preload/shim.h"

/* From here on others can tell us; where memory cannot be shared with a file they cannot. Within a slow path. */
KT_HIDDEN void kt_control_open(void);
KT_HIDDEN void kt_control_after_fork(void);

/* All threads look what is to be done. */
KT_HIDDEN void kt_control_change(void);

static inline bool kt_is_paused(void)
{
    return __atomic_load_n(&kt_control()->paused, __ATOMIC_RELAXED);
}

/*
 * preload/region.c: this thread enters a region of the definitions, or leaves the innermost one, if it is in any. To be
 * called where no signal handler interrupts; what has changed is recorded afterwards.
 */
KT_HIDDEN void kt_region_begin(unsigned id);
KT_HIDDEN bool kt_region_end(void);
KT_HIDDEN void kt_regions_record(void);

#endif
