/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/roofline.h"

#include "model/roofline/shape_counts.h"
#include "model/roofline/tracked_traffic.h"
#include "model/summary/by_region.h"
#include "trace/base/count.h"
#include "trace/shape/shape_words.h"
#include "trace/command/about.h"
#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>

const char *const kt_point_context_name[] = {
#define KT_POINT_CONTEXT_NAME(name, text) text,
    KT_POINT_CONTEXT_LIST(KT_POINT_CONTEXT_NAME)
#undef KT_POINT_CONTEXT_NAME
};

const char *const kt_point_source_name[] = {
    [KT_MODELLED] = "modelled", [KT_COUNTED] = "counted", [KT_STATED] = "stated"};

const char *const kt_left_out_text[] = {"how many operations they take is not known", "they compute or move nothing"};

bool kt_point_is_drawable(const struct kt_roofline_point *point)
{
    return point->intensity.median > 0 && isfinite(point->intensity.median) && point->rate.median > 0 &&
           isfinite(point->rate.median);
}

size_t kt_roofline_kernels(const struct kt_roofline *roofline)
{
    size_t kernels = 0;
    for (size_t i = 0; i < roofline->points; i++) {
        size_t before = 0;
        while (before < i && strcmp(roofline->point[before].routine, roofline->point[i].routine) != 0)
            before++;
        kernels += before == i;
    }
    return kernels;
}

bool kt_roofline_shows(const struct kt_roofline *roofline, const struct kt_roofline_point *point)
{
    return roofline->timed ? point->time.median > 0 : kt_point_is_drawable(point);
}

bool kt_roofline_has_one_library(const struct kt_roofline *roofline)
{
    for (size_t s = 1; s < roofline->count; s++)
        if (strcmp(roofline->series[s].label, roofline->series[0].label) != 0)
            return false;
    return true;
}

/* Of files that are not known there is what is said of the library. */
void kt_roofline_label(struct kt_roofline *roofline)
{
    const char *file[KT_MOST_SERIES];
    char label[KT_MOST_SERIES][KT_LIBRARY_LABEL];
    for (size_t s = 0; s < roofline->count; s++)
        file[s] = roofline->series[s].file ? roofline->series[s].file : roofline->series[s].library;
    kt_library_labels(file, roofline->count, label);
    for (size_t s = 0; s < roofline->count; s++)
        memcpy(roofline->series[s].label, label[s], sizeof label[s]);
}

double kt_point_limit(const struct kt_roofline *roofline, const struct kt_roofline_point *point)
{
    const struct kt_point_series *series = &roofline->series[point->series];
    return kt_roofs_limit(&roofline->roofs[series->roofs], point->work.is_single, series->cores, "memory",
                          point->intensity.median);
}

static double highest_limit(const struct kt_roofline *roofline, const struct kt_roofline_point *point)
{
    const struct kt_point_series *series = &roofline->series[point->series];
    return kt_roofs_highest_limit(&roofline->roofs[series->roofs], point->work.is_single, series->cores,
                                  point->intensity.median);
}

double kt_point_excess(const struct kt_roofline *roofline, const struct kt_roofline_point *point)
{
    return point->rate.median / highest_limit(roofline, point);
}

bool kt_point_is_above(const struct kt_roofline *roofline, const struct kt_roofline_point *point)
{
    double surely = point->rate.q1 > 0 ? point->rate.q1 : point->rate.median;
    return kt_point_is_drawable(point) && surely > highest_limit(roofline, point);
}

/* --- points of a trace ------------------------------------------------------------------------------------- */

static struct kt_roofline_point *add_point(struct kt_roofline *roofline)
{
    roofline->point = kt_room_for_one(roofline->point, roofline->points, sizeof *roofline->point);
    return &roofline->point[roofline->points++];
}

void kt_point_place(struct kt_roofline_point *point, double hz)
{
    double flops = point->work.flops;
    point->intensity = kt_spread_exact(kt_intensity(flops, point->traffic));
    point->rate = kt_spread_quotient(flops / hz, &point->time);
}

static struct kt_roofline_point point_of(const struct kt_roofline *roofline, size_t series,
                                         const struct kt_shape_group *group)
{
    const struct kt_roofs *roofs = &roofline->roofs[roofline->series[series].roofs];
    struct kt_roofline_point point = {.series = series,
                                      .leads = true,
                                      .shapes = 1,
                                      .calls = (double)group->calls,
                                      .seconds = group->total,
                                      .share = group->total / roofline->series[series].seconds,
                                      .flops_counted = NAN,
                                      .traffic_counted = NAN,
                                      .traffic_tracked = NAN,
                                      .time = kt_spread_of_samples(&group->seconds)};
    snprintf(point.routine, sizeof point.routine, "%.31s", group->first.entry->symbol.routine->name);
    kt_shape_text(&group->first, point.shape, sizeof point.shape - 1);
    kt_shape_words(&group->first, group->also, point.words, sizeof point.words);
    kt_quantities_of(&group->first, group->query ? NAN : group->flops, roofs->line_shift, &point.work);
    point.traffic = kt_quantities_traffic(&point.work, roofs->cache);
    point.args = kt_json_args(&group->first, false);
    kt_point_place(&point, roofs->hz);
    return point;
}

/* A replay tells what it has of a distribution. */
static void add_replayed(struct kt_roofline *roofline, const struct kt_roofline_point *insitu, const json_t *shape,
                         enum kt_point_context context)
{
    struct kt_spread time;
    double hz = roofline->roofs[roofline->series[insitu->series].roofs].hz;
    if (!kt_replayed_spread(shape, kt_point_context_name[context], &time))
        return;
    struct kt_roofline_point *point = add_point(roofline);
    *point = *insitu;
    point->context = context;
    point->leads = false;
    point->time = time;
    json_incref(point->args);
    kt_point_place(point, hz);
}

/* Of those that calls went to, the first that is a BLAS with a short name; otherwise the first. NULL: none. */
static const char *library_file(const struct kt_trace *trace, const struct kt_object *first)
{
    char name[KT_LIBRARY_LABEL];
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].objects; i++) {
            const struct kt_object *object = &trace->process[p].object[i];
            if (object->is_library && kt_library_short_name(object->path, name))
                return object->path;
        }
    return first->path;
}

/* NULL: none. */
static const struct kt_object *first_library(const struct kt_trace *trace)
{
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].objects; i++)
            if (trace->process[p].object[i].is_library)
                return &trace->process[p].object[i];
    return NULL;
}

static int library_threads(const struct kt_trace *trace)
{
    const struct kt_object *library = first_library(trace);
    return library && library->threads > 1 ? library->threads : 1;
}

int kt_roofline_cores(const struct kt_trace *trace)
{
    int threads = library_threads(trace);
    const char *cpus = kt_meta(&trace->process[0], "cpus");
    int there = cpus ? atoi(cpus) : 0;
    return there > 0 && there < threads ? there : threads;
}

/* Where the processor counted memory traffic, that is what counts. A count of 0 has no place in a picture: operands
 * were in caches, or the counter does not count here. */
static void use_counts(struct kt_roofline_point *point, const struct kt_shape_counts *counts, size_t number)
{
    point->flops_counted = kt_shape_counted(counts, number, KT_COUNT_FLOPS);
    point->traffic_counted = kt_shape_counted(counts, number, KT_COUNT_TRAFFIC);
    struct kt_spread intensity = kt_shape_intensity(counts, number, point->work.flops);
    if (intensity.median > 0 && isfinite(intensity.median)) {
        point->source = KT_COUNTED;
        point->intensity = intensity;
    }
}

static struct kt_point_series series_of(const struct kt_trace *trace, size_t machine, const char *name)
{
    const struct kt_object *library = first_library(trace);
    struct kt_point_series series = {
        .roofs = machine, .threads = library_threads(trace), .cores = kt_roofline_cores(trace)};
    const struct kt_process *process = trace->processes ? &trace->process[0] : NULL;
    const char *processor = process ? kt_meta(process, "cpu_model") : NULL;
    snprintf(series.name, sizeof series.name, "%.63s", name);
    snprintf(series.processor, sizeof series.processor, "%.63s", processor ? processor : "");
    kt_about_command_text(process, series.program, sizeof series.program);
    kt_about_when(process, series.when, sizeof series.when);
    if (library)
        kt_about_library(library, series.library, sizeof series.library);
    series.file = library ? kt_copy(library_file(trace, library)) : NULL;
    return series;
}

/* One each for the regions whose work the program told. */
static void add_regions(struct kt_roofline *roofline, const struct kt_trace *trace, size_t series)
{
    struct kt_region_sums regions;
    const struct kt_roofs *roofs = &roofline->roofs[roofline->series[series].roofs];
    kt_region_sums_begin(trace, &regions);
    kt_region_sums_finish(&regions);
    for (size_t i = 1; i < regions.count; i++) {
        const struct kt_region_sum *sum = &regions.sum[i];
        double entered = (double)sum->entered;
        if (!(sum->flops > 0 && sum->bytes > 0) || sum->entered == 0)
            continue;
        struct kt_roofline_point *point = add_point(roofline);
        *point = (struct kt_roofline_point){.routine = "region",
                                            .series = series,
                                            .leads = true,
                                            .shapes = 1,
                                            .calls = entered,
                                            .seconds = sum->seconds,
                                            .share = NAN,
                                            .source = KT_STATED,
                                            .work = {.flops = sum->flops / entered},
                                            .traffic = sum->bytes / entered,
                                            .flops_counted = NAN,
                                            .traffic_counted = NAN,
                                            .traffic_tracked = NAN,
                                            .time = kt_spread_exact(sum->seconds / entered)};
        kt_region_path(&regions, i, point->shape, sizeof point->shape);
        snprintf(point->words, sizeof point->words, "region %.80s", point->shape);
        kt_point_place(point, roofs->hz);
    }
    kt_region_sums_free(&regions);
}

void kt_roofline_add(struct kt_roofline *roofline, const struct kt_trace *trace, const struct kt_replayed *replayed,
                     size_t machine, const char *name)
{
    struct kt_shapes shapes;
    struct kt_shape_counts counts;
    double *tracked = NULL;
    size_t number = roofline->count++;
    struct kt_point_series *series = &roofline->series[number];
    *series = series_of(trace, machine, name);
    kt_shapes_collect(trace, KT_OUTERMOST, &shapes);
    kt_shape_counts_collect(trace, &shapes, &counts);
    series->uncounted = counts.any && series->threads > 1;
    if (roofline->tracked)
        tracked = kt_tracked_traffic(trace, &shapes, &roofline->roofs[machine]);
    series->seconds = shapes.seconds;
    for (size_t i = 0; i < shapes.count; i++) {
        struct kt_roofline_point insitu = point_of(roofline, number, &shapes.shape[i]);
        const json_t *found = replayed->document ? kt_replayed_find(replayed, &shapes.shape[i]) : NULL;
        *add_point(roofline) = insitu;
        if (tracked)
            roofline->point[roofline->points - 1].traffic_tracked = tracked[i];
        if (!series->uncounted)
            use_counts(&roofline->point[roofline->points - 1], &counts, i);
        add_replayed(roofline, &insitu, found, KT_POINT_WARM);
        add_replayed(roofline, &insitu, found, KT_POINT_COLD);
    }
    add_regions(roofline, trace, number);
    free(tracked);
    kt_shape_counts_free(&counts);
    kt_shapes_free(&shapes);
}

/* --- numbers ----------------------------------------------------------------------------------------------- */

static bool same_shape(const struct kt_roofline_point *a, const struct kt_roofline_point *b)
{
    return !strcmp(a->routine, b->routine) && !strcmp(a->shape, b->shape);
}

/* Share of the time; of regions, which have none, their time over that of all calls. */
static double weight_of(const struct kt_roofline *roofline, const struct kt_roofline_point *p)
{
    return isnan(p->share) ? p->seconds / roofline->series[p->series].seconds : p->share;
}

/* The point in situ to be shown without a number that has the largest share; NULL: there is none. */
static const struct kt_roofline_point *next_to_number(const struct kt_roofline *roofline)
{
    const struct kt_roofline_point *best = NULL;
    for (size_t i = 0; i < roofline->points; i++) {
        const struct kt_roofline_point *p = &roofline->point[i];
        if (p->number == 0 && p->leads && kt_roofline_shows(roofline, p) &&
            (!best || weight_of(roofline, p) > weight_of(roofline, best)))
            best = p;
    }
    return best;
}

static void number_shapes(struct kt_roofline *roofline, size_t top)
{
    for (size_t number = 1; number <= top; number++) {
        const struct kt_roofline_point *next = next_to_number(roofline);
        if (!next)
            return;
        const struct kt_roofline_point shape = *next;
        for (size_t i = 0; i < roofline->points; i++)
            if (same_shape(&roofline->point[i], &shape))
                roofline->point[i].number = number;
    }
}

/* --- the others -------------------------------------------------------------------------------------------- */

static bool is_other(const struct kt_roofline_point *p)
{
    return p->number == 0 && p->leads && p->shapes == 1 && kt_point_is_drawable(p);
}

/* Adds P to the sums of its routine. */
static void join(struct kt_roofline_point *sum, const struct kt_roofline_point *p)
{
    sum->shapes++;
    sum->calls += p->calls;
    sum->seconds += p->seconds;
    sum->share += p->share;
    sum->work.flops += p->calls * p->work.flops;
    sum->work.loaded += p->calls * p->work.loaded;
    sum->work.stored += p->calls * p->work.stored;
    sum->traffic += p->calls * p->traffic;
    sum->traffic_tracked += p->calls * p->traffic_tracked;
}

/* Where the shapes of a group lie; the middle is that of the sums, so that it counts by time. */
static struct kt_spread spread_over(const struct kt_roofline_point *const *shape, size_t count, bool of_rate,
                                    double middle)
{
    double *value = kt_resize(NULL, count, sizeof *value);
    for (size_t i = 0; i < count; i++)
        value[i] = of_rate ? shape[i]->rate.median : shape[i]->intensity.median;
    struct kt_spread spread = kt_spread_of(value, count);
    spread.median = middle;
    spread.q1 = fmin(spread.q1, middle);
    spread.q3 = fmax(spread.q3, middle);
    free(value);
    return spread;
}

static struct kt_roofline_point group_of(const struct kt_roofline *roofline,
                                         const struct kt_roofline_point *const *shape, size_t count)
{
    double hz = roofline->roofs[roofline->series[shape[0]->series].roofs].hz;
    struct kt_roofline_point group = {.series = shape[0]->series,
                                      .leads = true,
                                      .flops_counted = NAN,
                                      .traffic_counted = NAN,
                                      .work.is_single = shape[0]->work.is_single};
    for (size_t i = 0; i < count; i++)
        join(&group, shape[i]);
    memcpy(group.routine, shape[0]->routine, sizeof group.routine);
    snprintf(group.shape, sizeof group.shape, "%s", KT_COUNT(count, "other shape"));
    group.time = kt_spread_exact(group.seconds / group.calls);
    group.intensity = spread_over(shape, count, false, kt_intensity(group.work.flops, group.traffic));
    group.rate = spread_over(shape, count, true, group.work.flops / group.seconds / hz);
    return group;
}

/* Puts all others like the one at FIRST together. */
static void group_like(struct kt_roofline *roofline, size_t first)
{
    const struct kt_roofline_point **shape = kt_resize(NULL, roofline->points, sizeof *shape);
    size_t count = 0;
    for (size_t i = first; i < roofline->points; i++) {
        const struct kt_roofline_point *p = &roofline->point[i];
        if (is_other(p) && p->series == roofline->point[first].series &&
            !strcmp(p->routine, roofline->point[first].routine))
            shape[count++] = p;
    }
    struct kt_roofline_point group = group_of(roofline, shape, count);
    for (size_t i = 0; i < count; i++)
        roofline->point[shape[i] - roofline->point].shapes = 0; /* is in the group now */
    free(shape);
    *add_point(roofline) = group;
}

/* Points of shapes that are in a group go. */
static void drop_grouped(struct kt_roofline *roofline)
{
    size_t kept = 0;
    for (size_t i = 0; i < roofline->points; i++) {
        struct kt_roofline_point *p = &roofline->point[i];
        bool keep = p->shapes > 0 && (p->number > 0 || p->leads || !kt_point_is_drawable(p));
        if (keep)
            roofline->point[kept++] = *p;
        else
            json_decref(p->args);
    }
    roofline->points = kept;
}

/* Regions and kernels, which have no share, come behind all that have one, by their numbers. */
static int compare_points(const void *a, const void *b)
{
    const struct kt_roofline_point *x = a;
    const struct kt_roofline_point *y = b;
    double share[2] = {isnan(x->share) ? -1 : x->share, isnan(y->share) ? -1 : y->share};
    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    if (share[0] != share[1])
        return share[0] > share[1] ? -1 : 1;
    if (share[0] < 0 && x->number != y->number)
        return x->number - 1 < y->number - 1 ? -1 : 1; /* those without a number last */
    return (int)x->context - (int)y->context;
}

void kt_roofline_finish(struct kt_roofline *roofline, size_t top)
{
    number_shapes(roofline, top);
    size_t single = roofline->points;
    for (size_t i = 0; i < single; i++)
        if (is_other(&roofline->point[i]))
            group_like(roofline, i);
    drop_grouped(roofline);
    if (roofline->points)
        qsort(roofline->point, roofline->points, sizeof *roofline->point, compare_points);
}

/* --- about all of them --------------------------------------------------------------------------------------- */

void kt_roofline_left_out(const struct kt_roofline *roofline, struct kt_unplaced out[KT_LEFT_OUT_REASONS])
{
    double seconds = 0;
    for (size_t s = 0; s < roofline->count; s++)
        seconds += roofline->series[s].seconds;
    for (int reason = 0; reason < KT_LEFT_OUT_REASONS; reason++)
        out[reason] = (struct kt_unplaced){0};
    for (size_t i = 0; i < roofline->points; i++) {
        const struct kt_roofline_point *p = &roofline->point[i];
        if (!p->leads || kt_point_is_drawable(p) || (roofline->timed && p->number))
            continue;
        struct kt_unplaced *reason = &out[p->work.flops >= 0 ? KT_LEFT_OUT_NOTHING : KT_LEFT_OUT_UNKNOWN];
        reason->shapes++;
        reason->share += p->seconds / seconds;
    }
}

const char *kt_roofline_statistic(const struct kt_roofline *roofline)
{
    return roofline->lined ? "lower quartile" : "median";
}

void kt_roofline_free(struct kt_roofline *roofline)
{
    for (size_t i = 0; i < roofline->points; i++)
        json_decref(roofline->point[i].args);
    for (size_t s = 0; s < roofline->count; s++)
        free(roofline->series[s].file);
    free(roofline->point);
    free(roofline->failure);
    *roofline = (struct kt_roofline){0};
}
