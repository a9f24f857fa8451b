/* SPDX-License-Identifier: BSD-3-Clause */
/* The decomposition of a report for people, on standard output. */
#ifndef KT_REPORT_PARTS_H
#define KT_REPORT_PARTS_H

#include "model/report/report_tables.h"

/* In total, by routine and by caller, what is missing, and what all that means. */
kt_report_table kt_report_parts;

/* By shape. */
kt_report_table kt_report_shape_parts;

#endif
