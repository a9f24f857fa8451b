/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Subnormal numbers in operands: with these arithmetic takes many times longer on some processors. In snapshots (what a
 * call reads), or in memory.
 */
#ifndef KT_SUBNORMAL_H
#define KT_SUBNORMAL_H

#include "trace/command/field.h"
#include "trace/table/operand.h"
#include "trace/shape/snapshots.h"

/* A complex element has two numbers. */
struct kt_subnormal_count {
    uint64_t numbers, subnormal;
};

/* Of an operand that is at addresses of this process. */
struct kt_subnormal_count kt_subnormals_at(const struct kt_operand *operand);

/* Of operand number I of a call of the snapshot's shape, as far as the snapshot holds it. Zeros if the call does not
 * read it. */
struct kt_subnormal_count kt_subnormals_held(const struct kt_snapshot *snapshot, const struct kt_operand *operand,
                                             int i);

/* [{"name", "numbers", "subnormal"}] of the operands of a snapshot that hold such numbers; NULL: none does. */
json_t *kt_subnormals_json(const struct kt_snapshot *snapshot, const struct kt_operand *operand, int count);

/* [{"routine", "args", "operands": the same}], one for each snapshot of the trace that holds such numbers. Reads all
 * contents, one snapshot after the other. */
extern const struct kt_field kt_field_subnormal_cost[]; /* the last of them, with what a replay adds */
extern const struct kt_field kt_field_subnormal[];
json_t *kt_subnormals_of_trace(const struct kt_trace *trace);

/* "12,345 of 160,000 numbers of a, 5 of 400 of x": of such a list of operands. */
void kt_subnormals_text(const json_t *operands, char *out, size_t size);

/* What a shape's replay says of them (replay/measure/subnormal_cost.h), in words, in lines of which others than the
 * first are indented: "50 of 50 numbers of x;", "with ordinary numbers a call takes 5.0 ms instead of 30.2 ms (60
 * samples)".
 */
void kt_subnormals_cost_text(const json_t *cost, char *out, size_t size);

#endif
