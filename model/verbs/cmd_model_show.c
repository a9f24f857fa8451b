/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace model show: what models there are.
 */
#include "model/kernels/model_show.h"
#include "trace/command/document.h"
#include "model/verbs/model_verbs.h"
#include "trace/command/json.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <stdlib.h>

struct command {
    struct kt_models_of of;
    const char *routines, *plot;
    bool json;
};

static enum kt_status take_threads(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    int *threads = out;
    *threads = atoi(value);
    return *threads > 0 ? KT_OK : kt_fail(error, KT_USAGE, "--%s needs a number, not '%s'", option->name, value);
}

const struct kt_verb_option kt_model_show_options[] = {
    {"blas", 0, "LIB", "whose models: a path, a soname or a short name; default openblas",
     KT_VERB_TEXT(struct command, of.blas)},
    {"threads", 0, "N", "models with that many threads of the library; default: the library's own number, or 1",
     take_threads, offsetof(struct command, of.threads)},
    {KT_VERB_ROUTINE(struct command, routines)},
    {KT_MODEL_FILE(struct command, of.file)},
    {"force", 0, NULL, "also use models of another machine, or of another build of the library",
     KT_VERB_FLAG(struct command, of.force)},
    {"plot", 'o', "FILE.svg|png|pdf", "plot the regions with their errors", KT_VERB_TEXT(struct command, plot)},
    {KT_VERB_JSON(struct command, json)},
    {KT_VERB_CSV(struct command, json)},
    {0},
};

static enum kt_status parse(int argc, char **argv, struct command *c, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, kt_model_show_options, c, error));
    if (!c->of.blas)
        c->of.blas = "openblas";
    return optind == argc ? KT_OK : kt_fail(error, KT_USAGE, "did not expect %s", argv[optind]);
}

static enum kt_status show(const struct command *c, const struct kt_models *models, struct kt_error *error)
{
    if (c->plot)
        KT_TRY(kt_models_plot(models, c->routines, c->plot, error));
    if (c->json)
        kt_document_print(&kt_document_model_show, kt_models_json(models, c->routines));
    else
        kt_models_print(models, c->routines);
    return KT_OK;
}

int kt_model_show(int argc, char **argv)
{
    struct kt_error error = {0};
    struct command c = {0};
    struct kt_models *models = NULL;
    if (parse(argc, argv, &c, &error) != KT_OK)
        return kt_verb_usage(argv[0], "%s", error.text);
    enum kt_status status = kt_models_open(&c.of, &models, &error);
    if (status == KT_OK)
        status = show(&c, models, &error);
    kt_models_close(models);
    return status == KT_OK      ? KT_OK
           : status == KT_USAGE ? kt_verb_usage(argv[0], "%s", error.text)
                                : kt_verb_fail(argv[0], &error);
}
