/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts a report together. Several traces are read as one with the processes of all: nothing that sums up calls has
 * to know that there was more than one.
 */
#include "model/report.h"

#include "trace/memory.h"

#include <math.h>

/* --- making it --------------------------------------------------------------------------------------------- */

/* Shallow copies: what the processes own stays with the traces they come from. */
static void append_processes(struct kt_trace *all, const struct kt_trace *trace)
{
    all->process = kt_resize(all->process, all->processes + trace->processes, sizeof *all->process);
    for (size_t i = 0; i < trace->processes; i++)
        all->process[all->processes++] = trace->process[i];
    all->bytes += trace->bytes;
}

static enum kt_status open_traces(char *const *path, size_t paths, struct kt_report *out, struct kt_error *error)
{
    out->opened = kt_resize(NULL, paths, sizeof *out->opened);
    out->from_replay = kt_resize(NULL, paths, sizeof *out->from_replay);
    for (size_t i = 0; i < paths; i++) {
        struct kt_trace *trace = &out->opened[out->traces];
        struct kt_replayed *replayed = &out->from_replay[out->traces];
        *replayed = (struct kt_replayed){0};
        out->traces++;
        KT_TRY(kt_trace_open(path[i], trace, error));
        KT_TRY(kt_replayed_load(trace->path, replayed, error));
        append_processes(&out->trace, trace);
        out->replayed = out->replayed || replayed->document;
    }
    return KT_OK;
}

static const json_t *find_replayed(const struct kt_report *report, const struct kt_shape_group *group)
{
    for (size_t i = 0; i < report->traces; i++) {
        const json_t *found = report->from_replay[i].shapes ? kt_replayed_find(&report->from_replay[i], group) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

double kt_gflops(double flops, double seconds)
{
    return flops > 0 && seconds > 0 ? flops / seconds * 1e-9 : NAN;
}

static struct kt_report_shape make_shape(const struct kt_report *report, struct kt_shape_group *group)
{
    struct kt_report_shape shape = {
        .group = group,
        .insitu = kt_stat_of(group->seconds, group->calls, KT_BEST_MEDIAN), /* their order is not needed any more */
        .gflops = group->query ? NAN : kt_gflops(group->flops * (double)group->calls, group->total),
        .times = {.calls = (double)group->calls,
                  .total = group->total,
                  .warm = NAN,
                  .cold = NAN,
                  .tracked = NAN,
                  .bound = NAN},
        .replayed = find_replayed(report, group),
    };
    shape.times.insitu = shape.insitu.median;
    if (shape.replayed)
        kt_replayed_times(shape.replayed, &shape.times);
    return shape;
}

static void add_shapes(struct kt_report *report)
{
    kt_shapes_collect(&report->trace, KT_OUTERMOST, &report->groups);
    size_t count = report->groups.count;
    struct kt_context_times *times = kt_resize(NULL, count, sizeof *times);
    report->shape = kt_resize(NULL, count, sizeof *report->shape);
    for (size_t i = 0; i < count; i++) {
        report->shape[i] = make_shape(report, &report->groups.shape[i]);
        times[i] = report->shape[i].times;
    }
    kt_decompose(times, count, &report->decomposition);
    free(times);
}

enum kt_status kt_report_make(char *const *path, size_t paths, struct kt_report *out, struct kt_error *error)
{
    *out = (struct kt_report){0};
    KT_TRY(open_traces(path, paths, out, error));
    kt_state_find(&out->trace, &out->state);
    kt_summary_collect(&out->trace, &out->summary);
    add_shapes(out);
    out->symbols = kt_callers_new();
    out->callers = kt_callers_by_place(out->symbols, &out->summary.callers, &out->caller);
    return KT_OK;
}

void kt_report_free(struct kt_report *report)
{
    free(report->caller);
    kt_callers_free(report->symbols);
    free(report->shape);
    kt_shapes_free(&report->groups);
    kt_summary_free(&report->summary);
    kt_state_free(&report->state);
    free(report->trace.process);
    for (size_t i = 0; i < report->traces; i++) {
        kt_replayed_free(&report->from_replay[i]);
        kt_trace_close(&report->opened[i]);
    }
    free(report->from_replay);
    free(report->opened);
}

double kt_report_index(const struct kt_report_shape *shape)
{
    return kt_context_index(shape->times.insitu, shape->times.warm, shape->times.cold);
}

/* --- JSON -------------------------------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text)
{
    return text && *text ? kt_json_text(text) : json_null();
}

static json_t *losses_json(const struct kt_report *report)
{
    json_t *array = json_array();
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        if (report->state.lost[i])
            json_array_append_new(array, json_pack("{s:s, s:s, s:I}", "cause", kt_loss_name(i), "text", kt_loss_text(i),
                                                   "calls", (json_int_t)report->state.lost[i]));
    return array;
}

static json_t *routines_json(const struct kt_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sums->count; i++) {
        const struct kt_sum *sum = &sums->sum[i];
        json_array_append_new(array, json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "routine", sum->routine,
                                               "calls", (json_int_t)sum->calls, "calls_top", (json_int_t)sum->calls_top,
                                               "seconds", kt_json_number(sum->seconds), "seconds_self",
                                               kt_json_number(sum->seconds_self), "flops", kt_json_number(sum->flops),
                                               "gflops", kt_json_number(kt_gflops(sum->flops, sum->seconds)), "bytes",
                                               kt_json_number(sum->bytes)));
    }
    return array;
}

static json_t *shape_json(const struct kt_report_shape *shape)
{
    const struct kt_shape_group *group = shape->group;
    const struct kt_symbol *symbol = &group->first.entry->symbol;
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:b}", "routine", symbol->routine->name, "symbol", symbol->name,
        "args", kt_json_args(&group->first, false), "calls", (json_int_t)group->calls, "total",
        kt_json_number(group->total), "insitu", kt_json_stat(&shape->insitu), "flops", kt_json_number(group->flops),
        "gflops", kt_json_number(shape->gflops), "bytes", kt_json_number(group->bytes), "query", group->query);
    if (shape->replayed) {
        json_object_set(object, "contexts", json_object_get(shape->replayed, "contexts"));
        json_object_set_new(object, "context_index", kt_json_number(kt_report_index(shape)));
        json_object_set_new(object, "bound", kt_json_number(shape->times.bound));
    }
    return object;
}

static json_t *shapes_json(const struct kt_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->groups.count; i++)
        json_array_append_new(array, shape_json(&report->shape[i]));
    return array;
}

static json_t *callers_json(const struct kt_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->callers; i++) {
        const struct kt_caller *caller = &report->caller[i];
        const struct kt_place *place = caller->place;
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "object", text_or_null(place->object), "function",
                             text_or_null(place->function), "file", text_or_null(place->file), "line",
                             place->file ? json_integer(place->line) : json_null(), "offset", (json_int_t)place->offset,
                             "calls", (json_int_t)caller->calls, "seconds", kt_json_number(caller->seconds)));
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

static json_t *processes_json(const struct kt_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sums->count; i++) {
        const struct kt_sum *sum = &sums->sum[i];
        json_array_append_new(array, json_pack("{s:I, s:o, s:I, s:I, s:o, s:o}", "pid", (json_int_t)sum->process->pid,
                                               "program", text_or_null(kt_meta(sum->process, "program")), "calls",
                                               (json_int_t)sum->calls, "calls_top", (json_int_t)sum->calls_top,
                                               "seconds", kt_json_number(sum->process->seconds), "seconds_blas",
                                               kt_json_number(sum->seconds)));
    }
    return array;
}

static json_t *decomposition_json(const struct kt_decomposition *d)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:I, s:I}", "insitu", kt_json_number(d->insitu), "bound",
                     kt_json_number(d->bound), "library", kt_json_number(d->library), "warm", kt_json_number(d->warm),
                     "cache", kt_json_number(d->cache), "residual", kt_json_number(d->residual), "tracked", d->tracked,
                     "shapes", (json_int_t)d->shapes, "calls", (json_int_t)d->calls);
}

json_t *kt_report_json(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    json_t *document = json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "state", kt_state_text(&report->trace), "lost", losses_json(report),
        "calls", (json_int_t)summary->calls, "calls_top", (json_int_t)summary->calls_top, "unfinished",
        (json_int_t)summary->unfinished, "seconds", kt_json_number(summary->seconds), "seconds_blas",
        kt_json_number(summary->seconds_blas), "self_seconds", kt_json_number(report->state.clock_seconds));
    json_object_set_new(document, "routines", routines_json(&summary->routines));
    json_object_set_new(document, "shapes", shapes_json(report));
    json_object_set_new(document, "callers", callers_json(report));
    json_object_set_new(document, "threads", threads_json(&summary->threads));
    json_object_set_new(document, "processes", processes_json(&summary->processes));
    if (report->replayed)
        json_object_set_new(document, "decomposition", decomposition_json(&report->decomposition));
    return document;
}
