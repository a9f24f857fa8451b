/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/ratio.h"

#include "trace/base/random.h"
#include "trace/base/memory.h"
#include "trace/base/stats.h"

#include <math.h>
#include <stdbool.h>

/* Of fewer pairs even the range is no interval of 95 %: all of 5 lie on one side of the median in 6 % of cases. */
enum { REPLICATES = 400 };

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

/* Is it certain that there is no difference that counts? */
static bool is_same(const struct kt_ratio *r)
{
    return r->lo >= 1 - KT_SAME_WITHIN && r->hi <= 1 + KT_SAME_WITHIN;
}

enum kt_verdict kt_ratio_verdict(const struct kt_ratio *r)
{
    if (r->n < KT_FEWEST_PAIRS || isnan(r->value))
        return KT_CANNOT_TELL;
    if (r->hi < 1 || r->lo > 1)
        return r->hi < 1 ? KT_FASTER : KT_SLOWER;
    return is_same(r) ? KT_SAME : KT_CANNOT_TELL;
}

enum kt_verdict kt_ratio_claim(const struct kt_ratio *r)
{
    enum kt_verdict verdict = kt_ratio_verdict(r);
    if ((verdict == KT_FASTER || verdict == KT_SLOWER) && fabs(r->value - 1) <= KT_SAME_WITHIN)
        return is_same(r) ? KT_SAME : KT_CANNOT_TELL;
    return verdict;
}

/* The ratio of a baseline to itself says nothing: then the other's tells. */
bool kt_ratio_is_apart(const struct kt_ratio *own, const struct kt_ratio *best, const struct kt_ratio *paired)
{
    if (isnan(own->value) || kt_ratio_verdict(own) == KT_SLOWER)
        return true;
    return paired ? kt_ratio_verdict(paired) == KT_SLOWER : kt_ratio_verdict(best) == KT_FASTER;
}

/* Numbers of rounds end before this one. */
static unsigned count_rounds(const struct kt_pairs *pairs, size_t shapes)
{
    unsigned rounds = 0;
    for (size_t i = 0; i < shapes; i++)
        for (size_t j = 0; j < pairs[i].n; j++)
            rounds = pairs[i].round[j] >= rounds ? pairs[i].round[j] + 1 : rounds;
    return rounds;
}

/* TIMES[round] becomes 1 for rounds that have pairs. Returns how many they are; PRESENT lists them. */
static unsigned find_rounds(const struct kt_pairs *pairs, size_t shapes, unsigned rounds, unsigned *times,
                            unsigned *present)
{
    unsigned count = 0;
    memset(times, 0, rounds * sizeof *times);
    for (size_t i = 0; i < shapes; i++)
        for (size_t j = 0; j < pairs[i].n; j++)
            times[pairs[i].round[j]] = 1;
    for (unsigned i = 0; i < rounds; i++)
        if (times[i])
            present[count++] = i;
    return count;
}

/* TIMES[round]: how often a bootstrap replicate has drawn the round. */
static void draw_rounds(unsigned *times, unsigned rounds, const unsigned *present, unsigned count, uint64_t *state)
{
    memset(times, 0, rounds * sizeof *times);
    for (unsigned i = 0; i < count; i++)
        times[present[kt_random(state) % count]]++;
}

/* What is estimated of a shape: a quantile of what its pairs hold. */
struct estimator {
    double (*of_pair)(const struct kt_pairs *pairs, size_t i);
    double (*result)(double quantile);
    enum kt_best best;
};

static double time_of(const struct kt_pairs *pairs, size_t i)
{
    return pairs->time[i];
}

static double itself(double x)
{
    return x;
}

static const struct estimator median_ratio = {log_ratio, exp, KT_BEST_MEDIAN};
static const struct estimator low_time = {time_of, itself, KT_BEST_QUARTILE};

struct held {
    double value;
    unsigned round;
};

struct total {
    const struct kt_pairs *pairs;
    size_t shapes;
    const struct estimator *estimator;
    struct held **held; /* by shape: what its pairs hold, sorted, so that no replicate has to */
    double *value;      /* by shape, of all its pairs; NAN: none */
    size_t *member;     /* shapes, one stratum after the other */
    size_t *first;      /* by shape: where those of its stratum begin among them */
    size_t *mates;      /* by shape: how many they are, with itself */
    double *drawn;      /* by shape: what it contributes to a replicate */
    double weight, sum;
};

static int compare_held(const void *a, const void *b)
{
    double x = ((const struct held *)a)->value;
    double y = ((const struct held *)b)->value;
    return (x > y) - (x < y);
}

static struct held *sort_held(const struct total *t, size_t shape)
{
    const struct kt_pairs *pairs = &t->pairs[shape];
    struct held *held = kt_resize(NULL, pairs->n, sizeof *held);
    for (size_t i = 0; i < pairs->n; i++)
        held[i] = (struct held){t->estimator->of_pair(pairs, i), pairs->round[i]};
    if (pairs->n)
        qsort(held, pairs->n, sizeof *held, compare_held);
    return held;
}

/* The one with that rank, from 0, where each is there as often as its round was drawn. */
static double at_rank(const struct held *held, const unsigned *times, size_t rank)
{
    size_t i = 0;
    for (size_t passed = times[held[0].round]; passed <= rank; passed += times[held[i].round])
        i++;
    return held[i].value;
}

/* NAN if none of its rounds was drawn. The ranks are those of kt_stat_of(). */
static double estimate(const struct total *t, size_t shape, const unsigned *times)
{
    size_t n = 0;
    const struct held *held = t->held[shape];
    for (size_t i = 0; i < t->pairs[shape].n; i++)
        n += times[held[i].round];
    if (!n)
        return NAN;
    if (t->estimator->best == KT_BEST_QUARTILE)
        return t->estimator->result(at_rank(held, times, (n - 1) / 4));
    return t->estimator->result((at_rank(held, times, (n - 1) / 2) + at_rank(held, times, n / 2)) / 2);
}

/* Shapes of a stratum that have pairs; the others are alone. */
static void find_mates(struct total *t)
{
    size_t members = 0;
    t->member = kt_resize(NULL, t->shapes, sizeof *t->member);
    t->first = kt_resize(NULL, t->shapes, sizeof *t->first);
    t->mates = kt_resize(NULL, t->shapes, sizeof *t->mates);
    t->drawn = kt_resize(NULL, t->shapes, sizeof *t->drawn);
    memset(t->mates, 0, t->shapes * sizeof *t->mates);
    for (size_t i = 0; i < t->shapes; i++) {
        size_t first = members;
        for (size_t j = i; j < t->shapes && t->pairs[i].stratum && t->pairs[i].n && !t->mates[i]; j++)
            if (t->pairs[j].stratum == t->pairs[i].stratum && t->pairs[j].n)
                t->member[members++] = j;
        for (size_t k = first; k < members; k++) {
            t->first[t->member[k]] = first;
            t->mates[t->member[k]] = members - first;
        }
    }
}

/* TIMES: each round once. */
static void begin_total(struct total *t, const unsigned *times)
{
    t->held = kt_resize(NULL, t->shapes, sizeof *t->held);
    t->value = kt_resize(NULL, t->shapes, sizeof *t->value);
    for (size_t i = 0; i < t->shapes; i++) {
        t->held[i] = sort_held(t, i);
        t->value[i] = estimate(t, i, times);
        t->sum += t->pairs[i].n ? t->pairs[i].weight * t->value[i] : 0;
        t->weight += t->pairs[i].n ? t->pairs[i].weight : 0;
    }
    find_mates(t);
}

/* One of its stratum, each as likely: all of a stratum stand for about as much. */
static size_t draw_mate(const struct total *t, size_t i, uint64_t *state)
{
    return t->mates[i] > 1 ? t->member[t->first[i] + kt_random(state) % t->mates[i]] : i;
}

static double draw_total(const struct total *t, const unsigned *times, uint64_t *state)
{
    double sum = 0;
    for (size_t i = 0; i < t->shapes; i++) {
        double drawn = estimate(t, i, times);
        double value = isnan(drawn) ? t->value[i] : drawn;
        t->drawn[i] = t->pairs[i].n ? t->pairs[i].weight * value : 0;
    }
    for (size_t i = 0; i < t->shapes; i++)
        sum += t->drawn[draw_mate(t, i, state)];
    return sum;
}

static void end_total(struct total *t)
{
    for (size_t i = 0; i < t->shapes; i++)
        free(t->held[i]);
    free(t->held);
    free(t->value);
    free(t->member);
    free(t->first);
    free(t->mates);
    free(t->drawn);
}

/* Quantiles of replicates of a few rounds are too near to each other: by how much for N independent draws, of which
 * Student's t tells ("expanded percentile" in Hesterberg, What Teachers Should Know About the Bootstrap, 2015).
 * The 97.5 % quantile of t is from its expansion, within 1 % from 6 rounds on. */
static double widening(double n)
{
    static const double z = 1.96;
    double freedom = fmax(n - 1, 1);
    double t =
        z + (pow(z, 3) + z) / (4 * freedom) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * freedom * freedom);
    return t / z * sqrt((freedom + 1) / freedom);
}

/* Pairs of each shape, in the mean by weight: some shapes have less than there are rounds. */
static double mean_pairs(const struct total *t)
{
    double parts = 0;
    for (size_t i = 0; i < t->shapes; i++)
        parts += t->pairs[i].n ? t->pairs[i].weight / (double)t->pairs[i].n : 0;
    return t->weight / parts;
}

static struct kt_ratio bootstrap(const struct kt_pairs *pairs, size_t shapes, const struct estimator *estimator,
                                 uint64_t seed)
{
    double replicate[REPLICATES];
    struct total total = {.pairs = pairs, .shapes = shapes, .estimator = estimator};
    unsigned rounds = count_rounds(pairs, shapes);
    unsigned *times = kt_resize(NULL, rounds, sizeof *times);
    unsigned *present = kt_resize(NULL, rounds, sizeof *present);
    unsigned count = find_rounds(pairs, shapes, rounds, times, present);
    begin_total(&total, times);
    for (size_t r = 0; r < REPLICATES; r++) {
        draw_rounds(times, rounds, present, count, &seed);
        replicate[r] = draw_total(&total, times, &seed) / total.weight;
    }
    double mean = mean_pairs(&total);
    double wider = widening(mean);
    free(present);
    free(times);
    end_total(&total);
    kt_stat_of(replicate, REPLICATES, KT_BEST_MEDIAN); /* sorts */
    double value = total.sum / total.weight;
    double lo = fmin(replicate[REPLICATES / 40] / value, 1);
    double hi = fmax(replicate[REPLICATES - 1 - REPLICATES / 40] / value, 1);
    return (struct kt_ratio){value, value * pow(lo, wider), value * pow(hi, wider), (size_t)(mean + 0.5)};
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
    return bootstrap(pairs, shapes, &median_ratio, seed);
}

struct kt_ratio kt_spread_of_total(const struct kt_pairs *pairs, size_t shapes, uint64_t seed)
{
    if (is_empty(pairs, shapes))
        return (struct kt_ratio){NAN, NAN, NAN, 0};
    struct kt_ratio seconds = bootstrap(pairs, shapes, &low_time, seed);
    if (!(seconds.value > 0))
        return (struct kt_ratio){NAN, NAN, NAN, 0};
    return (struct kt_ratio){1, seconds.lo / seconds.value, seconds.hi / seconds.value, seconds.n};
}

struct kt_ratio kt_ratio_mean(const struct kt_ratio *ratio, size_t count)
{
    double sum = 0;
    double below = 0;
    double above = 0;
    size_t pairs = count ? ratio[0].n : 0;
    for (size_t i = 0; i < count; i++) {
        const struct kt_ratio *r = &ratio[i];
        sum += log(r->value);
        below += pow(log(r->value / r->lo), 2);
        above += pow(log(r->hi / r->value), 2);
        pairs = r->n < pairs ? r->n : pairs;
    }
    double mean = sum / (double)count;
    return (struct kt_ratio){exp(mean), exp(mean - sqrt(below) / (double)count),
                             exp(mean + sqrt(above) / (double)count), pairs};
}
