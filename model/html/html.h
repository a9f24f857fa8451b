/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as one HTML file: text, tables and figures, with all data in the file. The page itself is made by the build
 * (doc/design/html.md); what is written here is its copy with the data of a report in it.
 */
#ifndef KT_HTML_H
#define KT_HTML_H

#include "model/report/report.h"

/* EXPLAIN: what `ktrace explain --json` prints, borrowed; NULL: there is none. */
enum kt_status kt_html_write(const struct kt_report *report, const json_t *explain, const char *path,
                             struct kt_error *error);

/* Is the page there? To be asked before work that takes long. */
enum kt_status kt_html_check(struct kt_error *error);

#endif
