/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/model_build.h"

#include "model/build/crossover_build.h"
#include "model/build/model_batch.h"
#include "model/build/model_domain.h"
#include "model/build/model_level.h"
#include "model/build/model_points.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

/* The part of the budget after which no more samples are fitted. */
static const double regions_end = 0.85;

/* --- regions ----------------------------------------------------------------------------------------------- */

struct pending {
    size_t need, context, region;
    double value; /* seconds of the trace, times what they may be wrong by, for a second of measuring */
};

struct wishing {
    const struct kt_build *build;
    const struct kt_kernel_model *model;
    const struct kt_region *region;
    struct kt_batch *batch; /* NULL: the cost is only added up */
    size_t need, context;
    double cost;
};

static bool is_nearer(bool up, int64_t size, int64_t than)
{
    return up ? size < than : size > than;
}

/* Makes one of the sizes as large as another one so that there is such a call in the region: as little as possible,
 * upwards or downwards. */
static bool make_equal(const struct wishing *w, bool up, int64_t *size)
{
    const struct kt_kernel_model *m = w->model;
    for (int a = 0; a < m->axes; a++) {
        int64_t was = size[a];
        int64_t nearest = was;
        for (int other = 0; other < m->axes; other++) {
            size[a] = size[other];
            if (is_nearer(up, was, size[a]) && (nearest == was || is_nearer(up, size[a], nearest)) &&
                kt_region_holds(w->region, &m->crossover, m->axes, size) && kt_batch_can_time(w->build, w->need, size))
                nearest = size[a];
            size[a] = was;
        }
        size[a] = nearest;
        if (nearest != was)
            return true;
    }
    return false;
}

/* Where sizes bound each other, points beyond the bound stand for some on it: there the polynomial would otherwise be
 * farthest from any sample, and blocked algorithms end there. */
static bool bring_to_bound(const struct wishing *w, int64_t *size)
{
    return (make_equal(w, true, size) || make_equal(w, false, size)) && !kt_model_find_point(w->model, size);
}

static void wish_for(void *context, const int64_t *size)
{
    struct wishing *w = context;
    struct kt_wish wish = {.need = w->need, .contexts = 1u << w->context};
    memcpy(wish.size, size, sizeof wish.size);
    if (!kt_batch_can_time(w->build, w->need, size) && !bring_to_bound(w, wish.size))
        return;
    size = wish.size;
    wish.guess = kt_batch_guess(w->build, w->need, w->context, size);
    w->cost += kt_batch_cost(w->build, &wish);
    if (w->batch)
        kt_batch_add(w->batch, w->build, &wish);
}

/* What can be fitted to the samples there are is fitted, and split if that is not good enough, until samples are
 * missing. */
static enum kt_status settle_region(const struct kt_build *build, size_t need, struct kt_kernel_model *m, size_t i,
                                    bool *changed, struct kt_error *error)
{
    const struct kt_refine_rules *rules = &build->rules->refine;
    struct wishing missing = {.build = build, .model = m, .region = &m->region[i], .need = need};
    *changed = false;
    if (!kt_refine_is_pending(&m->region[i]))
        return KT_OK;
    kt_grid_wanted(rules, m, i, wish_for, &missing);
    if (missing.cost > 0)
        return KT_OK;
    KT_TRY(kt_refine_fit(rules, build->solver, m, i, error));
    *changed = m->region[i].fitted;
    if (*changed && kt_refine_excess(rules, m, i) > rules->bound)
        kt_refine_split(rules, m, i);
    return KT_OK;
}

static enum kt_status settle(const struct kt_build *build, size_t need, struct kt_kernel_model *m,
                             struct kt_error *error)
{
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = 0; i < m->regions; i++) {
            bool changed;
            if (kt_batch_worth(build, &build->needs->need[need], m, &m->region[i]) <= 0)
                continue;
            KT_TRY(settle_region(build, need, m, i, &changed, error));
            again = again || changed;
        }
    }
    return KT_OK;
}

/* What the region's times are wrong by as long as it gets no samples. That there is no answer at all is worse than a
 * wrong one: it makes whole predictions impossible. */
static double expected_error(const struct kt_kernel_model *m, const struct kt_region *region)
{
    const double unknown = 1000;
    const double resonance = 0.15; /* of a slice, by the polynomial of the box around it */
    if (region->coefficient)
        return fmin(1, region->average);
    return kt_box_fixed(&region->box, &m->domain, m->axes) && kt_kernel_model_region(m, region->box.lo) ? resonance
                                                                                                        : unknown;
}

static void add_pending(const struct kt_build *build, size_t need, size_t context, struct pending **list, size_t *count)
{
    struct kt_kernel_model *m = kt_build_model(build, need, context);
    for (size_t i = 0; i < m->regions; i++) {
        struct wishing w = {.build = build, .model = m, .region = &m->region[i], .need = need, .context = context};
        double seconds = kt_batch_worth(build, &build->needs->need[need], m, &m->region[i]);
        if (!kt_refine_is_pending(&m->region[i]) || seconds <= 0)
            continue;
        kt_grid_wanted(&build->rules->refine, m, i, wish_for, &w);
        if (w.cost <= 0)
            continue;
        double wrong = expected_error(m, &m->region[i]);
        *list = kt_room_for_one(*list, *count, sizeof **list);
        (*list)[(*count)++] = (struct pending){need, context, i, seconds * wrong / w.cost};
    }
}

static int compare_value(const void *a, const void *b)
{
    double x = ((const struct pending *)a)->value;
    double y = ((const struct pending *)b)->value;
    return (x < y) - (x > y);
}

/* The most valuable grids that take so many seconds. */
static void choose_grids(const struct kt_build *build, double seconds, struct kt_batch *batch)
{
    struct pending *list = NULL;
    size_t count = 0;
    for (size_t n = 0; n < build->needs->count; n++)
        for (size_t c = 0; c < build->rules->contexts; c++)
            add_pending(build, n, c, &list, &count);
    if (count)
        qsort(list, count, sizeof *list, compare_value);
    for (size_t i = 0; i < count && (i == 0 || batch->seconds < seconds); i++) {
        struct kt_kernel_model *m = kt_build_model(build, list[i].need, list[i].context);
        struct wishing w = {build, m, &m->region[list[i].region], batch, list[i].need, list[i].context, 0};
        kt_grid_wanted(&build->rules->refine, m, list[i].region, wish_for, &w);
    }
    free(list);
}

/* --- samples in doubt -------------------------------------------------------------------------------------- */

/* A spell of the machine makes all samples of a batch uncertain, and regions good that are not: such samples are timed
 * again, so often. */
enum { MOST_AGAIN = 2 };

static void choose_doubtful_of(const struct kt_build *build, size_t need, size_t context, double seconds,
                               struct kt_batch *batch)
{
    const struct kt_kernel_model *m = kt_build_model(build, need, context);
    for (size_t i = 0; i < m->regions; i++) {
        if (kt_batch_worth(build, &build->needs->need[need], m, &m->region[i]) <= 0)
            continue;
        for (size_t k = 0; k < m->points && batch->seconds < seconds; k++) {
            const struct kt_point *point = &m->point[k];
            if (point->again >= MOST_AGAIN || !kt_refine_doubts(&build->rules->refine, m, i, point))
                continue;
            struct kt_wish wish = {.need = need, .contexts = 1u << context, .guess = point->seconds};
            memcpy(wish.size, point->size, sizeof wish.size);
            kt_batch_add(batch, build, &wish);
        }
    }
}

static void choose_doubtful(const struct kt_build *build, double seconds, struct kt_batch *batch)
{
    for (size_t n = 0; n < build->needs->count; n++)
        for (size_t c = 0; c < build->rules->contexts; c++)
            choose_doubtful_of(build, n, c, seconds, batch);
}

/* What was good enough for an earlier build may not be for this one. */
static void split_worst(const struct kt_build *build, size_t need, struct kt_kernel_model *m)
{
    const struct kt_refine_rules *rules = &build->rules->refine;
    size_t before = m->regions;
    for (size_t i = 0; i < before; i++) {
        bool is_worth = kt_batch_worth(build, &build->needs->need[need], m, &m->region[i]) > 0;
        if (is_worth && m->region[i].fitted && kt_refine_excess(rules, m, i) > rules->bound)
            kt_refine_split(rules, m, i);
    }
}

/* Polynomials of regions whose samples were timed again, which may not be good enough any more. */
static enum kt_status fit_again(const struct kt_build *build, size_t need, struct kt_kernel_model *m,
                                struct kt_error *error)
{
    for (size_t i = 0; i < m->regions; i++)
        if (kt_refine_is_outdated(&build->rules->refine, m, i))
            KT_TRY(kt_refine_fit(&build->rules->refine, build->solver, m, i, error));
    for (size_t i = 0; i < m->points; i++)
        m->point[i].is_new = false;
    split_worst(build, need, m);
    return KT_OK;
}

static enum kt_status fit_all_again(const struct kt_build *build, struct kt_error *error)
{
    for (size_t n = 0; n < build->needs->count; n++)
        for (size_t c = 0; c < build->rules->contexts; c++)
            KT_TRY(fit_again(build, n, kt_build_model(build, n, c), error));
    return KT_OK;
}

static enum kt_status settle_all(const struct kt_build *build, struct kt_error *error)
{
    for (size_t n = 0; n < build->needs->count; n++)
        for (size_t c = 0; c < build->rules->contexts; c++)
            KT_TRY(settle(build, n, kt_build_model(build, n, c), error));
    return KT_OK;
}

/* --- stages ----------------------------------------------------------------------------------------------- */

static enum kt_status fit_residues(const struct kt_build *build, struct kt_error *error)
{
    for (size_t n = 0; n < build->needs->count; n++)
        for (size_t c = 0; c < build->rules->contexts; c++)
            KT_TRY(kt_residues_fit(build->solver, kt_build_model(build, n, c), error));
    return KT_OK;
}

static enum kt_status prepare(struct kt_build *build, struct kt_error *error)
{
    for (size_t n = 0; n < build->needs->count; n++) {
        KT_TRY(kt_models_add_routine(build->models, build->needs->need[n].routine, error));
        kt_build_set_larger(build, n);
        for (size_t c = 0; c < build->rules->contexts; c++) {
            kt_build_set_domain(build, n, kt_build_model(build, n, c));
            split_worst(build, n, kt_build_model(build, n, c));
        }
    }
    return settle_all(build, error);
}

static double left(const struct kt_build *build, double start, double part)
{
    return kt_timing_interrupted() ? 0 : part * build->rules->budget - (kt_now() - start);
}

static void judge_all(const struct kt_build *build)
{
    for (size_t n = 0; n < build->needs->count; n++)
        for (size_t c = 0; c < build->rules->contexts; c++) {
            kt_level_settle(kt_build_model(build, n, c));
            kt_model_judge(kt_build_model(build, n, c));
        }
}

/* Of a batch, at most, at sizes between the multiples: what is known of these helps at any size of the trace, while a
 * split region is a matter of some per cent in its box. */
static const double between_part = 0.4;
/* And, at most, at sizes that were timed before. */
static const double again_part = 0.25;

static enum kt_status run_regions(struct kt_build *build, double start, struct kt_error *error)
{
    const double most = build->rules->budget / 8;
    for (double rest; (rest = left(build, start, regions_end)) > 0;) {
        struct kt_batch batch = {0};
        double slice = fmin(rest, fmax(3, most));
        choose_doubtful(build, again_part * slice, &batch);
        bool is_doubtful = batch.wishes > 0;
        kt_build_choose_points(build, false, batch.seconds + between_part * slice, &batch);
        choose_grids(build, 0.8 * slice, &batch);
        build->complete = batch.wishes == 0;
        enum kt_status status = batch.wishes ? kt_batch_run(&batch, build, 2 * slice, error) : KT_OK;
        kt_batch_free(&batch);
        KT_TRY(status);
        if (build->complete)
            return KT_OK;
        if (is_doubtful)
            KT_TRY(fit_all_again(build, error));
        KT_TRY(settle_all(build, error));
        KT_TRY(kt_models_write(build->models, error));
        kt_progress("model", kt_now() - start, build->rules->budget);
    }
    return KT_OK;
}

static enum kt_status run_held_out(struct kt_build *build, double start, struct kt_error *error)
{
    struct kt_batch batch = {0};
    double rest = left(build, start, 1);
    if (rest <= 0)
        return KT_OK;
    kt_build_choose_points(build, true, 0.8 * rest, &batch);
    enum kt_status status = batch.wishes ? kt_batch_run(&batch, build, rest, error) : KT_OK;
    kt_batch_free(&batch);
    kt_progress("model", kt_now() - start, build->rules->budget);
    return status;
}

static enum kt_status run_stages(struct kt_build *build, double start, struct kt_error *error)
{
    KT_TRY(prepare(build, error));
    KT_TRY(kt_crossovers_find(build, error));
    KT_TRY(settle_all(build, error));
    KT_TRY(run_regions(build, start, error));
    KT_TRY(fit_residues(build, error));
    return run_held_out(build, start, error);
}

/* Whatever went wrong, what was timed is written; but nothing in the place of what there was. */
enum kt_status kt_build_run(struct kt_build *build, struct kt_error *error)
{
    double start = kt_now();
    struct kt_error unwritten = {0};
    enum kt_status status = run_stages(build, start, error);
    kt_progress_end();
    judge_all(build);
    build->spent = kt_now() - start;
    build->complete = build->complete && build->open_searches == 0;
    if (status != KT_OK && !build->samples && !build->again)
        return status;
    if (kt_models_write(build->models, &unwritten) == KT_OK || status != KT_OK)
        return status;
    *error = unwritten;
    return unwritten.status;
}
