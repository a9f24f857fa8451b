/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KT_INFO_JSON_H
#define KT_INFO_JSON_H

#include "trace/command/json.h"

/* What `ktrace info --json` prints: state, processes, libraries, machine, losses. To be released. */
json_t *kt_info_json(const struct kt_trace *trace);

#endif
