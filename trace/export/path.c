/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/export/export.h"

#include "trace/library/installed.h"
#include "trace/base/memory.h"
#include "trace/shape/shape.h"
#include "trace/print/text.h"

#include <stdio.h>

/* Names that hold what separates frames would be several. */
static void put_frame(const struct kt_place *place, FILE *to)
{
    enum { LONGEST = 1024 };
    char text[LONGEST];
    char function[LONGEST / 2];
    kt_place_function(place, function, sizeof function);
    if (place->file)
        snprintf(text, sizeof text, "%s (%s:%d)", function, kt_base_name(place->file), place->line);
    else
        snprintf(text, sizeof text, "%s (%s)", function, place->object ? kt_base_name(place->object) : "unknown");
    kt_text_clean(text);
    for (char *c = text; *c; c++)
        putc(*c == ';' ? ',' : *c, to);
}

char *kt_export_path(struct kt_callers *callers, const struct kt_process *process, uint64_t site)
{
    const struct kt_place *place[KT_PATH_PLACES];
    size_t places = kt_callers_path(callers, process, site, place);
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        abort();
    for (size_t i = places; i-- > 0;) {
        put_frame(place[i], to);
        if (i)
            putc(';', to);
    }
    fclose(to);
    return text ? text : kt_copy("");
}

/* --- sums -------------------------------------------------------------------------------------------------- */

/* What report counts each call for: where the inside of some was recorded, these do not tell how long a call takes. */
static void add_calls(struct kt_export_calls *calls, struct kt_by_caller *out)
{
    struct kt_shapes shapes;
    struct kt_shapes none;
    struct kt_call call;
    kt_shapes_collect(calls->trace, KT_OUTERMOST, &shapes);
    struct kt_collection *collection = kt_collection_of(calls->trace, &shapes);
    while (kt_export_next(calls, &call)) {
        const struct kt_shape_group *shape = &shapes.shape[kt_collection_number(collection, &call)];
        kt_by_caller_add(out, &call, (size_t)(call.entry - call.process->entry), kt_shape_call_seconds(shape, &call));
    }
    kt_collection_finish(collection, &none);
    kt_shapes_free(&none);
    kt_shapes_free(&shapes);
}

static void add_profiles(struct kt_export_calls *calls, struct kt_by_caller *out)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    kt_counts_begin(calls->trace, &cursor);
    while (kt_counts_next(&cursor, &counts)) {
        const struct kt_entry *entry = counts.call.entry;
        if (counts.nesting != KT_NOT_NESTED || !kt_routine_matches(entry->symbol.routine->name, calls->routines))
            continue;
        calls->count += counts.calls;
        kt_by_caller_add_counts(out, &counts, (size_t)(entry - counts.call.process->entry));
    }
}

void kt_export_sums(struct kt_export_calls *calls, struct kt_by_caller *out)
{
    *out = (struct kt_by_caller){.only_sums = true};
    calls->outermost = calls->timed = true;
    kt_export_begin(calls);
    add_calls(calls, out);
    add_profiles(calls, out);
}
