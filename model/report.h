/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that `ktrace report` says about one or more traces, worked out once; cmd_report.c prints it for people,
 * kt_report_json is the same for programs.
 */
#ifndef KT_REPORT_H
#define KT_REPORT_H

#include "model/callers.h"
#include "model/decomposition.h"
#include "trace/state.h"

/* A shape of outermost calls. */
struct kt_report_shape {
    const struct kt_shape_group *group;
    struct kt_stat insitu;
    double gflops;                 /* NAN: not known */
    struct kt_context_times times; /* warm and so on are NAN where it was not replayed */
    const json_t *replayed;        /* element of replay.json, NULL if there is none */
};

struct kt_report {
    struct kt_trace *opened; /* as named on the command line */
    size_t traces;
    struct kt_trace trace;           /* the processes of all of them; borrowed */
    struct kt_replayed *from_replay; /* of each trace */
    bool replayed;                   /* at least one trace was */
    struct kt_state state;
    struct kt_summary summary;
    struct kt_shapes groups;
    struct kt_report_shape *shape; /* largest total first */
    struct kt_callers *symbols;
    struct kt_caller *caller; /* largest time first */
    size_t callers;
    struct kt_decomposition decomposition;
};

/* OUT is to be freed also after an error. */
enum kt_status kt_report_make(char *const *path, size_t paths, struct kt_report *out, struct kt_error *error);
void kt_report_free(struct kt_report *report);

/* 10^9 operations per second; NAN where there are none or no time. */
double kt_gflops(double flops, double seconds);

/* Time of a shape's calls in its contexts on a scale from warm (0) to cold (1). */
double kt_report_index(const struct kt_report_shape *shape);

/* The document that CLI users rely on; to be freed by the caller. */
json_t *kt_report_json(const struct kt_report *report);

#endif
