/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report means, in two or three sentences, and what to do next: on the page of one screen, in JSON, in a
 * browser.
 */
#ifndef KT_SCREEN_FINDINGS_H
#define KT_SCREEN_FINDINGS_H

#include "model/report/heaviest.h"
#include "trace/print/screen.h"

/* HEAVY: the places of the report. Returns the verb, with its option, that tells more of the trace. */
const char *kt_screen_findings_find(const struct kt_report *report, const struct kt_heavy *heavy, size_t count,
                                    struct kt_screen_findings *out);

#endif
