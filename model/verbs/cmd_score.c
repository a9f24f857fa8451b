/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace score: what a full trace would cost, and what to set if that is too much.
 */
#include "model/report/score.h"
#include "trace/command/document.h"
#include "trace/command/about.h"
#include "trace/command/state_json.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <math.h>
#include <stdio.h>

enum { ROWS = 12 };

struct options {
    bool json;
};

const struct kt_verb_option kt_verb_score_options[] = {
    {KT_VERB_JSON(struct options, json)},
    {KT_VERB_CSV(struct options, json)},
    {0},
};

static const struct kt_score_limits limits = {.overhead = 0.01, .bytes_per_hour = 10e9};

static const char *const setting_names[] = {
    [KT_SETTING_FULL] = "full",
    [KT_SETTING_FILTER] = "filter",
    [KT_SETTING_SAMPLE] = "sample",
    [KT_SETTING_PROFILE] = "profile",
};

/* --- text -------------------------------------------------------------------------------------------------- */

static const char *percent(double fraction, char out[16])
{
    if (isnan(fraction))
        return "n/a";
    kt_text_percent(fraction, out);
    return out + strspn(out, " ");
}

static void print_cost(const struct kt_score *score)
{
    char rate[32];
    char hour[32];
    char calls[16];
    char count[16];
    char seconds[16];
    char share[16];
    kt_about_line("calls", "%s a second; %s in %s%s", kt_text_count(score->full.calls_per_second, calls),
                  kt_text_count(score->full.calls, count), kt_text_seconds(score->seconds, seconds),
                  score->sample > 1 ? ", extrapolated from a sample" : "");
    if (isnan(score->bytes_per_call))
        kt_about_line("size", "n/a: no calls were recorded, only sums of them");
    else
        kt_about_line("size", "%.1f bytes a call; %s, %s before ktrace pack", score->bytes_per_call,
                      kt_text_rate(score->full.bytes_per_second, "B/s", rate, sizeof rate),
                      kt_text_rate(3600 * score->full.bytes_per_second, "B an hour", hour, sizeof hour));
    if (isnan(score->seconds_per_call))
        kt_about_line("overhead", "n/a: the trace does not tell what recording a call cost");
    else
        kt_about_line("overhead", "%s a call; %s of the time of the busiest thread",
                      kt_text_seconds(score->seconds_per_call, seconds), percent(score->full.overhead, share));
}

static void print_routines(const struct kt_score *score)
{
    static const struct kt_column columns[] = {{"routine", false, true},
                                               {"calls", true, false},
                                               {"share", true, false},
                                               {"own time a call", true, false},
                                               {"of BLAS time", true, false}};
    struct kt_text_table *table = kt_text_table_new(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < score->routines && i < ROWS; i++) {
        const struct kt_score_routine *r = &score->routine[i];
        char calls[16];
        char share[16];
        char seconds[16];
        char time[16];
        kt_text_table_row(
            table, (const char *const[]){r->name, kt_text_count(r->calls, calls), percent(r->share, share),
                                         kt_text_seconds(r->seconds_call, seconds), percent(r->share_time, time)});
    }
    printf("\n");
    kt_heading("Routines that are called most often");
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (score->routines > ROWS)
        printf("and %zu more\n", score->routines - ROWS);
}

static void print_filter(const struct kt_score *score)
{
    char share[16];
    char time[16];
    char hour[32];
    char overhead[16];
    if (!score->filter) {
        kt_about_line("filter", "would save little: the calls that are many also take the time");
        return;
    }
    kt_about_line("filter", "%s of the calls take %s of the BLAS time; these alone:",
                  percent(score->filtered.calls / score->full.calls, share), percent(score->filtered_time, time));
    kt_about_line("", "%s, overhead %s",
                  kt_text_rate(3600 * score->filtered.bytes_per_second, "B an hour", hour, sizeof hour),
                  percent(score->filtered.overhead, overhead));
    kt_about_line("", "KTRACE_ROUTINES=%s", score->filter);
}

static void print_setting(const struct kt_score *score)
{
    switch (score->setting) {
    case KT_SETTING_FULL:
        kt_about_line("setting", "none is needed: less than %g %% overhead and %g GB an hour", 100 * limits.overhead,
                      limits.bytes_per_hour / 1e9);
        break;
    case KT_SETTING_FILTER:
        kt_about_line("setting", "the filter: with it less than %g %% overhead and %g GB an hour",
                      100 * limits.overhead, limits.bytes_per_hour / 1e9);
        break;
    case KT_SETTING_SAMPLE:
        kt_about_line("setting", "KTRACE_SAMPLE=%.0f: about %g %% overhead, and a sample of all calls",
                      score->sample_advised, 100 * limits.overhead);
        break;
    case KT_SETTING_PROFILE:
        kt_about_line("setting", "KTRACE_MODE=profile: sums of each shape, in bounded memory");
        break;
    }
}

static void print_text(const struct kt_trace *trace, const struct kt_state *state, const struct kt_score *score)
{
    kt_about_line("full trace", "of what %s recorded", trace->path);
    print_cost(score);
    kt_about_losses(trace, state);
    print_routines(score);
    printf("\n");
    print_filter(score);
    print_setting(score);
}

/* --- JSON -------------------------------------------------------------------------------------------------- */

static const struct kt_field cost_fields[] = {
    {"calls_per_second", KT_AS_NUMBER, KT_NULL, .unit = "calls per second", .meaning = "calls"},
    {"bytes_per_second", KT_AS_NUMBER, KT_NULL, .unit = "bytes per second", .meaning = "size of the trace"},
    {"bytes_per_hour", KT_AS_NUMBER, KT_NULL, .unit = "bytes per hour", .meaning = "size of the trace"},
    {"overhead", KT_AS_SHARE, KT_NULL, .meaning = "part of the time that recording takes"},
    {0}};

static const struct kt_field routine_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"calls", KT_AS_COUNT, KT_NULL, .meaning = "calls; null: more than any run can make"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of all calls"},
    {"seconds_self_per_call", KT_AS_SECONDS, KT_NULL, .meaning = "time of a call without nested ones"},
    {"share_time", KT_AS_SHARE, KT_NULL, .meaning = "part of the time"},
    {0}};

static const struct kt_field filter_fields[] = {
    {"routines", KT_AS_TEXT, .meaning = "value of KTRACE_ROUTINES"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of the calls that it keeps"},
    {"share_time", KT_AS_SHARE, KT_NULL, .meaning = "part of the time that it keeps"},
    KT_FIELDS(cost_fields),
    {0}};

static const struct kt_field variable_map[] = {{"KTRACE_NAME", KT_AS_TEXT, .meaning = "value of the variable"}, {0}};

static const struct kt_field score_fields[] = {
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "wall time"},
    {"calls", KT_AS_COUNT, KT_NULL, .meaning = "calls of a full trace"},
    {"bytes_per_call", KT_AS_NUMBER, KT_NULL, .unit = "bytes", .meaning = "size of a call"},
    {"self_seconds_per_call", KT_AS_SECONDS, KT_NULL, .meaning = "what recording a call takes"},
    KT_FIELDS(cost_fields),
    {"routines", KT_AS_RECORD, KT_MANY, .meaning = "routines", .of = routine_fields},
    {"filter", KT_AS_RECORD, KT_NULL, .meaning = "routines that are worth recording", .of = filter_fields},
    {"setting", KT_AS_TEXT, .meaning = "what to set: full, filter, sample or profile"},
    {"variables", KT_AS_MAP, .meaning = "variables of that setting", .of = variable_map},
    {"lost", KT_AS_RECORD, KT_MANY, .meaning = "calls that are missing", .of = kt_field_losses},
    {"damage", KT_AS_TEXT, KT_MANY, .meaning = "what cannot be read"},
    {0}};

const struct kt_document kt_document_score = {
    .verb = "score", .what = "ktrace score --json", .version = 1, .field = score_fields};

static void add_cost(json_t *object, const struct kt_score_cost *cost)
{
    json_object_set_new(object, "calls_per_second", kt_json_number(cost->calls_per_second));
    json_object_set_new(object, "bytes_per_second", kt_json_number(cost->bytes_per_second));
    json_object_set_new(object, "bytes_per_hour", kt_json_number(3600 * cost->bytes_per_second));
    json_object_set_new(object, "overhead", kt_json_number(cost->overhead));
}

static json_t *routines_json(const struct kt_score *score)
{
    json_t *array = json_array();
    for (size_t i = 0; i < score->routines; i++) {
        const struct kt_score_routine *r = &score->routine[i];
        json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o, s:o}", "routine", r->name, "calls",
                                               kt_json_count(r->calls), "share", kt_json_number(r->share),
                                               "seconds_self_per_call", kt_json_number(r->seconds_call), "share_time",
                                               kt_json_number(r->share_time)));
    }
    return array;
}

static json_t *filter_json(const struct kt_score *score)
{
    if (!score->filter)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "routines", json_string(score->filter));
    json_object_set_new(object, "share", kt_json_number(score->filtered.calls / score->full.calls));
    json_object_set_new(object, "share_time", kt_json_number(score->filtered_time));
    add_cost(object, &score->filtered);
    return object;
}

static json_t *variables_json(const struct kt_score *score)
{
    json_t *object = json_object();
    if (score->setting == KT_SETTING_FILTER)
        json_object_set_new(object, "KTRACE_ROUTINES", json_string(score->filter));
    if (score->setting == KT_SETTING_SAMPLE)
        json_object_set_new(object, "KTRACE_SAMPLE", json_sprintf("%.0f", score->sample_advised));
    if (score->setting == KT_SETTING_PROFILE)
        json_object_set_new(object, "KTRACE_MODE", json_string("profile"));
    return object;
}

static void print_json(const struct kt_trace *trace, const struct kt_state *state, const struct kt_score *score)
{
    json_t *document = json_object();
    json_object_set_new(document, "seconds", kt_json_number(score->seconds));
    json_object_set_new(document, "calls", kt_json_count(score->full.calls));
    json_object_set_new(document, "bytes_per_call", kt_json_number(score->bytes_per_call));
    json_object_set_new(document, "self_seconds_per_call", kt_json_number(score->seconds_per_call));
    add_cost(document, &score->full);
    json_object_set_new(document, "routines", routines_json(score));
    json_object_set_new(document, "filter", filter_json(score));
    json_object_set_new(document, "setting", json_string(setting_names[score->setting]));
    json_object_set_new(document, "variables", variables_json(score));
    json_object_set_new(document, "lost", kt_losses_json(state));
    json_object_set_new(document, "damage", kt_damage_json(trace));
    kt_document_print(&kt_document_score, document);
}

int kt_verb_score(int argc, char **argv)
{
    struct kt_trace trace;
    struct kt_state state;
    struct kt_summary summary;
    struct kt_score score;
    struct options options = {0};
    int wrong = kt_verb_parse(argc, argv, kt_verb_score_options, &options);
    if (!wrong)
        wrong = kt_verb_open_traces(argc, argv, &trace);
    if (wrong)
        return wrong;
    kt_state_find(&trace, &state);
    kt_summary_collect(&trace, &summary);
    kt_score_make(&trace, &summary, &limits, &score);
    if (options.json)
        print_json(&trace, &state, &score);
    else
        print_text(&trace, &state, &score);
    kt_score_free(&score);
    kt_summary_free(&summary);
    kt_state_free(&state);
    kt_trace_close(&trace);
    return KT_OK;
}
