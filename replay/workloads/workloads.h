/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace compare --workloads: each workload of a directory is compared by ktrace compare, in a process of its own and
 * one after the other, on the same libraries with the same baseline. What the store of results has is not measured
 * again. A workload that cannot be compared is named, and the others go on.
 */
#ifndef KT_WORKLOADS_H
#define KT_WORKLOADS_H

#include "replay/compare/compare_options.h"
#include "replay/compare/lanes.h"
#include "replay/compare/ratio.h"

#include <jansson.h>

/* One workload on one library. */
struct kt_workload_cell {
    double seconds;        /* all calls, as replayed; NAN: not known */
    struct kt_ratio ratio; /* to the baseline, of replayed times; NAN: not known */
    size_t wrong, failed;  /* shapes with wrong results, and those that it cannot run */
    size_t unfinished;     /* shapes whose results could not be looked at, as they took too long */
};

struct kt_workload_row {
    char *path;       /* owned */
    const char *name; /* its end, without .ktw; its length is NAME_LENGTH */
    int name_length;
    char *why;    /* it could not be compared, with PATH; NULL: it was; owned */
    int exit;     /* status of the comparison */
    json_t *said; /* by ktrace compare --json; NULL: nothing; owned */
    struct kt_workload_cell cell[KT_MOST_LANES];
};

/* A library with a number of threads, in all workloads. */
struct kt_workload_lane {
    char label[KT_LANE_LABEL];
    struct kt_ratio mean; /* geometric, of the workloads that have a ratio */
    size_t workloads;     /* how many those are */
};

struct kt_workloads {
    const struct kt_compare_options *options;
    struct kt_workload_row *row; /* by name; owned */
    size_t rows, compared;
    size_t reused;                               /* of those that were compared: all their times come from the store */
    struct kt_workload_lane lane[KT_MOST_LANES]; /* the baseline first */
    size_t lanes;
    double budget; /* seconds, for each of them */
    double spent;  /* seconds of measuring */
};

/* WORDS: "compare" and the options for each of them, but for baseline, libraries, budget and form of the output. OUT is
 * to be freed also after an error. */
struct kt_words;
enum kt_status kt_workloads_compare(const struct kt_compare_options *options, const struct kt_words *words,
                                    struct kt_workloads *out, struct kt_error *error);
void kt_workloads_free(struct kt_workloads *workloads);

/* The largest exit status of the comparisons. */
int kt_workloads_status(const struct kt_workloads *workloads);

json_t *kt_workloads_json(const struct kt_workloads *workloads);
void kt_workloads_print(const struct kt_workloads *workloads);    /* for a screen */
void kt_workloads_markdown(const struct kt_workloads *workloads); /* for a comment on a change */

#endif
