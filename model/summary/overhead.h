/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What recording took: what the process measured of a call, and of nested calls what their outermost ones were longer
 * than those that nothing was recorded in.
 */
#ifndef KT_OVERHEAD_H
#define KT_OVERHEAD_H

#include "model/summary/estimates.h"
#include "trace/shape/shape.h"
#include "trace/read/state.h"

/* Seconds of all threads. SHAPES: of outermost calls. */
struct kt_estimate kt_overhead_of(const struct kt_state *state, const struct kt_shapes *shapes);

#endif
