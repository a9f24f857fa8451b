/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/comparison.h"

#include "replay/compare/comparison_pace.h"
#include "replay/compare/comparison_threads.h"
#include "replay/compare/corrected.h"
#include "replay/result/result.h"
#include "trace/base/memory.h"

#include <math.h>
#include <string.h>

static struct kt_compared *cell_at(const struct kt_comparison *c, size_t i, size_t lane)
{
    return &c->cell[i * c->libraries + lane];
}

const struct kt_compared *kt_comparison_cell(const struct kt_comparison *c, size_t i, size_t lane)
{
    return cell_at(c, i, lane);
}

bool kt_comparison_counts(const struct kt_comparison *c, size_t i)
{
    return cell_at(c, i, 0)->counts;
}

const char *kt_comparison_failure(const struct kt_comparison *c, size_t i, size_t lane)
{
    const struct kt_job *job = &c->setup.jobs.job[i];
    if (c->met[i] && c->schedule.item[i].lane[lane].samples)
        return NULL; /* whatever became of the worker */
    if (c->worker[lane].failure[i])
        return c->worker[lane].failure[i];
    if (job->refused)
        return job->refused;
    return c->schedule.item[i].lane[lane].samples ? NULL : "there was no time for it";
}

static const char in_sequence[] = "sequence";

const char *kt_comparison_context_of(const struct kt_comparison *c, size_t i)
{
    return c->met[i] ? in_sequence : c->context[i]->name;
}

bool kt_comparison_is_any_met(const struct kt_comparison *c)
{
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (c->met[i])
            return true;
    return false;
}

const char *kt_comparison_context(const struct kt_comparison *c)
{
    return kt_comparison_is_any_met(c) ? in_sequence : c->options.replay.context[0]->name;
}

bool kt_comparison_is_light(const struct kt_comparison *c, size_t i)
{
    return !(c->stands_for[i] > 0);
}

bool kt_comparison_is_elsewhere(const struct kt_comparison *c, size_t i)
{
    return c->owner && c->owner[i] != c->options.replay.share.number;
}

static const struct kt_shape_group *shape_of(const struct kt_comparison *c, size_t i)
{
    return c->setup.jobs.job[i].shape;
}

static const char *routine_of(const struct kt_comparison *c, size_t i)
{
    return shape_of(c, i)->first.entry->symbol.routine->name;
}

double kt_comparison_calls(const struct kt_comparison *c, size_t i)
{
    return c->stands_for[i] * (double)shape_of(c, i)->calls;
}

double kt_comparison_recorded(const struct kt_comparison *c, size_t i)
{
    return c->stands_for[i] * shape_of(c, i)->total;
}

/* 0 for a shape that stands for itself; a number of its routine for one that was drawn from the light ones. */
static size_t stratum_of(const struct kt_comparison *c, size_t i)
{
    size_t first = 0;
    if (c->stands_for[i] <= 1)
        return 0;
    while (strcmp(routine_of(c, first), routine_of(c, i)) != 0)
        first++;
    return first + 1;
}

/* --- pairs ------------------------------------------------------------------------------------------------- */

/* Visits of both in the same rounds; the arrays of OUT are owned by the caller. */
static struct kt_pairs match(const struct kt_series *time, const struct kt_series *base)
{
    double *times = kt_resize(NULL, base->visits, sizeof *times);
    double *bases = kt_resize(NULL, base->visits, sizeof *bases);
    unsigned *rounds = kt_resize(NULL, base->visits, sizeof *rounds);
    struct kt_pairs out = {.time = times, .base = bases, .round = rounds};
    for (size_t i = 0, j = 0; i < time->visits && j < base->visits;) {
        if (time->round[i] == base->round[j]) {
            times[out.n] = time->visit[i];
            bases[out.n] = base->visit[j];
            rounds[out.n++] = base->round[j];
        }
        bool behind = time->round[i] <= base->round[j];
        j += time->round[i] >= base->round[j];
        i += behind;
    }
    return out;
}

static void free_pairs(struct kt_pairs *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((void *)pairs[i].time);
        free((void *)pairs[i].base);
        free((void *)pairs[i].round);
    }
    free(pairs);
}

static struct kt_pairs pairs_of(const struct kt_comparison *c, size_t i, size_t lane, size_t base)
{
    const struct kt_series *of = &c->corrected[i * c->libraries];
    struct kt_pairs pairs = match(&of[lane], &of[base]);
    pairs.weight = kt_comparison_calls(c, i) * cell_at(c, i, base)->time.best;
    pairs.stratum = stratum_of(c, i);
    return pairs;
}

struct kt_ratio kt_comparison_ratio(const struct kt_comparison *c, const size_t *shape, size_t shapes, size_t lane,
                                    size_t base)
{
    struct kt_pairs *pairs = kt_resize(NULL, shapes, sizeof *pairs);
    size_t count = 0;
    for (size_t i = 0; i < shapes; i++)
        if (cell_at(c, shape[i], lane)->counts && cell_at(c, shape[i], base)->counts)
            pairs[count++] = pairs_of(c, shape[i], lane, base);
    struct kt_ratio ratio = lane == base ? (struct kt_ratio){1, 1, 1, 0} : kt_ratio_of_total(pairs, count, lane);
    free_pairs(pairs, count);
    return ratio;
}

/* --- sums -------------------------------------------------------------------------------------------------- */

static void note_result(const struct kt_comparison *c, size_t i, size_t lane, struct kt_compared *cell)
{
    if (!c->right.of)
        return;
    const struct kt_rightness *right = kt_right_of(&c->right, lane, i);
    cell->residual = right->residual;
    cell->wrong = right->verdict == KT_RESULT_WRONG ? right->what : NULL;
}

static void make_cells(struct kt_comparison *c)
{
    free(c->cell);
    c->cell = kt_resize(NULL, c->setup.jobs.count * c->libraries, sizeof *c->cell);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        for (size_t l = 0; l < c->libraries; l++) {
            struct kt_compared *cell = cell_at(c, i, l);
            *cell = (struct kt_compared){.residual = NAN};
            cell->time = kt_series_stat(&c->corrected[i * c->libraries + l], c->schedule.item[i].best);
            note_result(c, i, l, cell);
            bool timed = cell->time.n && !kt_comparison_failure(c, i, l);
            cell->counts = timed && (l == 0 || cell_at(c, i, 0)->counts);
        }
}

static void find_ratios(struct kt_comparison *c)
{
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        for (size_t l = 0; l < c->libraries; l++) {
            struct kt_pairs *pairs = kt_resize(NULL, 1, sizeof *pairs);
            *pairs = pairs_of(c, i, l, 0);
            bool paired = l && cell_at(c, i, l)->counts;
            cell_at(c, i, l)->ratio =
                paired ? kt_ratio_of(pairs) : (struct kt_ratio){l ? NAN : 1, l ? NAN : 1, l ? NAN : 1, 0};
            free_pairs(pairs, 1);
        }
}

static void add_up(const struct kt_comparison *c, const size_t *shape, size_t shapes, size_t lane,
                   struct kt_lane_sum *out)
{
    struct kt_pairs *pairs = kt_resize(NULL, shapes, sizeof *pairs);
    size_t count = 0;
    *out = (struct kt_lane_sum){0};
    for (size_t i = 0; i < shapes; i++) {
        const struct kt_compared *cell = cell_at(c, shape[i], lane);
        if (cell->counts) {
            out->seconds += kt_comparison_calls(c, shape[i]) * cell->time.best;
            pairs[count] = pairs_of(c, shape[i], lane, lane);
            pairs[count++].weight = kt_comparison_calls(c, shape[i]);
        } else if (kt_comparison_counts(c, shape[i])) {
            out->lacking += kt_comparison_calls(c, shape[i]) * cell_at(c, shape[i], 0)->time.best;
            out->failed++;
        }
    }
    struct kt_ratio spread = kt_spread_of_total(pairs, count, lane);
    out->lo = out->seconds * spread.lo;
    out->hi = out->seconds * spread.hi;
    free_pairs(pairs, count);
    out->ratio = kt_comparison_ratio(c, shape, shapes, lane, 0);
}

/* Numbers of the shapes of a routine, or of all if it is NULL. */
static size_t find_shapes(const struct kt_comparison *c, const char *routine, size_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (!routine || !strcmp(routine_of(c, i), routine))
            out[count++] = i;
    return count;
}

/* --- routines ---------------------------------------------------------------------------------------------- */

static struct kt_routine_sum *find_routine(struct kt_comparison *c, const char *name)
{
    for (size_t r = 0; r < c->routines; r++)
        if (!strcmp(c->routine[r].name, name))
            return &c->routine[r];
    c->routine = kt_room_for_one(c->routine, c->routines, sizeof *c->routine);
    c->routine[c->routines] = (struct kt_routine_sum){.name = name};
    return &c->routine[c->routines++];
}

/* The lane with the least time of those that run all of it, and whether each other one is told apart from it. */
static void find_best(const struct kt_comparison *c, const size_t *shape, size_t shapes, struct kt_routine_sum *r)
{
    for (size_t l = 1; l < c->libraries; l++)
        if (!r->lane[l].failed && r->lane[l].ratio.value < r->lane[r->best].ratio.value)
            r->best = l;
    r->is_certain = true;
    for (size_t l = 0; l < c->libraries && r->is_certain; l++) {
        struct kt_ratio paired = kt_comparison_ratio(c, shape, shapes, l, r->best);
        r->is_certain = l == r->best || r->lane[l].failed ||
                        kt_ratio_is_apart(&r->lane[l].ratio, &r->lane[r->best].ratio, l && r->best ? &paired : NULL);
    }
}

static int compare_routine(const void *a, const void *b)
{
    double x = ((const struct kt_routine_sum *)a)->lane[0].seconds;
    double y = ((const struct kt_routine_sum *)b)->lane[0].seconds;
    return (x < y) - (x > y);
}

static void sum_up_routines(struct kt_comparison *c)
{
    size_t *shape = kt_resize(NULL, c->setup.jobs.count, sizeof *shape);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (kt_comparison_counts(c, i))
            find_routine(c, routine_of(c, i));
    for (size_t r = 0; r < c->routines; r++) {
        struct kt_routine_sum *routine = &c->routine[r];
        size_t shapes = find_shapes(c, routine->name, shape);
        for (size_t i = 0; i < shapes; i++)
            if (kt_comparison_counts(c, shape[i]) || kt_comparison_is_light(c, shape[i]))
                routine->calls += (double)shape_of(c, shape[i])->calls;
        routine->lane = kt_resize(NULL, c->libraries, sizeof *routine->lane);
        for (size_t l = 0; l < c->libraries; l++)
            add_up(c, shape, shapes, l, &routine->lane[l]);
        find_best(c, shape, shapes, routine);
    }
    free(shape);
    if (c->routines)
        qsort(c->routine, c->routines, sizeof *c->routine, compare_routine);
}

/* --- the best of each -------------------------------------------------------------------------------------- */

/* Of those that are certain to be faster than the best library, the fastest; or that one. */
static size_t best_for(const struct kt_comparison *c, size_t i, size_t library)
{
    size_t best = library;
    for (size_t l = 0; l < c->libraries; l++) {
        if (!cell_at(c, i, l)->counts)
            continue;
        if (!cell_at(c, i, library)->counts)
            return 0;
        struct kt_ratio ratio = kt_comparison_ratio(c, &i, 1, l, library);
        if (l != library && kt_ratio_verdict(&ratio) == KT_FASTER &&
            cell_at(c, i, l)->time.best < cell_at(c, i, best)->time.best)
            best = l;
    }
    return best;
}

/* Is the library told apart from the best one? Where one of them does not run all, both take a part of the baseline's
 * time, and are not paired: then their intervals are compared. */
static bool is_apart(const struct kt_comparison *c, const size_t *shape, size_t shapes, size_t lane)
{
    struct kt_ratio own = kt_comparison_multiple(c, lane);
    struct kt_ratio best = kt_comparison_multiple(c, c->mix.library);
    struct kt_ratio paired = kt_comparison_ratio(c, shape, shapes, lane, c->mix.library);
    bool same_shapes = !c->sum[lane].failed && !c->sum[c->mix.library].failed;
    return (!same_shapes && own.lo > best.hi) ||
           kt_ratio_is_apart(&own, &best, same_shapes && lane && c->mix.library ? &paired : NULL);
}

/* In the program, besides the replayed calls. */
static double beside(const struct kt_comparison *c, size_t lane)
{
    return c->first_calls[lane] + c->waited + (lane ? 0 : c->contention);
}

static void find_mix(struct kt_comparison *c, const size_t *shape, size_t shapes)
{
    struct kt_mix *mix = &c->mix;
    for (size_t l = 1; l < c->libraries; l++)
        if (kt_comparison_multiple(c, l).value < kt_comparison_multiple(c, mix->library).value)
            mix->library = l;
    for (size_t l = 0; l < c->libraries; l++)
        mix->is_apart[l] = is_apart(c, shape, shapes, l);
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        if (!kt_comparison_counts(c, i))
            continue;
        size_t best = best_for(c, i, mix->library);
        mix->seconds += kt_comparison_calls(c, i) * cell_at(c, i, best)->time.best;
        mix->elsewhere += best != mix->library;
    }
    mix->seconds = c->pace * c->scale * mix->seconds + beside(c, mix->library);
    double single = kt_comparison_blas(c, mix->library);
    mix->ratio = single > 0 ? mix->seconds / single : NAN;
    mix->application = kt_comparison_application_with(c, mix->seconds);
}

double kt_comparison_blas(const struct kt_comparison *c, size_t lane)
{
    double own = c->sum[lane].seconds + c->sum[lane].lacking;
    return c->pace * c->scale * own + beside(c, lane);
}

static double multiple(const struct kt_comparison *c, size_t lane, double ratio)
{
    double all = c->pace * c->scale * c->sum[0].seconds;
    double lacking = c->pace * c->scale * c->sum[lane].lacking;
    double own = all > lacking ? (all - lacking) * ratio : 0;
    return (own + lacking + beside(c, lane)) / (all + beside(c, 0));
}

/* Where pairs scatter that much, spells of another pace did not hit both of a pair. */
static const double much_scatter = 1.1; /* of the ends of the interval */

/* Of the pairs' interval the value that is to be taken. Spells slow a library down, and some more than others, never
 * speed it up: the sums of lower quartiles know less of them than the median of pairs does. */
static double point_of(const struct kt_comparison *c, size_t lane)
{
    const struct kt_ratio *ratio = &c->sum[lane].ratio;
    double base = c->sum[0].seconds - c->sum[lane].lacking;
    double low = base > 0 ? c->sum[lane].seconds / base : NAN;
    bool scatters = kt_corrects(c->options.without, KT_CORRECT_SCATTER) && ratio->hi > much_scatter * ratio->lo;
    return scatters && ratio->lo <= low && low <= ratio->hi ? low : ratio->value;
}

struct kt_ratio kt_comparison_multiple(const struct kt_comparison *c, size_t lane)
{
    struct kt_ratio ratio = c->sum[lane].ratio;
    if (isnan(ratio.value))
        return ratio; /* it ran nothing */
    ratio.value = multiple(c, lane, point_of(c, lane));
    ratio.lo = multiple(c, lane, ratio.lo);
    ratio.hi = multiple(c, lane, ratio.hi);
    return ratio;
}

bool kt_comparison_is_contended(const struct kt_comparison *c)
{
    static const double much = 1.5;
    bool has_threads = false;
    for (size_t l = 0; l < c->libraries; l++)
        has_threads = has_threads || c->worker[l].library.threads > 1;
    double held_up = c->waited + c->contention;
    return has_threads && c->is_as_recorded && (c->disturbance > much || c->insitu > much * (c->insitu - held_up));
}

/* A second of calls that were played at the same time is as much of wall time as of all calls of the program, whichever
 * of them were asked for. */
double kt_comparison_application_with(const struct kt_comparison *c, double blas)
{
    double wall_part = kt_comparison_in_company(c) ? 1 / c->together : 1;
    return c->wall + wall_part * (blas - c->insitu);
}

double kt_comparison_application(const struct kt_comparison *c, size_t lane)
{
    return kt_comparison_application_with(c, kt_comparison_blas(c, lane));
}

static double scale_of(const struct kt_comparison *c)
{
    double counted = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        counted += kt_comparison_counts(c, i) ? kt_comparison_recorded(c, i) : 0;
    return counted > 0 ? c->insitu / counted : NAN;
}

/* Of the libraries. */
static void sum_up_lanes(struct kt_comparison *c, const size_t *shape, size_t shapes)
{
    kt_corrected_make(c);
    make_cells(c);
    c->scale = scale_of(c);
    for (size_t l = 0; l < c->libraries; l++)
        add_up(c, shape, shapes, l, &c->sum[l]);
    kt_comparison_pace_find(c);
}

/* What comes out where one more correction is left out. */
static void try_without(struct kt_comparison *c, const size_t *shape, size_t shapes)
{
    unsigned *without = &c->options.without;
    const unsigned asked = *without;
    for (unsigned k = 0; k < KT_CORRECTION_KINDS; k++) {
        *without = asked | 1u << k;
        if (*without != asked)
            sum_up_lanes(c, shape, shapes);
        for (size_t l = 0; l < c->libraries && *without != asked; l++)
            c->ratio_without[k][l] = kt_comparison_multiple(c, l);
    }
    *without = asked;
}

/* Of an earlier time. */
static void forget_sums(struct kt_comparison *c)
{
    for (size_t r = 0; r < c->routines; r++)
        free(c->routine[r].lane);
    free(c->routine);
    c->routine = NULL;
    c->routines = 0;
    c->mix = (struct kt_mix){0};
}

void kt_comparison_sum_up(struct kt_comparison *c)
{
    forget_sums(c);
    size_t *shape = kt_resize(NULL, c->setup.jobs.count, sizeof *shape);
    size_t shapes = find_shapes(c, NULL, shape);
    c->insitu = 0; /* of the routines that were asked for */
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        c->insitu += shape_of(c, i)->total;
    kt_comparison_find_company(c);
    c->wall = kt_comparison_wall(c);
    try_without(c, shape, shapes);
    sum_up_lanes(c, shape, shapes);
    find_ratios(c);
    find_mix(c, shape, shapes);
    sum_up_routines(c);
    free(shape);
}

void kt_comparison_free(struct kt_comparison *c)
{
    forget_sums(c);
    for (size_t i = 0; i < c->unusables; i++)
        free(c->unusable[i].why);
    kt_corrected_free(c);
    free(c->cell);
    free(c->stands_for);
    free(c->owner);
    free(c->first);
    free(c->windowed);
    free(c->met);
    free(c->context);
}

/* --- words ------------------------------------------------------------------------------------------------- */

bool kt_comparison_found_defect(const struct kt_comparison *c)
{
    for (size_t l = 0; l < c->libraries; l++)
        for (size_t i = 0; i < c->setup.jobs.count; i++)
            if (c->worker[l].broken[i])
                return true;
    return kt_right_found(&c->right);
}

const char *kt_comparison_verdict(const struct kt_comparison *c, size_t lane)
{
    struct kt_ratio ratio = kt_comparison_multiple(c, lane);
    if (lane == 0)
        return "baseline";
    if (isnan(ratio.value))
        return "not comparable";
    return kt_verdict_text[kt_ratio_verdict(&ratio)];
}
