/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recorded call as a JSON object: what dump prints and export takes its columns from.
 */
#ifndef KT_CALL_JSON_H
#define KT_CALL_JSON_H

#include "trace/command/json.h"

/* {"n", "process", "pid", "tid", "depth", "parent", "routine", "symbol", "t", "dt", "nested", "cpu", "caller", "args",
 * "info", "operands", "flops", "complete"}, with "region" and "events" where the process has them, and "inside",
 * "weight", "passed" of outermost calls. To be released. */
json_t *kt_call_json(const struct kt_call *call);

#endif
