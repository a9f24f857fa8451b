/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/prediction_setup.h"

#include "model/predict/model_costs.h"
#include "replay/setup/timing.h"
#include "trace/command/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- lists of sizes ---------------------------------------------------------------------------------------- */

static const double most_size = 1 << 26;

/* A positive whole number from *AT on, which moves behind it; 0: there is none. */
static double read_size(const char **at)
{
    size_t digits = strspn(*at, "0123456789");
    double value = digits && digits < 10 ? strtod(*at, NULL) : 0;
    *at += digits;
    return value <= most_size ? value : 0;
}

/* One of FROM, FROM:TO and FROM:TO:STEP. */
static bool read_range(const char **at, struct kt_sizes *out)
{
    double from = read_size(at);
    double to = from;
    double step = 1;
    if (**at == ':') {
        ++*at;
        to = read_size(at);
        step = **at == ':' ? (++*at, read_size(at)) : 1;
    }
    if (!(from > 0) || !(to >= from) || !(step > 0) || (to - from) / step >= KT_MOST_SIZES - out->count)
        return false;
    for (double size = from; size <= to; size += step)
        out->size[out->count++] = size;
    return true;
}

enum kt_status kt_sizes_parse(const char *text, const char *name, struct kt_sizes *out, struct kt_error *error)
{
    const char *at = text;
    out->count = 0;
    bool fine = read_range(&at, out);
    while (fine && *at == ',') {
        at++;
        fine = read_range(&at, out);
    }
    return fine && !*at ? KT_OK
                        : kt_fail(error, KT_USAGE, "--%s %s: expected sizes such as 100,500 or 8:256:8, %d at most",
                                  name, text, KT_MOST_SIZES);
}

enum kt_status kt_sizes_single(const struct kt_sizes *sizes, const char *name, struct kt_error *error)
{
    return sizes->count < 2 ? KT_OK : kt_fail(error, KT_USAGE, "--%s takes one size here, not %d", name, sizes->count);
}

/* --- options ----------------------------------------------------------------------------------------------- */

enum kt_status kt_prediction_take_cache(const struct kt_verb_option *option, const char *value, void *out,
                                        struct kt_error *error)
{
    static const char units[] = "kMG";
    char *end;
    double *bytes = out;
    *bytes = strtod(value, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit)
        *bytes *= pow(1024, (double)(unit - units + 1));
    return *bytes >= 4096 && *bytes < 1e13 && (!*end || (unit && !end[1]))
               ? KT_OK
               : kt_fail(error, KT_USAGE, "--%s %s: expected bytes, such as 25M", option->name, value);
}

enum kt_status kt_prediction_take_setting(const struct kt_verb_option *option, const char *value, void *options,
                                          struct kt_error *error)
{
    struct kt_prediction_options *out = options;
    size_t length = strcspn(value, "=");
    char *end = NULL;
    double number = value[length] ? strtod(value + length + 1, &end) : NAN;
    if (!length || length >= KT_NAME || !end || *end || end == value + length + 1 || out->sets == KT_MOST_SETTINGS)
        return kt_fail(error, KT_USAGE, "--%s %s: expected NAME=NUMBER, a parameter of the algorithm, such as nx=0",
                       option->name, value);
    snprintf(out->set[out->sets].name, KT_NAME, "%.*s", (int)length, value);
    out->set[out->sets++].value = number;
    return KT_OK;
}

enum { MOST_ROUNDS = 100000 };

enum kt_status kt_prediction_take_budget(const struct kt_verb_option *option, const char *value, void *out,
                                         struct kt_error *error)
{
    char *end;
    double *number = out;
    *number = strtod(value, &end);
    return *end || end == value || !(*number > 0) || *number > 1e6
               ? kt_fail(error, KT_USAGE, "--%s %s: expected a positive number", option->name, value)
               : KT_OK;
}

enum kt_status kt_prediction_take_top(const struct kt_verb_option *option, const char *value, void *out,
                                      struct kt_error *error)
{
    double number;
    KT_TRY(kt_prediction_take_budget(option, value, &number, error));
    *(size_t *)out = (size_t)ceil(number);
    return KT_OK;
}

enum kt_status kt_prediction_take_rounds(const struct kt_verb_option *option, const char *value, void *out,
                                         struct kt_error *error)
{
    size_t rounds;
    KT_TRY(kt_prediction_take_top(option, value, &rounds, error));
    if (rounds > MOST_ROUNDS)
        return kt_fail(error, KT_USAGE, "--%s %s: more than %d", option->name, value, MOST_ROUNDS);
    *(int *)out = (int)rounds;
    return KT_OK;
}

enum kt_status kt_prediction_take_sizes(const struct kt_verb_option *option, const char *value, void *out,
                                        struct kt_error *error)
{
    return kt_sizes_parse(value, option->name, out, error);
}

enum kt_status kt_prediction_take_algorithm(const struct kt_verb_option *option, const char *value, void *options,
                                            struct kt_error *error)
{
    struct kt_prediction_options *out = options;
    (void)option;
    if (out->algorithms == sizeof out->algorithm / sizeof *out->algorithm)
        return kt_fail(error, KT_USAGE, "more than %d algorithms", out->algorithms);
    out->algorithm[out->algorithms++] = value;
    return KT_OK;
}

enum kt_status kt_prediction_refuse_idle(const struct kt_prediction_options *o, struct kt_error *error)
{
    if ((o->rounds || o->budget > 0) && !o->measure)
        return kt_fail(error, KT_USAGE, "--rounds and --budget are of what --measure runs");
    return o->level == KT_LEAVES ? kt_fail(error, KT_USAGE, "--level is for traces") : KT_OK;
}

/* The picture gets its size when it is known what is in it. */
enum kt_status kt_prediction_take_plot(const struct kt_verb_option *option, const char *value, void *out,
                                       struct kt_error *error)
{
    (void)option;
    return kt_picture_name(value, 0, 0, out, error);
}

/* --- models and caches ------------------------------------------------------------------------------------- */

enum kt_status kt_prediction_open(const struct kt_prediction_options *options, const struct kt_trace *trace,
                                  struct kt_prediction_setup *out, struct kt_error *error)
{
    const char *blas = options->blas || trace ? options->blas : "openblas";
    const struct kt_models_of of = {options->models, blas, trace, 0, options->force};
    *out = (struct kt_prediction_setup){.rules.combination = options->combine};
    snprintf(out->blas, sizeof out->blas, "%s", blas ? blas : "");
    KT_TRY(kt_models_open(&of, &out->models, error));
    KT_TRY(kt_prediction_caches(options->cache, &out->rules, &out->caches, error));
    out->rules.source = kt_costs_of_models;
    out->rules.context = out->models;
    return KT_OK;
}

void kt_prediction_close(struct kt_prediction_setup *setup)
{
    kt_models_close(setup->models);
}

void kt_prediction_describe(const struct kt_prediction_setup *setup, json_t *document)
{
    const struct kt_prediction_rules *rules = &setup->rules;
    json_t *caches = json_array();
    for (unsigned i = 0; i < rules->caches.count; i++)
        json_array_append_new(caches, json_integer((json_int_t)rules->caches.cache[i].bytes));
    json_object_set_new(document, "library", kt_json_text(kt_models_library(setup->models)));
    json_object_set_new(document, "machine", kt_models_machine(setup->models));
    json_object_set_new(document, "samples", json_integer((json_int_t)kt_models_samples(setup->models)));
    json_object_set_new(document, "combination", json_string(rules->combination == KT_BY_LEVEL ? "level" : "paper"));
    json_object_set_new(document, "caches", caches);
    json_object_set_new(document, "caches_known", json_string(setup->caches));
    json_object_set_new(document, "interrupted", json_boolean(kt_timing_interrupted()));
}

static void print_bytes(uint64_t bytes)
{
    if (bytes < 1 << 20)
        printf("%.4g KiB", (double)bytes / 1024);
    else
        printf("%.4g MiB", (double)bytes / (1 << 20));
}

void kt_prediction_print_setup(const struct kt_prediction_setup *setup)
{
    const struct kt_caches *caches = &setup->rules.caches;
    printf("models     of %s\ncaches     ", kt_models_library(setup->models));
    for (unsigned i = 0; i < caches->count; i++) {
        print_bytes(caches->cache[i].bytes);
        printf(", ");
    }
    printf("%s\n", setup->caches);
}

/* --- parameters -------------------------------------------------------------------------------------------- */

static void set_parameter(const struct kt_algorithm *a, const char *name, double value, double *out)
{
    int i = kt_algorithm_parameter(a, name);
    if (i >= 0 && value > 0)
        out[i] = value;
}

enum kt_status kt_parameters_of(const struct kt_algorithm *algorithm, const struct kt_prediction_options *options,
                                double m, double n, double b, double out[KT_MOST_PARAMETERS], struct kt_error *error)
{
    for (int i = 0; i < kt_algorithm_parameters(algorithm); i++)
        out[i] = kt_algorithm_default(algorithm, i);
    set_parameter(algorithm, "n", n, out);
    set_parameter(algorithm, "m", m > 0 ? m : n, out);
    set_parameter(algorithm, "b", b, out);
    for (int i = 0; i < options->sets; i++) {
        int parameter = kt_algorithm_parameter(algorithm, options->set[i].name);
        if (parameter < 0)
            return kt_fail(error, KT_USAGE, "--set %s: the algorithm %s has no such parameter", options->set[i].name,
                           kt_algorithm_name(algorithm));
        out[parameter] = options->set[i].value;
    }
    return KT_OK;
}
