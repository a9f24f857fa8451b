/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/state_json.h"

#include <string.h>

const struct kt_field kt_field_losses[] = {{"cause", KT_AS_TEXT, .meaning = "name of the cause"},
                                           {"text", KT_AS_TEXT, .meaning = "the same in words"},
                                           {"calls", KT_AS_COUNT, .meaning = "calls that were lost"},
                                           {0}};

const struct kt_field kt_field_in_flight[] = {
    {"n", KT_AS_ID, .meaning = "number of the call in the trace"},
    {"pid", KT_AS_ID, .meaning = "process id"},
    {"tid", KT_AS_ID, .meaning = "thread id"},
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"symbol", KT_AS_TEXT, .meaning = "name that was called"},
    {"args", KT_AS_MAP, .meaning = "arguments, by their names"},
    {0}};

const struct kt_field kt_field_nested[] = {
    {"mode", KT_AS_TEXT, .meaning = "sample, all or none"},
    {"passed", KT_AS_COUNT, .meaning = "nested calls that were not recorded"},
    {"outermost", KT_AS_COUNT, .meaning = "outermost calls"},
    {"outermost_inside", KT_AS_COUNT, .meaning = "of these, calls in which nested ones are recorded"},
    {0}};

static const struct kt_field selection_fields[] = {
    {"sample", KT_AS_COUNT, .meaning = "one in so many of the program's calls was recorded; 1: all"},
    {"only_routines", KT_AS_TEXT, KT_NULL, .meaning = "the routines that were to be recorded; null: all"},
    {"last_calls_only", KT_AS_FLAG, .meaning = "the first calls had to make room for the last ones"},
    {"skipped", KT_AS_COUNT, .meaning = "calls that were not recorded, as the user wished"},
    {0}};

const struct kt_field kt_field_missing[] = {
    KT_FIELDS(selection_fields),
    {"lost", KT_AS_RECORD, KT_MANY, .meaning = "calls that are missing", .of = kt_field_losses},
    {"damage", KT_AS_TEXT, KT_MANY, .meaning = "what cannot be read"},
    {0}};

json_t *kt_losses_json(const struct kt_state *state)
{
    json_t *array = json_array();
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        if (state->lost[i])
            json_array_append_new(array, json_pack("{s:s, s:s, s:I}", "cause", kt_loss_name(i), "text", kt_loss_text(i),
                                                   "calls", (json_int_t)state->lost[i]));
    return array;
}

json_t *kt_in_flight_json(const struct kt_state *state)
{
    json_t *array = json_array();
    for (size_t i = 0; i < state->in_flights; i++) {
        const struct kt_call *call = &state->in_flight[i];
        json_t *object = json_object();
        json_object_set_new(object, "n", json_integer((json_int_t)call->n));
        json_object_set_new(object, "pid", json_integer(call->process->pid));
        json_object_set_new(object, "tid", json_integer(call->tid));
        json_object_set_new(object, "routine", json_string(call->entry->symbol.routine->name));
        json_object_set_new(object, "symbol", kt_json_text(call->entry->symbol.name));
        json_object_set_new(object, "args", kt_json_args(call, true));
        json_array_append_new(array, object);
    }
    return array;
}

json_t *kt_nested_json(const struct kt_trace *trace, const struct kt_state *state)
{
    return json_pack("{s:s, s:I, s:I, s:I}", "mode", kt_nested_name(kt_state_nested(trace)), "passed",
                     (json_int_t)state->passed, "outermost", (json_int_t)state->outermost, "outermost_inside",
                     (json_int_t)state->outermost_inside);
}

json_t *kt_damage_json(const struct kt_trace *trace)
{
    json_t *array = json_array();
    for (size_t i = 0; i < trace->notes; i++)
        json_array_append_new(array, kt_json_text(trace->note[i]));
    return array;
}

/* What the user had left out. */
static void add_selection(json_t *document, const struct kt_trace *trace, const struct kt_state *state)
{
    const char *routines = kt_trace_option(trace, "ROUTINES", "*");
    json_object_set_new(document, "sample", json_integer((json_int_t)kt_state_sample(trace)));
    json_object_set_new(document, "only_routines", strcmp(routines, "*") ? kt_json_text(routines) : json_null());
    json_object_set_new(document, "last_calls_only", json_boolean(kt_state_keeps_last(trace, state)));
    json_object_set_new(document, "skipped", json_integer((json_int_t)state->skipped));
}

void kt_json_add_missing(json_t *document, const struct kt_trace *trace, const struct kt_state *state)
{
    add_selection(document, trace, state);
    json_object_set_new(document, "lost", kt_losses_json(state));
    json_object_set_new(document, "damage", kt_damage_json(trace));
}
