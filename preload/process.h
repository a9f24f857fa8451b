/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of the process: its start, forks, its end (preload/process.c). */
#ifndef KT_PROCESS_H
#define KT_PROCESS_H

#include "preload/attributes.h"

/* Reads the options and decides whether to record. The constructor does this, or a call that comes before it. */
KT_HIDDEN void kt_process_start(void);

#endif
