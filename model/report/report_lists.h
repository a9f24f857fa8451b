/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the report's document holds (trace/command/field.h): lists of one field each that report_document.c puts
 * together. Rows of all lists are asked of a struct kt_report.
 */
#ifndef KT_REPORT_LISTS_H
#define KT_REPORT_LISTS_H

#include "model/report/report.h"
#include "trace/command/document.h"

extern const struct kt_field kt_report_summary_record[];  /* "summary" */
extern const struct kt_field kt_report_routine_list[];    /* "routines" */
extern const struct kt_field kt_report_inside_list[];     /* "inside" */
extern const struct kt_field kt_report_count_list[];      /* "counts" */
extern const struct kt_field kt_report_shape_list[];      /* "shapes" */
extern const struct kt_field kt_report_place_lists[];     /* "callers", "lines" */
extern const struct kt_field kt_report_path_list[];       /* rows of a tree; the document has the tree */
extern const struct kt_field kt_report_thread_list[];     /* "threads" */
extern const struct kt_field kt_report_process_list[];    /* "processes" */
extern const struct kt_field kt_report_region_list[];     /* "regions" */
extern const struct kt_field kt_report_rank_fields[];     /* "ranks" and what goes with them */
extern const struct kt_field kt_report_part_seconds[];    /* of a struct kt_parts_group: "seconds" */
extern const struct kt_field kt_report_part_fields[];     /* of a struct kt_parts_group: seconds of each part */
extern const struct kt_field kt_report_part_lists[];      /* "routines", "callers" of the decomposition */
extern const struct kt_field kt_report_parts_record[];    /* "decomposition" */
extern const struct kt_field kt_report_node_list[];       /* "nodes" */
extern const struct kt_field kt_report_rank_statistics[]; /* how ranks differ, and which make the same calls */

enum { KT_REPORT_UNSPLIT = 1 }; /* view of parts: some shapes were not tracked */

/* The report of a getter. */
static inline const struct kt_report *kt_report_of(const struct kt_at *at)
{
    return at->from;
}

/* Calls that ran at the same time, in several lists. */
#define KT_REPORT_AT_BEGIN "calls of other threads of the machine under way when a call began, mean"
#define KT_REPORT_BESIDE   "the same on the average while it ran"

/* What all tables have: PART of all BLAS time; null where there was none. */
json_t *kt_report_share(double part, double whole);

#endif
