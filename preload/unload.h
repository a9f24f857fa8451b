/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects may be unloaded and others loaded at their addresses: what is known of addresses then is void. We see
 * dlclose() (preload/linker.c).
 */
#ifndef KT_UNLOAD_H
#define KT_UNLOAD_H

#include "preload/attributes.h"

#include <stdatomic.h>
#include <stdbool.h>

/* How often objects were unloaded. */
extern KT_HIDDEN _Atomic unsigned kt_unloads;

/* The program closes a handle; the second finds out whether that unloaded something. */
KT_HIDDEN void kt_unload_begin(void);
KT_HIDDEN void kt_unload_end(void);

/* May objects be unloaded right now? Then, what was unloaded so far counts. */
KT_HIDDEN bool kt_unload_is_possible(void);
KT_HIDDEN void kt_unload_count(void);

/* In the child, where no other thread is any more. */
KT_HIDDEN void kt_unload_after_fork(void);

#endif
