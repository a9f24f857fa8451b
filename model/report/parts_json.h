/* SPDX-License-Identifier: BSD-3-Clause */
/* The decomposition of a report as JSON. */
#ifndef KT_PARTS_JSON_H
#define KT_PARTS_JSON_H

#include "model/report/report.h"

/* The total, with its routines, callers, what is missing and advice. */
json_t *kt_parts_json(const struct kt_report *report);

/* Adds "parts" to the elements of an array in the order of the report's shapes. */
void kt_parts_json_shapes(const struct kt_report *report, json_t *shapes);

#endif
