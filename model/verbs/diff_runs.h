/* SPDX-License-Identifier: BSD-3-Clause */
/* Two runs that are compared, and what that comes to as JSON. */
#ifndef KT_DIFF_RUNS_H
#define KT_DIFF_RUNS_H

#include "model/report/diff_markdown.h"
#include "trace/command/document.h"
#include "trace/command/state_json.h"

struct kt_diff_runs {
    struct kt_trace trace[2];
    struct kt_shapes shapes[2];
    double wall[2];  /* s, of all processes */
    const char *why; /* the runs are not of one library and machine, or the user does not want it; NULL: they are */
    bool incomplete[2];
    struct kt_state state[2];
    struct kt_diff diff;
    struct kt_callers *callers;
    struct kt_shape_source *source[2]; /* of the shapes of each */
};

/* After over before, of the time outside of calls. */
double kt_diff_rest_ratio(const struct kt_diff_runs *runs);

/* What ktrace diff --json prints. */
json_t *kt_diff_json(const struct kt_diff_runs *runs, const struct kt_diff_told *told);

#endif
