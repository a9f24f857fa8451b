/* SPDX-License-Identifier: BSD-3-Clause */
/* All that a workload holds, on a page. */
#ifndef KT_WORKLOAD_SHOW_H
#define KT_WORKLOAD_SHOW_H

#include "trace/read/reader.h"

#include <jansson.h>

json_t *kt_workload_show_json(const struct kt_trace *workload);
void kt_workload_show_print(const struct kt_trace *workload);

#endif
