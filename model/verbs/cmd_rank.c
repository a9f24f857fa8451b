/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace model rank: algorithms of one operation in the order of their predicted times. Of several block sizes each
 * algorithm has the one that is best for it.
 */
#include "model/verbs/model_verbs.h"
#include "trace/command/document.h"
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

enum { MOST_ALGORITHMS = 32 };

struct ranking {
    const struct kt_prediction_options *options;
    struct kt_prediction_setup setup;
    struct kt_algorithm *algorithm[MOST_ALGORITHMS];
    int algorithms;
    int ranked; /* sizes of which at least one is predicted */
    json_t *orders;
};

/* --- algorithms -------------------------------------------------------------------------------------------- */

static enum kt_status add(struct ranking *r, struct kt_algorithm *a, struct kt_error *error)
{
    r->algorithm[r->algorithms++] = a;
    return r->algorithms < MOST_ALGORITHMS ? KT_OK
                                           : kt_fail(error, KT_USAGE, "more than %d algorithms", MOST_ALGORITHMS - 1);
}

/* All that come with the command and do that operation. */
static enum kt_status add_operation(struct ranking *r, const char *operation, struct kt_error *error)
{
    for (size_t i = 0; kt_known_algorithm(i); i++) {
        struct kt_algorithm *a;
        KT_TRY(kt_algorithm_parse(kt_known_algorithm(i), "examples/algorithms", &a, error));
        if (strcmp(kt_algorithm_operation(a), operation) != 0)
            kt_algorithm_free(a);
        else
            KT_TRY(add(r, a, error));
    }
    return KT_OK;
}

static enum kt_status add_named(struct ranking *r, const char *name, struct kt_error *error)
{
    struct kt_algorithm *a;
    int before = r->algorithms;
    KT_TRY(add_operation(r, name, error));
    if (r->algorithms > before)
        return KT_OK;
    enum kt_status status = kt_algorithm_find(name, &a, error);
    if (status == KT_OK)
        return add(r, a, error);
    kt_algorithm_free(a);
    return status;
}

static enum kt_status add_all(struct ranking *r, int argc, char **argv, struct kt_error *error)
{
    for (int i = 0; i < r->options->algorithms; i++)
        KT_TRY(add_named(r, r->options->algorithm[i], error));
    for (int i = optind; i < argc; i++)
        KT_TRY(add_named(r, argv[i], error));
    return r->algorithms > 1 ? KT_OK : kt_fail(error, KT_USAGE, "there is only one algorithm: nothing to rank");
}

/* --- one size ---------------------------------------------------------------------------------------------- */

static enum kt_status predict_one(struct ranking *r, int algorithm, double n, double b, struct kt_choice *out,
                                  struct kt_error *error)
{
    const struct kt_algorithm *a = r->algorithm[algorithm];
    int parameter = kt_algorithm_parameter(a, "b");
    *out = (struct kt_choice){.algorithm = a};
    KT_TRY(
        kt_parameters_of(a, r->options, r->options->m.count ? r->options->m.size[0] : 0, n, b, out->parameter, error));
    out->value = parameter < 0 ? NAN : out->parameter[parameter];
    return kt_choice_predict(&r->setup, out, error);
}

/* With the block size that is best for it, of those given. */
static enum kt_status predict_best(struct ranking *r, int algorithm, double n, struct kt_choice *out,
                                   struct kt_error *error)
{
    const struct kt_sizes *b = &r->options->b;
    KT_TRY(predict_one(r, algorithm, n, b->count ? b->size[0] : 0, out, error));
    for (int i = 1; i < b->count; i++) {
        struct kt_choice other;
        enum kt_status status = predict_one(r, algorithm, n, b->size[i], &other, error);
        struct kt_choice pair[] = {*out, other};
        int better = status == KT_OK ? kt_choice_best(pair, 2) : 0;
        kt_prediction_free(&pair[better == 1 ? 0 : 1].prediction);
        *out = pair[better == 1 ? 1 : 0];
        KT_TRY(status);
    }
    return KT_OK;
}

/* --- output ------------------------------------------------------------------------------------------------ */

/* From the first one. NAN: nothing is to be told apart. */
static double margin_of(const struct kt_choice *choice, const struct kt_choice *first)
{
    bool both = choice != first && kt_choice_is_whole(choice) && kt_choice_is_whole(first);
    return both ? kt_choice_margin(&choice->prediction, &first->prediction) : NAN;
}

static json_t *order_json(const struct kt_choice *choice, int choices, double n, bool measured)
{
    json_t *out = json_object();
    json_t *order = json_array();
    int rank = 0;
    for (int i = 0; i < choices; i++) {
        json_t *one = json_object();
        rank = choice[i].tied ? rank : i + 1;
        json_object_set_new(one, "name", kt_json_text(kt_algorithm_name(choice[i].algorithm)));
        json_object_set_new(one, "rank", kt_choice_is_whole(&choice[i]) ? json_integer(rank) : json_null());
        json_object_set_new(one, "tied", json_boolean(choice[i].tied));
        json_object_set_new(one, "b", kt_json_number(choice[i].value));
        json_object_set_new(one, "predicted",
                            kt_choice_is_whole(&choice[i]) ? kt_cost_json(&choice[i].prediction.cost) : json_null());
        json_object_set_new(one, "margin", kt_json_number(margin_of(&choice[i], &choice[0])));
        json_object_set_new(one, "missing",
                            kt_choice_missing(&choice[i]) ? kt_json_text(kt_choice_missing(&choice[i])) : json_null());
        json_object_set_new(one, "calls_not_predicted", json_integer((json_int_t)choice[i].prediction.unknown));
        if (measured) {
            struct kt_stat stat = kt_candidate_stat(&choice[i].run);
            struct kt_stat ratio = kt_candidate_ratio(&choice[i].run, &choice[0].run);
            json_object_set_new(one, "measured", kt_json_stat(&stat));
            json_object_set_new(one, "measured_over_first", kt_json_stat(&ratio));
        }
        json_array_append_new(order, one);
    }
    json_object_set_new(out, "n", kt_json_number(n));
    json_object_set_new(out, "order", order);
    return out;
}

/* Pairs that the measurement tells apart by more than a hundredth. */
struct pairs {
    int all, right, tied; /* predicted in that order, or as ties */
};

static struct pairs count_pairs(const struct kt_choice *choice, int choices)
{
    struct pairs pairs = {0};
    for (int i = 0; i < choices; i++) {
        for (int j = i + 1; j < choices && kt_choice_is_whole(&choice[j]); j++) {
            bool tied = kt_choices_tie(&choice[i], &choice[j]);
            struct kt_stat ratio = kt_candidate_ratio(&choice[i].run, &choice[j].run);
            bool apart = ratio.lo > 1.01 || ratio.hi < 0.99;
            pairs.all += apart;
            pairs.tied += apart && tied;
            pairs.right += apart && !tied && ratio.median < 1;
        }
    }
    return pairs;
}

static void print_row(const struct kt_choice *choice, const struct kt_choice *first, int rank, bool measured,
                      struct kt_text_table *table)
{
    char text[7][48];
    bool whole = kt_choice_is_whole(choice);
    const struct kt_cost *cost = &choice->prediction.cost;
    snprintf(text[0], sizeof text[0], whole ? choice->tied ? "%d =" : "%d" : "-", rank);
    snprintf(text[1], sizeof text[1], "%s", kt_algorithm_name(choice->algorithm));
    snprintf(text[2], sizeof text[2], isnan(choice->value) ? "-" : "%.0f", choice->value);
    kt_text_seconds(cost->seconds, text[3]);
    snprintf(text[4], sizeof text[4], isnan(cost->seconds) ? "n/a" : "+%.1f %%",
             50 * (cost->hi - cost->lo) / cost->seconds);
    if (!whole && kt_choice_missing(choice))
        snprintf(text[3], sizeof text[3], "no %.20s", kt_choice_missing(choice));
    if (measured) {
        kt_text_seconds(kt_candidate_stat(&choice->run).median, text[5]);
        kt_text_ratio(kt_candidate_ratio(&choice->run, &first->run).median, text[6]);
    }
    const char *cell[] = {text[0], text[1], text[2], text[3], text[4], text[5], text[6]};
    kt_text_table_row(table, cell);
}

static void print_order(const struct kt_choice *choice, int choices, double n, bool measured)
{
    static const struct kt_column column[] = {
        {"rank", false, false}, {"algorithm", false, true}, {"b", true, false},           {"predicted", true, false},
        {"+-", true, false},    {"measured", true, false},  {"to the first", true, false}};
    struct kt_text_table *table = kt_text_table_new(column, measured ? 7 : 5);
    int rank = 0;
    for (int i = 0; i < choices; i++) {
        rank = choice[i].tied ? rank : i + 1;
        print_row(&choice[i], &choice[0], rank, measured, table);
    }
    printf("n = %.0f\n", n);
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (measured) {
        struct pairs pairs = count_pairs(choice, choices);
        printf("of %s that differ%s by more than 1 %% when run, %d predicted in that order, %d as ties\n",
               KT_COUNT(pairs.all, "pair"), kt_count_word(pairs.all, "s", ""), pairs.right, pairs.tied);
    }
    printf("\n");
}

static enum kt_status rank_size(struct ranking *r, double n, struct kt_error *error)
{
    enum kt_status status = KT_OK;
    int choices = 0;
    bool measured = false;
    struct kt_choice *choice = kt_resize(NULL, (size_t)r->algorithms, sizeof *choice);
    for (; choices < r->algorithms && status == KT_OK; choices++)
        status = predict_best(r, choices, n, &choice[choices], error);
    bool predicted = status == KT_OK;
    if (predicted) {
        kt_choices_rank(choice, choices);
        r->ranked += kt_choice_is_whole(&choice[0]);
        measured = r->options->measure && kt_choice_is_whole(&choice[0]);
        status = measured ? kt_choices_measure(r->options, &r->setup, choice, choices, error) : KT_OK;
        measured = measured && status == KT_OK && choice[0].run.rounds;
    }
    if (predicted)
        json_array_append_new(r->orders, order_json(choice, choices, n, measured));
    if (predicted && !r->options->json)
        print_order(choice, choices, n, measured);
    kt_choices_free(choice, choices);
    return status;
}

/* All sizes: as JSON, and as a picture. */
static enum kt_status tell(const struct ranking *r, struct kt_error *error)
{
    const struct kt_picture *picture = &r->options->picture;
    json_t *document = json_array_size(r->orders) ? json_deep_copy(json_array_get(r->orders, 0)) : json_object();
    json_object_set(document, "orders", r->orders);
    kt_prediction_describe(&r->setup, document);
    enum kt_status status = *picture->path && r->ranked ? kt_plot_ranking(document, picture, error) : KT_OK;
    if (r->options->json) {
        kt_document_print(&kt_document_model_rank, document);
        return status;
    }
    json_decref(document);
    kt_prediction_print_setup(&r->setup);
    return status;
}

/* --- the verb ---------------------------------------------------------------------------------------------- */

static enum kt_status rank_all(struct ranking *r, int argc, char **argv, struct kt_error *error)
{
    KT_TRY(add_all(r, argc, argv, error));
    KT_TRY(kt_prediction_open(r->options, NULL, &r->setup, error));
    enum kt_status status = KT_OK;
    for (int i = 0; i < r->options->n.count && status == KT_OK && !kt_timing_interrupted(); i++)
        status = rank_size(r, r->options->n.size[i], error);
    if (status != KT_OK && !r->ranked)
        return status;
    if (!r->ranked && !kt_timing_interrupted())
        return kt_fail(error, KT_BAD_INPUT,
                       "nothing can be ranked: there are no models of some kernel of each algorithm at these sizes; "
                       "'ktrace model build --blas %s --algorithm %s', with --n, --m and --b as here, makes them",
                       r->setup.blas, optind < argc ? argv[optind] : r->options->algorithm[0]);
    struct kt_error untold = {0};
    if (tell(r, &untold) == KT_OK || status != KT_OK)
        return status;
    *error = untold;
    return untold.status;
}

const struct kt_verb_option kt_model_rank_options[] = {
    KT_PREDICTION_OPTIONS,
    {"algorithm", 0, "FILE", "another algorithm to compare, beside the arguments", kt_prediction_take_algorithm, 0},
    KT_ALGORITHM_OPTIONS("21", "20"),
    {"b", 0, "LIST", "block sizes; each algorithm gets the best of them; default: its own", kt_prediction_take_sizes,
     KT_PREDICTION_MEMBER(b)},
    {0},
};

static enum kt_status parse(int argc, char **argv, struct kt_prediction_options *o, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, kt_model_rank_options, o, error));
    KT_TRY(kt_sizes_single(&o->m, "m", error));
    KT_TRY(kt_prediction_refuse_idle(o, error));
    if (o->algorithms == 0 && optind == argc)
        return kt_fail(error, KT_USAGE, "which algorithms? an operation (cholesky, lu, trinv, qr), names or files");
    return o->n.count ? KT_OK : kt_fail(error, KT_USAGE, "which sizes? --n 1000, or --n 100:3000:100");
}

int kt_model_rank(int argc, char **argv)
{
    struct kt_error error = {0};
    struct kt_prediction_options options = {0};
    struct ranking r = {.options = &options, .orders = json_array()};
    enum kt_status status = parse(argc, argv, &options, &error);
    if (status == KT_OK)
        status = rank_all(&r, argc, argv, &error);
    for (int i = 0; i < r.algorithms; i++)
        kt_algorithm_free(r.algorithm[i]);
    json_decref(r.orders);
    kt_prediction_close(&r.setup);
    if (status == KT_USAGE)
        return kt_verb_usage(argv[0], "%s", error.text);
    if (status != KT_OK)
        return kt_verb_fail(argv[0], &error);
    return kt_verb_status(kt_timing_interrupted());
}
