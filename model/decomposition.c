/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A replayed shape is found again by the name of its routine and the arguments of its first call, which both sides
 * write in the same way: as JSON text, keys sorted, it is the key of an index.
 */
#include "model/decomposition.h"

#include "trace/memory.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Cache part of one call. */
static double cache_part(const struct kt_context_times *times)
{
    if (!isnan(times->tracked))
        return fmax(times->tracked - times->warm, 0.0);
    return fmax(fmin(times->insitu, times->cold) - times->warm, 0.0);
}

static bool can_decompose(const struct kt_context_times *times)
{
    return !isnan(times->warm) && !isnan(times->insitu) && !(isnan(times->cold) && isnan(times->tracked));
}

void kt_decompose(const struct kt_context_times *times, size_t count, struct kt_decomposition *out)
{
    *out = (struct kt_decomposition){.tracked = true};
    for (size_t i = 0; i < count; i++) {
        const struct kt_context_times *shape = &times[i];
        if (!can_decompose(shape))
            continue;
        out->shapes++;
        out->calls += shape->calls;
        out->insitu += shape->total;
        out->bound += shape->calls * shape->bound;
        out->warm += shape->calls * shape->warm;
        out->cache += shape->calls * cache_part(shape);
        out->tracked = out->tracked && !isnan(shape->tracked);
    }
    out->tracked = out->tracked && out->shapes > 0;
    out->library = out->warm - out->bound;
    out->residual = out->insitu - out->warm - out->cache;
}

/* Text that is the same for the same call; to be freed. */
static char *key_of(const char *routine, const json_t *args)
{
    char *text = json_dumps(args, JSON_SORT_KEYS | JSON_COMPACT);
    if (!text)
        return NULL;
    size_t size = strlen(routine) + strlen(text) + 2;
    char *key = kt_resize(NULL, size, 1);
    snprintf(key, size, "%s %s", routine, text);
    free(text);
    return key;
}

static void index_shape(json_t *index, json_t *shape)
{
    const char *routine = json_string_value(json_object_get(shape, "routine"));
    const json_t *args = json_object_get(shape, "args");
    char *key = routine && json_is_object(args) ? key_of(routine, args) : NULL;
    if (key && !json_object_get(index, key))
        json_object_set(index, key, shape);
    free(key);
}

enum kt_status kt_replayed_from(json_t *document, const char *name, struct kt_replayed *out, struct kt_error *error)
{
    *out = (struct kt_replayed){.document = document};
    const json_t *shapes = json_object_get(document, "shapes");
    if (!json_is_array(shapes))
        return kt_fail(error, KT_BAD_INPUT, "%s: no array \"shapes\" in it; run ktrace replay again", name);
    out->shapes = json_object();
    for (size_t i = 0; i < json_array_size(shapes); i++)
        index_shape(out->shapes, json_array_get(shapes, i));
    return KT_OK;
}

enum kt_status kt_replayed_load(const char *trace_path, struct kt_replayed *out, struct kt_error *error)
{
    char path[4096];
    json_t *document;
    *out = (struct kt_replayed){0};
    snprintf(path, sizeof path, "%s/replay.json", trace_path);
    if (access(path, F_OK) != 0)
        return KT_OK;
    KT_TRY(kt_json_load(path, &document, error));
    return kt_replayed_from(document, path, out, error);
}

void kt_replayed_free(struct kt_replayed *replayed)
{
    json_decref(replayed->shapes);
    json_decref(replayed->document);
    *replayed = (struct kt_replayed){0};
}

static double median_in(const json_t *contexts, const char *name)
{
    const json_t *median = json_object_get(json_object_get(contexts, name), "median");
    return json_is_number(median) ? json_number_value(median) : NAN;
}

const json_t *kt_replayed_find(const struct kt_replayed *replayed, const struct kt_shape_group *shape)
{
    json_t *args = kt_json_args(&shape->first, false);
    char *key = key_of(shape->first.entry->symbol.routine->name, args);
    const json_t *found = key ? json_object_get(replayed->shapes, key) : NULL;
    free(key);
    json_decref(args);
    return found;
}

void kt_replayed_times(const json_t *shape, struct kt_context_times *out)
{
    const json_t *contexts = json_object_get(shape, "contexts");
    const json_t *bound = json_object_get(shape, "bound");
    out->warm = median_in(contexts, "warm");
    out->cold = median_in(contexts, "cold");
    out->tracked = median_in(contexts, "tracked");
    out->bound = json_is_number(bound) ? json_number_value(bound) : NAN;
}
