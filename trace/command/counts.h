/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the counters of a trace are and what they counted in a call.
 */
#ifndef KT_COUNTS_H
#define KT_COUNTS_H

#include "trace/command/field.h"

/* Count of a call without what reading the counter adds, below 2^63; false: not known. */
bool kt_call_count(const struct kt_call *call, size_t counter, uint64_t *count);

/* {NAME: COUNT or null, ...} */
json_t *kt_counts_json(const struct kt_call *call);

/* The counters of all processes with their status, those that agree in all once:
 * [{"name", "status", "reason", "empty", "code"}, ...] */
json_t *kt_counters_json(const struct kt_trace *trace);
extern const struct kt_field kt_field_counters[];

/* A line for each of them; with ONLY_BAD for each that did not count all the time and all there was. */
void kt_counters_about(const struct kt_trace *trace, bool only_bad);

#endif
