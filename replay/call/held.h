/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What operands held when the program called, where the trace has snapshots: contents for replays of routines whose
 * time depends on them. Those of the first snapshot of a shape that has all that the call reads; the others are made
 * (replay/call/data.h).
 */
#ifndef KT_HELD_H
#define KT_HELD_H

#include "trace/table/operand.h"
#include "trace/shape/shape.h"
#include "trace/shape/snapshots.h"

/* One for each of the shapes, which were collected from the trace: NULL where there is none that has all. To be freed;
 * NULL: there is no snapshot at all. */
const struct kt_snapshot **kt_held_by_shape(const struct kt_trace *trace, const struct kt_shapes *shapes,
                                            const struct kt_snapshots *snapshots);

/* Of that call, or else of another one of the same shape; it has all that the call reads. NULL: there is none. */
const struct kt_snapshot *kt_held_of_call(const struct kt_snapshots *snapshots, const struct kt_call *call);

/* Writes what operand number I held; it is of a call of that shape, with a base of this process. False, and nothing is
 * written, if the call does not read it. */
bool kt_held_fill(const struct kt_snapshot *snapshot, const struct kt_operand *operand, int i);

/* A number that tells contents apart. */
uint64_t kt_held_number(const struct kt_snapshot *snapshot);

#endif
