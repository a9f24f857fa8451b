/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace model tune: the best block size of a routine of LAPACK, from models of the kernels that it calls. Which calls
 * these are for every block size follows from the algorithm that examples/algorithms has for the routine.
 */
#include "model/predict/applies.h"
#include "trace/command/document.h"
#include "model/verbs/model_verbs.h"
#include "trace/table/known.h"
#include "model/predict/predicted.h"
#include "model/predict/prediction_plot.h"
#include "model/predict/tuning.h"
#include "replay/setup/timing.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>

/* Block sizes of one problem size. */
struct curve {
    double m, n;
    struct kt_choice *choice;
    int choices;
    int best;             /* by prediction, -1: none */
    int fastest;          /* measured, -1: not measured */
    struct kt_stat ratio; /* fastest over best */
};

struct tuning {
    const struct kt_prediction_options *options;
    struct kt_prediction_setup setup;
    const char *routine;
    struct kt_algorithm *algorithm;
    struct curve *curve;
    int curves;
    struct kt_sizes missing; /* n of which nothing can be predicted */
    enum kt_applies applies;
    char file[PATH_MAX];
};

/* --- the algorithm ----------------------------------------------------------------------------------------- */

static enum kt_status find_algorithm(struct tuning *t, struct kt_error *error)
{
    if (t->options->algorithms) {
        KT_TRY(kt_algorithm_find(t->options->algorithm[0], &t->algorithm, error));
        const char *routine = kt_algorithm_routine(t->algorithm);
        if (kt_algorithm_parameter(t->algorithm, "b") < 0)
            return kt_fail(error, KT_USAGE, "%s has no parameter b: there is no block size to choose",
                           kt_algorithm_name(t->algorithm));
        return !*routine || !strcmp(routine, t->routine)
                   ? KT_OK
                   : kt_fail(error, KT_USAGE, "%s is what %s does, not %s", kt_algorithm_name(t->algorithm), routine,
                             t->routine);
    }
    for (size_t i = 0; kt_known_algorithm(i); i++) {
        KT_TRY(kt_algorithm_parse(kt_known_algorithm(i), "examples/algorithms", &t->algorithm, error));
        if (!strcmp(kt_algorithm_routine(t->algorithm), t->routine))
            return KT_OK;
        kt_algorithm_free(t->algorithm);
        t->algorithm = NULL;
    }
    return kt_fail(
        error, KT_USAGE,
        "%s: no algorithm is known for it; known are dgeqrf, dpotrf, dgetrf, dtrtri and dlauum, others can be "
        "written down (--algorithm FILE)",
        t->routine);
}

/* --- curves ------------------------------------------------------------------------------------------------ */

/* 1 stands for code without blocks, and so would all that are not smaller than the matrix. */
static struct kt_sizes block_sizes(const struct kt_prediction_options *o, double n)
{
    struct kt_sizes out = {.size = {1}, .count = 1};
    struct kt_sizes given = o->b;
    struct kt_error error = {0};
    if (!given.count)
        kt_sizes_parse("8:256:8", "b", &given, &error);
    for (int i = 0; i < given.count && out.count < KT_MOST_SIZES; i++)
        if (given.size[i] > 1 && given.size[i] < n)
            out.size[out.count++] = given.size[i];
    return out;
}

static enum kt_status predict_curve(struct tuning *t, struct curve *c, struct kt_error *error)
{
    struct kt_sizes b = block_sizes(t->options, fmin(c->m > 0 ? c->m : c->n, c->n));
    c->choice = kt_resize(NULL, (size_t)b.count, sizeof *c->choice);
    for (int i = 0; i < b.count; i++) {
        struct kt_choice *choice = &c->choice[c->choices++];
        *choice = (struct kt_choice){.algorithm = t->algorithm, .value = b.size[i]};
        KT_TRY(kt_parameters_of(t->algorithm, t->options, c->m, c->n, b.size[i], choice->parameter, error));
        KT_TRY(kt_choice_predict(&t->setup, choice, error));
    }
    c->best = kt_choice_best(c->choice, c->choices);
    if (!t->options->measure || c->best < 0)
        return KT_OK;
    return kt_choices_tournament(t->options, &t->setup, c->choice, c->choices, c->best, &c->fastest, &c->ratio, error);
}

static void say_missing(const struct tuning *t, const struct curve *c, struct kt_error *error)
{
    char m[32] = "";
    const char *missing = kt_choice_missing(&c->choice[c->choices - 1]);
    if (c->m > 0)
        snprintf(m, sizeof m, " --m %.0f", c->m);
    kt_fail(error, KT_BAD_INPUT,
            "n = %.0f: no block size can be predicted, there is no model of %s for such sizes: 'ktrace model build "
            "--blas %s --algorithm %s --n %.0f%s --b 8,64,256' makes what is missing",
            c->n, missing ? missing : "its kernels", t->setup.blas,
            t->options->algorithms ? t->options->algorithm[0] : kt_algorithm_name(t->algorithm), c->n, m);
}

static void drop_last(struct tuning *t)
{
    struct curve *last = &t->curve[--t->curves];
    kt_choices_free(last->choice, last->choices);
}

/* Sizes of which nothing can be predicted are left out, unless these are all. */
static enum kt_status predict_curves(struct tuning *t, struct kt_error *error)
{
    const struct kt_prediction_options *o = t->options;
    t->curve = kt_resize(NULL, (size_t)o->n.count, sizeof *t->curve);
    for (int i = 0; i < o->n.count && !kt_timing_interrupted(); i++) {
        struct curve *c = &t->curve[t->curves++];
        *c = (struct curve){.m = o->m.count ? o->m.size[0] : 0, .n = o->n.size[i], .best = -1, .fastest = -1};
        enum kt_status status = predict_curve(t, c, error);
        if (status == KT_OK && c->best < 0)
            say_missing(t, c, error);
        if (c->best < 0)
            drop_last(t);
        if (status != KT_OK || (t->curves == 0 && i + 1 == o->n.count))
            return error->status;
        if (c->best >= 0)
            continue;
        kt_notice("model tune: %s", error->text);
        *error = (struct kt_error){0};
        t->missing.size[t->missing.count++] = o->n.size[i];
    }
    return KT_OK;
}

/* --- output ------------------------------------------------------------------------------------------------ */

static json_t *choice_json(const struct kt_choice *choice)
{
    json_t *out = json_object();
    json_object_set_new(out, "value", kt_json_number(choice->value));
    bool whole = kt_choice_is_whole(choice);
    json_object_set_new(out, "predicted", whole ? kt_cost_json(&choice->prediction.cost) : json_null());
    json_object_set_new(out, "warm", kt_json_number(whole ? choice->prediction.warm : NAN));
    json_object_set_new(out, "cold", kt_json_number(whole ? choice->prediction.cold : NAN));
    json_object_set_new(out, "calls_not_predicted", json_integer((json_int_t)choice->prediction.unknown));
    if (choice->run.rounds) {
        struct kt_stat stat = kt_candidate_stat(&choice->run);
        json_object_set_new(out, "measured", kt_json_stat(&stat));
    }
    return out;
}

static json_t *curve_json(const struct curve *c)
{
    json_t *out = json_object();
    json_t *curve = json_array();
    for (int i = 0; i < c->choices; i++)
        json_array_append_new(curve, choice_json(&c->choice[i]));
    json_object_set_new(out, "n", kt_json_number(c->n));
    json_object_set_new(out, "m", kt_json_number(c->m > 0 ? c->m : c->n));
    json_object_set_new(out, "best", kt_json_number(c->choice[c->best].value));
    if (c->fastest >= 0) {
        json_object_set_new(out, "fastest", kt_json_number(c->choice[c->fastest].value));
        json_object_set_new(out, "fastest_over_best", kt_json_stat(&c->ratio));
    }
    json_object_set_new(out, "curve", curve);
    return out;
}

/* What the block size would have been without us. NAN: there is none. */
static double standard_of(const struct kt_algorithm *a)
{
    int b = kt_algorithm_parameter(a, "b");
    return b < 0 ? NAN : kt_algorithm_default(a, b);
}

static json_t *document_of(const struct tuning *t)
{
    static const char *const applies[] = {"yes", "no", "unknown"};
    json_t *out = curve_json(&t->curve[0]);
    json_t *curves = json_array();
    for (int i = 0; i < t->curves; i++)
        json_array_append_new(curves, curve_json(&t->curve[i]));
    json_object_set_new(out, "routine", kt_json_text(t->routine));
    json_object_set_new(out, "default", kt_json_number(standard_of(t->algorithm)));
    json_object_set_new(out, "block_size_matters", json_string(applies[t->applies]));
    json_object_set_new(out, "curves", curves);
    json_t *missing = json_array();
    for (int i = 0; i < t->missing.count; i++)
        json_array_append_new(missing, json_integer((json_int_t)t->missing.size[i]));
    json_object_set_new(out, "not_predicted", missing);
    kt_prediction_describe(&t->setup, out);
    return out;
}

static bool is_within(const struct kt_choice *choice, double most)
{
    return kt_choice_is_whole(choice) && choice->prediction.cost.seconds <= most;
}

/* Block sizes that are predicted to be within a hundredth of the best. */
static void plateau_text(const struct curve *c, char *out, size_t size)
{
    double most = 1.01 * c->choice[c->best].prediction.cost.seconds;
    int first = c->best;
    int last = c->best;
    while (first > 0 && is_within(&c->choice[first - 1], most))
        first--;
    while (last + 1 < c->choices && is_within(&c->choice[last + 1], most))
        last++;
    snprintf(out, size, first == last ? "%.0f" : "%.0f to %.0f", c->choice[first].value, c->choice[last].value);
}

static const struct kt_choice *standard_choice(const struct curve *c, const struct kt_algorithm *a)
{
    for (int i = 0; i < c->choices; i++)
        if (c->choice[i].value == standard_of(a))
            return &c->choice[i];
    return NULL;
}

static void print_curve_row(const struct tuning *t, const struct curve *c, struct kt_text_table *table)
{
    char text[7][32];
    const struct kt_choice *best = &c->choice[c->best];
    const struct kt_choice *standard = standard_choice(c, t->algorithm);
    snprintf(text[0], sizeof text[0], "%.0f", c->n);
    snprintf(text[1], sizeof text[1], best->value > 1 ? "%.0f" : "1 (no blocks)", best->value);
    plateau_text(c, text[2], sizeof text[2]);
    kt_text_seconds(best->prediction.cost.seconds, text[3]);
    snprintf(text[4], sizeof text[4], "n/a");
    if (standard && kt_choice_is_whole(standard))
        snprintf(text[4], sizeof text[4], "%+.1f %%",
                 100 * (standard->prediction.cost.seconds / best->prediction.cost.seconds - 1));
    snprintf(text[5], sizeof text[5], "n/a");
    snprintf(text[6], sizeof text[6], "n/a");
    if (c->fastest >= 0) {
        snprintf(text[5], sizeof text[5], "%.0f", c->choice[c->fastest].value);
        snprintf(text[6], sizeof text[6], "%.1f %%", 100 * c->ratio.median);
    }
    const char *cell[] = {text[0], text[1], text[2], text[3], text[4], text[5], text[6]};
    kt_text_table_row(table, cell);
}

/* The best of some is not the best of all. */
static void print_left_out(const struct curve *c)
{
    int whole = 0;
    const char *missing = NULL;
    for (int i = 0; i < c->choices; i++) {
        whole += kt_choice_is_whole(&c->choice[i]);
        missing = missing ? missing : kt_choice_missing(&c->choice[i]);
    }
    if (whole < c->choices)
        printf("n = %-6.0f best of the %d of %d block sizes that models know%s%s\n", c->n, whole, c->choices,
               missing ? "; missing for others: " : "", missing ? missing : "");
}

static void print_advice(const struct tuning *t)
{
    const struct curve *last = &t->curve[t->curves - 1];
    if (t->applies == KT_APPLIES_NOT)
        printf("no effect  %s has a %s of its own, which asks nobody for a block size\n", t->file, t->routine);
    else
        printf("to apply   ktrace run --block-size %s=%.0f -- PROGRAM\n", t->routine, last->choice[last->best].value);
}

static void print_tuning(const struct tuning *t)
{
    static const struct kt_column column[] = {
        {"n", true, false},         {"best b", true, false},    {"within 1 %", true, false}, {"predicted", true, false},
        {"default b", true, false}, {"fastest b", true, false}, {"its time", true, false}};
    struct kt_text_table *table = kt_text_table_new(column, t->options->measure ? 7 : 5);
    for (int i = 0; i < t->curves; i++)
        print_curve_row(t, &t->curve[i], table);
    kt_text_table_print(table);
    kt_text_table_free(table);
    printf("\n");
    for (int i = 0; i < t->curves; i++)
        print_left_out(&t->curve[i]);
    print_advice(t);
    kt_prediction_print_setup(&t->setup);
}

static enum kt_status tell(const struct tuning *t, struct kt_error *error)
{
    json_t *document = document_of(t);
    const struct kt_picture *picture = &t->options->picture;
    enum kt_status status = *picture->path ? kt_plot_tuning(document, picture, error) : KT_OK;
    if (t->options->json)
        kt_document_print(&kt_document_model_tune, document);
    else {
        print_tuning(t);
        json_decref(document);
    }
    return status;
}

/* --- the verb ---------------------------------------------------------------------------------------------- */

/* What was predicted and measured is told, also where a size could not be measured. */
static enum kt_status tune(struct tuning *t, struct kt_error *error)
{
    KT_TRY(find_algorithm(t, error));
    KT_TRY(kt_prediction_open(t->options, NULL, &t->setup, error));
    KT_TRY(kt_block_size_applies(t->setup.blas, t->routine, &t->applies, t->file, error));
    enum kt_status status = predict_curves(t, error);
    struct kt_error untold = {0};
    if (!t->curves || tell(t, &untold) == KT_OK || status != KT_OK)
        return status;
    *error = untold;
    return untold.status;
}

const struct kt_verb_option kt_model_tune_options[] = {
    KT_PREDICTION_OPTIONS,
    {"algorithm", 0, "FILE", "what the routine does; default: as LAPACK 3.11 does it", kt_prediction_take_algorithm, 0},
    KT_ALGORITHM_OPTIONS("21", "20"),
    {"b", 0, "LIST", "block sizes to choose from; default 1 (none) and 8:256:8", kt_prediction_take_sizes,
     KT_PREDICTION_MEMBER(b)},
    {0},
};

static enum kt_status parse(int argc, char **argv, struct kt_prediction_options *o, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, kt_model_tune_options, o, error));
    KT_TRY(kt_sizes_single(&o->m, "m", error));
    if (o->algorithms > 1)
        return kt_fail(error, KT_USAGE, "one algorithm at a time; 'ktrace model rank' compares several");
    for (int i = 0; i < o->sets; i++)
        if (!strcmp(o->set[i].name, "b"))
            return kt_fail(error, KT_USAGE, "--set b=...: the block size is what is looked for, --b names some");
    KT_TRY(kt_prediction_refuse_idle(o, error));
    if (argc - optind != 1 || !*argv[optind])
        return kt_fail(error, KT_USAGE, "which routine? one of dgeqrf, dpotrf, dgetrf, dtrtri, dlauum");
    return o->n.count ? KT_OK : kt_fail(error, KT_USAGE, "which sizes? --n 1000, or --n 100:3000:100");
}

int kt_model_tune(int argc, char **argv)
{
    struct kt_error error = {0};
    struct kt_prediction_options options = {0};
    struct tuning t = {.options = &options};
    if (parse(argc, argv, &options, &error) != KT_OK)
        return kt_verb_usage(argv[0], "%s", error.text);
    t.routine = argv[optind];
    enum kt_status status = tune(&t, &error);
    for (int i = 0; i < t.curves; i++)
        kt_choices_free(t.curve[i].choice, t.curve[i].choices);
    free(t.curve);
    kt_prediction_close(&t.setup);
    kt_algorithm_free(t.algorithm);
    if (status != KT_OK)
        return kt_verb_fail(argv[0], &error);
    return kt_verb_status(kt_timing_interrupted());
}
