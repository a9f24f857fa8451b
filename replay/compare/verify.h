/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is a prediction right? The unmodified program is really run on each library (ktrace run --blas), several times, the
 * libraries in random order in each round, and what its BLAS calls took is set beside what was predicted.
 */
#ifndef KT_VERIFY_H
#define KT_VERIFY_H

#include "replay/compare/comparison.h"
#include "replay/compare/map_plan.h"
#include "replay/machine/processor.h"

/* The runs on one library. */
struct kt_verified {
    double *blas;         /* seconds of outermost calls, by run, without what recording nested ones cost; NAN: it
                           * failed; owned */
    double *typical;      /* the same with the median of each shape's calls: without pauses of the machine; owned */
    double *wall, *cpu;   /* seconds of the program, and of the processors for it, by run; owned */
    uint64_t calls;       /* outermost ones, of the last run */
    struct kt_stat time;  /* of BLAS: best is the median */
    struct kt_stat whole; /* of the program */
    struct kt_stat cpu_time;
    struct kt_ratio ratio;         /* of BLAS to the baseline, of pairs of one round */
    struct kt_ratio ratio_typical; /* the same of typical times */
    double error, error_typical;   /* of the predicted ratio: predicted / measured - 1; NAN: not known */
    char failed[128];              /* why a run failed, or "" */
};

struct kt_verify {
    char directory[4096]; /* of traces, removed when it is closed; "": none */
    char trace[4096];     /* the one that was recorded, as none was given */
    int processor;        /* that runs with one thread stay on; KT_NO_PROCESSOR: wherever the system has them run */
    struct kt_verified lane[KT_MOST_LANES + 1];
    size_t lanes;                   /* those of the comparison; behind them the map, if there is one */
    const char *map;                /* its file; NULL: none; borrowed */
    const struct kt_map_plan *plan; /* what it is predicted to be worth; borrowed */
    char *routines;                 /* that runs and recordings but the first record, as a list; NULL: all; owned */
    uint64_t seed;                  /* of the order of the libraries */
    bool keeps;                     /* the directory stays: somebody was told of the trace in it */
    int runs;                       /* finished, of all libraries */
    bool is_ordered; /* libraries are predicted in the order that was measured, where it was told apart */
};

/* Records a trace of the command and names it in the options, unless they name one. Programs that are not long are
 * recorded three times and more, and the one with the middle BLAS time counts, but never the first: a program that
 * turns out to use one processor stays from then on where its calls passed most of their time, as the replays do, since
 * how far libraries are apart is not the same on all of them; and only the first has the calls that nest in others. */
enum kt_status kt_verify_record(struct kt_compare_options *options, struct kt_verify *out, struct kt_error *error);

/* The command runs once on every library of the comparison in each round: in those that are due when PART of the
 * replays is over, so that what slows the machine down meanwhile slows both down; and in what is left in the end, when
 * the comparison has been summed up. */
void kt_verify_begin(const struct kt_comparison *comparison, struct kt_verify *verify);
void kt_verify_run_due(const struct kt_comparison *comparison, struct kt_verify *verify, double part);
/* Before the first run: the map is one more way to run. */
void kt_verify_add_map(const struct kt_comparison *comparison, struct kt_verify *verify,
                       const struct kt_map_plan *plan);
void kt_verify_end(const struct kt_comparison *comparison, struct kt_verify *verify);

json_t *kt_verify_json(const struct kt_verify *verify, const struct kt_comparison *comparison);
void kt_verify_print(const struct kt_verify *verify, const struct kt_comparison *comparison);
void kt_verify_close(struct kt_verify *verify);

/* Did the program fail on some library? */
bool kt_verify_failed(const struct kt_verify *verify);

/* Statistics of the runs: medians, paired ratios, errors of the predicted ratios (by lane; NAN: none). Pure. */
void kt_verify_sum_up(struct kt_verify *verify, const double *predicted_ratio);

#endif
