/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is missing from a trace, as the JSON documents of verbs have it: the counterpart of trace/command/about.h.
 */
#ifndef KT_STATE_JSON_H
#define KT_STATE_JSON_H

#include "trace/command/field.h"
#include "trace/read/state.h"

/* What the functions below make. */
extern const struct kt_field kt_field_losses[];
extern const struct kt_field kt_field_in_flight[];
extern const struct kt_field kt_field_nested[];
extern const struct kt_field kt_field_missing[]; /* kt_json_add_missing() */

/* [{"cause", "text", "calls"}, ...] */
json_t *kt_losses_json(const struct kt_state *state);

/* [{"n", "pid", "tid", "routine", "symbol", "args"}, ...] */
json_t *kt_in_flight_json(const struct kt_state *state);

/* {"mode", "passed", "outermost", "outermost_inside"} */
json_t *kt_nested_json(const struct kt_trace *trace, const struct kt_state *state);

/* [TEXT, ...] */
json_t *kt_damage_json(const struct kt_trace *trace);

/* That, "lost" and "damage": all that keeps a document from speaking of all calls. */
void kt_json_add_missing(json_t *document, const struct kt_trace *trace, const struct kt_state *state);

#endif
