/* SPDX-License-Identifier: BSD-3-Clause */
/* What the verbs that predict have in common: their options, the models and caches that these mean, lists of sizes. */
#ifndef KT_PREDICTION_SETUP_H
#define KT_PREDICTION_SETUP_H

#include "model/algorithm/algorithm.h"
#include "model/kernels/kernel_models.h"
#include "model/predict/prediction.h"

#include <jansson.h>

enum { KT_MOST_SIZES = 512, KT_MOST_SETTINGS = 8 };

struct kt_sizes {
    double size[KT_MOST_SIZES];
    int count;
};

/* Options. Zeros are the defaults. */
struct kt_prediction_options {
    const char *blas, *models; /* library; file of models */
    bool force, json, leaves, by_level, measure, pace;
    double cache;  /* bytes of the last one, 0: as known */
    double budget; /* seconds for measuring */
    size_t top;    /* rows, 0: the default */
    int rounds;
    const char *output; /* folder of plots */
    const char *algorithm[16];
    int algorithms;
    struct kt_sizes m, n, b;
    struct {
        char name[KT_NAME];
        double value;
    } set[KT_MOST_SETTINGS];
    int sets;
};

/* Takes the option of that letter with its value into OPTIONS, a struct kt_prediction_options; an error says what was
 * expected. */
enum kt_status kt_prediction_option(int letter, const char *value, void *options, struct kt_error *error);

/* An error for options that nothing would obey: rounds and a budget where nothing is measured, and levels, of which
 * algorithms have one. */
enum kt_status kt_prediction_refuse_idle(const struct kt_prediction_options *options, struct kt_error *error);

/* "64", "100,500", "8:256:8" (from, to, step): positive whole numbers. NAME is for messages. */
enum kt_status kt_sizes_parse(const char *text, const char *name, struct kt_sizes *out, struct kt_error *error);

/* An error if there are several. */
enum kt_status kt_sizes_single(const struct kt_sizes *sizes, const char *name, struct kt_error *error);

struct kt_prediction_setup {
    struct kt_models *models;
    struct kt_prediction_rules rules;
    const char *caches; /* how they are known */
    char blas[4096];    /* for measuring: the library as it was asked for */
};

/* TRACE may be NULL if a library is named. To be closed also after an error. */
enum kt_status kt_prediction_open(const struct kt_prediction_options *options, const struct kt_trace *trace,
                                  struct kt_prediction_setup *out, struct kt_error *error);
void kt_prediction_close(struct kt_prediction_setup *setup);

/* {"library", "combination", "caches": [bytes...], "caches_known", "interrupted"}, added to a document; and the same as
 * a line. */
void kt_prediction_describe(const struct kt_prediction_setup *setup, json_t *document);
void kt_prediction_print_setup(const struct kt_prediction_setup *setup);

/* The parameters of an algorithm: defaults, then M, N, B where they are positive (m is n unless given), then settings;
 * an error for a setting that it does not have. */
enum kt_status kt_parameters_of(const struct kt_algorithm *algorithm, const struct kt_prediction_options *options,
                                double m, double n, double b, double out[KT_MOST_PARAMETERS], struct kt_error *error);

#endif
