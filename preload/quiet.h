/* SPDX-License-Identifier: BSD-3-Clause */
/* What concerns this thread alone and must not be left: no signal and no cancellation arrives. */
#ifndef KT_QUIET_H
#define KT_QUIET_H

#include "preload/attributes.h"

#include <stdbool.h>

/* False if this thread already is quiet (a library that is asked what it is makes a call), or the kernel may not be
 * asked: the caller then does without. */
KT_HIDDEN bool kt_quiet_begin(void);
KT_HIDDEN void kt_quiet_end(void);

#endif
