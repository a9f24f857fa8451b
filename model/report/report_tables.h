/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a report for people, on standard output. Each shows at most TOP rows and says how to see the others.
 */
#ifndef KT_REPORT_TABLES_H
#define KT_REPORT_TABLES_H

#include "model/report/report.h"

typedef void kt_report_table(const struct kt_report *report, size_t top);

kt_report_table kt_report_routines;
kt_report_table kt_report_shapes; /* and the same shapes by context, if they were replayed */
kt_report_table kt_report_callers;
kt_report_table kt_report_lines;
kt_report_table kt_report_paths; /* all that takes 1 %, whatever TOP is */
kt_report_table kt_report_regions;
kt_report_table kt_report_counters;
kt_report_table kt_report_threads;
kt_report_table kt_report_processes;
kt_report_table kt_report_ranks;       /* and how evenly they share the time of each routine */
kt_report_table kt_report_rank_spread; /* a part of that: how times differ among them, and groups of them */
kt_report_table kt_report_nodes;

/* The slowest node, or how many ranks are slow. False: none is, or nobody can tell. */
bool kt_report_slow_text(const struct kt_report *report, char *out, size_t size);

#endif
