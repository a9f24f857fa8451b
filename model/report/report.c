/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts a report together. Several traces are read as one with the processes of all: nothing that sums up calls has
 * to know that there was more than one.
 */
#include "model/report/report.h"

#include "model/report/findings.h"
#include "model/report/parts_json.h"
#include "trace/command/counts.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/command/state_json.h"

#include <math.h>

/* --- making it --------------------------------------------------------------------------------------------- */

static enum kt_status open_traces(char *const *path, size_t paths, struct kt_report *out, struct kt_error *error)
{
    KT_TRY(kt_trace_open_all(path, paths, &out->trace, error));
    out->paths = paths;
    out->from_replay = kt_resize(NULL, out->trace.opened, sizeof *out->from_replay);
    for (size_t i = 0; i < out->trace.opened; i++) {
        out->from_replay[i] = (struct kt_replayed){0};
        out->replays++;
        KT_TRY(kt_replayed_load(&out->trace, out->trace.files[i], &out->from_replay[i], error));
        out->replayed = out->replayed || out->from_replay[i].document;
        out->partial = out->partial || kt_replayed_is_partial(&out->from_replay[i]);
    }
    return KT_OK;
}

static struct kt_parts_shape find_replayed(const struct kt_report *report, const struct kt_shape_group *group)
{
    struct kt_parts_shape shape = {.group = group};
    kt_replayed_times(NULL, NULL, &shape.times);
    for (size_t i = 0; i < report->replays && !shape.replayed; i++) {
        const struct kt_replayed *from = &report->from_replay[i];
        if (!from->document)
            continue;
        shape.replayed = kt_replayed_find(from, group);
        kt_replayed_times(from, shape.replayed, &shape.times);
        shape.refusal = shape.refusal ? shape.refusal : kt_replayed_refusal(from, group);
    }
    return shape;
}

double kt_gflops(double flops, double seconds)
{
    return flops > 0 && seconds > 0 ? flops / seconds * 1e-9 : NAN;
}

static struct kt_report_shape make_shape(const struct kt_report *report, struct kt_shape_group *group)
{
    struct kt_report_shape shape = {
        .group = group,
        .insitu = kt_samples_stat(&group->seconds, KT_BEST_MEDIAN),
        .gflops = group->query ? NAN : kt_gflops(group->flops * (double)group->calls, group->total),
        .parts = find_replayed(report, group),
    };
    shape.parts.calls = (struct kt_timed_calls){(double)group->calls, group->total, shape.insitu.median, group->faults};
    return shape;
}

static void finish_shapes(struct kt_report *report, struct kt_collection *collection)
{
    kt_collection_add_profiles(collection);
    if (report->replayed)
        kt_by_caller_add_profiles(&report->by_caller, collection, &report->trace);
    kt_collection_finish(collection, &report->groups);
}

static void finish_sums(struct kt_report *report, struct kt_summariser *summariser)
{
    kt_summariser_add_profiles(summariser, &report->trace);
    kt_summariser_finish(summariser, &report->summary);
    kt_summary_add_wall_times(&report->trace, &report->summary);
    kt_region_sums_finish(&report->regions);
}

/* Everything that is told of single calls, in one walk. */
static void take_calls(struct kt_report *report)
{
    struct kt_summariser *summariser = kt_summariser_new();
    struct kt_collection *collection = kt_collection_new(&report->trace, KT_OUTERMOST);
    struct kt_unblocked_walk *unblocked = kt_unblocked_walk_new();
    struct kt_cursor cursor;
    struct kt_call call;
    kt_region_sums_begin(&report->trace, &report->regions);
    kt_cursor_begin(&report->trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        double seconds = kt_call_seconds(&call);
        kt_summariser_add(summariser, &call);
        kt_region_sums_add(&report->regions, &call, seconds);
        kt_collection_add(collection, &call);
        kt_unblocked_walk_add(unblocked, &call);
        if (report->replayed && call.complete && call.depth == 0)
            kt_by_caller_add(&report->by_caller, &call, kt_collection_number(collection, &call), seconds);
    }
    finish_shapes(report, collection);
    finish_sums(report, summariser);
    report->unblocked = kt_unblocked_walk_finish(unblocked, &report->unblockeds);
}

/* --- the same where nested calls are a sample -------------------------------------------------------------- */

static void take_shapes(struct kt_report *report)
{
    struct kt_collection *collection = kt_collection_new(&report->trace, KT_OUTERMOST);
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin(&report->trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        kt_collection_add(collection, &call);
    finish_shapes(report, collection);
}

/* A second walk, as the shapes tell what a call counts for. */
static void take_sampled_calls(struct kt_report *report)
{
    struct kt_summariser *summariser = kt_summariser_new();
    struct kt_cursor cursor;
    struct kt_call call;
    take_shapes(report);
    struct kt_inside_walk *walk = kt_inside_walk_new(&report->trace, &report->groups);
    struct kt_unblocked_walk *unblocked = kt_unblocked_walk_new();
    kt_region_sums_begin(&report->trace, &report->regions);
    kt_cursor_begin(&report->trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        size_t shape;
        double seconds = kt_inside_walk_add(walk, &call, &shape);
        kt_summariser_add_settled(summariser, &call, seconds);
        kt_unblocked_walk_add(unblocked, &call);
        kt_region_sums_add(&report->regions, &call, seconds);
        if (report->replayed && shape < report->groups.count)
            kt_by_caller_add(&report->by_caller, &call, report->groups.shape[shape].number, seconds);
    }
    finish_sums(report, summariser);
    report->unblocked = kt_unblocked_walk_finish(unblocked, &report->unblockeds);
    kt_summary_add_inside(&report->trace, &report->summary, walk);
}

static void add_shapes(struct kt_report *report)
{
    report->shape = kt_resize(NULL, report->groups.count, sizeof *report->shape);
    for (size_t i = 0; i < report->groups.count; i++)
        report->shape[i] = make_shape(report, &report->groups.shape[i]);
    report->kinds = kt_resize(NULL, report->groups.count, sizeof *report->kinds);
    kt_call_facts_find(&report->trace, &report->groups, report->kinds);
}

/* --- what it is made of ------------------------------------------------------------------------------------ */

static void find_parts(struct kt_report *report)
{
    size_t count = report->groups.count;
    struct kt_parts_shape *shape = kt_resize(NULL, count, sizeof *shape);
    for (size_t i = 0; i < count; i++)
        shape[i] = report->shape[i].parts;
    kt_parts_find(shape, count, &report->by_caller, report->symbols, &report->parts);
    free(shape);
}

enum { SHAPE_TEXT = 64 };

static struct kt_advice_case case_of(const struct kt_report *report, const struct kt_parts_group *routine,
                                     char text[SHAPE_TEXT + 1])
{
    const struct kt_report_shape *shape = &report->shape[routine->shape];
    const json_t *replayed = shape->parts.replayed;
    const char *contents = json_string_value(json_object_get(replayed, "contents"));
    kt_shape_text(&shape->group->first, text, SHAPE_TEXT);
    return (struct kt_advice_case){.routine = routine->routine,
                                   .parts = &routine->parts,
                                   .seconds = routine->seconds,
                                   .shape = text,
                                   .heaviest = routine->heaviest,
                                   .calls_total = shape->group->total,
                                   .calls = (double)shape->group->calls,
                                   .median = shape->insitu.median,
                                   .warm = shape->parts.times.warm.value,
                                   .bound = shape->parts.times.bound,
                                   .bound_by = json_string_value(json_object_get(replayed, "bound_by")),
                                   .contents_made = isnan(shape->group->flops) && !shape->group->query && contents &&
                                                    !strcmp(contents, "made"),
                                   .flops_known = json_is_number(json_object_get(replayed, "flops"))};
}

/* The reference BLAS, by the name that it was replayed under. */
static bool is_reference(const struct kt_report *report)
{
    for (size_t i = 0; i < report->replays; i++) {
        const json_t *library = json_object_get(report->from_replay[i].document, "library");
        const char *name = json_string_value(json_object_get(library, "name"));
        if (name && !strcmp(name, "reference"))
            return true;
    }
    return false;
}

static void find_advice(struct kt_report *report)
{
    size_t count = report->parts.routines.count;
    struct kt_advice_case *of = kt_resize(NULL, count, sizeof *of);
    char(*text)[SHAPE_TEXT + 1] = kt_resize(NULL, count, sizeof *text);
    for (size_t i = 0; i < count; i++)
        of[i] = case_of(report, &report->parts.routines.group[i], text[i]);
    report->advices =
        kt_advice_find(of, count, report->groups.seconds, is_reference(report), report->path[0], report->advice);
    free(text);
    free(of);
}

static void find_places(struct kt_report *out)
{
    const struct kt_sums *callers = &out->summary.callers;
    out->symbols = kt_callers_new();
    out->callers = kt_callers_by_place(out->symbols, callers, &out->caller);
    out->lines = kt_callers_by_line(out->symbols, callers, &out->line);
    out->source = kt_shape_sources_find(&out->groups, out->symbols);
    if (kt_paths_are_recorded(&out->trace))
        kt_paths_find(out->symbols, callers, &out->tree);
}

enum kt_status kt_report_make(char *const *path, size_t paths, struct kt_report *out, struct kt_error *error)
{
    *out = (struct kt_report){.path = path};
    KT_TRY(open_traces(path, paths, out, error));
    kt_state_find(&out->trace, &out->state);
    if (kt_state_nested(&out->trace) == KT_NESTED_ALL)
        take_calls(out);
    else
        take_sampled_calls(out);
    kt_counted_collect(&out->trace, &out->counted);
    kt_imbalance_find(&out->trace, &out->summary, &out->imbalance);
    out->overhead = kt_overhead_of(&out->state, &out->groups);
    add_shapes(out);
    find_places(out);
    if (out->replayed) {
        find_parts(out);
        find_advice(out);
    }
    return KT_OK;
}

void kt_report_free(struct kt_report *report)
{
    kt_parts_free(&report->parts);
    kt_by_caller_free(&report->by_caller);
    free(report->caller);
    free(report->line);
    free(report->source);
    kt_paths_free(&report->tree);
    kt_callers_free(report->symbols);
    free(report->shape);
    free(report->kinds);
    kt_unblocked_free(report->unblocked, report->unblockeds);
    kt_shapes_free(&report->groups);
    kt_summary_free(&report->summary);
    kt_state_free(&report->state);
    kt_imbalance_free(&report->imbalance);
    kt_counted_free(&report->counted);
    kt_region_sums_free(&report->regions);
    for (size_t i = 0; i < report->replays; i++)
        kt_replayed_free(&report->from_replay[i]);
    kt_trace_close(&report->trace);
    free(report->from_replay);
}

double kt_report_index(const struct kt_report_shape *shape)
{
    const struct kt_context_times *times = &shape->parts.times;
    return kt_context_index(shape->insitu.median, times->warm.value, times->cold.value);
}

/* --- JSON -------------------------------------------------------------------------------------------------- */

static json_t *estimate_json(const struct kt_estimate *estimate)
{
    return json_pack("{s:o, s:o, s:o}", "value", kt_json_number(estimate->value), "lo", kt_json_number(estimate->lo),
                     "hi", kt_json_number(estimate->hi));
}

/* {"calls": {"value", "lo", "hi"}, "seconds", "seconds_self", "sampled", "of"} */
static json_t *estimated_json(const struct kt_sum_estimate *estimate)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I}", "calls", estimate_json(&estimate->of[KT_INSIDE_CALLS]), "seconds",
                     estimate_json(&estimate->of[KT_INSIDE_SECONDS]), "seconds_self",
                     estimate_json(&estimate->of[KT_INSIDE_SELF]), "sampled", (json_int_t)estimate->sampled, "of",
                     (json_int_t)estimate->outermost);
}

static json_t *routine_json(const struct kt_sum *sum)
{
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "routine", sum->routine, "calls", (json_int_t)sum->calls,
                  "calls_top", (json_int_t)sum->calls_top, "seconds", kt_json_number(sum->seconds), "seconds_self",
                  kt_json_number(sum->seconds_self), "flops", kt_json_number(sum->flops), "gflops",
                  kt_json_number(kt_gflops(sum->flops, sum->seconds)), "bytes", kt_json_number(sum->bytes));
    if (sum->estimate)
        json_object_set_new(object, "estimated", estimated_json(sum->estimate));
    return object;
}

/* Of each outermost routine that nests others: from how many of its calls it is known what happens in them. */
static json_t *insides_json(const struct kt_inside_found *inside)
{
    json_t *array = json_array();
    for (size_t i = 0; i < inside->of.outers; i++) {
        const struct kt_inside_outer *outer = &inside->of.outer[i];
        json_array_append_new(array, json_pack("{s:s, s:I, s:I, s:o}", "routine", inside->name[outer->routine], "calls",
                                               (json_int_t)outer->calls, "sampled", (json_int_t)outer->sampled,
                                               "seconds_unknown", kt_json_number(outer->unknown)));
    }
    return array;
}

static json_t *routines_json(const struct kt_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sums->count; i++)
        json_array_append_new(array, routine_json(&sums->sum[i]));
    return array;
}

/* {NAME: {"total", "calls", "missing"}, ...}; the total of no counted call is not 0 but null. */
static json_t *counted_json(const struct kt_counted *counted, const struct kt_counted_routine *routine)
{
    json_t *object = json_object();
    for (size_t i = 0; i < counted->counters; i++) {
        const struct kt_counted_sum *sum = &routine->sum[i];
        kt_json_set_named(object, counted->counter[i],
                          json_pack("{s:o, s:I, s:I}", "total", kt_json_number(sum->calls ? sum->total : NAN), "calls",
                                    (json_int_t)sum->calls, "missing", (json_int_t)sum->missing));
    }
    return object;
}

static void add_counted(json_t *routines, const struct kt_sums *sums, const struct kt_counted *counted)
{
    for (size_t i = 0; i < sums->count; i++) {
        const struct kt_counted_routine *routine = kt_counted_find(counted, sums->sum[i].routine);
        if (routine)
            json_object_set_new(json_array_get(routines, i), "events", counted_json(counted, routine));
    }
}

static json_t *shape_json(const struct kt_report_shape *shape)
{
    const struct kt_shape_group *group = shape->group;
    const struct kt_symbol *symbol = &group->first.entry->symbol;
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:b}", "routine", symbol->routine->name, "symbol",
                  kt_json_text(symbol->name), "args", kt_json_args(&group->first, false), "calls",
                  (json_int_t)group->calls, "total", kt_json_number(group->total), "insitu",
                  kt_json_stat(&shape->insitu), "flops", kt_json_number(group->flops), "gflops",
                  kt_json_number(shape->gflops), "bytes", kt_json_number(group->bytes), "query", group->query);
    json_object_set_new(object, "page_faults",
                        group->faults_known ? json_pack("{s:o, s:I}", "total", kt_json_number(group->faults), "calls",
                                                        (json_int_t)group->faults_known)
                                            : json_null());
    json_object_set_new(object, "inside",
                        json_pack("{s:I, s:I}", "calls", (json_int_t)group->inside.calls, "sampled",
                                  (json_int_t)group->inside.recorded));
    json_object_set_new(object, "failed", json_integer((json_int_t)group->failed));
    json_object_set_new(object, "info", group->failed ? json_integer(group->info) : json_null());
    json_object_set_new(object, "corrected", json_boolean(group->corrected));
    if (shape->parts.replayed) {
        json_object_set(object, "contexts", json_object_get(shape->parts.replayed, "contexts"));
        json_object_set_new(object, "context_index", kt_json_number(kt_report_index(shape)));
        json_object_set_new(object, "bound", kt_json_number(shape->parts.times.bound));
    }
    return object;
}

static json_t *shapes_json(const struct kt_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->groups.count; i++) {
        json_t *shape = shape_json(&report->shape[i]);
        json_object_set_new(shape, "kinds", kt_findings_kinds_json(&report->kinds[i]));
        json_object_set_new(shape, "source", kt_shape_source_json(&report->source[i]));
        json_array_append_new(array, shape);
    }
    return array;
}

static json_t *callers_json(const struct kt_caller *caller, size_t callers)
{
    json_t *array = json_array();
    for (size_t i = 0; i < callers; i++) {
        json_t *json = kt_place_json(caller[i].place);
        json_object_set_new(json, "calls", json_integer((json_int_t)caller[i].calls));
        json_object_set_new(json, "seconds", kt_json_number(caller[i].seconds));
        json_array_append_new(array, json);
    }
    return array;
}

static json_t *threads_json(const struct kt_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sums->count; i++) {
        const struct kt_sum *sum = &sums->sum[i];
        json_array_append_new(array, json_pack("{s:I, s:I, s:I, s:I, s:o}", "pid", (json_int_t)sum->process->pid, "tid",
                                               (json_int_t)sum->id, "calls", (json_int_t)sum->calls, "calls_top",
                                               (json_int_t)sum->calls_top, "seconds", kt_json_number(sum->seconds)));
    }
    return array;
}

static json_t *ranks_json(const struct kt_imbalance *imbalance)
{
    json_t *array = json_array();
    for (size_t i = 0; i < imbalance->ranks.count; i++) {
        const struct kt_rank *rank = &imbalance->ranks.rank[i];
        const struct kt_rank_time *time = &imbalance->time[i];
        json_array_append_new(
            array, json_pack("{s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "rank", (json_int_t)rank->rank,
                             "job", kt_json_text_or_null(rank->job), "host",
                             kt_json_text_or_null(kt_meta(rank->first, "host")), "pid", (json_int_t)rank->first->pid,
                             "processes", (json_int_t)rank->processes, "calls", (json_int_t)time->calls, "calls_top",
                             (json_int_t)time->calls_top, "start", kt_json_number(rank->first->start), "seconds",
                             kt_json_number(rank->seconds), "seconds_blas", kt_json_number(time->seconds_blas)));
    }
    return array;
}

static json_t *balance_json(const struct kt_imbalance *imbalance, const struct kt_balance *balance)
{
    return json_pack("{s:s, s:o, s:I, s:o, s:I, s:o, s:o}", "routine", balance->routine, "max",
                     kt_json_number(balance->max), "max_rank",
                     (json_int_t)imbalance->ranks.rank[balance->max_rank].rank, "min", kt_json_number(balance->min),
                     "min_rank", (json_int_t)imbalance->ranks.rank[balance->min_rank].rank, "mean",
                     kt_json_number(balance->mean), "imbalance", kt_json_number(kt_balance_ratio(balance)));
}

static json_t *balances_json(const struct kt_imbalance *imbalance)
{
    json_t *array = json_array();
    for (size_t i = 0; i < imbalance->routines; i++)
        json_array_append_new(array, balance_json(imbalance, &imbalance->routine[i]));
    return array;
}

static void add_ranks(json_t *document, const struct kt_imbalance *imbalance)
{
    bool any = imbalance->ranks.count > 0;
    json_object_set_new(document, "ranks", ranks_json(imbalance));
    json_object_set_new(document, "ranks_expected",
                        imbalance->ranks.expected ? json_integer((json_int_t)imbalance->ranks.expected) : json_null());
    json_object_set_new(document, "imbalance", kt_json_number(any ? kt_balance_ratio(&imbalance->all) : NAN));
    json_object_set_new(document, "imbalance_routines", balances_json(imbalance));
}

static json_t *clock_json(const struct kt_state *state)
{
    return json_pack("{s:I, s:I, s:o}", "migrated", (json_int_t)state->migrated, "implausible",
                     (json_int_t)state->implausible, "note", kt_json_text_or_null(state->clock_note));
}

static json_t *processes_json(const struct kt_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sums->count; i++) {
        const struct kt_sum *sum = &sums->sum[i];
        json_array_append_new(array, json_pack("{s:I, s:o, s:I, s:I, s:o, s:o}", "pid", (json_int_t)sum->process->pid,
                                               "program", kt_json_text_or_null(kt_meta(sum->process, "program")),
                                               "calls", (json_int_t)sum->calls, "calls_top", (json_int_t)sum->calls_top,
                                               "seconds", kt_json_number(sum->process->seconds), "seconds_blas",
                                               kt_json_number(sum->seconds)));
    }
    return array;
}

/* Names from the outermost region on. */
static json_t *path_json(const struct kt_region_sums *sums, size_t region)
{
    json_t *array = json_array();
    for (const struct kt_region_sum *sum = &sums->sum[region]; sum->name; sum = &sums->sum[sum->parent])
        json_array_insert_new(array, 0, kt_json_text(sum->name));
    return array;
}

/* The one with an empty path is what is in no region. */
static json_t *regions_json(const struct kt_region_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; sums->count > 1 && i < sums->count; i++) {
        size_t region = sums->order[i];
        const struct kt_region_sum *sum = &sums->sum[region];
        json_array_append_new(array,
                              json_pack("{s:o, s:I, s:o, s:I, s:I, s:o}", "path", path_json(sums, region), "entered",
                                        (json_int_t)sum->entered, "seconds", kt_json_number(sum->seconds), "calls",
                                        (json_int_t)sum->calls, "calls_top", (json_int_t)sum->calls_top, "seconds_blas",
                                        kt_json_number(sum->seconds_blas)));
    }
    return array;
}

static json_t *overhead_json(const struct kt_estimate *overhead)
{
    return json_pack("{s:o, s:o, s:o}", "seconds", kt_json_number(overhead->value), "lo", kt_json_number(overhead->lo),
                     "hi", kt_json_number(overhead->hi));
}

json_t *kt_report_json(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    json_t *document =
        json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "state", kt_state_text(&report->trace), "calls",
                  (json_int_t)summary->calls, "calls_top", (json_int_t)summary->calls_top, "unfinished",
                  (json_int_t)summary->unfinished, "seconds", kt_json_number(summary->seconds),
                  "seconds_before_first_call", kt_json_number(summary->seconds_before), "seconds_blas",
                  kt_json_number(summary->seconds_blas), "self_seconds", kt_json_number(report->state.self_seconds));
    uint64_t sample = kt_state_sample(&report->trace);
    const struct kt_estimate all = kt_summary_of_all(summary, sample);
    json_object_set_new(document, "seconds_blas_estimated", sample > 1 ? estimate_json(&all) : json_null());
    json_object_set_new(document, "overhead", overhead_json(&report->overhead));
    json_object_set_new(document, "nested", kt_nested_json(&report->trace, &report->state));
    json_object_set_new(document, "inside", insides_json(&summary->inside));
    json_object_set_new(document, "in_flight", kt_in_flight_json(&report->state));
    json_object_set_new(document, "mode", json_string(kt_is_profile(&report->trace) ? "profile" : "full"));
    json_object_set_new(document, "overflow", json_integer((json_int_t)report->state.overflow));
    json_object_set_new(document, "routines", routines_json(&summary->routines));
    json_object_set_new(document, "events", kt_counters_json(&report->trace));
    add_counted(json_object_get(document, "routines"), &summary->routines, &report->counted);
    json_object_set_new(document, "shapes", shapes_json(report));
    json_object_set_new(document, "unblocked", kt_findings_unblocked_json(report));
    json_object_set_new(document, "callers", callers_json(report->caller, report->callers));
    json_object_set_new(document, "lines", callers_json(report->line, report->lines));
    json_object_set_new(document, "paths", kt_paths_json(&report->tree));
    json_object_set_new(document, "threads", threads_json(&summary->threads));
    json_object_set_new(document, "processes", processes_json(&summary->processes));
    json_object_set_new(document, "clock", clock_json(&report->state));
    add_ranks(document, &report->imbalance);
    kt_json_add_missing(document, &report->trace, &report->state);
    json_object_set_new(document, "regions", regions_json(&report->regions));
    json_object_set_new(document, "regions_unmatched", json_integer((json_int_t)report->regions.unmatched));
    if (report->replayed) {
        kt_parts_json_shapes(report, json_object_get(document, "shapes"));
        json_object_set_new(document, "decomposition", kt_parts_json(report));
    }
    return document;
}
