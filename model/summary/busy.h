/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Seconds in which at least one thread of a process is in an outermost call, all processes added. Unlike the sum of the
 * threads' times this is a part of wall time. NAN: not known, as of profiles and samples of calls.
 */
#ifndef KT_BUSY_H
#define KT_BUSY_H

#include "trace/read/cursor.h"

double kt_busy_seconds(const struct kt_trace *trace);

#endif
