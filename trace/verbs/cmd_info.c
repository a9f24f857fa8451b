/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace info: what was traced, on what, in which state the trace is and what is missing from it.
 */
#include "trace/command/about.h"
#include "trace/command/document.h"
#include "trace/command/counts.h"
#include "trace/command/hosts_json.h"
#include "trace/command/info_json.h"
#include "trace/library/installed.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/shape/ranks.h"
#include "trace/shape/snapshots.h"
#include "trace/command/subnormal.h"
#include "trace/command/state_json.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"
#include "trace/verbs/info_machine.h"
#include "trace/verbs/library_list.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

enum { MAX_COMMAND = 1023, MAX_PROCESSES = 16 };

/* --- libraries --------------------------------------------------------------------------------------------- */

/* Libraries of all processes, each file once. */
struct libraries {
    const struct kt_object **object;
    size_t count;
};

struct options {
    bool json, libraries;
};

const struct kt_verb_option kt_verb_info_options[] = {
    {"libraries", 0, NULL,
     "list the BLAS libraries of this machine, or those named: versions, kernels, integers, threads",
     KT_VERB_FLAG(struct options, libraries)},
    {KT_VERB_JSON(struct options, json)},
    {KT_VERB_CSV(struct options, json)},
    {0},
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
    json_object_set_new(object, "file", *library->file ? kt_json_text(library->file) : json_null());
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

static json_t *command_json(const struct kt_process *process)
{
    json_t *array = json_array();
    for (size_t i = 0; i < process->metas; i++)
        if (!strcmp(process->meta[i].key, "arg"))
            json_array_append_new(array, kt_json_text(process->meta[i].value));
    return array;
}

/* --- the document ------------------------------------------------------------------------------------------ */

static double longest_seconds(const struct kt_trace *trace)
{
    double seconds = 0;
    for (size_t i = 0; i < trace->processes; i++)
        if (trace->process[i].seconds > seconds)
            seconds = trace->process[i].seconds;
    return seconds;
}

static const char *process_state(const struct kt_process *p)
{
    return p->running ? "running" : p->complete ? "complete" : "incomplete";
}

static json_t *process_json(const struct kt_process *p)
{
    json_t *object = json_object();
    json_object_set_new(object, "process", json_integer((json_int_t)p->number));
    json_object_set_new(object, "pid", json_integer(p->pid));
    kt_info_add_meta(object, p, "ppid", true);
    kt_info_add_meta(object, p, "rank", true);
    kt_info_add_meta(object, p, "job", false);
    kt_info_add_meta(object, p, "host", false);
    kt_info_add_meta(object, p, "program", false);
    json_object_set_new(object, "command", command_json(p));
    json_object_set_new(object, "state", json_string(process_state(p)));
    json_object_set_new(object, "start", kt_json_number(p->start));
    json_object_set_new(object, "seconds", kt_json_number(p->seconds));
    json_object_set_new(object, "threads", json_integer((json_int_t)kt_process_threads(p)));
    json_object_set_new(object, "calls", json_integer((json_int_t)p->calls));
    return object;
}

static json_t *processes_json(const struct kt_trace *trace)
{
    json_t *array = json_array();
    struct kt_branch *branch = kt_process_tree(trace);
    for (size_t i = 0; i < trace->processes; i++)
        json_array_append_new(array, process_json(branch[i].process));
    free(branch);
    return array;
}

static json_t *clock_json(const struct kt_process *first, const struct kt_state *state)
{
    json_t *object = json_object();
    kt_info_add_meta(object, first, "clock", false);
    kt_info_add_meta(object, first, "tsc_invariant", true);
    json_object_set_new(object, "note", state->clock_note ? kt_json_text(state->clock_note) : json_null());
    json_object_set_new(object, "migrated", json_integer((json_int_t)state->migrated));
    json_object_set_new(object, "implausible", json_integer((json_int_t)state->implausible));
    return object;
}

static json_t *snapshots_json(const struct kt_trace *trace)
{
    struct kt_snapshots found;
    kt_snapshots_survey(trace, &found);
    json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:o}", "count", (json_int_t)found.count, "bytes",
                             (json_int_t)found.bytes, "missing", (json_int_t)found.missing, "damaged",
                             (json_int_t)found.damaged, "subnormal", kt_subnormals_of_trace(trace));
    kt_snapshots_free(&found);
    return json;
}

static json_t *document_of(const struct kt_trace *trace, const struct kt_state *state, const struct kt_ranks *ranks)
{
    const struct kt_process *first = first_process(trace);
    json_t *document = json_object();
    json_object_set_new(document, "format", json_sprintf("%d.%d", KT_FORMAT_MAJOR, KT_FORMAT_MINOR));
    json_object_set_new(document, "state", json_string(kt_state_text(trace)));
    json_object_set_new(document, "command", command_json(first));
    kt_info_add_meta(document, first, "program", false);
    json_object_set_new(document, "processes", json_integer((json_int_t)trace->processes));
    json_object_set_new(document, "threads", json_integer((json_int_t)state->threads));
    json_object_set_new(document, "ranks", json_integer((json_int_t)ranks->count));
    json_object_set_new(document, "mode",
                        json_string(kt_is_workload(trace)  ? "workload"
                                    : kt_is_profile(trace) ? "profile"
                                                           : "full"));
    json_object_set_new(document, "calls", json_integer((json_int_t)state->calls));
    json_object_set_new(document, "overflow", json_integer((json_int_t)state->overflow));
    json_object_set_new(document, "lost", kt_losses_json(state));
    json_object_set_new(document, "damage", kt_damage_json(trace));
    json_object_set_new(document, "skipped", json_integer((json_int_t)state->skipped));
    json_object_set_new(document, "sample", json_integer((json_int_t)kt_state_sample(trace)));
    json_object_set_new(document, "nested", kt_nested_json(trace, state));
    json_object_set_new(document, "in_flight", kt_in_flight_json(state));
    json_object_set_new(document, "tsc_hz", kt_json_number(first->tick_hz));
    json_object_set_new(document, "seconds", kt_json_number(longest_seconds(trace)));
    json_object_set_new(document, "self_seconds", kt_json_number(state->self_seconds));
    json_object_set_new(document, "bytes", json_integer((json_int_t)trace->bytes));
    json_object_set_new(document, "events", kt_counters_json(trace));
    json_object_set_new(document, "libraries", libraries_json(trace));
    json_object_set_new(document, "traces", json_integer((json_int_t)trace->traces));
    json_object_set_new(document, "ranks_expected",
                        ranks->expected ? json_integer((json_int_t)ranks->expected) : json_null());
    json_object_set_new(document, "process_table", processes_json(trace));
    json_object_set_new(document, "clock", clock_json(first, state));
    json_object_set_new(document, "hosts", kt_hosts_json(trace));
    json_object_set_new(document, "machine", kt_info_machine_json(first));
    json_object_set_new(document, "options", kt_info_named_json(first, "option", "KTRACE_"));
    json_object_set_new(document, "snapshots", snapshots_json(trace));
    return document;
}

json_t *kt_info_json(const struct kt_trace *trace)
{
    struct kt_state state;
    struct kt_ranks ranks;
    kt_state_find(trace, &state);
    kt_ranks_find(trace, &ranks);
    json_t *document = document_of(trace, &state, &ranks);
    kt_ranks_free(&ranks);
    kt_state_free(&state);
    return document;
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
        char library[128];
        kt_about_line(i ? "" : "libraries", "%s", o->path);
        kt_about_library_kind(o, library, sizeof library);
        kt_about_line("", "    %s, %d-bit integers", library, 8 * o->int_bytes);
    }
    free(list.object);
}

/* LIST: KTRACE_BLAS. */
static bool is_in_list(const char *list, const char *path)
{
    char *copy = kt_copy(list);
    char *rest = copy;
    bool found = false;
    for (char *part; !found && (part = strsep(&rest, ","));)
        found = *part && (!strcmp(part, path) || kt_same_file(part, path) ||
                          (!strchr(part, '/') && !strcmp(part, kt_base_name(path))));
    free(copy);
    return found;
}

/* Routines that the library of KTRACE_BLAS does not have, or not with the conventions that the program uses. */
static void print_what_stayed(const struct kt_trace *trace)
{
    const struct kt_entry *first = NULL;
    size_t count = 0;
    const char *list = kt_trace_option(trace, "BLAS", "");
    for (size_t p = 0; *list && p < trace->processes; p++)
        for (size_t e = 0; e < trace->process[p].entries; e++) {
            const struct kt_entry *entry = &trace->process[p].entry[e];
            if (!entry->symbol.routine || is_in_list(list, entry->library->path))
                continue;
            first = first ? first : entry;
            count++;
        }
    if (*list)
        kt_about_line("", "calls were sent to %s", list);
    if (first)
        kt_about_line("", "but for %zu, of which %s stayed with %s", count, first->symbol.name, first->library->path);
}

static void print_nested(const struct kt_trace *trace, const struct kt_state *state)
{
    char inside[16];
    if (kt_state_nested(trace) != KT_NESTED_ALL)
        kt_about_line("nested", "recorded in %s of %s; %s %s passed on",
                      kt_text_count((double)state->outermost_inside, inside),
                      KT_COUNT(state->outermost, "outermost call"), KT_COUNT(state->passed, "nested call"),
                      kt_count_word((double)state->passed, "was", "were"));
}

static void print_in_flight(const struct kt_state *state)
{
    for (size_t i = 0; i < state->in_flights; i++) {
        const struct kt_call *call = &state->in_flight[i];
        char shape[61];
        kt_shape_text(call, shape, sizeof shape - 1);
        kt_about_line("in flight", "%s %s (call %" PRIu64 ", thread %" PRIu32 ")", call->entry->symbol.name, shape,
                      call->n, call->tid);
    }
}

/* A row of: rank, process, parent, host, program, start, seconds, calls, state. */
static void process_row(struct kt_text_table *table, const struct kt_branch *branch, bool ranks)
{
    const struct kt_process *p = branch->process;
    char pid[16];
    char program[128];
    char start[16];
    char seconds[16];
    char calls[16];
    const char *rank = kt_meta(p, "rank");
    const char *cell[] = {
        rank ? rank : "-", pid, meta_or_unknown(p, "ppid"), meta_or_unknown(p, "host"), program, start, seconds, calls,
        process_state(p)};
    snprintf(pid, sizeof pid, "%" PRIu32, p->pid);
    snprintf(program, sizeof program, "%*s%s", branch->depth < 8 ? 2 * branch->depth : 16, "",
             kt_base_name(meta_or_unknown(p, "program")));
    kt_text_seconds(p->start, start);
    kt_text_seconds(p->seconds, seconds);
    kt_text_count((double)p->calls, calls);
    kt_text_table_row(table, cell + !ranks);
}

/* Children are indented below their parents. */
static void print_processes(const struct kt_trace *trace, bool ranks)
{
    static const struct kt_column column[] = {
        {.head = "rank", .right = true},  {.head = "process", .right = true},  {.head = "parent", .right = true},
        {.head = "host", .shrink = true}, {.head = "program", .shrink = true}, {.head = "start", .right = true},
        {.head = "wall", .right = true},  {.head = "calls", .right = true},    {.head = "state"}};
    size_t shown = trace->processes < MAX_PROCESSES ? trace->processes : MAX_PROCESSES;
    struct kt_branch *branch = kt_process_tree(trace);
    struct kt_text_table *table = kt_text_table_new(column + !ranks, sizeof column / sizeof *column - !ranks);
    for (size_t i = 0; i < shown; i++)
        process_row(table, &branch[i], ranks);
    printf("\n");
    kt_heading("Processes");
    kt_text_table_print(table);
    kt_text_table_free(table);
    free(branch);
    if (shown < trace->processes)
        printf("... and %zu more: --json lists all\n", trace->processes - shown);
}

static void print_migrations(const struct kt_state *state)
{
    if (state->migrated)
        kt_about_line("migrated", "%s ended on another processor than %s began on", KT_COUNT(state->migrated, "call"),
                      kt_count_word((double)state->migrated, "it", "they"));
}

static void print_subnormals(const struct kt_trace *trace)
{
    enum { LISTED = 5 };
    json_t *list = kt_subnormals_of_trace(trace);
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count && i < LISTED; i++) {
        char text[256];
        const json_t *one = json_array_get(list, i);
        kt_subnormals_text(json_object_get(one, "operands"), text, sizeof text);
        kt_about_line(i ? "" : "subnormal", "%s: %s", json_string_value(json_object_get(one, "routine")), text);
    }
    if (count > LISTED)
        kt_about_line("", "and operands of %s; all of them with --json", KT_COUNT(count - LISTED, "other snapshot"));
    json_decref(list);
}

static void print_snapshots(const struct kt_trace *trace)
{
    char bytes[32];
    struct kt_snapshots found;
    kt_snapshots_survey(trace, &found);
    if (found.count)
        kt_about_line("snapshots", "%zu of calls' operands, %s", found.count,
                      kt_text_rate((double)found.bytes, "B", bytes, sizeof bytes));
    if (found.missing)
        kt_about_line(found.count ? "" : "snapshots", "%" PRIu64 " could not be taken, or were beyond the limit",
                      found.missing);
    if (found.damaged)
        kt_about_line(found.count || found.missing ? "" : "snapshots", "%zu are damaged", found.damaged);
    kt_snapshots_free(&found);
    print_subnormals(trace);
}

static void print_about(const struct kt_trace *trace, const struct kt_state *state, const struct kt_ranks *ranks)
{
    const struct kt_process *first = first_process(trace);
    char calls[16];
    char seconds[16];
    char self[16];
    char bytes[32];
    char others[32] = "";
    if (trace->traces > 1)
        snprintf(others, sizeof others, " (%zu traces)", trace->traces);
    kt_about_line("trace", "%s%s, %s, %s", trace->path, others, kt_state_text(trace),
                  kt_text_rate((double)trace->bytes, "B", bytes, sizeof bytes));
    kt_about_command(first, MAX_COMMAND);
    kt_about_line("program", "%s", meta_or_unknown(first, "program"));
    kt_about_line("calls", "%s in %s of %s", kt_text_count((double)state->calls, calls),
                  KT_COUNT(state->threads, "thread"), KT_COUNT(trace->processes, "process"));
    kt_about_profile(trace, state);
    kt_about_selection(trace, state);
    print_nested(trace, state);
    kt_about_ranks(ranks);
    kt_about_line("time", "%s, of which %s took %s", kt_text_seconds(longest_seconds(trace), seconds),
                  state->self_is_clock ? "reading clocks for records" : "recording calls",
                  kt_text_seconds(state->self_seconds, self));
    kt_about_line("machine", "%s, %s CPUs, host %s", meta_or_unknown(first, "cpu_model"),
                  meta_or_unknown(first, "cpus"), meta_or_unknown(first, "host"));
    kt_info_print_processors(first);
    kt_about_line("clock", "%s, %.6g MHz", meta_or_unknown(first, "clock"), first->tick_hz / 1e6);
    kt_about_clock(state);
    kt_about_hosts(trace);
    print_migrations(state);
    print_libraries(trace);
    print_what_stayed(trace);
    kt_counters_about(trace, false);
    print_snapshots(trace);
    kt_about_losses(trace, state);
    print_in_flight(state);
    if (trace->processes > 1)
        print_processes(trace, ranks->count > 0);
}

static void print_text(const struct kt_trace *trace)
{
    struct kt_state state;
    struct kt_ranks ranks;
    kt_state_find(trace, &state);
    kt_ranks_find(trace, &ranks);
    print_about(trace, &state, &ranks);
    kt_ranks_free(&ranks);
    kt_state_free(&state);
}

int kt_verb_info(int argc, char **argv)
{
    struct kt_trace trace;
    struct options options = {0};
    int wrong = kt_verb_parse(argc, argv, kt_verb_info_options, &options);
    if (!wrong && options.libraries)
        return kt_library_list(argc - optind, argv + optind, options.json);
    if (!wrong)
        wrong = kt_verb_open_traces(argc, argv, &trace);
    if (wrong)
        return wrong;
    if (options.json)
        kt_document_print(&kt_document_info, kt_info_json(&trace));
    else
        print_text(&trace);
    kt_trace_close(&trace);
    return KT_OK;
}
