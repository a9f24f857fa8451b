/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/shape_source.h"

#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/library/installed.h"

#include <math.h>
#include <stdio.h>

/* Calls of a shape from a place, which may have several addresses. */
struct from {
    size_t number; /* of the shape */
    const struct kt_place *place;
    double seconds;
};

static int compare_from(const void *a, const void *b)
{
    const struct from *x = a;
    const struct from *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return kt_place_compare_lines(x->place, y->place);
}

static struct from *sorted_from(const struct kt_by_caller *sums, struct kt_callers *callers)
{
    struct from *from = kt_resize(NULL, sums->count, sizeof *from);
    for (size_t i = 0; i < sums->count; i++) {
        const struct kt_shape_calls *of = &sums->of[i];
        from[i] = (struct from){of->shape, kt_callers_find(callers, of->process, of->caller), of->total};
    }
    if (sums->count)
        qsort(from, sums->count, sizeof *from, compare_from);
    return from;
}

/* The COUNT entries are of one shape: SHARE becomes seconds of the place, and TOTAL those of all. */
static struct kt_shape_source most_of(const struct from *from, size_t count, double *total)
{
    struct kt_shape_source best = {.share = -1};
    *total = 0;
    for (size_t i = 0, end; i < count; i = end) {
        double seconds = 0;
        for (end = i; end < count && compare_from(&from[i], &from[end]) == 0; end++)
            seconds += from[end].seconds;
        if (seconds > best.share)
            best = (struct kt_shape_source){from[i].place, seconds};
        *total += seconds;
    }
    return best;
}

/* By number of the shape. */
static struct kt_shape_source *sources_by_number(const struct from *from, size_t count, size_t shapes)
{
    struct kt_shape_source *source = kt_resize(NULL, shapes, sizeof *source);
    for (size_t i = 0; i < shapes; i++)
        source[i] = (struct kt_shape_source){.share = NAN};
    for (size_t i = 0, end; i < count; i = end) {
        double total;
        for (end = i; end < count && from[end].number == from[i].number; end++)
            ;
        struct kt_shape_source *found = &source[from[i].number];
        *found = most_of(&from[i], end - i, &total);
        found->share = total > 0 ? found->share / total : NAN;
    }
    return source;
}

struct kt_shape_source *kt_shape_sources_find(const struct kt_shapes *shapes, struct kt_callers *callers)
{
    struct from *from = sorted_from(&shapes->callers, callers);
    struct kt_shape_source *by_number = sources_by_number(from, shapes->callers.count, shapes->count);
    struct kt_shape_source *source = kt_resize(NULL, shapes->count, sizeof *source);
    for (size_t i = 0; i < shapes->count; i++)
        source[i] = by_number[shapes->shape[i].number];
    free(by_number);
    free(from);
    return source;
}

json_t *kt_place_json(const struct kt_place *place)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I}", "object", kt_json_text_or_null(place->object), "function",
                     kt_json_text_or_null(place->function), "file", kt_json_text_or_null(place->file), "line",
                     place->file ? json_integer(place->line) : json_null(), "offset", (json_int_t)place->offset);
}

json_t *kt_shape_source_json(const struct kt_shape_source *source)
{
    if (!source->place)
        return json_null();
    json_t *json = kt_place_json(source->place);
    json_object_set_new(json, "share", kt_json_number(source->share));
    return json;
}

void kt_shape_source_text(const struct kt_shape_source *source, char *out, size_t size)
{
    static const double all_of_it = 0.95;
    const struct kt_place *place = source->place;
    *out = '\0';
    if (place && place->file && source->share < all_of_it)
        snprintf(out, size, "%s:%d and others", kt_base_name(place->file), place->line);
    else if (place)
        kt_place_text(place, out, size);
}
