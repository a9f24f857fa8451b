/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/model_set.h"

#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>

struct kt_models *kt_models_new(const char *path, const char *library, const char *machine_identity,
                                const char *library_identity)
{
    struct kt_models *models = kt_resize(NULL, 1, sizeof *models);
    *models = (struct kt_models){.path = kt_copy(path),
                                 .library = kt_copy(library),
                                 .machine_identity = kt_copy(machine_identity),
                                 .library_identity = kt_copy(library_identity),
                                 .table_text = kt_copy("")};
    kt_models_index(models);
    return models;
}

void kt_kernel_model_free(struct kt_kernel_model *model)
{
    for (size_t i = 0; i < model->regions; i++)
        free(model->region[i].coefficient);
    free(model->region);
    free(model->point);
    *model = (struct kt_kernel_model){0};
}

void kt_models_close(struct kt_models *models)
{
    if (!models)
        return;
    for (size_t i = 0; i < models->count; i++)
        kt_kernel_model_free(&models->model[i]);
    free(models->model);
    free(models->bucket);
    kt_table_free(&models->table);
    free(models->path);
    free(models->library);
    free(models->machine_identity);
    free(models->library_identity);
    free(models->table_text);
    free(models);
}

enum kt_status kt_models_add_routine(struct kt_models *models, const struct kt_routine *routine, struct kt_error *error)
{
    char *text;
    if (kt_table_find(&models->table, routine->name))
        return KT_OK;
    if (asprintf(&text, "%s%s\n", models->table_text, routine->text) < 0)
        abort();
    free(models->table_text);
    models->table_text = text;
    kt_table_free(&models->table);
    return kt_table_parse(text, models->path, &models->table, error);
}

struct kt_kernel_model *kt_models_add(struct kt_models *models, const struct kt_model_query *query,
                                      enum kt_model_context context)
{
    int known = kt_models_find(models, query, context);
    if (known >= 0)
        return &models->model[known];
    models->model = kt_room_for_one(models->model, models->count, sizeof *models->model);
    struct kt_kernel_model *m = &models->model[models->count++];
    *m = (struct kt_kernel_model){.context = context, .axes = query->axes};
    memcpy(m->routine, query->routine, sizeof m->routine);
    memcpy(m->options, query->options, sizeof m->options);
    m->error = m->others = (struct kt_model_error){NAN, NAN, NAN, NAN, 0};
    kt_models_index(models);
    return m;
}
