/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of records: the processor's, unless that is not reliable or the user wants the kernel's (KTRACE_CLOCK). */
#ifndef KT_TICKS_H
#define KT_TICKS_H

#include "ktrace/format.h"
#include "preload/attributes.h"

KT_HIDDEN uint64_t kt_ticks_now(void);
KT_HIDDEN struct kt_anchor kt_ticks_anchor(void);

/* What two readings with nothing in between show: part of every recorded duration. Measured at the start. */
KT_HIDDEN void kt_ticks_measure(void);
KT_HIDDEN uint64_t kt_ticks_cost(void);

/* Why ticks of the processor may not measure time, in words; NULL: they do. */
KT_HIDDEN const char *kt_ticks_doubt(void);

#endif
