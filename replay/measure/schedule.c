/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/schedule.h"

#include "trace/base/interrupt.h"
#include "trace/base/random.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/base/stats.h"
#include "trace/print/text.h"

#include <math.h>

const char *const kt_stop_text[] = {
#define KT_STOP_TEXT(name, text) [KT_STOP_##name] = text,
    KT_STOPS(KT_STOP_TEXT)
#undef KT_STOP_TEXT
};

/* The rule. Rounds that the budget cannot cut short; the fewest for any item, and for calls that take long; what the
 * major items get before the others get more than the fewest; the most, unless the spread asks for more; the end. */
enum { CERTAIN_ROUNDS = 3, FEWEST_ROUNDS = 5, FEWEST_LONG = 3, MAJOR_ROUNDS = 15, MOST_ROUNDS = 60, LAST_ROUND = 2000 };
enum { FEWEST_VISITS = 15, CONFIRMATIONS = 3 };
enum {
    FEWEST_STEADY = 30,
    STEADY_CHECKS = 3,
    STEADY_STEP = 5
};                                     /* the noise is compared with that of 5 and 10 visits ago */
static const double long_call = 0.2;   /* seconds */
static const double precision = 0.02;  /* half-width of the interval of the median */
static const double steadiness = 0.15; /* by which estimates of the noise may differ */
static const double major_share = 0.9; /* of the time in the trace */
static const double first_share = 0.5; /* of the budget, for the first round of what it may leave out */

/* --- series ------------------------------------------------------------------------------------------------ */

static struct kt_stat stat_of_copy(const double *seconds, size_t count)
{
    double *sorted = kt_resize(NULL, count, sizeof *sorted);
    memcpy(sorted, seconds, count * sizeof *sorted);
    struct kt_stat stat = kt_stat_of(sorted, count, KT_BEST_QUARTILE);
    free(sorted);
    return stat;
}

struct kt_stat kt_series_visits(const struct kt_series *series)
{
    return stat_of_copy(series->visit, series->visits);
}

struct kt_stat kt_series_stat(const struct kt_series *series, enum kt_best best)
{
    struct kt_stat stat = kt_stat_of(series->sample, series->samples, best);
    if (series->visits < series->samples) {
        struct kt_stat visits = kt_series_visits(series);
        stat.lo = fmin(stat.lo, stat.median * visits.lo / visits.median);
        stat.hi = fmax(stat.hi, stat.median * visits.hi / visits.median);
    }
    return stat;
}

static void add_all(double **to, size_t *count, const double *seconds, size_t more)
{
    for (size_t i = 0; i < more; i++) {
        *to = kt_room_for_one(*to, *count, sizeof **to);
        (*to)[(*count)++] = seconds[i];
    }
}

/* Visits are compared by their medians: the least of many samples is less than that of few, which slow libraries have.
 */
void kt_series_add(struct kt_series *series, unsigned round, const double *seconds, size_t count)
{
    add_all(&series->sample, &series->samples, seconds, count);
    series->visit = kt_room_for_one(series->visit, series->visits, sizeof *series->visit);
    series->whole = kt_room_for_one(series->whole, series->visits, sizeof *series->whole);
    series->round = kt_room_for_one(series->round, series->visits, sizeof *series->round);
    series->visit[series->visits] = series->whole[series->visits] = stat_of_copy(seconds, count).median;
    series->round[series->visits++] = round;
}

void kt_series_leave_out(struct kt_series *series, const double *seconds, size_t count, size_t all)
{
    add_all(&series->left, &series->lefts, seconds + count, all - count);
    series->whole[series->visits - 1] = stat_of_copy(seconds, all).median;
}

void kt_series_take_in(struct kt_series *series)
{
    add_all(&series->sample, &series->samples, series->left, series->lefts);
    memcpy(series->visit, series->whole, series->visits * sizeof *series->visit);
    series->lefts = 0;
}

struct kt_series kt_series_copy(const struct kt_series *series)
{
    struct kt_series copy = *series;
    copy.sample = kt_copy_of_array(series->sample, series->samples, sizeof *copy.sample);
    copy.visit = kt_copy_of_array(series->visit, series->visits, sizeof *copy.visit);
    copy.round = kt_copy_of_array(series->round, series->visits, sizeof *copy.round);
    copy.whole = kt_copy_of_array(series->whole, series->visits, sizeof *copy.whole);
    copy.left = kt_copy_of_array(series->left, series->lefts, sizeof *copy.left);
    return copy;
}

void kt_series_scale(struct kt_series *series, double factor)
{
    for (size_t i = 0; i < series->samples; i++)
        series->sample[i] *= factor;
    for (size_t i = 0; i < series->visits; i++)
        series->visit[i] *= factor;
}

static void shorten(double *seconds, size_t count, double less, double least)
{
    for (size_t i = 0; i < count; i++)
        seconds[i] = fmax(seconds[i] - less, seconds[i] * least);
}

void kt_series_shorten(struct kt_series *series, double less, double least)
{
    shorten(series->sample, series->samples, less, least);
    shorten(series->visit, series->visits, less, least);
}

void kt_series_forget(struct kt_series *series)
{
    free(series->sample);
    free(series->visit);
    free(series->round);
    free(series->whole);
    free(series->left);
    *series = (struct kt_series){0};
}

/* Samples of one visit share its conditions, so what counts is how the visits differ. The best estimate, the
 * lower quartile, is only believed when the fastest visits are not far below it. */
static bool has_converged(const struct kt_series *series)
{
    double sorted[LAST_ROUND];
    if (series->visits < FEWEST_LONG || series->visits > LAST_ROUND)
        return false;
    memcpy(sorted, series->visit, series->visits * sizeof *sorted);
    struct kt_stat stat = kt_stat_of(sorted, series->visits, KT_BEST_QUARTILE);
    if (series->visits < (stat.min > long_call ? FEWEST_LONG : FEWEST_VISITS))
        return false;
    bool is_confirmed = stat.best <= (1 + precision) * sorted[CONFIRMATIONS - 1];
    return is_confirmed && (stat.hi - stat.lo) / 2 <= precision * stat.median;
}

/* Quartile distance of the first so many visits, relative to their median; *WIDTH: half-width of its interval. */
static double noise_of(const struct kt_series *series, size_t visits, double *width)
{
    double sorted[LAST_ROUND];
    memcpy(sorted, series->visit, visits * sizeof *sorted);
    struct kt_stat stat = kt_stat_of(sorted, visits, KT_BEST_MEDIAN);
    *width = (stat.hi - stat.lo) / 2 / stat.median;
    return (sorted[visits * 3 / 4] - sorted[visits / 4]) / stat.median;
}

/* The noise has been the same for a while, and with it the interval, which narrows with the square root of their
 * number, would not become narrow in as many rounds as there may be. */
static bool is_steady(const struct kt_series *series)
{
    double least = INFINITY;
    double most = 0;
    double width = 0;
    if (series->visits < FEWEST_STEADY || series->visits > LAST_ROUND)
        return false;
    for (size_t i = STEADY_CHECKS; i-- > 0;) {
        double noise = noise_of(series, series->visits - i * STEADY_STEP, &width);
        least = fmin(least, noise);
        most = fmax(most, noise);
    }
    double needed = (double)series->visits * (width / precision) * (width / precision);
    return most - least <= steadiness * most && needed > MOST_ROUNDS;
}

/* --- items ------------------------------------------------------------------------------------------------- */

void kt_schedule_make(size_t items, size_t lanes, struct kt_schedule *out)
{
    *out = (struct kt_schedule){.items = items, .lanes = lanes, .least = items, .reached = items, .seed = 1};
    out->item = kt_resize(NULL, items, sizeof *out->item);
    for (size_t i = 0; i < items; i++) {
        out->item[i] = (struct kt_item){.lane = kt_resize(NULL, lanes, sizeof *out->item[i].lane)};
        memset(out->item[i].lane, 0, lanes * sizeof *out->item[i].lane);
    }
}

void kt_schedule_free(struct kt_schedule *schedule)
{
    for (size_t i = 0; i < schedule->items; i++) {
        for (size_t l = 0; l < schedule->lanes; l++)
            kt_series_forget(&schedule->item[i].lane[l]);
        free(schedule->item[i].lane);
    }
    free(schedule->item);
    *schedule = (struct kt_schedule){0};
}

static int compare_weight(const void *a, const void *b)
{
    double x = (*(struct kt_item *const *)a)->weight;
    double y = (*(struct kt_item *const *)b)->weight;
    return (x < y) - (x > y);
}

/* The heaviest items that together make up most of the weight. */
static void mark_major(struct kt_schedule *s)
{
    double total = 0;
    double sum = 0;
    struct kt_item **order = kt_resize(NULL, s->items, sizeof *order);
    for (size_t i = 0; i < s->items; i++) {
        order[i] = &s->item[i];
        total += s->item[i].weight;
    }
    qsort(order, s->items, sizeof *order, compare_weight);
    for (size_t i = 0; i < s->items && sum < major_share * total; i++) {
        order[i]->major = true;
        sum += order[i]->weight;
    }
    free(order);
}

static bool may_leave_out(const struct kt_schedule *s)
{
    return s->least < s->items;
}

/* Beyond the budget only those that account for most of the time get all the certain rounds, and only if they are few:
 * of 100,000 shapes that takes minutes. */
static bool is_due(const struct kt_schedule *s, const struct kt_item *item, unsigned round)
{
    bool is_late = round > 0 && s->seconds >= s->budget;
    bool is_needed = round < FEWEST_ROUNDS ? !is_late : round >= MAJOR_ROUNDS;
    bool is_major = item->major && !(is_late && may_leave_out(s));
    return item->stop == KT_STOP_NOT_YET && (is_major || is_needed);
}

/* A machine that others use has slow spells of many seconds: an estimate that matters must not come from one of them.
 */
static bool is_spread(const struct kt_schedule *s, const struct kt_item *item)
{
    return !item->major || item->once || (s->seconds >= s->spread && !s->goes_on);
}

/* Not visited: it is known, or cannot be. */
static bool is_given(const struct kt_series *lane)
{
    return lane->enough || lane->absent;
}

static void judge(const struct kt_schedule *s, struct kt_item *item, unsigned round)
{
    bool all_converged = true;
    bool all_known = true; /* each lane has converged, or its noise is steady */
    if (!is_spread(s, item))
        return;
    for (size_t l = 0; l < s->lanes && all_known; l++) {
        bool converged = is_given(&item->lane[l]) || has_converged(&item->lane[l]);
        all_converged &= converged;
        all_known = converged || is_steady(&item->lane[l]);
    }
    if (all_converged && all_known)
        item->stop = KT_STOP_CONVERGED;
    else if (all_known)
        item->stop = KT_STOP_STEADY;
    else if (round + 1 >= MOST_ROUNDS || (item->once && round + 1 >= FEWEST_ROUNDS))
        item->stop = KT_STOP_ROUNDS;
}

/* --- rounds ------------------------------------------------------------------------------------------------ */

static void visit_lanes(struct kt_schedule *s, size_t item, size_t *order)
{
    kt_shuffle(order, s->lanes, &s->seed);
    for (size_t l = 0; l < s->lanes && !kt_interrupted(); l++)
        if (!is_given(&s->item[item].lane[order[l]]) && !s->visit(s->context, item, order[l])) {
            s->item[item].stop = KT_STOP_FAILED;
            return;
        }
}

static bool has_due_item(const struct kt_schedule *s)
{
    for (size_t i = 0; i < s->reached; i++)
        if (s->item[i].stop == KT_STOP_NOT_YET)
            return true;
    return false;
}

/* Seconds that all of it takes, as far as one can tell: the budget, or the first rounds, if they take longer. */
static double foresee(const struct kt_schedule *s, unsigned round, size_t done)
{
    double part = (round + (double)done / (double)s->reached) / CERTAIN_ROUNDS;
    bool is_longer = !may_leave_out(s) && part < 1 && s->seconds > part * s->budget;
    return is_longer ? s->seconds / part : s->budget;
}

/* Where the budget may end the certain rounds the heaviest come first in them. */
static void choose_order(struct kt_schedule *s, unsigned round, size_t *order)
{
    kt_shuffle(order, s->reached, &s->seed);
    for (size_t i = 0; round < CERTAIN_ROUNDS && may_leave_out(s) && i < s->reached; i++)
        order[i] = i;
}

static bool is_in_time(const struct kt_schedule *s, unsigned rounds)
{
    return rounds < CERTAIN_ROUNDS || s->goes_on || s->seconds < s->budget;
}

/* Is there no time for the first visit of this item, nor of those behind it? */
static bool is_beyond(const struct kt_schedule *s, const struct kt_item *item, unsigned round)
{
    return round == 0 && item >= s->item + s->least && s->seconds >= first_share * s->budget;
}

/* False if the budget, or somebody, ended the round. */
static bool run_round(struct kt_schedule *s, unsigned round, size_t *order, double start)
{
    size_t *lanes = kt_resize(NULL, s->lanes, sizeof *lanes);
    bool in_time = true;
    if (s->begin_round)
        s->begin_round(s->context);
    choose_order(s, round, order);
    for (size_t i = 0; i < s->reached && in_time; i++) {
        struct kt_item *item = &s->item[order[i]];
        if (!is_due(s, item, round))
            continue;
        if (is_beyond(s, item, round)) {
            s->reached = i;
            break;
        }
        visit_lanes(s, order[i], lanes);
        if (item->stop != KT_STOP_FAILED)
            judge(s, item, round);
        s->seconds = kt_now() - start;
        in_time = !kt_interrupted() && is_in_time(s, round);
        kt_progress(s->label, s->seconds, foresee(s, round, i + 1));
    }
    free(lanes);
    return in_time && is_in_time(s, round + 1);
}

void kt_schedule_run(struct kt_schedule *s)
{
    double start = kt_now();
    size_t *order = kt_resize(NULL, s->items, sizeof *order);
    mark_major(s);
    for (s->rounds = 0; s->rounds < LAST_ROUND && has_due_item(s) && !kt_interrupted(); s->rounds++)
        if (!run_round(s, s->rounds, order, start))
            break;
    for (size_t i = 0; i < s->reached; i++)
        if (s->item[i].stop == KT_STOP_NOT_YET)
            s->item[i].stop = kt_interrupted() ? KT_STOP_INTERRUPTED : KT_STOP_BUDGET;
    s->seconds = kt_now() - start;
    kt_progress_end();
    free(order);
}
