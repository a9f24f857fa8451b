/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a time and findings as JSON, alike in the documents of report and explain. */
#ifndef KT_TOLD_H
#define KT_TOLD_H

#include "model/decomposition/paired.h"
#include "trace/command/field.h"
#include "trace/print/screen.h"

extern const struct kt_field kt_told_interval[]; /* value, lo, hi */
extern const struct kt_field kt_told_part[];     /* share, seconds, certainty */
extern const struct kt_field kt_told_findings[]; /* "findings", "next" */

/* Each is multiplied by UNIT. */
json_t *kt_told_interval_json(const struct kt_time *time, double unit);
/* SHARE of so many seconds, and what is told of it. */
json_t *kt_told_part_json(const struct kt_time *share, double seconds, enum kt_paired_sign sign);
void kt_told_add_findings(json_t *document, const struct kt_screen_findings *findings, const char *next);

#endif
