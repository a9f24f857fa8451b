/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report as one HTML file: text, tables and figures, with all data in the file. The page itself is made by the build
 * (doc/design/html.md); what is written here is its copy with the data of a report in it.
 */
#ifndef KT_HTML_H
#define KT_HTML_H

#include "model/report/report.h"

/* What these verbs print with --json, borrowed; NULL: there is none. The report is of the run after. */
struct kt_html_more {
    const json_t *explain, *diff;
};

enum kt_status kt_html_write(const struct kt_report *report, const struct kt_html_more *more, const char *path,
                             struct kt_error *error);

/* Is the page there? To be asked before work that takes long. */
enum kt_status kt_html_check(struct kt_error *error);

#endif
