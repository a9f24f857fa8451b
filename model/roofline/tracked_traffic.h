/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of the operands of a trace's calls came from memory as the calls happened, by the cache model: the tracker
 * (model/tracker/placements.h) says which part of each operand was in no cache when a call began.
 */
#ifndef KT_TRACKED_TRAFFIC_H
#define KT_TRACKED_TRAFFIC_H

#include "model/roofline/roofs.h"
#include "model/tracker/placement.h"
#include "trace/shape/shape.h"

/* The caches of that machine, as the tracker takes them: which ones cores share the system tells only of this machine.
 */
struct kt_caches kt_tracked_caches(const struct kt_roofs *roofs);

/* Bytes, the mean over the calls of each shape, in their order; NAN where it is not known. NULL: the sizes of the
 * caches are not. To be freed. */
double *kt_tracked_traffic(const struct kt_trace *trace, const struct kt_shapes *shapes, const struct kt_roofs *roofs);

#endif
