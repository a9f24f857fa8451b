/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that `ktrace report` says about one or more traces, worked out once; cmd_report.c prints it for people,
 * kt_report_json is the same for programs.
 */
#ifndef KT_REPORT_H
#define KT_REPORT_H

#include "model/report/by_path.h"
#include "model/decomposition/call_facts.h"
#include "model/summary/counted.h"
#include "model/decomposition/advice.h"
#include "model/summary/imbalance.h"
#include "model/summary/paces.h"
#include "model/summary/overhead.h"
#include "model/decomposition/parts.h"
#include "model/decomposition/spells.h"
#include "model/summary/by_region.h"
#include "model/decomposition/unblocked.h"
#include "model/tracker/overlap.h"
#include "trace/command/shape_source.h"
#include "trace/read/state.h"

/* A shape of outermost calls. */
struct kt_report_shape {
    const struct kt_shape_group *group;
    struct kt_stat insitu;
    double gflops;                               /* NAN: not known */
    struct kt_parts_shape parts;                 /* times are NAN where it was not replayed */
    const struct kt_parts_group *group_of_parts; /* NULL: it was not taken apart */
};

struct kt_report {
    char *const *path; /* as named on the command line; borrowed */
    size_t paths;
    struct kt_trace trace;           /* the processes of all of them */
    struct kt_replayed *from_replay; /* of each trace that was opened: more than paths if a job has packed ones */
    size_t replays;
    bool replayed; /* at least one trace was */
    bool partial;  /* and one of those replays was interrupted */
    struct kt_state state;
    struct kt_summary summary;
    struct kt_counted counted; /* counters, if there were any */
    struct kt_region_sums regions;
    struct kt_imbalance imbalance; /* of ranks, if there are any, */
    struct kt_paces paces;         /* and how fast they are */
    struct kt_shapes groups;
    struct kt_overlaps overlaps;
    struct kt_estimate overhead;         /* seconds that recording took */
    struct kt_report_shape *shape;       /* largest total first */
    struct kt_recorded_speed speed;      /* of the machine, while recorded */
    struct kt_speed_sums replayed_speed; /* and while replayed */
    struct kt_kinds *kinds;              /* of the calls of each */
    struct kt_unblocked *unblocked;
    size_t unblockeds;
    struct kt_callers *symbols;
    struct kt_caller *caller; /* largest time first */
    size_t callers;
    struct kt_caller *line; /* the same calls by line */
    size_t lines;
    struct kt_paths tree;           /* empty if none were recorded */
    struct kt_shape_source *source; /* of each shape */
    struct kt_by_caller by_caller;
    struct kt_parts parts;
    struct kt_advice advice[KT_MOST_ADVICE]; /* once it was replayed */
    int advices;
};

/* OUT is to be freed also after an error. */
enum kt_status kt_report_make(char *const *path, size_t paths, struct kt_report *out, struct kt_error *error);
void kt_report_free(struct kt_report *report);

/* Does a process have several threads that make calls? Their times together are no part of wall time then. */
bool kt_report_has_threads(const struct kt_report *report);

/* Part of the wall time of all processes in which at least one thread is in BLAS; of a sample what all calls are
 * estimated to take. NAN: not known. */
double kt_report_blas_share(const struct kt_report *report);

/* 10^9 operations per second; NAN where there are none or no time. */
double kt_gflops(double flops, double seconds);

/* Time of a shape's calls in its contexts on a scale from warm (0) to cold (1). */
double kt_report_index(const struct kt_report_shape *shape);

/* The document that CLI users rely on; to be freed by the caller. */
json_t *kt_report_json(const struct kt_report *report);

#endif
