/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a trace tells of the single calls of shapes that may have two kinds of calls (model/decomposition/kinds.h):
 * those that take a part of the time that matters, and whose times are wide. Page faults and calls of other threads are
 * looked at first. Where only the times tell, operands are followed: which no call of the process had touched before,
 * and how much calls touched since the others were used.
 *
 * Profiles have no single calls. Calls whose nested calls were recorded took longer for that, and are left out where
 * others tell.
 */
#ifndef KT_CALL_FACTS_H
#define KT_CALL_FACTS_H

#include "model/decomposition/kinds.h"
#include "trace/shape/shape.h"

/* KINDS: one for each of the outermost shapes. */
void kt_call_facts_find(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_kinds *kinds);

#endif
