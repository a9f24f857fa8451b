/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/screen_parts.h"

#include <math.h>

const char kt_screen_parts_mark[] = "#=~&+.*";
const char *const kt_screen_parts_name[] = {"hardware", "library", "cache", "threads", "machine", "rest", "both"};
const char *const kt_screen_parts_key[] = {"bound", "library", "cache", "contention", "machine", "residual", "unsplit"};
const double kt_screen_parts_worth_words = 0.1;

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

void kt_screen_parts_find(const struct kt_decomposition *d, double seconds, double part[KT_SCREEN_PARTS])
{
    double beyond = known(d->residual.value) + known(d->unsplit.value);
    double machine = fmin(fmax(known(d->machine.value), 0), fmax(beyond, 0));
    part[KT_SCREEN_BOUND] = d->bound.value / seconds;
    part[KT_SCREEN_LIBRARY] = d->library.value / seconds;
    part[KT_SCREEN_CACHE] = d->cache.value / seconds;
    part[KT_SCREEN_CONTENTION] = known(d->contention.value) / seconds;
    part[KT_SCREEN_MACHINE] = machine / seconds;
    part[KT_SCREEN_REST] = (d->residual.value - fmin(machine, fmax(known(d->residual.value), 0))) / seconds;
    part[KT_SCREEN_UNSPLIT] = known(d->unsplit.value) / seconds;
}

struct kt_time kt_screen_parts_time(const struct kt_decomposition *d, int part, double seconds)
{
    const struct kt_time *const time[KT_SCREEN_PARTS] = {
        [KT_SCREEN_BOUND] = &d->bound,           [KT_SCREEN_LIBRARY] = &d->library, [KT_SCREEN_CACHE] = &d->cache,
        [KT_SCREEN_CONTENTION] = &d->contention, [KT_SCREEN_MACHINE] = &d->machine, [KT_SCREEN_REST] = &d->residual,
        [KT_SCREEN_UNSPLIT] = &d->unsplit};
    const struct kt_time *of = time[part];
    double value[KT_SCREEN_PARTS];
    kt_screen_parts_find(d, seconds, value);
    return (struct kt_time){value[part], value[part] - (of->value - of->lo) / seconds,
                            value[part] + (of->hi - of->value) / seconds};
}

bool kt_screen_parts_is_told(const struct kt_decomposition *d, int part, double seconds)
{
    struct kt_time of = kt_screen_parts_time(d, part, seconds);
    bool is_slower = known(d->residual.value) + known(d->unsplit.value) < -kt_screen_parts_worth_words * seconds;
    return !is_slower && !kt_decomposition_is_unclear(d) && kt_decomposition_is_told(&of);
}
