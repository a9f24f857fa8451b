/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set of models in memory and in its file: what is known of one library on one machine.
 */
#ifndef KT_MODEL_SET_H
#define KT_MODEL_SET_H

#include "model/kernels/piecewise.h"

#include <jansson.h>

/* What was timed at some sizes. */
struct kt_point {
    int64_t size[KT_MODEL_AXES];
    double seconds, noise; /* see struct kt_timed */
    int samples;           /* 0: it could not be timed, SECONDS means nothing */
    bool held_out;         /* tells the error of the model, is never fitted */
    int again;             /* how often it was timed again because of its noise */
    bool is_new;           /* no polynomial was fitted to it as it is now; in no file */
};

/* By how many factors of e the point's sizes differ from these. */
double kt_point_distance(const struct kt_point *point, const int64_t *size, int axes);

/* Relative error at held-out points; n = 0: not known, NAN. */
struct kt_model_error {
    double average, worst, most; /* MOST: 95 % of them are below it */
    double floor;                /* what repeated timings of the same points differ by, on the average */
    int n;
};

enum { KT_LEVELS_MOST = 64 };

struct kt_kernel_model {
    char routine[KT_NAME];
    char options[KT_MODEL_OPTIONS];
    enum kt_model_context context;
    int axes;
    char axis[KT_MODEL_AXES][KT_NAME];
    struct kt_box domain;
    int larger; /* of two sizes, 1 + the axis whose size is not below the other's: no others are known; 0: all are */
    struct kt_region *region; /* owned */
    size_t regions;
    struct kt_crossover crossover; /* product 0: none was found */
    bool is_searched;              /* for one, to the end */
    struct kt_residues residues;
    struct kt_point *point; /* owned */
    size_t points;
    struct kt_model_error error;  /* at multiples of 8 and below 8 */
    struct kt_model_error others; /* at all other sizes */
    double cost;                  /* seconds that its timings took */
    double level[KT_LEVELS_MOST]; /* of each batch, see model/build/model_level.h */
    int levels;
};

struct kt_models {
    char *path;
    char *library, *machine_identity, *library_identity;
    char *table_text; /* the lines of the routines */
    struct kt_table table;
    struct kt_kernel_model *model; /* owned */
    size_t count;
    size_t *bucket; /* by hash of routine, options and context: number of a model + 1, or 0 */
    size_t buckets; /* a power of two */
};

/* An empty set. */
struct kt_models *kt_models_new(const char *path, const char *library, const char *machine_identity,
                                const char *library_identity);

/* Reads the file, whoever's models they are; an error names the file and what is wrong with it. */
enum kt_status kt_models_read(const char *path, struct kt_models **out, struct kt_error *error);
/* The same of what is in a file at that path. */
enum kt_status kt_models_take(const char *path, const json_t *document, struct kt_models **out, struct kt_error *error);
/* Writes it, so that it is there whole or not at all, and the directories that it is in. */
enum kt_status kt_models_write(const struct kt_models *models, struct kt_error *error);

/* Waits until nobody else builds models that are kept in that file's folder; returns a descriptor to be closed in the
 * end, -1: there is no such folder. */
int kt_models_lock(const char *path);

/* Adds the routine's line unless it is there. */
enum kt_status kt_models_add_routine(struct kt_models *models, const struct kt_routine *routine,
                                     struct kt_error *error);
/* The model for that query, a new one without domain if there is none. */
struct kt_kernel_model *kt_models_add(struct kt_models *models, const struct kt_model_query *query,
                                      enum kt_model_context context);
void kt_kernel_model_free(struct kt_kernel_model *model);

/* To be called after models were added or removed, before anything is asked. */
void kt_models_index(struct kt_models *models);

/* The region with a polynomial that holds the sizes; of several the one that is fixed along most axes (kt_box_fixed),
 * of these the first, as ends of boxes belong to both neighbours; NULL: there is none. */
const struct kt_region *kt_kernel_model_region(const struct kt_kernel_model *model, const int64_t *size);
/* Along how many axes a region that holds the sizes is fixed at most, with or without a polynomial. */
int kt_kernel_model_fixed(const struct kt_kernel_model *model, const int64_t *size);

/* One model's answer. Pure. */
void kt_kernel_model_ask(const struct kt_kernel_model *model, const int64_t *size, struct kt_model_answer *out);

#endif
