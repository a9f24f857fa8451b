/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Subnormal numbers in the operands of a trace with snapshots (trace/command/subnormal.h), and what they cost, once a
 * replay has measured that.
 */
#ifndef KT_REPORT_SUBNORMAL_H
#define KT_REPORT_SUBNORMAL_H

#include "model/report/report.h"

/* [{"routine", "args", "operands", "left", "met", "context", "seconds", "seconds_ordinary"}]: by shape as replayed,
 * otherwise by snapshot, without the last five. */
json_t *kt_report_subnormals_json(const struct kt_report *report);

/* Nothing if there are none. */
void kt_report_subnormals(const struct kt_report *report);

#endif
