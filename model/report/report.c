/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts a report together. Several traces are read as one with the processes of all: nothing that sums up calls has
 * to know that there was more than one.
 */
#include "model/report/report.h"

#include "model/report/machine_states.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"

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
    shape.parts.calls =
        (struct kt_timed_calls){(double)group->calls, group->total, shape.insitu.median, group->faults, 0};
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
    kt_machine_states_find(report);
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
    for (size_t i = 0; i < report->parts.shapes.count; i++)
        report->shape[report->parts.shapes.group[i].shape].group_of_parts = &report->parts.shapes.group[i];
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
    out->by_caller.sites = kt_sites_new();
    KT_TRY(open_traces(path, paths, out, error));
    kt_state_find(&out->trace, &out->state);
    if (kt_state_nested(&out->trace) == KT_NESTED_ALL)
        take_calls(out);
    else
        take_sampled_calls(out);
    kt_counted_collect(&out->trace, &out->counted);
    kt_imbalance_find(&out->trace, &out->summary, &out->imbalance);
    kt_paces_find(&out->trace, &out->groups, &out->imbalance, &out->paces);
    out->overhead = kt_overhead_of(&out->state, &out->groups);
    kt_overlaps_find(&out->trace, &out->groups, &out->overlaps);
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
    kt_overlaps_free(&report->overlaps);
    kt_shapes_free(&report->groups);
    kt_summary_free(&report->summary);
    kt_state_free(&report->state);
    kt_imbalance_free(&report->imbalance);
    kt_paces_free(&report->paces);
    kt_counted_free(&report->counted);
    kt_region_sums_free(&report->regions);
    for (size_t i = 0; i < report->replays; i++)
        kt_replayed_free(&report->from_replay[i]);
    kt_trace_close(&report->trace);
    free(report->from_replay);
}

bool kt_report_has_threads(const struct kt_report *report)
{
    const struct kt_sums *threads = &report->summary.threads;
    unsigned char *is_met = kt_zeros(report->trace.processes, 1);
    bool has_threads = false;
    for (size_t i = 0; i < threads->count; i++) {
        unsigned char *met = &is_met[threads->sum[i].process - report->trace.process];
        has_threads = has_threads || *met;
        *met = 1;
    }
    free(is_met);
    return has_threads;
}

double kt_report_blas_share(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    double seconds = summary->seconds_blas * (double)kt_state_sample(&report->trace);
    if (kt_report_has_threads(report))
        seconds = report->overlaps.busy;
    return summary->seconds_all > 0 ? seconds / summary->seconds_all : NAN;
}

double kt_report_index(const struct kt_report_shape *shape)
{
    const struct kt_context_times *times = &shape->parts.times;
    return kt_context_index(shape->insitu.median, times->warm.value, times->cold.value);
}
