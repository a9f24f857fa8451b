/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/comparison.h"

#include "replay/compare/comparison_threads.h"
#include "replay/compare/ratio_json.h"

#include "trace/base/interrupt.h"
#include "replay/result/result.h"
#include "trace/command/json.h"
#include "trace/command/shape_source.h"
#include "trace/command/state_json.h"

#include <math.h>

static json_t *failed_json(const struct kt_comparison *c, size_t lane)
{
    json_t *failed = json_array();
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        const struct kt_job *job = &c->setup.jobs.job[i];
        const char *why = kt_comparison_failure(c, i, lane);
        if (!why || kt_comparison_is_light(c, i) || c->options.check == KT_CHECK_ONLY)
            continue; /* the last: nothing was to be timed */
        json_t *one = kt_job_json(job);
        json_object_set_new(one, "seconds", json_real(job->shape->total));
        json_object_set_new(one, "why", kt_json_text(why));
        json_array_append_new(failed, one);
    }
    return failed;
}

static json_t *interval_json(double lo, double hi)
{
    return json_pack("[o, o]", kt_json_number(lo), kt_json_number(hi));
}

/* Sums over the shapes that count, as replayed: what predictions rest on. */
static json_t *replayed_json(const struct kt_lane_sum *sum)
{
    return json_pack("{s:o, s:o, s:o, s:I}", "seconds_replayed", kt_json_number(sum->seconds),
                     "seconds_replayed_interval", interval_json(sum->lo, sum->hi), "ratio_replayed",
                     kt_ratio_json(&sum->ratio), "pairs", (json_int_t)sum->ratio.n);
}

static json_t *library_json(const struct kt_comparison *c, size_t lane)
{
    const struct kt_lane_sum *sum = &c->sum[lane];
    json_t *json = kt_result_library(&c->worker[lane]);
    json_object_set_new(json, "label", kt_json_text(c->label[lane]));
    struct kt_ratio predicted = kt_comparison_multiple(c, lane);
    json_object_set_new(json, "seconds", kt_json_number(kt_comparison_blas(c, lane)));
    json_object_set_new(json, "ratio", kt_ratio_json(&predicted));
    json_object_update_new(json, replayed_json(sum));
    json_object_set_new(json, "verdict", json_string(kt_comparison_verdict(c, lane)));
    json_object_set_new(json, "seconds_application", kt_json_number(kt_comparison_application(c, lane)));
    json_object_set_new(json, "seconds_lacking", kt_json_number(sum->lacking));
    json_object_set_new(json, "seconds_first_calls", kt_json_number(c->first_calls[lane]));
    json_object_update_new(json, kt_right_json(&c->right, lane, &c->setup.trace));
    json_object_set_new(json, "unusual_contents", kt_unusual_json(&c->unusual, lane));
    json_object_set_new(json, "failed", failed_json(c, lane));
    return json;
}

static const char *verdict_of(const struct kt_compared *cell, size_t lane)
{
    if (lane == 0)
        return "baseline";
    return cell->counts ? kt_verdict_text[kt_ratio_verdict(&cell->ratio)] : "failed";
}

static json_t *shape_json(const struct kt_comparison *c, size_t i, const struct kt_shape_source *source)
{
    bool is_timed = c->options.check != KT_CHECK_ONLY;
    json_t *shape = kt_result_shape(&c->setup.jobs.job[i], &c->schedule.item[i]);
    json_t *libraries = json_array();
    for (size_t l = 0; l < c->libraries; l++) {
        const struct kt_compared *cell = kt_comparison_cell(c, i, l);
        json_array_append_new(libraries,
                              json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", kt_json_text(c->label[l]), "seconds",
                                        kt_json_stat(&cell->time), "ratio", kt_ratio_json(&cell->ratio), "verdict",
                                        is_timed ? kt_json_text(verdict_of(cell, l)) : json_null(), "residual",
                                        kt_json_number(cell->residual), "wrong",
                                        cell->wrong ? kt_json_text(cell->wrong) : json_null()));
    }
    json_object_set_new(shape, "context", json_string(kt_comparison_context_of(c, i)));
    json_object_set_new(shape, "share", kt_json_number(c->setup.jobs.job[i].shape->total / c->insitu));
    json_object_set_new(shape, "stands_for", kt_json_number(c->stands_for[i]));
    json_object_set_new(shape, "source", kt_shape_source_json(source));
    json_object_set_new(shape, "libraries", libraries);
    return shape;
}

static json_t *shapes_json(const struct kt_comparison *c)
{
    const struct kt_shapes *shapes = &c->setup.shapes;
    struct kt_callers *callers = kt_callers_new();
    struct kt_shape_source *source = kt_shape_sources_find(shapes, callers);
    json_t *array = json_array();
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (kt_comparison_counts(c, i) || c->options.check == KT_CHECK_ONLY)
            json_array_append_new(array, shape_json(c, i, &source[c->setup.jobs.job[i].shape - shapes->shape]));
    free(source);
    kt_callers_free(callers);
    return array;
}

static json_t *routine_json(const struct kt_comparison *c, const struct kt_routine_sum *r)
{
    json_t *libraries = json_array();
    for (size_t l = 0; l < c->libraries; l++) {
        const struct kt_lane_sum *sum = &r->lane[l];
        json_t *library = json_pack("{s:o, s:o, s:I}", "name", kt_json_text(c->label[l]), "seconds_lacking",
                                    kt_json_number(sum->lacking), "shapes_failed", (json_int_t)sum->failed);
        json_object_update_new(library, replayed_json(sum));
        json_array_append_new(libraries, library);
    }
    return json_pack("{s:s, s:f, s:o, s:o, s:b, s:o}", "routine", r->name, "calls", r->calls, "share",
                     kt_json_number(r->lane[0].seconds / c->sum[0].seconds), "best", kt_json_text(c->label[r->best]),
                     "best_is_certain", (int)r->is_certain, "libraries", libraries);
}

static json_t *mix_json(const struct kt_comparison *c)
{
    const struct kt_mix *mix = &c->mix;
    return json_pack("{s:o, s:o, s:o, s:I, s:o}", "library", kt_json_text(c->label[mix->library]), "mix_seconds",
                     kt_json_number(mix->seconds), "mix_ratio", kt_json_number(mix->ratio), "shapes_elsewhere",
                     (json_int_t)mix->elsewhere, "mix_seconds_application", kt_json_number(mix->application));
}

static json_t *unusable_json(const struct kt_comparison *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->unusables; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "name", kt_json_text(c->unusable[i].name), "why",
                                              kt_json_text(c->unusable[i].why)));
    return list;
}

/* In-situ seconds and number of those shapes that count for no library: the light ones, or the others. */
static json_t *excluded_json(const struct kt_comparison *c, bool light)
{
    double seconds = 0;
    size_t shapes = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (!kt_comparison_counts(c, i) && kt_comparison_is_light(c, i) == light) {
            seconds += c->setup.jobs.job[i].shape->total;
            shapes++;
        }
    return json_pack("{s:I, s:f}", "shapes", (json_int_t)shapes, "seconds", seconds);
}

static json_t *application_json(const struct kt_comparison *c)
{
    bool in_company = kt_comparison_in_company(c);
    return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:b}", "seconds", kt_json_number(c->wall),
                     "seconds_busy", kt_json_number(c->busy), "calls_together", kt_json_number(c->together),
                     "in_company", (int)in_company, "seconds_blas", kt_json_number(c->insitu), "pace",
                     kt_json_number(c->pace), "seconds_waited", kt_json_number(c->waited), "seconds_contention",
                     kt_json_number(c->contention), "disturbance", kt_json_number(c->disturbance), "is_contended",
                     (int)kt_comparison_is_contended(c));
}

static json_t *store_json(const struct kt_comparison *c)
{
    return json_pack("{s:o, s:b, s:o}", "path", c->recall.store ? kt_json_text(c->recall.path) : json_null(), "reused",
                     (int)c->is_reused, "measured", c->is_reused ? json_real(c->measured) : json_null());
}

/* Each correction with the ratios that come out without it. */
static json_t *corrections_json(const struct kt_comparison *c)
{
    json_t *corrections = json_array();
    for (int k = 0; k < KT_CORRECTION_KINDS; k++) {
        bool is_made = kt_corrects(c->options.without, k);
        json_t *ratios = json_array();
        for (size_t l = 0; l < c->libraries && is_made; l++)
            json_array_append_new(ratios, json_pack("{s:o, s:o}", "name", kt_json_text(c->label[l]), "ratio",
                                                    kt_ratio_json(&c->ratio_without[k][l])));
        json_array_append_new(corrections, json_pack("{s:s, s:s, s:b, s:o}", "name", kt_correction[k].name, "what",
                                                     kt_correction[k].what, "made", is_made, "without", ratios));
    }
    return corrections;
}

json_t *kt_comparison_json(const struct kt_comparison *c)
{
    json_t *libraries = json_array();
    json_t *routines = json_array();
    for (size_t l = 0; l < c->libraries; l++)
        json_array_append_new(libraries, library_json(c, l));
    for (size_t r = 0; r < c->routines; r++)
        json_array_append_new(routines, routine_json(c, &c->routine[r]));
    json_t *document = json_pack(
        "{s:s, s:o, s:o, s:b, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:f, s:b}", "ktrace",
        KT_VERSION, "machine", kt_result_machine(), "baseline", kt_json_text(c->label[0]), "baseline_is_recorded",
        (int)c->is_recorded, "context", kt_comparison_context(c), "level",
        c->options.replay.level == KT_LEAVES ? "leaves" : "outermost", "application", application_json(c), "libraries",
        libraries, "routines", routines, "shapes", shapes_json(c), "best", mix_json(c), "unusable", unusable_json(c),
        "excluded", excluded_json(c, false), "light", excluded_json(c, true), "store", store_json(c), "corrections",
        corrections_json(c), "rounds", (int)c->rounds, "seconds_spent", c->spent, "interrupted", kt_interrupted() != 0);
    if (c->options.replay.share.of)
        json_object_set_new(document, "shards", json_integer(c->options.replay.share.of));
    kt_json_add_missing(document, &c->setup.trace, &c->setup.state);
    return document;
}
