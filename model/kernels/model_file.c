/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of models: one JSON document for each library, with every point that was timed, so that a later build goes
 * on where an earlier one ended.
 *
 * What is read may be damaged or made by hand: nothing of it is used before all of it has been checked.
 */
#include "model/kernels/model_set.h"
#include "model/kernels/model_show.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { FORMAT = 2, MOST_MODELS = 10000, MOST_REGIONS = 100000, MOST_POINTS = 10000000 };

/* --- writing ----------------------------------------------------------------------------------------------- */

static json_t *sizes_json(const int64_t *size, int axes)
{
    json_t *list = json_array();
    for (int a = 0; a < axes; a++)
        json_array_append_new(list, json_integer(size[a]));
    return list;
}

static json_t *numbers_json(const double *number, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, kt_json_number(number[i]));
    return list;
}

static json_t *region_json(const struct kt_region *r, int axes)
{
    json_t *degree = json_array();
    for (int a = 0; a < axes; a++)
        json_array_append_new(degree, json_integer(r->degree[a]));
    json_t *frame = json_pack("{so so}", "lo", sizes_json(r->frame.lo, axes), "hi", sizes_json(r->frame.hi, axes));
    return json_pack("{so so si so sb so so si s{so so}}", "lo", sizes_json(r->box.lo, axes), "hi",
                     sizes_json(r->box.hi, axes), "side", (int)r->side, "frame", frame, "fitted", r->fitted, "degree",
                     degree, "coefficients", numbers_json(r->coefficient, r->coefficients), "samples", r->samples,
                     "error", "avg", kt_json_number(r->average), "max", kt_json_number(r->worst));
}

/* [sizes..., seconds, noise, samples, held out, again]; before there was re-timing the last one was missing. */
static json_t *point_json(const struct kt_point *p, int axes)
{
    json_t *list = sizes_json(p->size, axes);
    json_array_append_new(list, kt_json_number(p->seconds));
    json_array_append_new(list, kt_json_number(p->noise));
    json_array_append_new(list, json_integer(p->samples));
    json_array_append_new(list, json_integer(p->held_out));
    json_array_append_new(list, json_integer(p->again));
    return list;
}

static json_t *error_json(const struct kt_model_error *e)
{
    return json_pack("{so so so so si}", "avg", kt_json_number(e->average), "max", kt_json_number(e->worst), "p95",
                     kt_json_number(e->most), "floor", kt_json_number(e->floor), "n", e->n);
}

static json_t *residues_json(const struct kt_residues *r, int axes)
{
    json_t *shift = json_array();
    for (int a = 0; a < axes; a++)
        json_array_append_new(shift, numbers_json(r->shift[a], r->period));
    return json_pack("{si so}", "period", r->period, "shift", shift);
}

static json_t *model_json(const struct kt_kernel_model *m)
{
    json_t *axes = json_array();
    json_t *regions = json_array();
    json_t *points = json_array();
    for (int a = 0; a < m->axes; a++)
        json_array_append_new(axes, json_string(m->axis[a]));
    for (size_t i = 0; i < m->regions; i++)
        json_array_append_new(regions, region_json(&m->region[i], m->axes));
    for (size_t i = 0; i < m->points; i++)
        json_array_append_new(points, point_json(&m->point[i], m->axes));
    return json_pack("{ss ss ss so so so si so so so so so so so so so}", "routine", m->routine, "options", m->options,
                     "context", kt_model_context_name[m->context], "axes", axes, "lo",
                     sizes_json(m->domain.lo, m->axes), "hi", sizes_json(m->domain.hi, m->axes), "larger", m->larger,
                     "crossover", m->is_searched ? json_real(m->crossover.product) : json_null(), "crosses",
                     kt_model_crosses_json(m), "regions", regions, "residues", residues_json(&m->residues, m->axes),
                     "points", points, "error", error_json(&m->error), "others", error_json(&m->others), "cost",
                     kt_json_number(m->cost), "levels", numbers_json(m->level, m->levels));
}

static void make_directories(const char *path)
{
    char *copy = kt_copy(path);
    for (char *slash = *copy ? strchr(copy + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0700);
        *slash = '/';
    }
    free(copy);
}

int kt_models_lock(const char *path)
{
    char *folder = kt_copy(path);
    char *slash = strrchr(folder, '/');
    make_directories(path);
    if (slash)
        slash[slash == folder] = '\0';
    int lock = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        kt_notice("waits for another 'ktrace model build' to end: they would disturb each other");
        flock(lock, LOCK_EX);
    }
    free(folder);
    return lock;
}

enum kt_status kt_models_write(const struct kt_models *models, struct kt_error *error)
{
    json_t *list = json_array();
    for (size_t i = 0; i < models->count; i++)
        json_array_append_new(list, model_json(&models->model[i]));
    make_directories(models->path);
    return kt_json_save(json_pack("{si ss ss ss ss so}", "ktrace_models", FORMAT, "library", models->library, "machine",
                                  models->machine_identity, "build", models->library_identity, "routines",
                                  models->table_text, "models", list),
                        models->path, error);
}

/* --- reading ----------------------------------------------------------------------------------------------- */

struct reading {
    const char *path;
    struct kt_error *error;
};

static enum kt_status damaged(const struct reading *r, const char *what)
{
    return kt_fail(r->error, KT_BAD_INPUT, "%s: damaged, or no file of models: %s; remove it and build the models anew",
                   r->path, what);
}

static double number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool read_sizes(const json_t *list, int axes, int64_t *out)
{
    if (!json_is_array(list) || json_array_size(list) < (size_t)axes)
        return false;
    for (int a = 0; a < axes; a++) {
        const json_t *item = json_array_get(list, (size_t)a);
        out[a] = json_integer_value(item);
        if (!json_is_integer(item) || out[a] < 0 || out[a] > INT64_C(1) << 40)
            return false;
    }
    return true;
}

static bool read_box(const json_t *object, int axes, struct kt_box *out)
{
    if (!read_sizes(json_object_get(object, "lo"), axes, out->lo) ||
        !read_sizes(json_object_get(object, "hi"), axes, out->hi))
        return false;
    for (int a = 0; a < axes; a++)
        if (out->hi[a] < out->lo[a])
            return false;
    return true;
}

static bool read_degrees(const json_t *list, int axes, struct kt_region *out)
{
    for (int a = 0; a < axes; a++) {
        const json_t *item = json_array_get(list, (size_t)a);
        out->degree[a] = (int)json_integer_value(item);
        if (!json_is_integer(item) || out->degree[a] < 0 || out->degree[a] > KT_MAX_DEGREE)
            return false;
    }
    return true;
}

static bool read_coefficients(const json_t *list, int axes, struct kt_region *out)
{
    int count = kt_region_coefficients(out, axes);
    if (json_array_size(list) == 0) /* not fitted yet */
        return true;
    if (count > KT_MAX_COEFFICIENTS || json_array_size(list) != (size_t)count)
        return false;
    out->coefficient = kt_resize(NULL, (size_t)count, sizeof *out->coefficient);
    out->coefficients = count;
    for (int i = 0; i < count; i++) {
        out->coefficient[i] = number_of(json_array_get(list, (size_t)i));
        if (!isfinite(out->coefficient[i]))
            return false;
    }
    return true;
}

static enum kt_status read_region(const struct reading *r, const json_t *object, int axes, struct kt_region *out)
{
    const json_t *error = json_object_get(object, "error");
    *out = (struct kt_region){0};
    if (!read_box(object, axes, &out->box) || !read_box(json_object_get(object, "frame"), axes, &out->frame) ||
        !read_degrees(json_object_get(object, "degree"), axes, out) ||
        !read_coefficients(json_object_get(object, "coefficients"), axes, out))
        return damaged(r, "a region makes no sense");
    json_int_t side = json_integer_value(json_object_get(object, "side")); /* older files have none */
    out->side = side < 0 ? KT_BELOW : side > 0 ? KT_ABOVE : KT_BOTH;
    out->samples = (int)json_integer_value(json_object_get(object, "samples"));
    out->fitted = out->coefficient && json_is_true(json_object_get(object, "fitted"));
    out->average = number_of(json_object_get(error, "avg"));
    out->worst = number_of(json_object_get(error, "max"));
    return KT_OK;
}

static enum kt_status read_point(const struct reading *r, const json_t *list, int axes, struct kt_point *out)
{
    *out = (struct kt_point){0};
    if (!read_sizes(list, axes, out->size) || json_array_size(list) < (size_t)axes + 4 ||
        json_array_size(list) > (size_t)axes + 5)
        return damaged(r, "a timed point makes no sense");
    out->seconds = number_of(json_array_get(list, (size_t)axes));
    out->noise = number_of(json_array_get(list, (size_t)axes + 1));
    out->samples = (int)json_integer_value(json_array_get(list, (size_t)axes + 2));
    out->held_out = json_integer_value(json_array_get(list, (size_t)axes + 3)) != 0;
    out->again = (int)json_integer_value(json_array_get(list, (size_t)axes + 4));
    return out->seconds > 0 || out->samples == 0 ? KT_OK : damaged(r, "the time of a point is not positive");
}

static void read_error(const json_t *object, struct kt_model_error *out)
{
    *out =
        (struct kt_model_error){number_of(json_object_get(object, "avg")), number_of(json_object_get(object, "max")),
                                number_of(json_object_get(object, "p95")), number_of(json_object_get(object, "floor")),
                                (int)json_integer_value(json_object_get(object, "n"))};
    if (!isfinite(out->average) || !isfinite(out->most))
        out->n = 0;
}

static enum kt_status read_residues(const struct reading *r, const json_t *object, int axes, struct kt_residues *out)
{
    const json_t *shift = json_object_get(object, "shift");
    json_int_t period = json_integer_value(json_object_get(object, "period"));
    *out = (struct kt_residues){0};
    if (period < 0 || period > KT_MAX_PERIOD)
        return damaged(r, "the period of the residues makes no sense");
    out->period = (int)period;
    for (int a = 0; a < axes; a++)
        for (int i = 0; i < out->period; i++) {
            out->shift[a][i] = number_of(json_array_get(json_array_get(shift, (size_t)a), (size_t)i));
            if (!isfinite(out->shift[a][i]))
                return damaged(r, "a residue makes no sense");
        }
    return KT_OK;
}

static bool copy_text(const json_t *value, char *out, size_t size)
{
    const char *text = json_string_value(value);
    if (!text || strlen(text) >= size)
        return false;
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool read_context(const json_t *value, enum kt_model_context *out)
{
    const char *text = json_string_value(value);
    for (int c = 0; text && c < KT_MODEL_CONTEXT_COUNT; c++)
        if (!strcmp(text, kt_model_context_name[c])) {
            *out = (enum kt_model_context)c;
            return true;
        }
    return false;
}

static bool read_axes(const json_t *list, struct kt_kernel_model *m)
{
    m->axes = (int)json_array_size(list);
    if (m->axes < 1 || m->axes > KT_MODEL_AXES)
        return false;
    for (int a = 0; a < m->axes; a++)
        if (!copy_text(json_array_get(list, (size_t)a), m->axis[a], sizeof m->axis[a]))
            return false;
    return true;
}

/* In files that do not say it, of all sizes. */
static bool read_crosses(const json_t *list, struct kt_kernel_model *m)
{
    m->crossover.axes = list ? 0 : (1u << m->axes) - 1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        int a = 0;
        while (a < m->axes && name && strcmp(name, m->axis[a]) != 0)
            a++;
        if (!name || a == m->axes)
            return false;
        m->crossover.axes |= 1u << a;
    }
    return !(m->crossover.product > 0) || m->crossover.axes;
}

static bool read_levels(const json_t *list, struct kt_kernel_model *m)
{
    if (json_array_size(list) > KT_LEVELS_MOST)
        return false;
    for (m->levels = 0; m->levels < (int)json_array_size(list); m->levels++) {
        m->level[m->levels] = number_of(json_array_get(list, (size_t)m->levels));
        if (!(m->level[m->levels] > 0))
            return false;
    }
    return true;
}

static enum kt_status read_head(const struct reading *r, const json_t *object, struct kt_kernel_model *m)
{
    if (!copy_text(json_object_get(object, "routine"), m->routine, sizeof m->routine) ||
        !copy_text(json_object_get(object, "options"), m->options, sizeof m->options) ||
        !read_context(json_object_get(object, "context"), &m->context) ||
        !read_axes(json_object_get(object, "axes"), m) || !read_box(object, m->axes, &m->domain))
        return damaged(r, "a model does not say what it is of");
    if (!read_levels(json_object_get(object, "levels"), m))
        return damaged(r, "the levels of a model make no sense");
    m->cost = number_of(json_object_get(object, "cost"));
    m->larger = (int)json_integer_value(json_object_get(object, "larger")); /* older files have none */
    if (m->larger < 0 || m->larger > (m->axes == 2 ? 2 : 0))
        return damaged(r, "a model knows a size as the larger one that it does not have");
    const json_t *crossover = json_object_get(object, "crossover"); /* nor that */
    const json_t *crosses = json_object_get(object, "crosses");
    /* What found none knew crossovers at the product of all sizes only, before files had "crosses". */
    m->is_searched = json_is_number(crossover) && (crosses || json_number_value(crossover) > 0);
    m->crossover.product = json_number_value(crossover);
    if (!(m->crossover.product >= 0) || !read_crosses(crosses, m) ||
        (crossover && !json_is_number(crossover) && !json_is_null(crossover)))
        return damaged(r, "the crossover of a model makes no sense");
    read_error(json_object_get(object, "error"), &m->error);
    read_error(json_object_get(object, "others"), &m->others);
    return read_residues(r, json_object_get(object, "residues"), m->axes, &m->residues);
}

static enum kt_status read_model(const struct reading *r, const json_t *object, struct kt_kernel_model *m)
{
    const json_t *regions = json_object_get(object, "regions");
    const json_t *points = json_object_get(object, "points");
    *m = (struct kt_kernel_model){0};
    KT_TRY(read_head(r, object, m));
    if (json_array_size(regions) > MOST_REGIONS || json_array_size(points) > MOST_POINTS)
        return damaged(r, "too many regions or points");
    m->region = kt_resize(NULL, json_array_size(regions), sizeof *m->region);
    for (size_t i = 0; i < json_array_size(regions); i++)
        KT_TRY(read_region(r, json_array_get(regions, i), m->axes, &m->region[m->regions++]));
    for (size_t i = 0; i < m->regions; i++)
        if (m->region[i].side != KT_BOTH && m->crossover.product == 0)
            return damaged(r, "a region is on one side of no crossover");
    m->point = kt_resize(NULL, json_array_size(points), sizeof *m->point);
    for (size_t i = 0; i < json_array_size(points); i++)
        KT_TRY(read_point(r, json_array_get(points, i), m->axes, &m->point[m->points++]));
    return KT_OK;
}

static enum kt_status read_models(const struct reading *r, const json_t *document, struct kt_models *models)
{
    const json_t *list = json_object_get(document, "models");
    if (!json_is_array(list) || json_array_size(list) > MOST_MODELS)
        return damaged(r, "it has no list of models");
    for (size_t i = 0; i < json_array_size(list); i++) {
        models->model = kt_room_for_one(models->model, models->count, sizeof *models->model); /* others are added */
        KT_TRY(read_model(r, json_array_get(list, i), &models->model[models->count++]));
    }
    kt_models_index(models);
    return KT_OK;
}

static enum kt_status take(const struct reading *r, const json_t *document, struct kt_models **out)
{
    const char *text[4];
    static const char *const name[4] = {"library", "machine", "build", "routines"};
    for (int i = 0; i < 4; i++)
        if (!(text[i] = json_string_value(json_object_get(document, name[i]))))
            return damaged(r, "it does not say whose models they are");
    if (json_integer_value(json_object_get(document, "ktrace_models")) != FORMAT)
        return kt_fail(r->error, KT_BAD_INPUT, "%s: models of another version of ktrace; build them anew", r->path);
    *out = kt_models_new(r->path, text[0], text[1], text[2]);
    free((*out)->table_text);
    (*out)->table_text = kt_copy(text[3]);
    KT_TRY(kt_table_parse(text[3], r->path, &(*out)->table, r->error));
    return read_models(r, document, *out);
}

enum kt_status kt_models_take(const char *path, const json_t *document, struct kt_models **out, struct kt_error *error)
{
    struct reading reading = {path, error};
    *out = NULL;
    enum kt_status status = take(&reading, document, out);
    if (status != KT_OK) {
        kt_models_close(*out);
        *out = NULL;
    }
    return status;
}

enum kt_status kt_models_read(const char *path, struct kt_models **out, struct kt_error *error)
{
    json_t *document = NULL;
    *out = NULL;
    KT_TRY(kt_json_load(path, &document, error));
    enum kt_status status = kt_models_take(path, document, out, error);
    json_decref(document);
    return status;
}
