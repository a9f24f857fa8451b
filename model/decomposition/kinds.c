/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/decomposition/kinds.h"

#include "trace/base/memory.h"
#include "trace/base/stats.h"

#include <math.h>

const char *const kt_fact_name[] = {
#define KT_FACT_NAME(name, text) text,
    KT_FACT_LIST(KT_FACT_NAME)
#undef KT_FACT_NAME
};

static const double least_ratio = 1.25;     /* of medians */
static const double least_seconds = 100e-9; /* between them: some clocks move in steps of 10 ns */
static const double ordered = 0.9;          /* of the pairs */
static const double beyond_chance = 2.88;   /* standard deviations: 2 in 1,000 */
static const double clear_dip = 0.6;        /* tests/unit/test_kinds.c says how often chance exceeds it */
static const double most_between = 0.1;     /* of the smaller group, in the middle between the medians */
static const double known_part = 0.9;       /* of the calls */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *room_for(size_t n)
{
    return kt_resize(NULL, n, sizeof(double));
}

static double median_of(double *value, size_t n)
{
    return kt_stat_of(value, n, KT_BEST_MEDIAN).median;
}

/* --- the dip ----------------------------------------------------------------------------------------------- */

/*
 * How far a sample is from being convex up to value PEAK, in values: the largest distance of its steps from the
 * greatest convex function below them. HULL has room for all its corners.
 */
static double distance_from_convex(const double *x, size_t peak, size_t *hull)
{
    size_t corners = 0;
    double most = 0;
    for (size_t k = 0; k <= peak; k++) {
        if (corners && x[k] == x[hull[corners - 1]])
            continue;
        while (corners > 1) {
            size_t a = hull[corners - 2];
            size_t b = hull[corners - 1];
            if ((double)(b - a) * (x[k] - x[a]) < (double)(k - a) * (x[b] - x[a]))
                break;
            corners--;
        }
        hull[corners++] = k;
    }
    for (size_t k = 0, c = 0; k < peak && x[k] < x[peak]; k++) {
        while (c + 1 < corners && x[hull[c + 1]] <= x[k])
            c++;
        size_t a = hull[c];
        size_t b = hull[c + 1];
        double part = (x[k] - x[a]) / (x[b] - x[a]);
        most = fmax(most, (double)(k + 1 - a) - part * (double)(b - a));
    }
    return most;
}

struct dip {
    const double *x;
    double *mirrored; /* the values from above */
    size_t n, *hull;
};

static double left_of(const struct dip *d, size_t peak)
{
    return distance_from_convex(d->x, peak, d->hull);
}

static double right_of(const struct dip *d, size_t peak)
{
    return distance_from_convex(d->mirrored, d->n - 1 - peak, d->hull);
}

/* What is left of the peak grows with its place, what is right of it shrinks: the best place is where they meet. */
static double least_of_peaks(const struct dip *d)
{
    size_t lo = 0;
    size_t hi = d->n - 1;
    while (lo < hi) {
        size_t peak = (lo + hi) / 2;
        if (left_of(d, peak) >= right_of(d, peak))
            hi = peak;
        else
            lo = peak + 1;
    }
    double best = fmax(left_of(d, lo), right_of(d, lo));
    return lo ? fmin(best, fmax(left_of(d, lo - 1), right_of(d, lo - 1))) : best;
}

double kt_dip(const double *sorted, size_t n)
{
    if (n == 0)
        return 0;
    struct dip d = {.x = sorted, .mirrored = room_for(n), .n = n, .hull = kt_resize(NULL, n, sizeof(size_t))};
    for (size_t i = 0; i < n; i++)
        d.mirrored[i] = -sorted[n - 1 - i];
    double most = least_of_peaks(&d);
    free(d.mirrored);
    free(d.hull);
    return most / (2 * (double)n) * sqrt((double)n);
}

/* --- two groups -------------------------------------------------------------------------------------------- */

static bool medians_differ(double quick, double slow)
{
    return slow >= least_ratio * quick && slow - quick >= least_seconds;
}

/* The two groups, each in order. */
struct groups {
    const double *quick, *slow;
    size_t quicks, slows;
};

/* The part of the pairs in which the slow one takes longer; ties count half. */
static double part_ordered(const struct groups *g)
{
    double pairs = 0;
    size_t below = 0;
    size_t not_above = 0;
    for (size_t i = 0; i < g->slows; i++) {
        while (below < g->quicks && g->quick[below] < g->slow[i])
            below++;
        while (not_above < g->quicks && g->quick[not_above] <= g->slow[i])
            not_above++;
        pairs += ((double)below + (double)not_above) / 2;
    }
    return pairs / ((double)g->quicks * (double)g->slows);
}

/* The normal distribution stands for that of the rank sum, which has lighter tails. */
static bool is_beyond_chance(const struct groups *g, double part)
{
    double pairs = (double)g->quicks * (double)g->slows;
    return (part - 0.5) * pairs >= beyond_chance * sqrt(pairs * (double)(g->quicks + g->slows + 1) / 12);
}

static bool are_clearly_slower(const struct groups *g)
{
    double part = part_ordered(g);
    return part >= ordered && is_beyond_chance(g, part);
}

/* --- by a fact --------------------------------------------------------------------------------------------- */

static bool is_part(enum kt_fact fact)
{
    return fact == KT_FACT_OTHERS || fact == KT_FACT_FRESH;
}

/* Do the values of calls with little and with much of it lie apart? */
static bool are_apart(enum kt_fact fact, double little, double much)
{
    static const double few_faults = 8;
    static const double small_cache = 256 << 10;
    if (is_part(fact))
        return much - little >= 0.5;
    return much >= 4 * little && much - little >= (fact == KT_FACT_FAULTS ? few_faults : small_cache);
}

/* Between the values that as many calls as make a kind are not above, and not below; NAN: these are not apart. */
static double limit_between(enum kt_fact fact, const double *sorted, size_t n)
{
    double little = sorted[KT_KIND_LEAST - 1];
    double much = sorted[n - KT_KIND_LEAST];
    if (!are_apart(fact, little, much))
        return NAN;
    return is_part(fact) ? (little + much) / 2 : sqrt((1 + little) * (1 + much));
}

static double find_limit(const struct kt_call_facts *call, size_t n, enum kt_fact fact)
{
    double *value = room_for(n);
    size_t known = 0;
    double limit = NAN;
    for (size_t i = 0; i < n; i++)
        if (!isnan(call[i].fact[fact]))
            value[known++] = call[i].fact[fact];
    qsort(value, known, sizeof *value, compare);
    if (known >= 2 * KT_KIND_LEAST && (double)known >= known_part * (double)n)
        limit = limit_between(fact, value, known);
    free(value);
    return limit;
}

/* A fact, or seconds where FACT is KT_FACTS. */
static double value_of(const struct kt_call_facts *call, enum kt_fact fact)
{
    return fact == KT_FACTS ? call->seconds : call->fact[fact];
}

/* Values WHAT of the calls whose BY is at most LIMIT, or above; in order. Returns how many are known. */
static size_t take(const struct kt_call_facts *call, size_t n, enum kt_fact by, double limit, bool above,
                   enum kt_fact what, double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        double value = value_of(&call[i], by);
        if (!isnan(value) && (value > limit) == above && !isnan(value_of(&call[i], what)))
            out[count++] = value_of(&call[i], what);
    }
    qsort(out, count, sizeof *out, compare);
    return count;
}

static struct kt_call_kind kind_of(const struct kt_call_facts *call, size_t n, enum kt_fact by, double limit,
                                   bool above)
{
    struct kt_call_kind kind;
    double *value = room_for(n);
    kind.calls = take(call, n, by, limit, above, KT_FACTS, value);
    kind.median = median_of(value, kind.calls);
    for (int f = 0; f < KT_FACTS; f++)
        kind.fact[f] = median_of(value, take(call, n, by, limit, above, f, value));
    free(value);
    return kind;
}

static struct kt_kinds kinds_of(const struct kt_call_facts *call, size_t n, enum kt_fact by, double limit)
{
    return (struct kt_kinds){true, by, {kind_of(call, n, by, limit, false), kind_of(call, n, by, limit, true)}};
}

static bool splits(const struct kt_call_facts *call, size_t n, enum kt_fact by, double limit)
{
    double *quick = room_for(n);
    double *slow = room_for(n);
    struct groups g = {quick, slow, take(call, n, by, limit, false, KT_FACTS, quick),
                       take(call, n, by, limit, true, KT_FACTS, slow)};
    bool clear = are_clearly_slower(&g) && medians_differ(median_of(quick, g.quicks), median_of(slow, g.slows));
    free(quick);
    free(slow);
    return clear;
}

/* --- by times ---------------------------------------------------------------------------------------------- */

/* The distances of values FROM to TO from their median, added; SUM of all before a place. */
static double distances(const double *sum, size_t from, size_t to)
{
    size_t half = (to - from) / 2;
    return (sum[to] - sum[to - half]) - (sum[from + half] - sum[from]);
}

/* How many values, in order, the first of two groups has whose values are nearest to the medians of their groups. */
static size_t best_cut(const double *x, size_t n)
{
    double *sum = room_for(n + 1);
    size_t best = KT_KIND_LEAST;
    sum[0] = 0;
    for (size_t i = 0; i < n; i++)
        sum[i + 1] = sum[i] + x[i];
    for (size_t k = KT_KIND_LEAST; k + KT_KIND_LEAST <= n; k++)
        if (distances(sum, 0, k) + distances(sum, k, n) < distances(sum, 0, best) + distances(sum, best, n))
            best = k;
    free(sum);
    return best;
}

/* In the half of the way between the medians that is in its middle. */
static size_t count_between(const double *x, size_t n, double low, double high)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += x[i] > low + (high - low) / 4 && x[i] < high - (high - low) / 4;
    return count;
}

/* X: logarithms of seconds, in order. Returns the longest of the quicker kind; NAN: there is one kind. */
static double find_gap(double *x, size_t n)
{
    size_t k = best_cut(x, n);
    double low = median_of(x, k);
    double high = median_of(x + k, n - k);
    size_t smaller = k < n - k ? k : n - k;
    bool is_empty = (double)count_between(x, n, low, high) <= most_between * (double)smaller;
    return medians_differ(exp(low), exp(high)) && is_empty && kt_dip(x, n) > clear_dip ? (x[k - 1] + x[k]) / 2 : NAN;
}

static struct kt_kinds find_by_times(const struct kt_call_facts *call, size_t n)
{
    static const double least_time = 1e-9;
    double *x = room_for(n);
    for (size_t i = 0; i < n; i++)
        x[i] = log(fmax(call[i].seconds, least_time));
    qsort(x, n, sizeof *x, compare);
    double gap = find_gap(x, n);
    free(x);
    if (isnan(gap))
        return (struct kt_kinds){.found = false};
    return kinds_of(call, n, KT_FACTS, exp(gap));
}

struct kt_kinds kt_kinds_find(const struct kt_call_facts *call, size_t n)
{
    if (n < 2 * KT_KIND_LEAST)
        return (struct kt_kinds){.found = false};
    for (int f = 0; f < KT_FACTS; f++) {
        double limit = find_limit(call, n, (enum kt_fact)f);
        if (!isnan(limit) && splits(call, n, (enum kt_fact)f, limit))
            return kinds_of(call, n, (enum kt_fact)f, limit);
    }
    return find_by_times(call, n);
}
