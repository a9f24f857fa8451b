/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace check: what of a trace can be read, and everything that keeps it from being the whole truth.
 */
#include "trace/read/checksums.h"
#include "trace/command/document.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/read/origin.h"
#include "trace/read/profile.h"
#include "trace/read/state.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct options {
    bool json;
};

const struct kt_verb_option kt_verb_check_options[] = {
    {KT_VERB_JSON(struct options, json)},
    {0},
};

struct findings {
    char **text;
    size_t count;
};

__attribute__((format(printf, 2, 3))) static void add_finding(struct findings *findings, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    findings->text = kt_room_for_one(findings->text, findings->count, sizeof *findings->text);
    findings->text[findings->count++] = kt_copy(text);
}

static void find_in_process(struct findings *findings, const struct kt_process *p)
{
    if (!p->complete && !p->running)
        add_finding(findings, "%s: incomplete: the process ended without closing its trace%s", p->path,
                    kt_process_may_run_elsewhere(p) ? ", or still runs on another machine" : "");
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        if (p->lost[i])
            add_finding(findings, "%s: %s %s not recorded: %s", p->path, KT_COUNT(p->lost[i], "call"),
                        kt_count_word((double)p->lost[i], "was", "were"), kt_loss_text(i));
}

/* Durations that nobody should build on. */
static void find_in_clock(struct findings *findings, const struct kt_trace *trace, const struct kt_state *state)
{
    if (state->clock_note)
        add_finding(findings, "%s: durations are doubtful: %s", trace->path, state->clock_note);
    if (state->implausible)
        add_finding(findings, "%s: %s %s impossible durations", trace->path, KT_COUNT(state->implausible, "call"),
                    kt_count_word((double)state->implausible, "has", "have"));
}

/* Operands that nobody can compare. */
static void find_in_checksums(struct findings *findings, const struct kt_trace *trace)
{
    struct kt_checksum_counts counts;
    kt_checksums_count(trace, &counts);
    if (counts.missing)
        add_finding(findings, "%s: %s %s no checksums of operands", trace->path, KT_COUNT(counts.missing, "call"),
                    kt_count_word((double)counts.missing, "has", "have"));
    if (counts.unread)
        add_finding(findings, "%s: %s could not be read for %s", trace->path, KT_COUNT(counts.unread, "operand"),
                    kt_count_word((double)counts.unread, "its checksum", "their checksums"));
}

static struct findings find_all(const struct kt_trace *trace, const struct kt_state *state)
{
    struct findings findings = {0};
    for (size_t i = 0; i < trace->processes; i++)
        find_in_process(&findings, &trace->process[i]);
    find_in_clock(&findings, trace, state);
    find_in_checksums(&findings, trace);
    if (state->overflow && !kt_is_workload(trace)) /* which has them on purpose */
        add_finding(&findings, "%s: %s had no room for %s shape: counted by routine only", trace->path,
                    KT_COUNT(state->overflow, "call"), kt_count_word((double)state->overflow, "its", "their"));
    for (size_t i = 0; i < trace->notes; i++)
        add_finding(&findings, "%s", trace->note[i]);
    return findings;
}

static const struct kt_field check_fields[] = {
    {"state", KT_AS_TEXT, .meaning = "complete, incomplete or running"},
    {"processes", KT_AS_COUNT, .meaning = "processes"},
    {"threads", KT_AS_COUNT, .meaning = "threads that made calls"},
    {"calls", KT_AS_COUNT, .meaning = "calls that are readable"},
    {"complete_calls", KT_AS_COUNT, .meaning = "of these, calls that have returned"},
    {"migrated_calls", KT_AS_COUNT, .meaning = "calls that ended on another processor than they began on"},
    {"implausible_calls", KT_AS_COUNT, .meaning = "calls whose times cannot be"},
    {"findings", KT_AS_TEXT, KT_MANY, .meaning = "what is wrong, in words"},
    {0}};

const struct kt_document kt_document_check = {
    .verb = "check", .what = "ktrace check --json", .version = 1, .field = check_fields};

static void print_json(const struct kt_trace *trace, const struct findings *findings, const struct kt_state *state)
{
    json_t *list = json_array();
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(list, kt_json_text(findings->text[i]));
    json_t *document = json_object();
    json_object_set_new(document, "state", json_string(kt_state_text(trace)));
    json_object_set_new(document, "processes", json_integer((json_int_t)trace->processes));
    json_object_set_new(document, "threads", json_integer((json_int_t)state->threads));
    json_object_set_new(document, "calls", json_integer((json_int_t)state->calls));
    json_object_set_new(document, "complete_calls", json_integer((json_int_t)state->completed));
    json_object_set_new(document, "migrated_calls", json_integer((json_int_t)state->migrated));
    json_object_set_new(document, "implausible_calls", json_integer((json_int_t)state->implausible));
    json_object_set_new(document, "findings", list);
    kt_document_print(&kt_document_check, document);
}

static void print_text(const struct kt_trace *trace, const struct findings *findings, const struct kt_state *state)
{
    char calls[16];
    for (size_t i = 0; i < findings->count; i++)
        printf("%s\n", kt_text_clean(findings->text[i]));
    printf("%s: %s %s readable, %s, %s", findings->count ? "in spite of that" : "fine", KT_COUNT(state->calls, "call"),
           kt_count_word((double)state->calls, "is", "are"), KT_COUNT(state->threads, "thread"),
           KT_COUNT(trace->processes, "process"));
    if (state->completed < state->calls)
        printf("; %s of them not returned", kt_text_count((double)(state->calls - state->completed), calls));
    printf("\n");
}

int kt_verb_check(int argc, char **argv)
{
    struct kt_trace trace;
    struct options options = {0};
    int wrong = kt_verb_parse(argc, argv, kt_verb_check_options, &options);
    if (!wrong)
        wrong = kt_verb_open_traces(argc, argv, &trace);
    if (wrong)
        return wrong;
    struct kt_state state;
    kt_state_find(&trace, &state);
    struct findings findings = find_all(&trace, &state);
    if (options.json)
        print_json(&trace, &findings, &state);
    else
        print_text(&trace, &findings, &state);
    int status = findings.count ? KT_FINDING : KT_OK;
    for (size_t i = 0; i < findings.count; i++)
        free(findings.text[i]);
    free(findings.text);
    kt_state_free(&state);
    kt_trace_close(&trace);
    return status;
}
