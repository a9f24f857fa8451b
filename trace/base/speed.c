/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/speed.h"

#include "ktrace/yardstick.h"

#include <math.h>

static const double longest_addition = 1e-8;
static const double longest_load = 2e-6;

static double seconds_of(double ticks, double clock, double number, double tick_seconds)
{
    return fmax(ticks - clock, 0) * tick_seconds / number;
}

struct kt_speed kt_speed_of(const struct kt_yard_ticks *t, double tick_seconds)
{
    double chain = seconds_of(t->chain, t->clock, t->additions, tick_seconds);
    double wide = seconds_of(t->wide, t->clock, t->additions * KT_YARD_WIDTH, tick_seconds);
    double memory = seconds_of(t->memory, t->clock, t->loads, tick_seconds);
    chain = fmin(chain, longest_addition);
    return (struct kt_speed){chain, fmin(wide, chain), fmin(memory, longest_load)};
}

void kt_speed_add(struct kt_speed_sums *sums, const struct kt_speed *speed, double weight)
{
    sums->weight += weight;
    sums->sum.chain += weight * speed->chain;
    sums->sum.wide += weight * speed->wide;
    sums->sum.memory += weight * speed->memory;
}

void kt_speed_merge(struct kt_speed_sums *into, const struct kt_speed_sums *from)
{
    into->weight += from->weight;
    into->sum.chain += from->sum.chain;
    into->sum.wide += from->sum.wide;
    into->sum.memory += from->sum.memory;
}

static bool is_time(double seconds)
{
    return isfinite(seconds) && seconds > 0;
}

bool kt_speed_mean(const struct kt_speed_sums *sums, struct kt_speed *out)
{
    double w = sums->weight;
    *out = (struct kt_speed){sums->sum.chain / w, sums->sum.wide / w, sums->sum.memory / w};
    return w > 0 && is_time(out->chain) && is_time(out->wide) && is_time(out->memory);
}

struct kt_speed kt_speed_ratio(const struct kt_speed *a, const struct kt_speed *b)
{
    double clock = a->chain / b->chain;
    return (struct kt_speed){clock, a->wide / b->wide / clock, a->memory / b->memory};
}
