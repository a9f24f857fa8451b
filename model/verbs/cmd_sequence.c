/* SPDX-License-Identifier: BSD-3-Clause */
/* ktrace model calls: the sequence of calls that an algorithm is. Needs no models. */
#include "model/verbs/model_verbs.h"
#include "trace/command/document.h"
#include "model/predict/predicted.h"
#include "model/predict/prediction_setup.h"
#include "trace/command/json.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <stdio.h>

static bool is_shown(const struct kt_arg *arg)
{
    return arg->role != KT_ARRAY && arg->role != KT_INFO && arg->role != KT_LWORK;
}

static enum kt_status print_text(void *context, const struct kt_kernel *k, struct kt_error *error)
{
    (void)context;
    (void)error;
    const struct kt_routine *r = k->symbol->routine;
    printf("%s", r->name);
    for (int i = 0; i < r->args; i++)
        if (is_shown(&r->arg[i]) && r->arg[i].role <= KT_OPTION)
            printf(" %c", (char)k->values.v[i]);
        else if (is_shown(&r->arg[i]))
            printf(" %g", k->values.v[i]);
    printf("\n");
    return KT_OK;
}

static json_t *operands_json(const struct kt_kernel *k)
{
    json_t *out = json_array();
    for (int i = 0; i < k->operands; i++) {
        const struct kt_operand *o = &k->operand[i];
        json_t *one = json_object();
        json_object_set_new(one, "name", kt_json_text(o->name));
        json_object_set_new(one, "lo", kt_json_address(o->lo));
        json_object_set_new(one, "hi", kt_json_address(o->hi));
        json_object_set_new(one, "rows", json_integer(o->rows));
        json_object_set_new(one, "cols", json_integer(o->cols));
        json_array_append_new(out, one);
    }
    return out;
}

static enum kt_status print_json(void *context, const struct kt_kernel *k, struct kt_error *error)
{
    (void)context;
    (void)error;
    const struct kt_routine *r = k->symbol->routine;
    json_t *out = json_object();
    json_t *args = json_object();
    for (int i = 0; i < r->args; i++) {
        char letter[] = {(char)k->values.v[i], '\0'};
        if (is_shown(&r->arg[i]))
            json_object_set_new(args, r->arg[i].name,
                                r->arg[i].role <= KT_OPTION ? kt_json_text(letter) : kt_json_number(k->values.v[i]));
    }
    json_object_set_new(out, "routine", kt_json_text(r->name));
    json_object_set_new(out, "args", args);
    json_object_set_new(out, "flops", kt_json_number(kt_flops(r, &k->values)));
    json_object_set_new(out, "line", json_integer(k->line));
    json_object_set_new(out, "operands", operands_json(k));
    kt_document_print(&kt_document_model_calls, out);
    return KT_OK;
}

static enum kt_status run(const struct kt_prediction_options *o, const char *name, struct kt_error *error)
{
    struct kt_algorithm *algorithm;
    double parameter[KT_MOST_PARAMETERS];
    enum kt_status status = kt_algorithm_find(name, &algorithm, error);
    if (status == KT_OK)
        status = kt_parameters_of(algorithm, o, o->m.count ? o->m.size[0] : 0, o->n.count ? o->n.size[0] : 0,
                                  o->b.count ? o->b.size[0] : 0, parameter, error);
    if (status == KT_OK)
        status = kt_algorithm_run(algorithm, parameter, o->json ? print_json : print_text, NULL, error);
    kt_algorithm_free(algorithm);
    return status;
}

const struct kt_verb_option kt_model_calls_options[] = {
    {"n", 0, "N", "columns; default: the algorithm's", kt_prediction_take_sizes, KT_PREDICTION_MEMBER(n)},
    {"m", 0, "N", "rows; default as many as columns", kt_prediction_take_sizes, KT_PREDICTION_MEMBER(m)},
    {"b", 0, "N", "block size; default: the algorithm's", kt_prediction_take_sizes, KT_PREDICTION_MEMBER(b)},
    KT_ALGORITHM_SETTING,
    {"json", 0, NULL, "one JSON object a line, with the memory that each operand covers",
     KT_VERB_FLAG(struct kt_prediction_options, json)},
    {0},
};

int kt_model_calls(int argc, char **argv)
{
    struct kt_error error = {0};
    struct kt_prediction_options options = {0};
    if (kt_verb_take_options(argc, argv, kt_model_calls_options, &options, &error) != KT_OK)
        return kt_verb_usage(argv[0], "%s", error.text);
    if (argc - optind != 1)
        return kt_verb_usage(argv[0], "which algorithm? a file, or a name such as dpotrf");
    enum kt_status status = kt_sizes_single(&options.n, "n", &error);
    if (status == KT_OK)
        status = kt_sizes_single(&options.b, "b", &error);
    if (status == KT_OK)
        status = kt_sizes_single(&options.m, "m", &error);
    if (status == KT_OK)
        status = run(&options, argv[optind], &error);
    if (status == KT_USAGE)
        return kt_verb_usage(argv[0], "%s", error.text);
    return status == KT_OK ? KT_OK : kt_verb_fail(argv[0], &error);
}
