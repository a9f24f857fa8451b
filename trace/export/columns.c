/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/export/export.h"

#include "trace/command/call_json.h"
#include "trace/command/json.h"
#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

const struct kt_export_column kt_export_columns[] = {
    {.name = "n", .type = "INTEGER PRIMARY KEY"},
    {.name = "process", .type = "INTEGER"}, /* as in the process_table of info: ids repeat, these do not */
    {.name = "pid", .type = "INTEGER"},
    {.name = "tid", .type = "INTEGER"},
    {.name = "depth", .type = "INTEGER"},
    {.name = "parent", .type = "INTEGER"},
    {.name = "routine", .type = "TEXT"},
    {.name = "symbol", .type = "TEXT"},
    {.name = "t", .type = "REAL"},
    {.name = "dt", .type = "REAL"},
    {.name = "nested", .type = "INTEGER"},
    {.name = "inside", .type = "INTEGER"},
    {.name = "weight", .type = "REAL"},
    {.name = "passed", .type = "INTEGER"},
    {.name = "in_parallel", .type = "INTEGER"},
    {.name = "cpu", .type = "INTEGER"},
    {.name = "faults", .type = "INTEGER"},
    {.name = "caller_object", .type = "TEXT", .key = "caller", .inner = "object"},
    {.name = "caller_offset", .type = "INTEGER", .key = "caller", .inner = "offset"},
    {.name = "file", .type = "TEXT"},
    {.name = "line", .type = "INTEGER"},
    {.name = "function", .type = "TEXT"},
    {.name = "path", .type = "TEXT"},
    {.name = "info", .type = "INTEGER"},
    {.name = "flops", .type = "REAL"},
    {.name = "region", .type = "TEXT"},
    {.name = "args", .type = "TEXT"},
    {.name = "events", .type = "TEXT"},
    {.name = "complete", .type = "INTEGER"},
    {0},
};

const json_t *kt_export_value(const json_t *call, const struct kt_export_column *column)
{
    const json_t *value = json_object_get(call, column->key ? column->key : column->name);
    return column->inner ? json_object_get(value, column->inner) : value;
}

char *kt_export_text(const json_t *value)
{
    if (!value || json_is_null(value))
        return kt_copy("");
    if (json_is_string(value))
        return kt_copy(json_string_value(value));
    if (json_is_boolean(value))
        return kt_copy(json_is_true(value) ? "1" : "0");
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    return text ? text : kt_copy("");
}

json_t *kt_export_call(const struct kt_export_calls *calls, const struct kt_call *call)
{
    json_t *object = kt_call_json(call);
    uint64_t site = kt_call_site(call);
    if (call->depth > 0)
        return object;
    const struct kt_place *place = kt_callers_find(calls->callers, call->process, site);
    char *path = kt_callers_know_path(call->process, site) ? kt_export_path(calls->callers, call->process, site) : NULL;
    json_object_set_new(object, "file", kt_json_text_or_null(place->file));
    json_object_set_new(object, "line", place->file ? json_integer(place->line) : json_null());
    json_object_set_new(object, "function", kt_json_text_or_null(place->function));
    json_object_set_new(object, "path", kt_json_text_or_null(path));
    free(path);
    return object;
}

void kt_export_begin(struct kt_export_calls *calls)
{
    calls->count = calls->left_out = 0;
    kt_cursor_begin(calls->trace, &calls->cursor);
}

bool kt_export_next(struct kt_export_calls *calls, struct kt_call *out)
{
    while (!kt_interrupted() && kt_cursor_next(&calls->cursor, out)) {
        bool has_time = out->complete && kt_call_is_plausible(out);
        if ((calls->outermost && out->depth) || !kt_routine_matches(out->entry->symbol.routine->name, calls->routines))
            continue;
        calls->left_out += calls->timed && !has_time;
        calls->count += !calls->timed || has_time;
        if (!calls->timed || has_time)
            return true;
    }
    return false;
}
