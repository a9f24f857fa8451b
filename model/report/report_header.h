/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands before the tables of a report: which trace, when, which libraries, how much time, what is missing. */
#ifndef KT_REPORT_HEADER_H
#define KT_REPORT_HEADER_H

#include "model/report/report.h"

void kt_report_header(const struct kt_report *report);

#endif
