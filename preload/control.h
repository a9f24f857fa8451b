/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program and others may tell the recorder while it runs: pauses, by include/ktrace/ktrace.h or by the file
 * `control` of the process directory, which `ktrace control` writes into.
 */
#ifndef KT_CONTROL_H
#define KT_CONTROL_H

#include "ktrace/format.h"
#include "preload/attributes.h"

#include <stdatomic.h>
#include <stdbool.h>

/*
 * What the process is to do, changed from within or, through the file that it is mapped from, from outside. The epoch
 * increases when threads have to look what that is: at a pause, at the end.
 */
extern KT_HIDDEN struct kt_control *_Atomic kt_control_page;

static inline struct kt_control *kt_control(void)
{
    return atomic_load_explicit(&kt_control_page, memory_order_acquire);
}

static inline uintptr_t kt_epoch(void)
{
    return (uintptr_t)__atomic_load_n(&kt_control()->epoch, __ATOMIC_RELAXED);
}

static inline bool kt_is_paused(void)
{
    return __atomic_load_n(&kt_control()->paused, __ATOMIC_RELAXED);
}

/* From here on others can tell us; where memory cannot be shared with a file they cannot. Within a slow path. */
KT_HIDDEN void kt_control_open(void);
KT_HIDDEN void kt_control_after_fork(void);

/* All threads look what is to be done. */
KT_HIDDEN void kt_control_change(void);

/* The epoch that a stream is made ready for. Whoever changes it increases it, perhaps to an even one. */
KT_HIDDEN uintptr_t kt_control_odd_epoch(void);

#endif
