/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The short answer: what ran, where its BLAS time goes and why, from a recording, a replay of it, and runs of the
 * program between the rounds of that.
 */
#ifndef KT_EXPLAIN_H
#define KT_EXPLAIN_H

#include "model/decomposition/paired.h"
#include "model/report/known_part.h"
#include "model/report/report.h"

enum { KT_EXPLAIN_PLACES = 5 };

/* A line of the program and a routine that it calls. */
struct kt_explain_place {
    const struct kt_place *place;       /* NULL: not known */
    const struct kt_shape_group *shape; /* the one that takes most */
    size_t shapes;
    double calls, seconds;
    struct kt_paired_sum sum;
};

struct kt_explain {
    const char *trace;       /* path */
    struct kt_report report; /* of the recording */
    struct kt_replayed replayed;
    struct kt_shapes leaves; /* what is explained in the place of the report's shapes, at that level */
    const struct kt_shapes *shapes;
    struct kt_paired_shape *paired; /* by shape; owned */
    size_t pairs;
    bool is_again;         /* pairs are of runs beside the replay, and not the recording itself */
    const char *stopped;   /* why there are no more runs; NULL: nothing did */
    double needed_budget;  /* seconds, where there was no time to run the program again; 0: there was */
    double wall;           /* seconds, the median over the runs */
    double blas;           /* of all places together: recorded calls, each as long as in the median over the runs */
    const json_t *advised; /* what ktrace advise --json printed; NULL: it failed */
    struct kt_paired_sum all;
    struct kt_known_part known[KT_PAIRED_PARTS]; /* what places tell of it */
    struct kt_explain_place *place;              /* most time first; owned */
    size_t places;
};

/* RESULT: the document of the replay, which is taken over. ADVISED: that of ktrace advise, or NULL; it is used until
 * the end. OUT is to be freed also after an error. */
enum kt_status kt_explain_make(char *const *trace, json_t *result, const json_t *advised, enum kt_level level,
                               struct kt_explain *out, struct kt_error *error);
void kt_explain_free(struct kt_explain *explain);

/* At most 24 lines of 80 columns. PAGE: the file for a browser that there is besides, or NULL. */
void kt_explain_print(const struct kt_explain *explain, const char *page);
json_t *kt_explain_json(const struct kt_explain *explain);

#endif
