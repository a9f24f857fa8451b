/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a recorded process had beside its calls, and a replay is to have, too: as many processors as it might use, and
 * the variables that say how threads of libraries wait and where they run. All processes started later inherit it.
 */
#ifndef KT_HONOURED_H
#define KT_HONOURED_H

#include "trace/read/reader.h"

/* Variables that are set here stay as they are. Quotas cannot be set: what differs is said. */
void kt_honoured_take(const struct kt_trace *trace);

#endif
