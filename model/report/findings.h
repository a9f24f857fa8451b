/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What single calls tell beside all sums: shapes whose calls are of two kinds, and LAPACK that ran without blocks. Each
 * prints nothing where there is nothing to tell.
 */
#ifndef KT_FINDINGS_H
#define KT_FINDINGS_H

#include "model/report/report.h"
#include "trace/command/field.h"

/* Of the first TOP shapes. */
void kt_findings_print_kinds(const struct kt_report *report, size_t top);
void kt_findings_print_unblocked(const struct kt_report *report);

/* NULL where a shape has one kind of calls, or none can be told. */
extern const struct kt_field kt_findings_kinds_fields[];
json_t *kt_findings_kinds_json(const struct kt_kinds *kinds);
extern const struct kt_field kt_findings_unblocked_fields[];
json_t *kt_findings_unblocked_json(const struct kt_report *report);

#endif
