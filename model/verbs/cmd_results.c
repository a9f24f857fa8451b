/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/verbs/cmd_results.h"

#include "trace/command/document.h"
#include "trace/shape/callers.h"
#include "model/report/results.h"
#include "trace/command/about.h"
#include "trace/command/json.h"
#include "trace/shape/shape.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LINE = 160, SHAPE = 100 };

struct runs {
    struct kt_trace trace[2];
    struct kt_results results;
    struct kt_callers *callers;
};

/* --- the runs ---------------------------------------------------------------------------------------------- */

static enum kt_status open_run(struct kt_trace *trace, const char *path, struct kt_error *error)
{
    struct kt_checksum_counts counts;
    KT_TRY(kt_trace_open(path, trace, error));
    kt_checksums_count(trace, &counts);
    if (counts.calls == 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: holds no checksums of operands; record with KTRACE_CHECKSUM=in,out",
                       path);
    return KT_OK;
}

static void close_runs(struct runs *r)
{
    kt_results_free(&r->results);
    kt_callers_free(r->callers);
    for (int side = 0; side < 2; side++)
        kt_trace_close(&r->trace[side]);
}

static const struct kt_place *place_of(const struct runs *r, const struct kt_call *call)
{
    return kt_callers_find(r->callers, call->process, kt_call_site(call));
}

/* --- text -------------------------------------------------------------------------------------------------- */

static void print_caller(const struct runs *r, const struct kt_call *call)
{
    char function[LINE];
    const struct kt_place *place = place_of(r, call);
    kt_place_function(place, function, sizeof function);
    if (place->file)
        kt_about_line("caller", "%s, %s:%d", function, place->file, place->line);
    else
        kt_about_line("caller", "%s, %s", function, place->object ? place->object : "an unknown file");
}

static void print_call(const struct runs *r, const struct kt_result_pair *pair, int side)
{
    char shape[SHAPE + 1];
    const struct kt_call *call = &pair->call[side];
    if (!call->entry) {
        kt_about_line(side ? "after" : "before", "no further call in that thread");
        return;
    }
    kt_shape_text(call, shape, SHAPE);
    kt_about_line(side ? "after" : "before", "call %" PRIu64 ", thread %u: %s %s", pair->number[side], call->tid,
                  call->entry->symbol.name, shape);
    print_caller(r, call);
}

static void print_pair(const struct runs *r, const struct kt_result_pair *pair, const char *heading)
{
    if (!pair->is_there)
        return;
    kt_heading(heading);
    print_call(r, pair, 0);
    print_call(r, pair, 1);
    if (*pair->names)
        kt_about_line("differs", "%s%s", pair->names,
                      pair->sampled ? " (of large operands some elements are compared)" : "");
}

static void print_distance(const char *what, const struct kt_distance *d)
{
    if (isinf(d->ulps))
        kt_about_line(what, "%s: %" PRIu64 " of %" PRIu64 " numbers, where one of them is NaN: %.17g and %.17g",
                      d->name, d->differ, d->numbers, d->value[0], d->value[1]);
    else
        kt_about_line(what, "%s: %" PRIu64 " of %" PRIu64 " numbers, at most by %.3g ulps: %.17g and %.17g", d->name,
                      d->differ, d->numbers, d->ulps, d->value[0], d->value[1]);
}

/* By how much: what calls of both runs found in their operands. */
static void print_distances(const struct kt_distances *d)
{
    char shape[SHAPE + 1];
    if (d->pairs + d->unread == 0)
        return;
    kt_heading("By how much: snapshots of what calls read");
    kt_about_line("snapshots", "%s compared, %" PRIu64 " differ, %" PRIu64 " cannot be compared",
                  KT_COUNT(d->pairs, "pair"), d->differ, d->unread);
    if (d->differ == 0)
        return;
    kt_shape_text(&d->call[0], shape, SHAPE);
    kt_about_line("first", "%s %s", d->call[0].entry->symbol.name, shape);
    print_distance("", &d->first);
    if (d->widest.ulps > d->first.ulps)
        print_distance(d->widest_routine, &d->widest);
}

static const char *first_heading(const struct kt_results *r)
{
    return r->has_in ? "First call whose inputs agree and whose outputs differ"
                     : "First call whose outputs differ (what it read was not summed)";
}

static void print_numbers(const struct kt_results *r)
{
    uint64_t pairs = r->same + r->differ + r->inputs_differ + r->unknown;
    kt_heading("Result");
    printf("%s compared: %" PRIu64 " agree, %" PRIu64 " have outputs that differ%s, %" PRIu64
           " had other inputs already.\n",
           KT_COUNT(pairs, "call"), r->same, r->differ, r->has_in ? " though their inputs agree" : "",
           r->inputs_differ);
    if (r->unknown)
        printf("%" PRIu64 " cannot be compared: not returned, not summed, or not readable.\n", r->unknown);
    if (r->orders)
        printf("%s %s other calls in the two runs: what follows was not compared.\n", KT_COUNT(r->orders, "thread"),
               kt_count_word((double)r->orders, "makes", "make"));
    if (r->processes[0] != r->processes[1] || r->threads[0] != r->threads[1])
        printf("The runs have %zu and %s in %zu and %s: those that only one has were not compared.\n", r->threads[0],
               KT_COUNT(r->threads[1], "thread"), r->processes[0], KT_COUNT(r->processes[1], "process"));
    if (!r->differ && r->inputs_differ)
        printf("No call made a difference out of equal inputs: it came from the program itself, or from calls\n"
               "that were not recorded.\n");
}

static void print_text(const struct runs *r)
{
    const struct kt_results *results = &r->results;
    kt_heading("Runs");
    kt_about_line("before", "%s", r->trace[0].path);
    kt_about_line("after", "%s", r->trace[1].path);
    print_pair(r, &results->first, first_heading(results));
    print_pair(r, &results->first_input, "First call with other inputs");
    print_pair(r, &results->order, "From here on a thread makes other calls");
    print_distances(&results->distances);
    print_numbers(results);
    if (results->first.is_there)
        printf("Next: ktrace repro --call %" PRIu64 " %s\n", results->first.number[0], kt_text_clean(r->trace[0].path));
}

/* --- JSON -------------------------------------------------------------------------------------------------- */

static json_t *call_json(const struct runs *r, const struct kt_result_pair *pair, int side)
{
    char shape[SHAPE + 1];
    const struct kt_call *call = &pair->call[side];
    if (!call->entry)
        return json_null();
    const struct kt_place *place = place_of(r, call);
    kt_shape_text(call, shape, SHAPE);
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "call", (json_int_t)pair->number[side], "pid",
                     (json_int_t)call->process->pid, "thread", (json_int_t)call->tid, "symbol",
                     kt_json_text(call->entry->symbol.name), "shape", kt_json_text(shape), "function",
                     kt_json_text_or_null(place->function), "file", kt_json_text_or_null(place->file), "line",
                     place->file ? json_integer(place->line) : json_null(), "object",
                     kt_json_text_or_null(place->object));
}

static json_t *names_json(const char *names)
{
    json_t *list = json_array();
    while (*names) {
        size_t length = strcspn(names, " ");
        json_array_append_new(list, json_stringn(names, length));
        names += length + (names[length] == ' ');
    }
    return list;
}

static json_t *pair_json(const struct runs *r, const struct kt_result_pair *pair)
{
    if (!pair->is_there)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:b}", "before", call_json(r, pair, 0), "after", call_json(r, pair, 1), "differs",
                     names_json(pair->names), "sampled", pair->sampled);
}

static json_t *distance_json(const struct kt_distance *d, const char *routine)
{
    return json_pack("{s:o, s:o, s:I, s:I, s:o, s:[oo]}", "routine", kt_json_text(routine), "operand",
                     kt_json_text(d->name), "numbers", (json_int_t)d->numbers, "differ", (json_int_t)d->differ, "ulps",
                     kt_json_number(d->ulps), "values", kt_json_number(d->value[0]), kt_json_number(d->value[1]));
}

static json_t *distances_json(const struct kt_distances *d)
{
    bool any = d->differ > 0;
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "pairs", (json_int_t)d->pairs, "not_compared", (json_int_t)d->unread,
                     "differ", (json_int_t)d->differ, "first",
                     any ? distance_json(&d->first, d->call[0].entry->symbol.routine->name) : json_null(), "widest",
                     any ? distance_json(&d->widest, d->widest_routine) : json_null());
}

static void print_json(const struct runs *r)
{
    const struct kt_results *d = &r->results;
    kt_document_print(
        &kt_document_diff_results,
        json_pack("{s:[oo], s:b, s:b, s:[II], s:[II], s:[II], s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "traces",
                  kt_json_text(r->trace[0].path), kt_json_text(r->trace[1].path), "inputs_known", d->has_in,
                  "outputs_known", d->has_out, "processes", (json_int_t)d->processes[0], (json_int_t)d->processes[1],
                  "threads", (json_int_t)d->threads[0], (json_int_t)d->threads[1], "calls", (json_int_t)d->calls[0],
                  (json_int_t)d->calls[1], "same", (json_int_t)d->same, "outputs_differ", (json_int_t)d->differ,
                  "inputs_differ", (json_int_t)d->inputs_differ, "not_compared", (json_int_t)d->unknown, "other_order",
                  (json_int_t)d->orders, "first", pair_json(r, &d->first), "first_other_inputs",
                  pair_json(r, &d->first_input), "first_other_call", pair_json(r, &d->order), "distances",
                  distances_json(&d->distances)));
}

int kt_results_verb(const char *verb, char *const path[2], bool json)
{
    struct kt_error error = {0};
    struct runs r = {.callers = kt_callers_new()};
    if (open_run(&r.trace[0], path[0], &error) != KT_OK || open_run(&r.trace[1], path[1], &error) != KT_OK) {
        close_runs(&r);
        return kt_verb_fail(verb, &error);
    }
    kt_results_make(r.trace, &r.results);
    if (json)
        print_json(&r);
    else
        print_text(&r);
    int status = kt_results_differ(&r.results) ? KT_FINDING : KT_OK;
    close_runs(&r);
    return status;
}
