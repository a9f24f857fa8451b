/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What replay and compare begin with: their options, the trace, its shapes and the jobs made of them.
 */
#ifndef KT_SETUP_H
#define KT_SETUP_H

#include "replay/cache.h"
#include "replay/job.h"
#include "replay/library.h"
#include "replay/schedule.h"

enum { KT_MAX_CONTEXTS = 8, KT_MAX_LIBRARIES = 16 };

struct kt_replay_options {
    const char *trace;
    bool json;
    int threads;          /* 0: as recorded */
    double budget;        /* seconds */
    const char *routines; /* patterns, NULL: all */
    enum kt_level level;
    const struct kt_context *context[KT_MAX_CONTEXTS];
    size_t contexts;
    const char *blas[KT_MAX_LIBRARIES];
    size_t libraries;
};

struct kt_setup {
    struct kt_trace trace;
    struct kt_shapes shapes;
    struct kt_jobs jobs;
};

/* Parses the options of a verb into OUT, which holds the defaults. */
enum kt_status kt_replay_options_parse(int argc, char **argv, struct kt_replay_options *out, struct kt_error *error);

/* OUT is to be closed also after an error. */
enum kt_status kt_setup_open(const struct kt_replay_options *options, struct kt_setup *out, struct kt_error *error);
void kt_setup_close(struct kt_setup *setup);

/* Gives the schedule the weights of the jobs, the budget and the number of lanes. */
void kt_setup_schedule(const struct kt_setup *setup, const struct kt_replay_options *options, size_t lanes,
                       struct kt_schedule *out);

#endif
