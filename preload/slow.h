/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slow paths run one at a time, and neither a signal nor a cancellation leaves them (preload/quiet.h): the lock would
 * stay held.
 */
#ifndef KT_SLOW_H
#define KT_SLOW_H

#include "preload/attributes.h"

#include <stdbool.h>

/* False if this thread already is on one, or if it cannot be waited for: the caller then does without. */
KT_HIDDEN bool kt_slow_begin(void);
KT_HIDDEN void kt_slow_end(void);

/*
 * Lets other threads pass while this one waits for somebody else's lock. The dynamic linker's is one: it is held while
 * constructors run, which may make calls and so wait for us. What slow paths share may be different afterwards.
 */
KT_HIDDEN void kt_slow_pause(void);
KT_HIDDEN void kt_slow_resume(void);

/* The process forks: the thread has the lock until that is over. False: it is on a slow path already. */
KT_HIDDEN bool kt_slow_before_fork(void);
KT_HIDDEN void kt_slow_after_fork(bool locked);

/* In the child, which has one thread; before the second of these. TOLD: the first was called in the parent. */
KT_HIDDEN void kt_slow_in_child(bool told);

#endif
