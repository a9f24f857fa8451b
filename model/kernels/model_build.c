/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/model_build.h"

#include "model/kernels/crossover_build.h"
#include "model/kernels/model_batch.h"
#include "model/kernels/model_level.h"
#include "model/kernels/tiles.h"
#include "trace/memory.h"
#include "trace/now.h"
#include "trace/text.h"

#include <math.h>
#include <stdio.h>

/* The part of the budget after which no more samples are fitted. */
static const double regions_end = 0.85;

/* What is sampled without any use in the trace counts that much of the model's time. */
static const double share_of_volume = 0.02;

/* --- what a region is worth ---------------------------------------------------------------------------------- */

static double volume(const struct kt_box *box, int axes)
{
    double v = 1;
    for (int a = 0; a < axes; a++)
        v *= (double)(box->hi[a] - box->lo[a] + 1);
    return v;
}

/* Of the domain that the user gave, how much lies in the box. */
static double part_asked_for(const struct kt_build_rules *rules, const struct kt_box *box, int axes)
{
    double part = 1;
    for (int a = 0; a < axes; a++) {
        int64_t lo = box->lo[a] > rules->lo[a] ? box->lo[a] : rules->lo[a];
        int64_t hi = box->hi[a] < rules->hi[a] ? box->hi[a] : rules->hi[a];
        part *= hi < lo ? 0 : (double)(hi - lo + 1) / (double)(rules->hi[a] - rules->lo[a] + 1);
    }
    return part;
}

/* Seconds of the trace's calls that are in it. Where the user gave the domain, its part of that, of any model. */
static double seconds_in(const struct kt_build *build, const struct kt_need *need, const struct kt_kernel_model *m,
                         const struct kt_region *region)
{
    const struct kt_box *box = &region->box;
    double seconds = 0;
    if (build->rules->hi[0])
        return part_asked_for(build->rules, box, m->axes);
    for (size_t i = 0; i < need->uses; i++)
        if (kt_box_owns(box, &m->domain, m->axes, need->use[i].size) &&
            kt_region_holds(region, m->crossover, m->axes, need->use[i].size))
            seconds += need->use[i].seconds;
    if (seconds > 0)
        seconds += share_of_volume * need->seconds * volume(box, m->axes) / volume(&m->domain, m->axes);
    return seconds;
}

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
                kt_region_holds(w->region, m->crossover, m->axes, size) && kt_batch_can_time(w->build, w->need, size))
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
            if (seconds_in(build, &build->needs->need[need], m, &m->region[i]) <= 0)
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
        double seconds = seconds_in(build, &build->needs->need[need], m, &m->region[i]);
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
        if (seconds_in(build, &build->needs->need[need], m, &m->region[i]) <= 0)
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
        bool is_worth = seconds_in(build, &build->needs->need[need], m, &m->region[i]) > 0;
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

/* --- points between and held-out points -------------------------------------------------------------------- */

enum kind { BETWEEN, HELD_OUT, HELD_OUT_BETWEEN };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double uniform(uint64_t *state)
{
    return (double)(next_random(state) >> 11) / 9007199254740992.0;
}

/* Between the multiples small sizes tell most, and cost least. Below a crossover are mostly small ones, above it there
 * are hardly any. */
static int64_t draw_size(enum kind kind, enum kt_side side, int64_t lo, int64_t hi, uint64_t *state)
{
    double u = uniform(state);
    double low = (double)(lo > 0 ? lo : 1);
    bool is_small = side != KT_ABOVE && (kind == BETWEEN || side == KT_BELOW);
    double size =
        is_small ? low * pow((double)hi / low, kind == BETWEEN ? 0.7 * u : u) : (double)lo + u * (double)(hi - lo);
    int64_t whole = llround(size);
    if (kind == HELD_OUT && whole >= KT_FINE_BELOW)
        whole -= whole % KT_FINE_BELOW;
    return whole < lo ? lo : whole > hi ? hi : whole;
}

/* One of the regions that have a polynomial, by what it is worth. */
static const struct kt_region *draw_region(const struct kt_build *build, size_t need, const struct kt_kernel_model *m,
                                           uint64_t *state)
{
    double total = 0;
    const struct kt_region *chosen = NULL;
    for (size_t i = 0; i < m->regions; i++) {
        bool open = m->region[i].coefficient && kt_box_fixed(&m->region[i].box, &m->domain, m->axes) < m->axes;
        double worth = open ? seconds_in(build, &build->needs->need[need], m, &m->region[i]) : 0;
        total += worth;
        if (worth > 0 && uniform(state) * total <= worth)
            chosen = &m->region[i];
    }
    return chosen;
}

static bool is_of_kind(enum kind kind, int axes, const int64_t *size)
{
    return kt_sizes_are_regular(axes, size) == (kind == HELD_OUT);
}

static size_t count_points(const struct kt_kernel_model *m, enum kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < m->points; i++)
        n += m->point[i].held_out == (kind != BETWEEN) && is_of_kind(kind, m->axes, m->point[i].size);
    return n;
}

static void draw_points(const struct kt_build *build, size_t need, size_t context, enum kind kind, size_t wanted,
                        struct kt_batch *batch)
{
    enum { TRIES = 8 };
    const struct kt_kernel_model *m = kt_build_model(build, need, context);
    /* Contexts draw the same sizes, unless their regions differ: then they are timed together. */
    size_t known = count_points(m, kind);
    uint64_t state = UINT64_C(88172645463325252) + need * 1000003 + kind * 7919 + known * 104729;
    for (size_t tries = TRIES * wanted; known < wanted && tries > 0; tries--) {
        struct kt_wish wish = {.need = need, .contexts = 1u << context, .held_out = kind != BETWEEN};
        const struct kt_region *region = draw_region(build, need, m, &state);
        if (!region)
            return;
        for (int a = 0; a < m->axes; a++)
            wish.size[a] = draw_size(kind, region->side, region->box.lo[a], region->box.hi[a], &state);
        if (!is_of_kind(kind, m->axes, wish.size) || !kt_region_holds(region, m->crossover, m->axes, wish.size) ||
            kt_model_find_point(m, wish.size) || !kt_batch_can_time(build, need, wish.size))
            continue;
        wish.guess = kt_batch_guess(build, need, context, wish.size);
        kt_batch_add(batch, build, &wish);
        known++;
    }
}

static void draw_points_of(const struct kt_build *build, size_t need, bool held_out, double part, double seconds,
                           struct kt_batch *batch)
{
    size_t between = kt_residues_samples(build->needs->need[need].query.axes, KT_RESIDUE_PERIOD);
    for (size_t c = 0; c < build->rules->contexts && batch->seconds < seconds; c++) {
        if (!held_out)
            draw_points(build, need, c, BETWEEN, (size_t)((double)between * part), batch);
        if (held_out)
            draw_points(build, need, c, HELD_OUT, (size_t)(build->rules->held_out * part), batch);
        if (held_out)
            draw_points(build, need, c, HELD_OUT_BETWEEN, (size_t)(build->rules->held_out * part), batch);
    }
}

/* If there is no time for all, each model gets some. */
static void choose_points(const struct kt_build *build, bool held_out, double seconds, struct kt_batch *batch)
{
    for (double part = held_out ? 0.25 : 0.5; part <= 1; part *= 2)
        for (size_t n = 0; n < build->needs->count && batch->seconds < seconds; n++)
            draw_points_of(build, n, held_out, part, seconds, batch);
}

static enum kt_status fit_residues(const struct kt_build *build, struct kt_error *error)
{
    for (size_t n = 0; n < build->needs->count; n++)
        for (size_t c = 0; c < build->rules->contexts; c++)
            KT_TRY(kt_residues_fit(&build->rules->refine, build->solver, kt_build_model(build, n, c), error));
    return KT_OK;
}

/* --- stages ------------------------------------------------------------------------------------------------ */

/* Sizes that are used in so much of a kernel's time have slices, and with less those at which kernels are not smooth;
 * so have the combinations of these that are used. */
static const double often = 0.2, seldom = 0.01;
enum { RESONANT = 256, MOST_SPECIAL = 8, MOST_COMBINATIONS = 32 };

/* Of an axis: those with most of the time first. */
struct special {
    int64_t size[MOST_SPECIAL];
    int count;
};

static int compare_sizes(const void *a, const void *b)
{
    int64_t x = ((const struct kt_use *)a)->size[0];
    int64_t y = ((const struct kt_use *)b)->size[0];
    return (x > y) - (x < y);
}

/* The different sizes of the axis, each in the first place of a use, with their time; returns how many. */
static size_t sum_by_size(const struct kt_need *need, int axis, struct kt_use *out)
{
    size_t n = 0;
    for (size_t i = 0; i < need->uses; i++)
        out[i] = (struct kt_use){.size = {need->use[i].size[axis]}, .seconds = need->use[i].seconds};
    qsort(out, need->uses, sizeof *out, compare_sizes);
    for (size_t i = 0; i < need->uses; i++) {
        if (n && out[n - 1].size[0] == out[i].size[0])
            out[n - 1].seconds += out[i].seconds;
        else
            out[n++] = out[i];
    }
    qsort(out, n, sizeof *out, kt_use_compare);
    return n;
}

static struct special find_special(const struct kt_build *build, const struct kt_need *need,
                                   const struct kt_kernel_model *m, int axis)
{
    struct special special = {.count = 0};
    struct kt_use *sum = kt_resize(NULL, need->uses, sizeof *sum);
    size_t n = need->uses ? sum_by_size(need, axis, sum) : 0;
    for (size_t i = 0; i < n && special.count < MOST_SPECIAL; i++) {
        double least = sum[i].size[0] % RESONANT == 0 ? seldom : often;
        if (sum[i].seconds >= least * need->seconds &&
            kt_domain_can_slice(&build->rules->refine, m, axis, sum[i].size[0]))
            special.size[special.count++] = sum[i].size[0];
    }
    free(sum);
    return special;
}

/* SIZE if it is one of them, or 0. */
static int64_t among(const struct special *special, int64_t size)
{
    for (int i = 0; i < special->count; i++)
        if (special->size[i] == size)
            return size;
    return 0;
}

/* Where the user gave the domain, what the trace uses most says nothing. */
static void add_slices(const struct kt_build *build, const struct kt_need *need, struct kt_kernel_model *m)
{
    struct special special[KT_MODEL_AXES];
    if (build->rules->hi[0])
        return;
    for (int a = 0; a < m->axes; a++) {
        special[a] = find_special(build, need, m, a);
        for (int i = 0; i < special[a].count; i++) {
            int64_t size[KT_MODEL_AXES] = {0};
            size[a] = special[a].size[i];
            kt_domain_add_slice(&build->rules->refine, m, size);
        }
    }
    size_t most = m->regions + MOST_COMBINATIONS;
    for (size_t i = 0; i < need->uses && m->regions < most; i++) {
        int64_t size[KT_MODEL_AXES] = {0};
        for (int a = 0; a < m->axes; a++)
            size[a] = among(&special[a], need->use[i].size[a]);
        kt_domain_add_slice(&build->rules->refine, m, size);
    }
}

/* Where the user gave the domain, all of it is wanted. */
static void cut_unused(const struct kt_build *build, const struct kt_need *need, struct kt_kernel_model *m)
{
    struct kt_box part[KT_TILES_MOST];
    size_t before = m->regions;
    if (build->rules->hi[0])
        return;
    for (size_t i = 0; i < before; i++) {
        const struct kt_box *box = &m->region[i].box;
        if (m->region[i].coefficient)
            continue;
        size_t parts =
            kt_tiles_of(box, &m->domain, m->axes, need->use, need->uses, build->rules->refine.multiple, part);
        kt_domain_cut(m, i, part, parts);
    }
}

/* Are sizes wanted of which that one is below the other? */
static bool wants_beyond(const struct kt_build *build, const struct kt_need *n, int larger)
{
    const struct kt_build_rules *rules = build->rules;
    return rules->hi[0] ? rules->lo[larger - 1] < rules->hi[2 - larger] : n->is_below[larger - 1];
}

/* Of kernels with two sizes, whether one is always the larger: dgeqr2's of QR has at least as many rows as columns, and
 * along m = n its time has a bend that no polynomial of a box follows. All contexts, which are sampled together, have
 * the same, and what is known already stays so unless others are wanted. */
static void set_larger(const struct kt_build *build, size_t need)
{
    const struct kt_need *n = &build->needs->need[need];
    int larger = build->rules->hi[0] ? 0 : kt_need_larger(n);
    bool is_new = true;
    for (size_t c = 0; c < build->rules->contexts; c++) {
        const struct kt_kernel_model *m = kt_build_model(build, need, c);
        if (m->points == 0)
            continue;
        larger = is_new || m->larger == larger ? m->larger : 0;
        is_new = false;
    }
    if (larger && wants_beyond(build, n, larger))
        larger = 0;
    for (size_t c = 0; c < build->rules->contexts; c++)
        kt_domain_set_larger(kt_build_model(build, need, c), larger);
}

static void set_domain(const struct kt_build *build, size_t need, struct kt_kernel_model *m)
{
    const struct kt_need *n = &build->needs->need[need];
    struct kt_box box = n->box;
    int argument[KT_MODEL_AXES];
    for (int a = 0; a < m->axes && build->rules->hi[0]; a++) {
        box.lo[a] = build->rules->lo[a];
        box.hi[a] = build->rules->hi[a];
    }
    kt_model_axes_of(n->routine, argument);
    for (int a = 0; a < m->axes; a++)
        memcpy(m->axis[a], n->routine->arg[argument[a]].name, sizeof m->axis[a]);
    kt_domain_grow(&build->rules->refine, m, &box);
    add_slices(build, n, m);
    cut_unused(build, n, m);
}

static enum kt_status prepare(struct kt_build *build, struct kt_error *error)
{
    for (size_t n = 0; n < build->needs->count; n++) {
        KT_TRY(kt_models_add_routine(build->models, build->needs->need[n].routine, error));
        set_larger(build, n);
        for (size_t c = 0; c < build->rules->contexts; c++) {
            set_domain(build, n, kt_build_model(build, n, c));
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
        choose_points(build, false, batch.seconds + between_part * slice, &batch);
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
    choose_points(build, true, 0.8 * rest, &batch);
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
