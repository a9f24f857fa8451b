/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a full trace of a program would cost, predicted from a recorded run of it: how many calls, how many bytes, how
 * much time; and what recording only some routines would save. A run of some seconds tells, and a profile or a sample
 * does as well as a full trace.
 */
#ifndef KT_SCORE_H
#define KT_SCORE_H

#include "model/summary/summary.h"

/* What recording some of the calls costs. */
struct kt_score_cost {
    double calls;            /* in the whole run */
    double calls_per_second; /* of all processes together */
    double bytes_per_second;
    double overhead; /* by what fraction the busiest thread is slowed down; NAN: not known */
};

struct kt_score_routine {
    const char *name;
    double calls;
    double share;        /* of the calls */
    double seconds_call; /* a call's own time, without calls nested in it */
    double share_time;   /* of all routines' own time */
};

/* What is acceptable. */
struct kt_score_limits {
    double overhead; /* as a fraction */
    double bytes_per_hour;
};

enum kt_setting {
    KT_SETTING_FULL,    /* nothing needs to be set */
    KT_SETTING_FILTER,  /* only some routines */
    KT_SETTING_SAMPLE,  /* some of the calls */
    KT_SETTING_PROFILE, /* sums instead of calls */
};

struct kt_score {
    double seconds;          /* of the run, from the first process's begin to the last one's end */
    double sample;           /* the run recorded one of so many calls */
    double bytes_per_call;   /* NAN: the run recorded no calls, only sums of them */
    double seconds_per_call; /* what recording a call costs; NAN: not known */
    struct kt_score_cost full;
    struct kt_score_cost filtered;    /* of the routines of the filter */
    double filtered_time;             /* their share of all routines' own time */
    char *filter;                     /* their names, separated by commas; NULL: leaving some out saves little */
    struct kt_score_routine *routine; /* most calls first */
    size_t routines;
    enum kt_setting setting;
    double sample_advised; /* one of so many calls, if that is the setting */
};

/* Names are borrowed from the trace. */
void kt_score_make(const struct kt_trace *trace, const struct kt_summary *summary, const struct kt_score_limits *limits,
                   struct kt_score *out);
void kt_score_free(struct kt_score *score);

#endif
