/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace info: what was traced, on what, in which state the trace is and what is missing from it.
 */
#include "trace/about.h"
#include "trace/json.h"
#include "trace/memory.h"
#include "trace/state.h"
#include "trace/text.h"
#include "trace/verb.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_COMMAND = 1023 };

/* --- libraries --------------------------------------------------------------------------------------------- */

/* Libraries of all processes, each file once. */
struct libraries {
    const struct kt_object **object;
    size_t count;
};

static bool is_listed(const struct libraries *list, const struct kt_object *object)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->object[i]->path, object->path) && !strcmp(list->object[i]->build_id, object->build_id))
            return true;
    return false;
}

static struct libraries list_libraries(const struct kt_trace *trace)
{
    struct libraries list = {0};
    for (size_t i = 0; i < trace->processes; i++)
        for (size_t o = 0; o < trace->process[i].objects; o++) {
            const struct kt_object *object = &trace->process[i].object[o];
            if (!object->is_library || is_listed(&list, object))
                continue;
            list.object = kt_room_for_one(list.object, list.count, sizeof *list.object);
            list.object[list.count++] = object;
        }
    return list;
}

static json_t *library_json(const struct kt_object *library)
{
    json_t *object = json_object();
    json_object_set_new(object, "path", kt_json_text(library->path));
    json_object_set_new(object, "soname", kt_json_text(library->soname));
    json_object_set_new(object, "build_id", kt_json_text(library->build_id));
    json_object_set_new(object, "name", json_string(kt_about_library_name(library)));
    json_object_set_new(object, "version", kt_json_text(library->version));
    json_object_set_new(object, "int_bits", json_integer(8 * library->int_bytes));
    json_object_set_new(object, "threads", library->threads ? json_integer(library->threads) : json_null());
    return object;
}

static json_t *libraries_json(const struct kt_trace *trace)
{
    struct libraries list = list_libraries(trace);
    json_t *array = json_array();
    for (size_t i = 0; i < list.count; i++)
        json_array_append_new(array, library_json(list.object[i]));
    free(list.object);
    return array;
}

/* --- meta -------------------------------------------------------------------------------------------------- */

/* The process that was started first stands for the run. */
static const struct kt_process *first_process(const struct kt_trace *trace)
{
    const struct kt_process *first = &trace->process[0];
    for (size_t i = 1; i < trace->processes; i++) {
        const char *ppid = kt_meta(first, "ppid");
        if (ppid && strtoul(ppid, NULL, 10) == trace->process[i].pid)
            first = &trace->process[i];
    }
    return first;
}

static size_t count_ranks(const struct kt_trace *trace)
{
    size_t ranks = 0;
    for (size_t i = 0; i < trace->processes; i++)
        ranks += kt_meta(&trace->process[i], "rank") != NULL;
    return ranks;
}

static json_t *command_json(const struct kt_process *process)
{
    json_t *array = json_array();
    for (size_t i = 0; i < process->metas; i++)
        if (!strcmp(process->meta[i].key, "arg"))
            json_array_append_new(array, kt_json_text(process->meta[i].value));
    return array;
}

static void add_meta(json_t *object, const struct kt_process *process, const char *key, bool number)
{
    const char *value = kt_meta(process, key);
    json_t *json = !value ? json_null() : number ? json_integer(strtoll(value, NULL, 10)) : kt_json_text(value);
    json_object_set_new(object, key, json);
}

static json_t *machine_json(const struct kt_process *process)
{
    json_t *object = json_object();
    add_meta(object, process, "host", false);
    add_meta(object, process, "cpu_model", false);
    add_meta(object, process, "cpus", true);
    add_meta(object, process, "page_bytes", true);
    add_meta(object, process, "clock", false);
    add_meta(object, process, "byte_order", false);
    add_meta(object, process, "boot_id", false);
    return object;
}

static json_t *options_json(const struct kt_process *process)
{
    json_t *object = json_object();
    for (size_t i = 0; i < process->metas; i++) {
        const char *tab = strchr(process->meta[i].value, '\t');
        char name[64];
        if (strcmp(process->meta[i].key, "option") != 0 || !tab)
            continue;
        snprintf(name, sizeof name, "KTRACE_%.*s", (int)(tab - process->meta[i].value), process->meta[i].value);
        json_object_set_new_nocheck(object, kt_text_clean(name), kt_json_text(tab + 1));
    }
    return object;
}

/* --- the document ------------------------------------------------------------------------------------------ */

static json_t *lost_json(const struct kt_state *state)
{
    json_t *array = json_array();
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        if (state->lost[i])
            json_array_append_new(
                array, json_pack("{s:s,s:I}", "cause", kt_loss_name(i), "calls", (json_int_t)state->lost[i]));
    return array;
}

static json_t *in_flight_json(const struct kt_state *state)
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

static double longest_seconds(const struct kt_trace *trace)
{
    double seconds = 0;
    for (size_t i = 0; i < trace->processes; i++)
        if (trace->process[i].seconds > seconds)
            seconds = trace->process[i].seconds;
    return seconds;
}

static void print_json(const struct kt_trace *trace, const struct kt_state *state)
{
    const struct kt_process *first = first_process(trace);
    json_t *document = json_object();
    json_object_set_new(document, "format", json_sprintf("%d.%d", KT_FORMAT_MAJOR, KT_FORMAT_MINOR));
    json_object_set_new(document, "state", json_string(kt_state_text(trace)));
    json_object_set_new(document, "command", command_json(first));
    add_meta(document, first, "program", false);
    json_object_set_new(document, "processes", json_integer((json_int_t)trace->processes));
    json_object_set_new(document, "threads", json_integer((json_int_t)state->threads));
    json_object_set_new(document, "ranks", json_integer((json_int_t)count_ranks(trace)));
    json_object_set_new(document, "calls", json_integer((json_int_t)state->calls));
    json_object_set_new(document, "lost", lost_json(state));
    json_object_set_new(document, "in_flight", in_flight_json(state));
    json_object_set_new(document, "tsc_hz", kt_json_number(first->tick_hz));
    json_object_set_new(document, "seconds", kt_json_number(longest_seconds(trace)));
    json_object_set_new(document, "self_seconds", kt_json_number(state->clock_seconds));
    json_object_set_new(document, "bytes", json_integer((json_int_t)trace->bytes));
    json_object_set_new(document, "libraries", libraries_json(trace));
    json_object_set_new(document, "machine", machine_json(first));
    json_object_set_new(document, "options", options_json(first));
    kt_json_print(document);
}

/* --- text -------------------------------------------------------------------------------------------------- */

static const char *meta_or_unknown(const struct kt_process *process, const char *key)
{
    const char *value = kt_meta(process, key);
    return value && *value ? value : "not known";
}

static void print_libraries(const struct kt_trace *trace)
{
    struct libraries list = list_libraries(trace);
    for (size_t i = 0; i < list.count; i++) {
        const struct kt_object *o = list.object[i];
        char library[64];
        char threads[32] = "";
        if (o->threads)
            snprintf(threads, sizeof threads, ", %d thread%s", o->threads, o->threads == 1 ? "" : "s");
        kt_about_line(i ? "" : "libraries", "%s", o->path);
        kt_about_library(o, library, sizeof library);
        kt_about_line("", "    %s, %d-bit integers%s", library, 8 * o->int_bytes, threads);
    }
    free(list.object);
}

static void print_losses(const struct kt_trace *trace, const struct kt_state *state)
{
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        if (state->lost[i])
            kt_about_line("lost", "%" PRIu64 " calls: %s", state->lost[i], kt_loss_text(i));
    for (size_t i = 0; i < trace->notes; i++)
        kt_about_line("damage", "%s", trace->note[i]);
    for (size_t i = 0; i < state->in_flights; i++) {
        const struct kt_call *call = &state->in_flight[i];
        char shape[61];
        kt_shape_text(call, shape, sizeof shape - 1);
        kt_about_line("in flight", "%s %s (thread %" PRIu32 ")", call->entry->symbol.name, shape, call->tid);
    }
}

static void print_text(const struct kt_trace *trace, const struct kt_state *state)
{
    const struct kt_process *first = first_process(trace);
    char calls[16];
    char seconds[16];
    char self[16];
    char bytes[32];
    kt_about_line("trace", "%s, %s, %s", trace->path, kt_state_text(trace),
                  kt_text_rate((double)trace->bytes, "B", bytes, sizeof bytes));
    kt_about_command(first, MAX_COMMAND);
    kt_about_line("program", "%s", meta_or_unknown(first, "program"));
    kt_about_line("calls", "%s in %zu thread%s of %zu process%s", kt_text_count((double)state->calls, calls),
                  state->threads, state->threads == 1 ? "" : "s", trace->processes, trace->processes == 1 ? "" : "es");
    kt_about_line("time", "%s, of which reading clocks for records took %s",
                  kt_text_seconds(longest_seconds(trace), seconds), kt_text_seconds(state->clock_seconds, self));
    kt_about_line("machine", "%s, %s CPUs, host %s", meta_or_unknown(first, "cpu_model"),
                  meta_or_unknown(first, "cpus"), meta_or_unknown(first, "host"));
    kt_about_line("clock", "%s, %.6g MHz", meta_or_unknown(first, "clock"), first->tick_hz / 1e6);
    print_libraries(trace);
    print_losses(trace, state);
}

int kt_verb_info(int argc, char **argv)
{
    struct kt_trace trace;
    bool json;
    int wrong = kt_verb_open_trace(argc, argv, &trace, &json);
    if (wrong)
        return wrong;
    struct kt_state state;
    kt_state_find(&trace, &state);
    if (json)
        print_json(&trace, &state);
    else
        print_text(&trace, &state);
    kt_state_free(&state);
    kt_trace_close(&trace);
    return KT_OK;
}
