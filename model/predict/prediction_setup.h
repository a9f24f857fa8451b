/* SPDX-License-Identifier: BSD-3-Clause */
/* What the verbs that predict have in common: their options, the models and caches that these mean, lists of sizes. */
#ifndef KT_PREDICTION_SETUP_H
#define KT_PREDICTION_SETUP_H

#include "model/algorithm/algorithm.h"
#include "model/kernels/kernel_models.h"
#include "model/predict/prediction.h"
#include "trace/command/verb.h"
#include "trace/print/gnuplot.h"
#include "trace/shape/shape.h"

#include <jansson.h>

enum { KT_MOST_SIZES = 512, KT_MOST_SETTINGS = 8 };

struct kt_sizes {
    double size[KT_MOST_SIZES];
    int count;
};

/* Options. Zeros are the defaults. */
struct kt_prediction_options {
    const char *blas, *models; /* library; file of models */
    bool force, json, measure, pace;
    enum kt_level level;
    enum kt_combination combine;
    double cache;  /* bytes of the last one, 0: as known */
    double budget; /* seconds for measuring */
    size_t top;    /* rows, 0: the default */
    int rounds;
    struct kt_picture picture; /* path "": none */
    const char *algorithm[16];
    int algorithms;
    struct kt_sizes m, n, b;
    struct {
        char name[KT_NAME];
        double value;
    } set[KT_MOST_SETTINGS];
    int sets;
};

/* Rows of the options that several of these verbs have: all of those that predict, and those of algorithms. */
kt_verb_taker kt_prediction_take_cache, kt_prediction_take_setting, kt_prediction_take_budget, kt_prediction_take_top,
    kt_prediction_take_rounds, kt_prediction_take_sizes, kt_prediction_take_algorithm, kt_prediction_take_plot;
#define KT_PREDICTION_MEMBER(member) offsetof(struct kt_prediction_options, member)
#define KT_PREDICTION_OPTIONS                                                                               \
    {"blas", 0, "LIB", "whose models: a path, a soname or a short name; default: as recorded, or openblas", \
     KT_VERB_TEXT(struct kt_prediction_options, blas)},                                                     \
        {KT_MODEL_FILE(struct kt_prediction_options, models)},                                              \
        {"force", 0, NULL, "also use models of another machine, or of another build of the library",        \
         KT_VERB_FLAG(struct kt_prediction_options, force)},                                                \
        {"combine", 0, "paper|level",                                                                       \
         "paper: operands are in a cache or in memory (default); level: each cache level has its own time", \
         KT_VERB_CHOICE(struct kt_prediction_options, combine)},                                            \
        {"cache",                                                                                           \
         0,                                                                                                 \
         "BYTES",                                                                                           \
         "size of the last cache; default: as probed, or as the system says",                               \
         kt_prediction_take_cache,                                                                          \
         KT_PREDICTION_MEMBER(cache)},                                                                      \
        {"plot",                                                                                            \
         'o',                                                                                               \
         "FILE.svg|png|pdf",                                                                                \
         "a picture of it; its script and data (CSV) beside it",                                            \
         kt_prediction_take_plot,                                                                           \
         KT_PREDICTION_MEMBER(picture)},                                                                    \
        {KT_VERB_JSON(struct kt_prediction_options, json)},                                                 \
    {                                                                                                       \
        KT_VERB_CSV(struct kt_prediction_options, json)                                                     \
    }
#define KT_ALGORITHM_SETTING                                                                                       \
    {                                                                                                              \
        "set", 0, "NAME=NUMBER", "another parameter of the algorithm, such as nx=0", kt_prediction_take_setting, 0 \
    }
#define KT_ALGORITHM_OPTIONS(default_rounds, default_seconds)                                                     \
    {"n", 0, "LIST", "columns, such as 1000 or 100:3000:100", kt_prediction_take_sizes, KT_PREDICTION_MEMBER(n)}, \
        {"m", 0, "N", "rows; default as many as columns", kt_prediction_take_sizes, KT_PREDICTION_MEMBER(m)},     \
        KT_ALGORITHM_SETTING,                                                                                     \
        {"measure", 0, NULL, "also run it on that library: measured beside predicted times",                      \
         KT_VERB_FLAG(struct kt_prediction_options, measure)},                                                    \
        {"rounds",                                                                                                \
         0,                                                                                                       \
         "N",                                                                                                     \
         "rounds of measuring; default " default_rounds,                                                          \
         kt_prediction_take_rounds,                                                                               \
         KT_PREDICTION_MEMBER(rounds)},                                                                           \
    {                                                                                                             \
        "budget", 0, "SECONDS", "seconds of measuring for each size; default " default_seconds,                   \
            kt_prediction_take_budget, KT_PREDICTION_MEMBER(budget)                                               \
    }

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

/* {"library", "machine", "samples", "combination", "caches": [bytes...], "caches_known", "interrupted"}, added to a
 * document; and part of that as a line. */
void kt_prediction_describe(const struct kt_prediction_setup *setup, json_t *document);
void kt_prediction_print_setup(const struct kt_prediction_setup *setup);

/* The parameters of an algorithm: defaults, then M, N, B where they are positive (m is n unless given), then settings;
 * an error for a setting that it does not have. */
enum kt_status kt_parameters_of(const struct kt_algorithm *algorithm, const struct kt_prediction_options *options,
                                double m, double n, double b, double out[KT_MOST_PARAMETERS], struct kt_error *error);

#endif
