/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/comparison.h"

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

static const struct kt_shape_group *shape_of(const struct kt_comparison *c, size_t i)
{
    return c->setup.jobs.job[i].shape;
}

static const char *routine_of(const struct kt_comparison *c, size_t i)
{
    return shape_of(c, i)->first.entry->symbol.routine->name;
}

/* Calls that the shape stands for, and how long they took in the program. */
static double calls_of(const struct kt_comparison *c, size_t i)
{
    return c->stands_for[i] * (double)shape_of(c, i)->calls;
}

static double recorded_of(const struct kt_comparison *c, size_t i)
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
    struct kt_pairs pairs = match(&c->schedule.item[i].lane[lane], &c->schedule.item[i].lane[base]);
    pairs.weight = calls_of(c, i) * cell_at(c, i, base)->time.best;
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
    c->cell = kt_resize(NULL, c->setup.jobs.count * c->libraries, sizeof *c->cell);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        for (size_t l = 0; l < c->libraries; l++) {
            struct kt_compared *cell = cell_at(c, i, l);
            *cell = (struct kt_compared){.time = kt_lane_stat(&c->schedule.item[i], l), .residual = NAN};
            note_result(c, i, l, cell);
            bool timed = cell->time.n && !kt_comparison_failure(c, i, l);
            cell->counts = timed && (l == 0 || cell_at(c, i, 0)->counts);
        }
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
            out->seconds += calls_of(c, shape[i]) * cell->time.best;
            pairs[count] = pairs_of(c, shape[i], lane, lane);
            pairs[count++].weight = calls_of(c, shape[i]);
        } else if (kt_comparison_counts(c, shape[i])) {
            out->lacking += calls_of(c, shape[i]) * cell_at(c, shape[i], 0)->time.best;
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
        struct kt_ratio ratio = l ? kt_comparison_ratio(c, shape, shapes, l, r->best) : r->lane[r->best].ratio;
        r->is_certain = l == r->best || r->lane[l].failed || kt_ratio_verdict(&ratio) == (l ? KT_SLOWER : KT_FASTER);
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
 * time, and are not paired. */
static bool is_apart(const struct kt_comparison *c, const size_t *shape, size_t shapes, size_t lane)
{
    struct kt_ratio own = kt_comparison_multiple(c, lane);
    struct kt_ratio best = kt_comparison_multiple(c, c->mix.library);
    struct kt_ratio paired = kt_comparison_ratio(c, shape, shapes, lane, c->mix.library);
    bool same_shapes = !c->sum[lane].failed && !c->sum[c->mix.library].failed;
    return isnan(own.value) || (same_shapes ? kt_ratio_verdict(&paired) == KT_SLOWER : own.lo > best.hi);
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
        mix->seconds += calls_of(c, i) * cell_at(c, i, best)->time.best;
        mix->elsewhere += best != mix->library;
    }
    mix->seconds = c->pace * c->scale * mix->seconds + beside(c, mix->library);
    double single = kt_comparison_blas(c, mix->library);
    mix->ratio = single > 0 ? mix->seconds / single : NAN;
    mix->application = kt_comparison_application(c, mix->library) + mix->seconds - single;
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
    bool scatters = ratio->hi > much_scatter * ratio->lo;
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

double kt_comparison_application(const struct kt_comparison *c, size_t lane)
{
    return c->wall - c->insitu + kt_comparison_blas(c, lane);
}

/* Where several threads or processes make calls, the sum of calls is not a part of the wall time; where calls are
 * missing, it is not all of that part. */
static double wall_of(const struct kt_setup *setup)
{
    const struct kt_trace *trace = &setup->trace;
    size_t streams = 0;
    for (size_t p = 0; p < trace->processes; p++)
        streams += trace->process[p].calls ? trace->process[p].streams : 0;
    double seconds = 0;
    for (size_t p = 0; p < trace->processes; p++)
        seconds = fmax(seconds, trace->process[p].seconds);
    return streams == 1 && kt_setup_has_all(setup) ? seconds : NAN;
}

static double scale_of(const struct kt_comparison *c)
{
    double counted = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        counted += kt_comparison_counts(c, i) ? recorded_of(c, i) : 0;
    return counted > 0 ? c->insitu / counted : NAN;
}

/* By more than this no clock is lower: calls that all took longer waited. */
static const double most_pace = 1.5;

static double replayed_of(const struct kt_comparison *c, size_t i)
{
    return calls_of(c, i) * cell_at(c, i, 0)->time.best;
}

/* What page faults took of the shape's time in the program, as far as they were counted: any library meets them. */
static double faults_of(const struct kt_comparison *c, size_t i)
{
    double faults = shape_of(c, i)->faults;
    return faults > 0 && !isnan(c->fault) ? c->stands_for[i] * faults * c->fault : 0;
}

/* That call the library: each starts it anew. */
static double processes_of(const struct kt_comparison *c)
{
    const struct kt_trace *trace = &c->setup.trace;
    size_t count = 0;
    for (size_t p = 0; p < trace->processes; p++)
        count += trace->process[p].calls > 0;
    return (double)count;
}

/* What the library took there to bind and map its code and to set itself up, of which faults are a part. */
static double first_of(const struct kt_comparison *c, size_t i)
{
    double first = processes_of(c) * c->first[i * c->libraries];
    return fmin(first, recorded_of(c, i));
}

/* What the shape's calls took there but for them. */
static double undelayed_of(const struct kt_comparison *c, size_t i)
{
    return fmax(recorded_of(c, i) - fmax(faults_of(c, i), first_of(c, i)), 0);
}

/* What they had taken if each had taken the median; or what the replay explains, as calls may differ that nothing
 * disturbs. */
static double typical_of(const struct kt_comparison *c, size_t i)
{
    double calls = calls_of(c, i) * c->setup.jobs.job[i].insitu.median;
    if (faults_of(c, i) > 0 || first_of(c, i) > 0)
        calls = fmin(calls, undelayed_of(c, i));
    return fmax(calls, fmin(recorded_of(c, i), replayed_of(c, i)));
}

/* What lifts the mean of a shape's calls above that, other users of the machine, lasts longer where calls do: how many
 * times longer all took by it. */
static double find_disturbance(const struct kt_comparison *c)
{
    double recorded = 0;
    double typical = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (kt_comparison_counts(c, i)) {
            recorded += undelayed_of(c, i);
            typical += typical_of(c, i);
        }
    return recorded > 0 && typical > 0 ? recorded / typical : 1;
}

/* Of the recorded library no more than its calls took. */
static void find_first_calls(struct kt_comparison *c)
{
    for (size_t l = 0; l < c->libraries; l++) {
        c->first_calls[l] = 0;
        for (size_t i = 0; i < c->setup.jobs.count; i++)
            if (kt_comparison_counts(c, i))
                c->first_calls[l] +=
                    l || !c->is_as_recorded ? processes_of(c) * c->first[i * c->libraries + l] : first_of(c, i);
    }
}

/* A library's threads that the program's own keep from their processors are waited for in slices of the scheduler's
 * time, milliseconds in calls of microseconds. Libraries without threads, and those whose threads are the program's, do
 * not know that. */
static void split_contention(struct kt_comparison *c, double clock, double faults)
{
    bool has_threads = c->worker[0].library.threads > 1;
    if (!c->has_team || !has_threads || !kt_comparison_is_contended(c))
        return;
    c->pace = clock;
    c->waited = faults;
    c->contention = fmax(c->insitu - c->pace * c->scale * c->sum[0].seconds - c->first_calls[0] - faults, 0);
}

static void find_pace(struct kt_comparison *c)
{
    struct kt_weighted *pace = kt_resize(NULL, c->setup.jobs.count + 1, sizeof *pace);
    double replayed = c->scale * c->sum[0].seconds;
    double disturbance = c->disturbance = find_disturbance(c);
    double own = c->insitu; /* but for page faults and first calls */
    size_t count = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        double seconds = kt_comparison_counts(c, i) ? replayed_of(c, i) : 0;
        if (seconds > 0)
            pace[count++] = (struct kt_weighted){typical_of(c, i) / seconds, typical_of(c, i)};
        if (kt_comparison_counts(c, i))
            own -= c->scale * (recorded_of(c, i) - undelayed_of(c, i));
    }
    c->pace = 1;
    c->waited = c->contention = 0;
    if (c->is_as_recorded && count && replayed > 0) {
        double pace_of_all = own / disturbance / replayed;
        /* Calls whose context is known run at this pace; those above it waited for something. */
        double clock = fmin(fmax(kt_weighted_quantile(pace, count, 0.25), 1), most_pace);
        double common = fmin(clock, pace_of_all); /* where replays took longer than the program nothing waited */
        c->pace = disturbance * common;
        double faults = fmax(c->insitu - own - c->first_calls[0], 0);
        c->waited = faults + (common < pace_of_all ? own - c->pace * replayed : 0);
        split_contention(c, clock, faults);
    }
    free(pace);
}

void kt_comparison_sum_up(struct kt_comparison *c)
{
    size_t *shape = kt_resize(NULL, c->setup.jobs.count, sizeof *shape);
    size_t shapes = find_shapes(c, NULL, shape);
    make_cells(c);
    c->insitu = 0; /* of the routines that were asked for */
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        c->insitu += shape_of(c, i)->total;
    c->wall = wall_of(&c->setup);
    c->scale = scale_of(c);
    for (size_t l = 0; l < c->libraries; l++)
        add_up(c, shape, shapes, l, &c->sum[l]);
    find_first_calls(c);
    find_pace(c);
    find_mix(c, shape, shapes);
    sum_up_routines(c);
    free(shape);
}

void kt_comparison_free(struct kt_comparison *c)
{
    for (size_t r = 0; r < c->routines; r++)
        free(c->routine[r].lane);
    for (size_t i = 0; i < c->unusables; i++)
        free(c->unusable[i].why);
    free(c->routine);
    free(c->cell);
    free(c->stands_for);
    free(c->first);
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
