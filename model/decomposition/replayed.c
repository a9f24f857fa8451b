/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A replayed shape is found again by the name of its symbol and the arguments of its first call, which both sides
 * write in the same way: as JSON text, keys sorted, it is the key of an index.
 */
#include "model/decomposition/replayed.h"

#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

/* Text that is the same for the same call; to be freed. */
static char *key_of(const char *symbol, const json_t *args)
{
    char *text = json_dumps(args, JSON_SORT_KEYS | JSON_COMPACT);
    if (!text)
        return NULL;
    size_t size = strlen(symbol) + strlen(text) + 2;
    char *key = kt_resize(NULL, size, 1);
    snprintf(key, size, "%s %s", symbol, text);
    free(text);
    return key;
}

static const json_t *find(const json_t *index, const struct kt_shape_group *shape)
{
    json_t *args = kt_json_args(&shape->first, false);
    char *key = key_of(shape->first.entry->symbol.name, args);
    const json_t *found = key ? json_object_get(index, key) : NULL;
    free(key);
    json_decref(args);
    return found;
}

static void index_shape(json_t *index, json_t *shape)
{
    const char *symbol = json_string_value(json_object_get(shape, "symbol"));
    const json_t *args = json_object_get(shape, "args");
    char *key = symbol && json_is_object(args) ? key_of(symbol, args) : NULL;
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
    const json_t *refused = json_object_get(document, "not_replayed");
    out->shapes = json_object();
    out->refused = json_object();
    for (size_t i = 0; i < json_array_size(shapes); i++)
        index_shape(out->shapes, json_array_get(shapes, i));
    for (size_t i = 0; i < json_array_size(refused); i++)
        index_shape(out->refused, json_array_get(refused, i));
    return KT_OK;
}

/* --- which library ----------------------------------------------------------------------------------------- */

/* The build id that the replay knows of the file at that path; NULL: none. */
static const char *build_replayed(const json_t *library, const char *path)
{
    const char *build = NULL;
    const json_t *files = json_object_get(library, "files");
    json_t *name = kt_json_text(path);
    for (size_t i = 0; i < json_array_size(files) && !build; i++)
        if (json_equal(json_array_get(files, i), name))
            build = json_string_value(json_array_get(json_object_get(library, "build_ids"), i));
    json_decref(name);
    return build;
}

/* A library that calls went to and that the replay timed another build of; NULL: none is known to be. */
static const struct kt_object *other_build(const struct kt_process *process, const json_t *library, const char **build)
{
    for (size_t i = 0; i < process->objects; i++) {
        const struct kt_object *o = &process->object[i];
        *build = o->is_library && o->path && o->build_id && *o->build_id ? build_replayed(library, o->path) : NULL;
        if (*build && strcmp(*build, o->build_id) != 0)
            return o;
    }
    return NULL;
}

/* Times of another library would be taken for those of the one that the program ran on. */
static void leave_out_other(const struct kt_trace *trace, const struct kt_files *files, const char *path,
                            struct kt_replayed *replayed)
{
    const json_t *library = json_object_get(replayed->document, "library");
    for (size_t i = 0; i < trace->processes && replayed->document; i++) {
        const char *build;
        const struct kt_object *o =
            trace->process[i].files == files ? other_build(&trace->process[i], library, &build) : NULL;
        if (!o)
            continue;
        kt_notice("%s is left out: it timed another build of %s (build id %.12s..., recorded: %.12s...); ktrace replay "
                  "makes it anew",
                  path, o->path, build, o->build_id);
        kt_replayed_free(replayed);
    }
}

enum kt_status kt_replayed_load(const struct kt_trace *trace, const struct kt_files *files, struct kt_replayed *out,
                                struct kt_error *error)
{
    char path[4096];
    json_t *document;
    *out = (struct kt_replayed){0};
    KT_TRY(kt_json_companion(files, "replay.json", path, sizeof path, &document, error));
    if (!document)
        return KT_OK;
    KT_TRY(kt_replayed_from(document, path, out, error));
    leave_out_other(trace, files, path, out);
    return KT_OK;
}

void kt_replayed_free(struct kt_replayed *replayed)
{
    json_decref(replayed->shapes);
    json_decref(replayed->refused);
    json_decref(replayed->document);
    *replayed = (struct kt_replayed){0};
}

bool kt_replayed_is_partial(const struct kt_replayed *replayed)
{
    return json_is_true(json_object_get(replayed->document, "interrupted"));
}

const json_t *kt_replayed_find(const struct kt_replayed *replayed, const struct kt_shape_group *shape)
{
    return find(replayed->shapes, shape);
}

const char *kt_replayed_refusal(const struct kt_replayed *replayed, const struct kt_shape_group *shape)
{
    const char *why = json_string_value(json_object_get(find(replayed->refused, shape), "why"));
    const json_t *left_out = json_object_get(json_object_get(replayed->document, "left_out"), "shapes");
    return why || json_integer_value(left_out) == 0 ? why : "left out of the replay for want of time (more --budget)";
}

/* --- times ------------------------------------------------------------------------------------------------- */

static double number_in(const json_t *object, const char *name)
{
    const json_t *number = json_object_get(object, name);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

/* Without an interval the value is as good as exact. */
static struct kt_time time_in(const json_t *contexts, const char *name)
{
    const json_t *stat = json_object_get(contexts, name);
    struct kt_time time = {number_in(stat, "median"), number_in(stat, "lo"), number_in(stat, "hi")};
    if (isnan(time.lo) || isnan(time.hi))
        time.lo = time.hi = time.value;
    return time;
}

void kt_replayed_times(const struct kt_replayed *replayed, const json_t *shape, struct kt_context_times *out)
{
    const json_t *contexts = json_object_get(shape, "contexts");
    *out = (struct kt_context_times){.warm = time_in(contexts, "warm"),
                                     .cold = time_in(contexts, "cold"),
                                     .tracked = time_in(contexts, "tracked"),
                                     .together = time_in(contexts, "sequence"),
                                     .alone = time_in(contexts, "alone"),
                                     .bound = number_in(shape, "bound"),
                                     .bound_cold = number_in(shape, "bound_cold"),
                                     .uncounted = json_is_null(json_object_get(shape, "flops")),
                                     .fault = number_in(replayed ? replayed->document : NULL, "page_fault")};
    if (isnan(out->tracked.value))
        out->tracked = isnan(out->alone.value) ? out->together : out->alone;
}

struct kt_speed_sums kt_replayed_speed(const json_t *shape)
{
    static const char *const context[] = {"warm", "tracked"};
    struct kt_speed_sums all = {0};
    struct kt_speed_sums one;
    for (size_t i = 0; i < sizeof context / sizeof *context; i++)
        if (kt_speed_from_json(
                json_object_get(json_object_get(json_object_get(shape, "contexts"), context[i]), "state"), &one))
            kt_speed_merge(&all, &one);
    return all;
}

struct kt_speed_sums kt_replayed_speed_of_all(const struct kt_replayed *replayed)
{
    struct kt_speed_sums all = {0};
    if (!kt_speed_from_json(json_object_get(replayed->document, "state"), &all))
        all = (struct kt_speed_sums){0};
    return all;
}

bool kt_replayed_spread(const json_t *shape, const char *context, struct kt_spread *out)
{
    const json_t *stat = json_object_get(json_object_get(shape, "contexts"), context);
    *out = (struct kt_spread){.least = number_in(stat, "min"),
                              .q1 = number_in(stat, "best"),
                              .median = number_in(stat, "median"),
                              .q3 = number_in(stat, "q3"),
                              .most = number_in(stat, "max"),
                              .n = (size_t)json_integer_value(json_object_get(stat, "n"))};
    return out->median > 0;
}
