/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the page is told besides the documents of `ktrace report` and `ktrace info`. Lists are cut where a page would
 * become too large to open, and the cuts are told. Each returns a value to be released.
 */
#ifndef KT_HTML_PARTS_H
#define KT_HTML_PARTS_H

#include "model/report/report.h"

enum { KT_HTML_ROWS = 300 }; /* of a table */

/* The document of the report with at most KT_HTML_ROWS rows of each list. LEFT_OUT, an array: {"list", "rows", "of"} of
 * those that were cut. */
json_t *kt_html_report(const struct kt_report *report, json_t *left_out);

/* {"shapes": [{"head", "kind", "key", "meaning", "values": [...] where the row has no such key}, ...], ...} */
json_t *kt_html_columns(const struct kt_report *report);

/* Places, and [place, number of the shape, calls, seconds] of the calls from each, most time first. */
json_t *kt_html_calls_from(const struct kt_report *report, json_t *left_out);

/* Of the shapes that take longest: [{"from", "to", "counts": [...]}, ...], on a logarithmic axis. */
json_t *kt_html_times(const struct kt_report *report);

/* When each thread was in which routines; null where single calls were not recorded. */
json_t *kt_html_timeline(const struct kt_report *report, json_t *left_out);

/* Peaks and bandwidths of the machine, as far as they are known without measuring now; null: they are not. */
json_t *kt_html_roofs(const struct kt_report *report);

/* What `ktrace compare` left with the first trace, to be released; NULL: nothing. */
enum kt_status kt_html_read_comparison(const struct kt_report *report, json_t **out, struct kt_error *error);

/* Of the documents of compare and diff what is shown; null: there is none. */
json_t *kt_html_comparison(const json_t *document, json_t *left_out);
json_t *kt_html_diff(const json_t *document, json_t *left_out);

/* Adds a cut to LEFT_OUT, if it is one. */
void kt_html_leave_out(json_t *left_out, const char *list, size_t rows, size_t of);

/* The list under KEY keeps KT_HTML_ROWS rows; LEFT_OUT tells it as LIST. What is no list stays. */
void kt_html_cut(json_t *object, const char *key, json_t *left_out, const char *list);

#endif
