/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/explain.h"

#include "model/report/heaviest.h"
#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- pairs --------------------------------------------------------------------------------------------------- */

/* The names of a shape's lists in the result of a replay; NULL: worked out. */
static const char *const time_key[KT_PAIRED_TIMES] = {[KT_PAIRED_INSITU] = "insitu",
                                                      [KT_PAIRED_MEDIAN] = "insitu_median",
                                                      [KT_PAIRED_PLAYED] = "insitu_played",
                                                      [KT_PAIRED_WARM] = "warm",
                                                      [KT_PAIRED_COLD] = "cold",
                                                      [KT_PAIRED_TRACKED] = "tracked",
                                                      [KT_PAIRED_SEQUENCE] = "sequence",
                                                      [KT_PAIRED_PLAYED_MEDIAN] = "insitu_played_median",
                                                      [KT_PAIRED_SEQUENCE_MEDIAN] = "sequence_median"};

static double number_at(const json_t *list, size_t i)
{
    const json_t *number = json_array_get(list, i);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

static double *read_times(const json_t *again, const char *key, size_t pairs)
{
    double *time = kt_resize(NULL, pairs, sizeof *time);
    for (size_t i = 0; i < pairs; i++)
        time[i] = key ? number_at(json_object_get(again, key), i) : NAN;
    return time;
}

/* The recording itself, and the replay as a whole, as the only pair. */
static void pair_recording(const struct kt_shape_group *group, const struct kt_context_times *times,
                           struct kt_paired_shape *out)
{
    const double only[KT_PAIRED_TIMES] = {[KT_PAIRED_INSITU] = group->total / (double)group->calls,
                                          [KT_PAIRED_MEDIAN] = kt_samples_stat(&group->seconds, KT_BEST_MEDIAN).median,
                                          [KT_PAIRED_PLAYED] = NAN,
                                          [KT_PAIRED_WARM] = times->warm.value,
                                          [KT_PAIRED_COLD] = times->cold.value,
                                          [KT_PAIRED_TRACKED] = times->tracked.value,
                                          [KT_PAIRED_SEQUENCE] = NAN,
                                          [KT_PAIRED_PLAYED_MEDIAN] = NAN,
                                          [KT_PAIRED_SEQUENCE_MEDIAN] = NAN,
                                          [KT_PAIRED_CONTEXT] = NAN};
    for (int t = 0; t < KT_PAIRED_TIMES; t++)
        *out->time[t] = only[t];
}

static struct kt_paired_shape read_shape(const struct kt_explain *x, const struct kt_shape_group *group)
{
    struct kt_context_times times;
    const json_t *replayed = kt_replayed_find(&x->replayed, group);
    const json_t *again = json_object_get(replayed, "again");
    kt_replayed_times(&x->replayed, replayed, &times);
    struct kt_paired_shape shape = {.calls = (double)group->calls, .bound = times.bound, .uncounted = times.uncounted};
    for (int t = 0; t < KT_PAIRED_TIMES; t++)
        shape.time[t] = read_times(again, time_key[t], x->pairs);
    if (!x->is_again)
        pair_recording(group, &times, &shape);
    kt_paired_choose_context(&shape, x->pairs);
    return shape;
}

static double median_of_runs(const json_t *runs, const char *key, size_t count)
{
    double *value = kt_resize(NULL, count, sizeof *value);
    for (size_t i = 0; i < count; i++)
        value[i] = json_number_value(json_object_get(json_array_get(runs, i), key));
    double median = kt_stat_of(value, count, KT_BEST_MEDIAN).median;
    free(value);
    return median;
}

static void read_runs(struct kt_explain *x)
{
    const json_t *again = json_object_get(x->replayed.document, "again");
    const json_t *runs = json_object_get(again, "runs");
    size_t count = json_array_size(runs);
    x->stopped = json_string_value(json_object_get(again, "stopped"));
    x->is_again = count > 0 && count <= KT_PAIRED_MOST;
    x->pairs = x->is_again ? count : 1;
    x->wall = x->is_again ? median_of_runs(runs, "seconds", count) : x->report.summary.seconds;
}

/* --- places -------------------------------------------------------------------------------------------------- */

static const char *routine_of(const struct kt_shape_group *shape)
{
    return shape->first.entry->symbol.routine->name;
}

/* What its calls take in the program. */
static double seconds_of(const struct kt_explain *x, size_t i)
{
    const struct kt_shape_group *group = &x->shapes->shape[i];
    double *insitu = kt_resize(NULL, x->pairs, sizeof *insitu);
    size_t count = 0;
    for (size_t k = 0; k < x->pairs; k++)
        if (!isnan(x->paired[i].time[KT_PAIRED_INSITU][k]))
            insitu[count++] = x->paired[i].time[KT_PAIRED_INSITU][k];
    double median = kt_stat_of(insitu, count, KT_BEST_MEDIAN).median;
    free(insitu);
    return count ? (double)group->calls * median : group->total;
}

static int compare_places(const void *a, const void *b)
{
    double x = ((const struct kt_explain_place *)a)->seconds;
    double y = ((const struct kt_explain_place *)b)->seconds;
    return (x < y) - (x > y);
}

/* Inside of LAPACK it is not known who calls: each routine is one place. */
static size_t list_leaves(const struct kt_explain *x, struct kt_calls_from **out)
{
    const struct kt_shapes *shapes = x->shapes;
    *out = kt_resize(NULL, shapes->count, sizeof **out);
    for (size_t i = 0; i < shapes->count; i++)
        (*out)[i] = (struct kt_calls_from){NULL, routine_of(&shapes->shape[i]), i, (double)shapes->shape[i].calls,
                                           shapes->shape[i].total};
    return kt_heaviest_sort(*out, shapes->count);
}

/* Which part of the calls of a shape these are, by their time in the recording. */
static double part_of(const struct kt_explain *x, const struct kt_calls_from *from)
{
    const struct kt_shape_group *shape = &x->shapes->shape[from->shape];
    return shape->total > 0 ? from->seconds / shape->total : from->calls / (double)shape->calls;
}

/* The COUNT entries are of one place. */
static struct kt_explain_place make_place(const struct kt_explain *x, const struct kt_calls_from *from, size_t count)
{
    double most = -1;
    struct kt_explain_place place = {.place = from->place};
    struct kt_paired_shape *paired = kt_resize(NULL, count, sizeof *paired);
    const struct kt_paired_shape **list = kt_resize(NULL, count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        const struct kt_shape_group *shape = &x->shapes->shape[from[i].shape];
        double seconds = part_of(x, &from[i]) * seconds_of(x, from[i].shape);
        paired[i] = x->paired[from[i].shape];
        paired[i].calls *= part_of(x, &from[i]);
        list[i] = &paired[i];
        place.calls += from[i].calls;
        place.seconds += seconds;
        place.shape = seconds > most ? shape : place.shape;
        most = fmax(seconds, most);
    }
    place.shapes = count;
    place.sum = kt_paired_sum(list, count, x->pairs);
    free(list);
    free(paired);
    return place;
}

/* Shapes of which there are calls. */
static size_t drop_empty(const struct kt_explain *x, struct kt_calls_from *from, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (x->shapes->shape[from[i].shape].calls)
            from[kept++] = from[i];
    return kept;
}

static void find_places(struct kt_explain *x)
{
    struct kt_calls_from *from;
    size_t count = x->shapes == &x->leaves ? list_leaves(x, &from) : kt_heaviest_calls(&x->report, &from);
    count = drop_empty(x, from, count);
    x->place = kt_resize(NULL, count, sizeof *x->place);
    for (size_t i = 0, next; i < count; i += next) {
        next = kt_heaviest_of_place(from + i, count - i);
        x->place[x->places] = make_place(x, from + i, next);
        x->blas += x->place[x->places++].seconds;
    }
    if (x->places)
        qsort(x->place, x->places, sizeof *x->place, compare_places);
    free(from);
}

static struct kt_paired_sum sum_of_all(const struct kt_explain *x)
{
    const struct kt_paired_shape **shape = kt_resize(NULL, x->shapes->count, sizeof *shape);
    size_t count = 0;
    for (size_t i = 0; i < x->shapes->count; i++)
        if (x->shapes->shape[i].calls)
            shape[count++] = &x->paired[i];
    struct kt_paired_sum sum = kt_paired_sum(shape, count, x->pairs);
    free(shape);
    return sum;
}

static void find_known(struct kt_explain *x)
{
    for (int p = 0; p < KT_PAIRED_PARTS; p++) {
        x->known[p] = kt_known_part_begin();
        for (size_t i = 0; i < x->places; i++) {
            const struct kt_paired_sum *sum = &x->place[i].sum;
            bool told = kt_paired_sign(sum, (enum kt_paired_part)p) != KT_SIGN_CANNOT_TELL;
            if (sum->seconds > 0)
                kt_known_part_add(&x->known[p], i, sum->seconds / x->blas, &sum->part[p], told);
        }
    }
}

/* --- all of it ----------------------------------------------------------------------------------------------- */

enum kt_status kt_explain_make(char *const *trace, json_t *result, const json_t *advised, enum kt_level level,
                               struct kt_explain *out, struct kt_error *error)
{
    *out = (struct kt_explain){.trace = *trace, .advised = advised};
    enum kt_status status = kt_replayed_from(result, "the replay", &out->replayed, error);
    KT_TRY(kt_report_make(trace, 1, &out->report, error));
    KT_TRY(status);
    out->shapes = &out->report.groups;
    if (level == KT_LEAVES) {
        kt_shapes_collect(&out->report.trace, level, &out->leaves);
        out->shapes = &out->leaves;
    }
    read_runs(out);
    out->paired = kt_resize(NULL, out->shapes->count, sizeof *out->paired);
    for (size_t i = 0; i < out->shapes->count; i++)
        out->paired[i] = read_shape(out, &out->shapes->shape[i]);
    find_places(out);
    out->all = sum_of_all(out);
    find_known(out);
    return KT_OK;
}

void kt_explain_free(struct kt_explain *x)
{
    for (size_t i = 0; x->paired && i < x->shapes->count; i++)
        for (int t = 0; t < KT_PAIRED_TIMES; t++)
            free(x->paired[i].time[t]);
    free(x->paired);
    free(x->place);
    kt_shapes_free(&x->leaves);
    kt_replayed_free(&x->replayed);
    kt_report_free(&x->report);
}
