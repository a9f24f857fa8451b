/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/analysis/compact.h"

#include <math.h>

enum {
    STRIDE = 64,
    WAY_MAX = 128 << 10, /* bytes of a way of a first level; more than any in use has */
    GROUPS = 16,         /* sets that fight at once when ways are counted: more than a victim cache has room for */
};

static bool is_compact(const struct kt_compact *c, struct kt_pattern pattern)
{
    double tolerance = fmax(kt_tolerance_at(c->chaser, c->noise), c->chaser->compact);
    return !kt_costs_more(c->chaser, &pattern, c->cost, tolerance, c->noise);
}

/* The fewest stops that the cache cannot hold; 0: more than the memory has room for. */
static size_t least_stops(const struct kt_compact *c, struct kt_pattern pattern)
{
    size_t low = 1;
    size_t high = 2;
    for (pattern.count = high; is_compact(c, pattern); pattern.count = high *= 2) {
        low = high;
        if (2 * high * pattern.stride + pattern.width * pattern.spacing > c->chaser->limit)
            return 0;
    }
    while (high - low > 1) {
        pattern.count = (low + high) / 2;
        if (is_compact(c, pattern))
            low = pattern.count;
        else
            high = pattern.count;
    }
    return high;
}

/* The stride from which on doubling does not make half the stops enough: all of them fall into one set. Writes that
 * number of stops; 0: there is no such stride. */
static size_t set_stride(const struct kt_compact *c, size_t first, size_t *stops)
{
    size_t before = 0;
    for (size_t stride = first; stride <= WAY_MAX; stride *= 2) {
        size_t now = least_stops(c, (struct kt_pattern){.stride = stride, .width = 1});
        if (now && before && 8 * now > 7 * before) {
            *stops = now;
            return stride / 2;
        }
        before = now;
    }
    return 0;
}

/* The least shift of the second half that makes a sequence compact which is too long for one set. */
static size_t find_line(const struct kt_compact *c, size_t stride, size_t stops)
{
    for (size_t shift = 2 * sizeof(void *); shift < stride; shift *= 2)
        if (is_compact(c, (struct kt_pattern){.stride = stride, .count = stops, .width = 1, .shift = shift}))
            return shift;
    return 0;
}

static size_t power_of_two_below(double x)
{
    size_t power = 1;
    while ((double)(2 * power) <= x)
        power *= 2;
    return power;
}

enum { VOTES_MAX = 12, VOTES_ENOUGH = 3 };

/* Stops that fill COUNT ways of some sets. */
static struct kt_pattern sets_of(const struct kt_sets *v, size_t count)
{
    size_t width = v->stride / v->line < GROUPS ? v->stride / v->line : GROUPS;
    return (struct kt_pattern){.stride = v->stride, .count = count, .width = width, .spacing = v->line};
}

static struct kt_sets take_vote(const struct kt_compact *c, double bytes)
{
    struct kt_sets v = {0};
    v.stride = set_stride(c, power_of_two_below(fmax(bytes / 64, STRIDE)), &v.stops);
    /* One more than fit may just so be too many where others use the cache. */
    v.line = v.stride ? find_line(c, v.stride, v.stops + (c->chaser->patience ? v.stops / 5 : 0)) : 0;
    if (!v.line)
        return v;
    size_t least = least_stops(c, sets_of(&v, 0));
    v.ways = least ? least - 1 : 0;
    return v;
}

static bool same_vote(const struct kt_sets *a, const struct kt_sets *b)
{
    size_t off = a->ways > b->ways ? a->ways - b->ways : b->ways - a->ways;
    return a->stride == b->stride && a->line == b->line && off <= (a->ways + b->ways) / 16;
}

/* Searches until three agree: a search has many steps, and one disturbance must not decide. */
static double elect(const struct kt_compact *c, double bytes, struct kt_sets *out)
{
    struct kt_sets vote[VOTES_MAX];
    for (size_t n = 0; n < VOTES_MAX; n++) {
        size_t equal = 0;
        if (c->chaser->late && c->chaser->late(c->chaser->machine))
            return 0;
        vote[n] = take_vote(c, bytes);
        for (size_t i = 0; i <= n; i++)
            equal += same_vote(&vote[i], &vote[n]);
        *out = vote[n];
        if (vote[n].ways && equal >= VOTES_ENOUGH)
            return (double)equal / (double)(n + 1);
    }
    return 0;
}

/* Others that use the same cache make it seem to have fewer ways, never more: whether one more fits is asked again and
 * again. */
static size_t most_ways(const struct kt_compact *c, const struct kt_sets *v)
{
    enum { TRIES = 6 };
    size_t ways = v->ways;
    for (int i = 0; c->chaser->patience && i < TRIES; i++) {
        if (is_compact(c, sets_of(v, ways + 1))) {
            ways++;
            i = -1;
        }
    }
    return ways;
}

/* Some loads still hit: the middle of many samples, as what is asked is whether any room is left at all. */
static bool some_hit(const struct kt_compact *c, const struct kt_sets *v, size_t count)
{
    enum { SAMPLES = 41 };
    double value[SAMPLES];
    struct kt_pattern pattern = {.stride = v->stride, .count = count, .width = 1};
    for (int i = 0; i < SAMPLES; i++)
        value[i] = c->chaser->chase(c->chaser->machine, &pattern);
    return kt_quantile(value, SAMPLES, 0.5) < c->cost + 0.93 * (c->next - c->cost);
}

size_t kt_compact_last_hit(const struct kt_compact *compact, const struct kt_sets *found)
{
    size_t ways = found->ways;
    while (3 * ways <= 4 * found->ways && some_hit(compact, found, ways + 1))
        ways++;
    return 3 * ways <= 4 * found->ways ? ways : 0;
}

double kt_compact_search(const struct kt_compact *compact, double bytes, struct kt_sets *out)
{
    double share = elect(compact, bytes, out);
    out->ways = share > 0 ? most_ways(compact, out) : 0;
    return share;
}
