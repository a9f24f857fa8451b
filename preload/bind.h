/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and where their calls go (preload/bind.c). */
#ifndef KT_BIND_H
#define KT_BIND_H

#include "preload/attributes.h"

/* Before objects are unloaded: no slot says any more which binding was used last. */
KT_HIDDEN void kt_bind_forget_recent(void);

#endif
