/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/kernel_models.h"

#include "model/kernels/model_set.h"
#include "replay/setup/timing.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* --- which file -------------------------------------------------------------------------------------------- */

static enum kt_status directory_of_models(char *out, size_t size, struct kt_error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    bool has_cache = cache && *cache == '/';
    if (!has_cache && !(home && *home == '/'))
        return kt_fail(error, KT_SYSTEM, "neither HOME nor XDG_CACHE_HOME names a directory");
    snprintf(out, size, "%s%s/ktrace/models", has_cache ? cache : home, has_cache ? "" : "/.cache");
    return KT_OK;
}

static enum kt_status path_for(const char *file, const char *library, char *out, size_t size, struct kt_error *error)
{
    char directory[3072];
    if (file) {
        snprintf(out, size, "%s", file);
        return KT_OK;
    }
    KT_TRY(directory_of_models(directory, sizeof directory, error));
    snprintf(out, size, "%s/%s.json", directory, library);
    for (char *c = out + strlen(directory) + 1; *c; c++)
        *c = *c == '/' || *c == ' ' ? '_' : *c;
    return KT_OK;
}

static enum kt_status identify(const struct kt_models_of *of, struct kt_timing_identity *out, struct kt_error *error)
{
    const struct kt_timing_of timing = {.blas = of->blas, .trace = of->trace, .threads = of->threads};
    return kt_timing_identify(&timing, out, error);
}

enum kt_status kt_models_path(const struct kt_models_of *of, char *out, size_t size, struct kt_error *error)
{
    struct kt_timing_identity identity;
    enum kt_status status = identify(of, &identity, error);
    if (status == KT_OK)
        status = path_for(of->file, identity.name, out, size, error);
    kt_timing_identity_free(&identity);
    return status;
}

/* --- opening ----------------------------------------------------------------------------------------------- */

enum { WORD = 200 };

/* The words in which two identities begin to differ: a file and its build id, a variable, a number. */
static void find_difference(const char *a, const char *b, char of_a[WORD], char of_b[WORD])
{
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    while (same > 0 && a[same - 1] != ' ')
        same--;
    snprintf(of_a, WORD, "%.*s", (int)strcspn(a + same, " "), a + same);
    snprintf(of_b, WORD, "%.*s", (int)strcspn(b + same, " "), b + same);
}

static enum kt_status check(const struct kt_models *models, const struct kt_timing_identity *now,
                            struct kt_error *error)
{
    if (strcmp(models->machine_identity, now->machine) != 0)
        return kt_fail(error, KT_BAD_INPUT,
                       "%s: these models are of another machine (%.200s; here: %.200s); move the file away and build "
                       "models here, or use --force",
                       models->path, models->machine_identity, now->machine);
    if (!strcmp(models->library_identity, now->library))
        return KT_OK;
    char of_models[WORD];
    char here[WORD];
    find_difference(models->library_identity, now->library, of_models, here);
    return kt_fail(error, KT_BAD_INPUT,
                   "%s: these models are of another build of the library, or of other settings (%s; now: %s); "
                   "move the file away and build models of this one, or use --force",
                   models->path, *of_models ? of_models : "less", *here ? here : "less");
}

static enum kt_status open_of(const struct kt_models_of *of, const struct kt_timing_identity *now,
                              struct kt_models **out, struct kt_error *error)
{
    char path[4096];
    KT_TRY(path_for(of->file, now->name, path, sizeof path, error));
    if (access(path, F_OK) != 0)
        return kt_fail(
            error, KT_BAD_INPUT,
            "there are no models of %s yet (%s): 'ktrace model build' makes them, of a TRACE or with --algorithm",
            now->name, path);
    KT_TRY(kt_models_read(path, out, error));
    struct kt_error other = {0};
    if (check(*out, now, &other) == KT_OK)
        return KT_OK;
    if (!of->force)
        return kt_fail(error, other.status, "%s", other.text);
    kt_notice("%s", other.text);
    return KT_OK;
}

enum kt_status kt_models_open(const struct kt_models_of *of, struct kt_models **out, struct kt_error *error)
{
    struct kt_timing_identity now = {0};
    *out = NULL;
    bool is_given = of->file && of->force;
    enum kt_status status = is_given ? kt_models_read(of->file, out, error) : identify(of, &now, error);
    if (status == KT_OK && !is_given)
        status = open_of(of, &now, out, error);
    if (status == KT_OK && now.doubt)
        kt_notice("%s", now.doubt);
    kt_timing_identity_free(&now);
    if (status != KT_OK) {
        kt_models_close(*out);
        *out = NULL;
    }
    return status;
}

/* --- asking ------------------------------------------------------------------------------------------------ */

/* FNV-1a */
static uint64_t hash(const char *routine, const char *options, enum kt_model_context context)
{
    uint64_t h = UINT64_C(14695981039346656037) ^ (uint64_t)context;
    for (const char *c = routine; *c; c++)
        h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
    h = (h ^ ' ') * UINT64_C(1099511628211);
    for (const char *c = options; *c; c++)
        h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
    return h ^ h >> 32;
}

void kt_models_index(struct kt_models *models)
{
    for (models->buckets = 16; models->buckets < 2 * models->count; models->buckets *= 2)
        ;
    models->bucket = kt_resize(models->bucket, models->buckets, sizeof *models->bucket);
    memset(models->bucket, 0, models->buckets * sizeof *models->bucket);
    for (size_t i = 0; i < models->count; i++) {
        const struct kt_kernel_model *m = &models->model[i];
        size_t b = hash(m->routine, m->options, m->context) & (models->buckets - 1);
        while (models->bucket[b])
            b = (b + 1) & (models->buckets - 1);
        models->bucket[b] = i + 1;
    }
}

int kt_models_find(const struct kt_models *models, const struct kt_model_query *q, enum kt_model_context context)
{
    size_t b = hash(q->routine, q->options, context) & (models->buckets - 1);
    for (; models->bucket[b]; b = (b + 1) & (models->buckets - 1)) {
        const struct kt_kernel_model *m = &models->model[models->bucket[b] - 1];
        if (m->context == context && m->axes == q->axes && !strcmp(m->routine, q->routine) &&
            !strcmp(m->options, q->options))
            return (int)(models->bucket[b] - 1);
    }
    return -1;
}

const struct kt_region *kt_kernel_model_region(const struct kt_kernel_model *m, const int64_t *size)
{
    const struct kt_region *found = NULL;
    int most = -1;
    for (size_t i = 0; i < m->regions; i++) {
        const struct kt_region *r = &m->region[i];
        int fixed = r->coefficient && kt_region_holds(r, &m->crossover, m->axes, size)
                        ? kt_box_fixed(&r->box, &m->domain, m->axes)
                        : -1;
        if (fixed <= most)
            continue;
        most = fixed;
        found = r;
    }
    return found;
}

int kt_kernel_model_fixed(const struct kt_kernel_model *m, const int64_t *size)
{
    int most = 0;
    for (size_t i = 0; i < m->regions; i++) {
        int fixed = kt_box_fixed(&m->region[i].box, &m->domain, m->axes);
        if (fixed > most && kt_box_holds(&m->region[i].box, m->axes, size))
            most = fixed;
    }
    return most;
}

/* How far it is to the region's side of the crossover, as a distance between boxes is. */
static double distance_to_side(const struct kt_kernel_model *m, const struct kt_region *r, const int64_t *size)
{
    const double least = 1e-6; /* at the crossover itself */
    double ratio = kt_crossover_product(&m->crossover, size) / m->crossover.product;
    bool is_there = r->side == KT_BOTH || (r->side == KT_ABOVE) == (ratio > 1);
    return is_there ? 0 : fmax(least, fmax(ratio, 1 / ratio) - 1);
}

/* Where no region that holds the sizes has been sampled yet: the nearest that has, and how far it is. */
static const struct kt_region *nearest_region(const struct kt_kernel_model *m, const int64_t *size, double *distance,
                                              int64_t nearest[KT_MODEL_AXES])
{
    const struct kt_region *found = NULL;
    int64_t at[KT_MODEL_AXES];
    *distance = INFINITY;
    for (size_t i = 0; i < m->regions; i++) {
        double one = m->region[i].coefficient ? kt_box_distance(&m->region[i].box, m->axes, size, at) : INFINITY;
        one = fmax(one, distance_to_side(m, &m->region[i], size));
        if (one >= *distance)
            continue;
        *distance = one;
        found = &m->region[i];
        memcpy(nearest, at, sizeof at);
    }
    return found;
}

/* Outside the domain the nearest region's value grows as the sizes do. */
static double grow(const struct kt_kernel_model *m, const int64_t *size, const int64_t *nearest)
{
    double factor = 1;
    for (int a = 0; a < m->axes; a++)
        factor *= nearest[a] > 0 && size[a] != nearest[a] ? (double)size[a] / (double)nearest[a] : 1;
    return factor;
}

/* A model that was never checked: what its own samples differ by from their polynomial says nothing of other sizes. */
static const double off_by_all = 1;

static double interval_of(const struct kt_kernel_model *m, const struct kt_region *region, bool regular)
{
    const struct kt_model_error *own = regular ? &m->error : &m->others;
    const struct kt_model_error *other = regular ? &m->others : &m->error;
    const struct kt_model_error *error = own->n ? own : other;
    double held_out = error->n ? error->most : off_by_all;
    return held_out > region->worst ? held_out : region->worst;
}

double kt_point_distance(const struct kt_point *point, const int64_t *size, int axes)
{
    double sum = 0;
    for (int a = 0; a < axes; a++)
        sum += fabs(log((double)point->size[a] / (double)(size[a] > 0 ? size[a] : 1)));
    return sum;
}

/* Of the nearest sample. */
static double nearest_sample(const struct kt_kernel_model *m, const int64_t *size)
{
    double seconds = NAN;
    double least = INFINITY;
    for (size_t i = 0; i < m->points; i++) {
        double distance = kt_point_distance(&m->point[i], size, m->axes);
        if (m->point[i].samples && distance < least) {
            least = distance;
            seconds = m->point[i].seconds;
        }
    }
    return seconds;
}

/* How far it is to sizes of which one is not below the other, if no others are known. */
static double below_other(const struct kt_kernel_model *m, const int64_t *size)
{
    int axis = m->larger - 1;
    return axis < 0 || size[axis] >= size[1 - axis] ? 0 : (double)size[1 - axis] / (double)size[axis] - 1;
}

void kt_kernel_model_ask(const struct kt_kernel_model *m, const int64_t *size, struct kt_model_answer *out)
{
    int64_t nearest[KT_MODEL_AXES];
    double effective[KT_MODEL_AXES];
    *out = (struct kt_model_answer){KT_MODEL_UNKNOWN, NAN, NAN, NAN, 0, (int)m->regions};
    out->outside = kt_sizes_have_zero(m->axes, size) ? INFINITY : kt_box_distance(&m->domain, m->axes, size, nearest);
    double below = below_other(m, size);
    out->outside = fmax(out->outside, below);
    if (out->outside > KT_MODEL_FARTHEST) {
        out->known = KT_MODEL_TOO_FAR;
        return;
    }
    const struct kt_region *region = kt_kernel_model_region(m, nearest);
    if (!region)
        region = nearest_region(m, size, &out->outside, nearest);
    out->outside = fmax(out->outside, below);
    if (!region || out->outside > KT_MODEL_FARTHEST) {
        out->outside = 0;
        return;
    }
    for (int a = 0; a < m->axes; a++)
        effective[a] = kt_residues_size(&m->residues, a, nearest[a]);
    double width = interval_of(m, region, kt_sizes_are_regular(m->axes, size)) * (1 + out->outside) + out->outside / 2;
    out->known = out->outside > 0 ? KT_MODEL_OUTSIDE : KT_MODEL_KNOWN;
    out->seconds = kt_region_value(region, m->axes, effective);
    if (!(out->seconds > 0)) { /* so far from its samples that it means nothing */
        out->known = KT_MODEL_OUTSIDE;
        out->seconds = nearest_sample(m, nearest);
    }
    out->seconds *= grow(m, size, nearest);
    out->lo = out->seconds / (1 + width);
    out->hi = out->seconds * (1 + width);
}

void kt_models_ask_one(const struct kt_models *models, int model, const int64_t *size, struct kt_model_answer *out)
{
    if (model >= 0 && (size_t)model < models->count)
        kt_kernel_model_ask(&models->model[model], size, out);
    else
        *out = (struct kt_model_answer){KT_MODEL_UNKNOWN, NAN, NAN, NAN, 0, 0};
}

void kt_models_ask(const struct kt_models *models, const struct kt_model_query *query, enum kt_model_context context,
                   struct kt_model_answer *out)
{
    kt_models_ask_one(models, kt_models_find(models, query, context), query->size, out);
}

const char *kt_models_library(const struct kt_models *models)
{
    return models->library;
}

/* It stands behind the name of the host in what tells machines apart. */
json_t *kt_models_machine(const struct kt_models *models)
{
    const char *from = strchr(models->machine_identity, ' ');
    from = from ? strchr(from + 1, ' ') : NULL;
    const char *to = from ? strstr(from, " cpus ") : NULL;
    return to ? json_stringn(from + 1, (size_t)(to - from - 1)) : json_string("");
}

size_t kt_models_samples(const struct kt_models *models)
{
    size_t samples = 0;
    for (size_t i = 0; i < models->count; i++)
        for (size_t p = 0; p < models->model[i].points; p++)
            samples += models->model[i].point[p].samples > 0;
    return samples;
}
