/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source of placements for model/tracker/placement.h: follows all calls of a level through the tracker and sums up,
 * for each shape, in which few ways its operands were placed.
 *
 * Outermost calls are followed by their own operands: what the calls inside them touch are parts of these, or workspace
 * that a LAPACKE routine allocates. Leaves are followed by theirs: what a routine between touches itself, without a
 * call, is not seen.
 *
 * A call joins the placement of its shape that it is nearest to, if that is near; otherwise it is a placement of its
 * own, and if these are too many, the two whose union moves the least are made one. The distance of two placements is
 * the part of the operands' lines that lie elsewhere.
 */
#ifndef KT_PLACEMENTS_H
#define KT_PLACEMENTS_H

#include "model/tracker/placement.h"

kt_placements_source kt_placements_of_trace;

#endif
