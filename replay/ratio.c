/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/ratio.h"

#include "replay/random.h"
#include "trace/memory.h"
#include "trace/stats.h"

#include <math.h>
#include <stdbool.h>

/* Of fewer pairs even the range is no interval of 95 %: all of 5 lie on one side of the median in 6 % of cases. */
enum { REPLICATES = 400, FEWEST_PAIRS = 6 };

#define VERDICT_TEXT(name, text) [KT_##name] = text,
const char *const kt_verdict_text[] = {KT_VERDICTS(VERDICT_TEXT)};

/* A call that takes less than the clock can see counts as this, so that no ratio is 0 or infinite. */
static const double smallest_time = 1e-9;

static double log_ratio(const struct kt_pairs *pairs, size_t i)
{
    return log(fmax(pairs->time[i], smallest_time) / fmax(pairs->base[i], smallest_time));
}

struct kt_ratio kt_ratio_of(const struct kt_pairs *pairs)
{
    double *logs = kt_resize(NULL, pairs->n, sizeof *logs);
    for (size_t i = 0; i < pairs->n; i++)
        logs[i] = log_ratio(pairs, i);
    struct kt_stat stat = kt_stat_of(logs, pairs->n, KT_BEST_MEDIAN);
    free(logs);
    return (struct kt_ratio){exp(stat.median), exp(stat.lo), exp(stat.hi), pairs->n};
}

enum kt_verdict kt_ratio_verdict(const struct kt_ratio *r)
{
    if (r->n < FEWEST_PAIRS || isnan(r->value))
        return KT_CANNOT_TELL;
    if (r->hi < 1 || r->lo > 1)
        return r->hi < 1 ? KT_FASTER : KT_SLOWER;
    bool is_narrow = r->lo >= 1 - KT_SAME_WITHIN && r->hi <= 1 + KT_SAME_WITHIN;
    return is_narrow ? KT_SAME : KT_CANNOT_TELL;
}

static unsigned count_rounds(const struct kt_pairs *pairs, size_t shapes)
{
    unsigned rounds = 0;
    for (size_t i = 0; i < shapes; i++)
        for (size_t j = 0; j < pairs[i].n; j++)
            rounds = pairs[i].round[j] >= rounds ? pairs[i].round[j] + 1 : rounds;
    return rounds;
}

/* TIMES[round]: how often a bootstrap replicate has drawn the round. */
static void draw_rounds(unsigned *times, unsigned rounds, uint64_t *state)
{
    memset(times, 0, rounds * sizeof *times);
    for (unsigned i = 0; i < rounds; i++)
        times[kt_random(state) % rounds]++;
}

/* What is estimated of a shape's pairs, from those in rounds that were drawn. */
typedef double estimator(const struct kt_pairs *pairs, const unsigned *times, double *room);

static double median_ratio(const struct kt_pairs *pairs, const unsigned *times, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < pairs->n; i++)
        for (unsigned k = 0; k < (times ? times[pairs->round[i]] : 1); k++)
            room[n++] = log_ratio(pairs, i);
    return exp(kt_stat_of(room, n, KT_BEST_MEDIAN).median);
}

static double low_time(const struct kt_pairs *pairs, const unsigned *times, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < pairs->n; i++)
        for (unsigned k = 0; k < (times ? times[pairs->round[i]] : 1); k++)
            room[n++] = pairs->time[i];
    return kt_stat_of(room, n, KT_BEST_QUARTILE).best;
}

/* All shapes together contribute at most this part with what is not drawn anew: it takes time. */
static const double light_share = 0.01;

struct total {
    const struct kt_pairs *pairs;
    size_t shapes;
    estimator *estimate;
    double *value; /* by shape, of all its pairs; NAN: none */
    bool *light;   /* by shape: not drawn anew */
    double weight, sum;
};

static void begin_total(struct total *t, double *room)
{
    double most = 0;
    t->value = kt_resize(NULL, t->shapes, sizeof *t->value);
    t->light = kt_resize(NULL, t->shapes, sizeof *t->light);
    for (size_t i = 0; i < t->shapes; i++) {
        t->value[i] = t->pairs[i].n ? t->estimate(&t->pairs[i], NULL, room) : NAN;
        most += t->pairs[i].n ? t->pairs[i].weight * t->value[i] : 0;
        t->weight += t->pairs[i].n ? t->pairs[i].weight : 0;
    }
    t->sum = most;
    for (size_t i = 0; i < t->shapes; i++)
        t->light[i] = !t->pairs[i].n || t->pairs[i].weight * t->value[i] * (double)t->shapes < light_share * most;
}

static double draw_total(const struct total *t, const unsigned *times, double *room)
{
    double sum = 0;
    for (size_t i = 0; i < t->shapes; i++) {
        double drawn = t->light[i] ? NAN : t->estimate(&t->pairs[i], times, room);
        double value = isnan(drawn) ? t->value[i] : drawn; /* none of its rounds may have been drawn */
        sum += t->pairs[i].n ? t->pairs[i].weight * value : 0;
    }
    return sum;
}

static struct kt_ratio bootstrap(const struct kt_pairs *pairs, size_t shapes, estimator *estimate, uint64_t seed)
{
    double replicate[REPLICATES];
    struct total total = {.pairs = pairs, .shapes = shapes, .estimate = estimate};
    unsigned rounds = count_rounds(pairs, shapes);
    unsigned *times = kt_resize(NULL, rounds, sizeof *times);
    double *room = kt_resize(NULL, rounds, sizeof *room);
    begin_total(&total, room);
    for (size_t r = 0; r < REPLICATES; r++) {
        draw_rounds(times, rounds, &seed);
        replicate[r] = draw_total(&total, times, room) / total.weight;
    }
    free(room);
    free(times);
    free(total.value);
    free(total.light);
    kt_stat_of(replicate, REPLICATES, KT_BEST_MEDIAN); /* sorts */
    return (struct kt_ratio){total.sum / total.weight, replicate[REPLICATES / 40],
                             replicate[REPLICATES - 1 - REPLICATES / 40], rounds};
}

static bool is_empty(const struct kt_pairs *pairs, size_t shapes)
{
    double weight = 0;
    for (size_t i = 0; i < shapes; i++)
        weight += pairs[i].n ? pairs[i].weight : 0;
    return !(weight > 0);
}

struct kt_ratio kt_ratio_of_total(const struct kt_pairs *pairs, size_t shapes, uint64_t seed)
{
    if (is_empty(pairs, shapes))
        return (struct kt_ratio){NAN, NAN, NAN, 0};
    return bootstrap(pairs, shapes, median_ratio, seed);
}

struct kt_ratio kt_spread_of_total(const struct kt_pairs *pairs, size_t shapes, uint64_t seed)
{
    if (is_empty(pairs, shapes))
        return (struct kt_ratio){NAN, NAN, NAN, 0};
    struct kt_ratio seconds = bootstrap(pairs, shapes, low_time, seed);
    if (!(seconds.value > 0))
        return (struct kt_ratio){NAN, NAN, NAN, 0};
    return (struct kt_ratio){1, seconds.lo / seconds.value, seconds.hi / seconds.value, seconds.n};
}
