/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the machine was, in JSON: {"readings", "core_hz", "issue_hz", "memory_seconds"}: additions per second that
 * wait for each other, and that wait for nothing, means; how long a load from memory takes. null: nothing is known.
 */
#ifndef KT_SPEED_JSON_H
#define KT_SPEED_JSON_H

#include "trace/base/speed.h"
#include "trace/command/json.h"

json_t *kt_speed_json(const struct kt_speed_sums *sums);

/* False: nothing is known. */
bool kt_speed_from_json(const json_t *json, struct kt_speed_sums *out);

#endif
