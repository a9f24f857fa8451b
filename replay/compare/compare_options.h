/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `ktrace compare` is told: the options of a replay, and which libraries, with how many threads.
 */
#ifndef KT_COMPARE_OPTIONS_H
#define KT_COMPARE_OPTIONS_H

#include "replay/setup/setup.h"

enum { KT_MOST_LANES = 16, KT_MOST_THREADS = 4096 };

/* What is done with results besides timing the calls, as --check has it. */
enum kt_check { KT_CHECK_TOO, KT_CHECK_NOT, KT_CHECK_ONLY };

/* Does the comparison take the place of the last one beside the trace, as --keep has it? */
enum kt_keep { KT_KEEP, KT_KEEP_NOT };

struct kt_compare_options {
    struct kt_replay_options replay; /* its trace is NULL if it is to be recorded; threads is not used */
    const char *workloads;           /* directory of many, in the place of the trace; NULL: one trace */
    bool has_budget;                 /* was told; of many workloads it is that of all */
    const char *baseline;            /* library that others are compared with; NULL: the recorded one */
    const char *lapack;              /* where routines come from that a library lacks; NULL: from nowhere */
    int thread[KT_MOST_LANES];       /* numbers of threads */
    size_t threads;                  /* how many such numbers; 0: as recorded */
    const char *plot;                /* file, or NULL */
    bool all;                        /* tables in the place of one screen */
    const char *map;                 /* file that a map of libraries is written to, or NULL */
    bool verify;                     /* really run the command on each library */
    int runs;                        /* that often */
    enum kt_check check;             /* are they right? */
    enum kt_keep keep;
    unsigned without;  /* corrections, see corrections.h */
    double fail_above; /* what may be slower by how much, as a part; below 0: not asked */
    bool markdown;     /* tables for a comment on a change */
    char **command;    /* behind "--", ending with NULL; NULL: none */
};

/* OUT holds the defaults. The words of the command stay in ARGV. */
enum kt_status kt_compare_options_parse(int argc, char **argv, struct kt_compare_options *out, struct kt_error *error);

/* "1,2,4": different numbers of at least 1. */
enum kt_status kt_thread_counts_parse(const char *text, int *out, size_t *count, struct kt_error *error);

#endif
