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

static enum kt_status take_option(int option, const char *value, void *context, struct kt_error *error)
{
    struct command *c = context;
    switch (option) {
    case 'b':
        c->of.blas = value;
        return KT_OK;
    case 'm':
        c->of.file = value;
        return KT_OK;
    case 'r':
        c->routines = value;
        return KT_OK;
    case 'p':
        c->plot = value;
        return KT_OK;
    case 't':
        c->of.threads = atoi(value);
        return c->of.threads > 0 ? KT_OK : kt_fail(error, KT_USAGE, "--threads needs a number, not '%s'", value);
    default:
        c->json |= option == 'j';
        c->of.force |= option == 'F';
        return KT_OK;
    }
}

static enum kt_status parse(int argc, char **argv, struct command *c, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, take_option, c, error));
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
