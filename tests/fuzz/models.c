/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of models: those that are taken answer any question, and are shown.
 */
#include "model/kernels/model_set.h"
#include "model/kernels/model_show.h"
#include "tests/fuzz/document.h"
#include "tests/fuzz/target.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    kt_document_quiet();
    return 0;
}

static void ask(const struct kt_models *models, int model)
{
    static const int64_t size[][KT_MODEL_AXES] = {
        {0}, {1, 1, 1, 1}, {7, 64, 100, 5}, {1000, 24, 8, 8}, {INT64_C(1) << 40, 1, INT64_MAX, 2}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        struct kt_model_answer answer;
        kt_models_ask_one(models, model, size[i], &answer);
        if (answer.known == KT_MODEL_KNOWN && answer.outside != 0)
            abort();
    }
}

static void use(const struct kt_models *models)
{
    for (size_t i = 0; i < models->count; i++) {
        const struct kt_kernel_model *m = &models->model[i];
        struct kt_model_query query = {.axes = m->axes};
        memcpy(query.routine, m->routine, sizeof query.routine);
        memcpy(query.options, m->options, sizeof query.options);
        int found = kt_models_find(models, &query, m->context);
        if (found < 0)
            abort();
        ask(models, found);
    }
    kt_models_print(models, NULL);
    json_decref(kt_models_json(models, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *document;
    struct kt_models *models;
    struct kt_error error = {0};
    if (!kt_document_take(data, size, &document))
        return 0;
    enum kt_status status = kt_models_take("input", document, &models, &error);
    if (status == KT_OK)
        use(models);
    else
        kt_document_refused(status, &error);
    kt_models_close(models);
    json_decref(document);
    return 0;
}
