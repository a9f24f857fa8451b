/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/again/again.h"

#include "trace/base/memory.h"
#include "trace/command/json.h"

#include <math.h>

/* The run next to a place between the rounds. */
static size_t nearest_run(const struct kt_again *a, double before)
{
    size_t nearest = 0;
    for (size_t k = 1; k < a->runs; k++)
        if (fabs(a->run[k].before - before) < fabs(a->run[nearest].before - before))
            nearest = k;
    return nearest;
}

/* The times that are next to each run. */
struct beside {
    double *time; /* room for all; owned */
    size_t times;
};

static struct beside *beside_new(size_t runs, size_t room)
{
    struct beside *beside = kt_resize(NULL, runs, sizeof *beside);
    for (size_t k = 0; k < runs; k++)
        beside[k] = (struct beside){.time = kt_resize(NULL, room, sizeof *beside[k].time)};
    return beside;
}

static void beside_add(const struct kt_again *a, struct beside *beside, double before, double seconds)
{
    if (isnan(seconds) || !a->runs)
        return;
    struct beside *one = &beside[nearest_run(a, before)];
    one->time[one->times++] = seconds;
}

/* Of each run the median, null if there are none; frees them. */
static json_t *beside_json(struct beside *beside, size_t runs)
{
    json_t *list = json_array();
    for (size_t k = 0; k < runs; k++) {
        json_array_append_new(list, kt_json_number(kt_stat_of(beside[k].time, beside[k].times, KT_BEST_MEDIAN).median));
        free(beside[k].time);
    }
    free(beside);
    return list;
}

/* A visit is in the middle of its round. */
static json_t *visits_json(const struct kt_again *a, const struct kt_series *series)
{
    struct beside *beside = beside_new(a->runs, series->visits);
    for (size_t i = 0; i < series->visits; i++)
        beside_add(a, beside, series->round[i] + 0.5, series->visit[i]);
    return beside_json(beside, a->runs);
}

static json_t *passes_json(const struct kt_again *a, size_t job, bool medians)
{
    struct beside *beside = beside_new(a->runs, a->passes);
    for (size_t i = 0; i < a->passes; i++)
        beside_add(a, beside, a->pass[i].before, (medians ? a->pass[i].median : a->pass[i].mean)[job]);
    return beside_json(beside, a->runs);
}

enum column { MEAN, MEDIAN, PLAYED, PLAYED_MEDIAN };

static json_t *runs_json(const struct kt_again *a, size_t job, enum column column)
{
    json_t *list = json_array();
    for (size_t k = 0; k < a->runs; k++) {
        const struct kt_again_times *times = &a->run[k].times;
        const double *of[] = {[MEAN] = times->mean,
                              [MEDIAN] = times->median,
                              [PLAYED] = times->played,
                              [PLAYED_MEDIAN] = times->played_median};
        json_array_append_new(list, kt_json_number(of[column][job]));
    }
    return list;
}

static json_t *shape_json(const struct kt_again *a, const struct kt_schedule *schedule,
                          const struct kt_replay_options *options, size_t job)
{
    json_t *json =
        json_pack("{s:o, s:o, s:o, s:o}", "insitu", runs_json(a, job, MEAN), "insitu_median", runs_json(a, job, MEDIAN),
                  "insitu_played", runs_json(a, job, PLAYED), "insitu_played_median", runs_json(a, job, PLAYED_MEDIAN));
    for (size_t l = 0; l < options->contexts; l++)
        json_object_set_new(json, options->context[l]->name, visits_json(a, &schedule->item[job].lane[l]));
    if (options->sequence) {
        json_object_set_new(json, "sequence", passes_json(a, job, false));
        json_object_set_new(json, "sequence_median", passes_json(a, job, true));
    }
    return json;
}

static json_t *run_json(const struct kt_again_run *run)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "seconds", kt_json_number(run->wall), "seconds_cpu",
                     kt_json_number(run->cpu), "seconds_blas", kt_json_number(run->blas), "calls",
                     kt_json_number(run->calls));
}

void kt_again_add_json(const struct kt_again *a, const struct kt_schedule *schedule,
                       const struct kt_replay_options *options, json_t *document)
{
    json_t *runs = json_array();
    json_t *shapes = json_object_get(document, "shapes");
    size_t element = 0;
    for (size_t k = 0; k < a->runs; k++)
        json_array_append_new(runs, run_json(&a->run[k]));
    json_object_set_new(document, "again",
                        json_pack("{s:o, s:o, s:o, s:o}", "runs", runs, "processor", kt_json_processor(a->processor),
                                  "seconds_spent", kt_json_number(a->seconds), "stopped",
                                  kt_json_text_or_null(a->stopped)));
    for (size_t i = 0; i < schedule->reached; i++)
        if (!a->setup->jobs.job[i].refused)
            json_object_set_new(json_array_get(shapes, element++), "again", shape_json(a, schedule, options, i));
}
