/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/corrected.h"

#include "trace/base/memory.h"

#include <math.h>
#include <string.h>

/* --- windows ----------------------------------------------------------------------------------------------- */

double kt_corrected_windows(double count, double all, double replayed)
{
    double moved = replayed * all / count;
    double to = all < count ? fmax(moved, fmin(replayed, all)) : fmin(moved, fmax(replayed, all));
    return to / replayed;
}

double kt_corrected_cold(double insitu, double replayed)
{
    static const double other_context = 1.5; /* no machine's pace changes by more */
    return replayed > other_context * insitu ? replayed - insitu : 0;
}

static struct kt_series *series_of(struct kt_comparison *c, size_t i, size_t lane)
{
    return &c->corrected[i * c->libraries + lane];
}

static double calls_of(const struct kt_comparison *c, size_t i)
{
    return (double)c->setup.jobs.job[i].shape->calls;
}

/* By how much longer replays took than the program, in the median by time: what the machine's pace explains. */
static double common_excess(const struct kt_comparison *c, const double *replayed)
{
    size_t count = 0;
    struct kt_weighted *excess = kt_resize(NULL, c->setup.jobs.count, sizeof *excess);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (replayed[i] > 0)
            excess[count++] =
                (struct kt_weighted){replayed[i] / c->windowed[i].count, calls_of(c, i) * c->windowed[i].count};
    double median = kt_weighted_quantile(excess, count, 0.5);
    free(excess);
    return fmax(median, 1);
}

static void warm_up(struct kt_comparison *c, double *replayed)
{
    double excess = common_excess(c, replayed);
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        double less = replayed[i] > 0 ? kt_corrected_cold(excess * c->windowed[i].count, replayed[i]) : 0;
        double rest = replayed[i] - less;
        for (size_t l = 0; l < c->libraries && less > 0; l++)
            kt_series_shorten(series_of(c, i, l), less, rest / replayed[i]);
        replayed[i] = rest;
    }
}

static void let_stand_for_all(struct kt_comparison *c, const double *replayed)
{
    double insitu = 0;
    double sum = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (replayed[i] > 0) {
            insitu += calls_of(c, i) * c->windowed[i].count;
            sum += calls_of(c, i) * replayed[i];
        }
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        const struct kt_windowed *w = &c->windowed[i];
        if (!(replayed[i] > 0))
            continue;
        double factor = kt_corrected_windows(w->count, w->all, replayed[i] * insitu / sum);
        for (size_t l = 0; l < c->libraries; l++)
            kt_series_scale(series_of(c, i, l), factor);
    }
}

/* Those that are played in windows which do not hold all calls. */
static void correct_windows(struct kt_comparison *c)
{
    unsigned without = c->options.without;
    double *replayed = kt_resize(NULL, c->setup.jobs.count, sizeof *replayed); /* on the baseline; NAN: left as it is */
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        bool known = c->met[i] && c->windowed[i].count > 0 && c->windowed[i].all > 0;
        replayed[i] = known ? kt_series_visits(series_of(c, i, 0)).median : NAN;
    }
    if (kt_corrects(without, KT_CORRECT_COLD))
        warm_up(c, replayed);
    if (kt_corrects(without, KT_CORRECT_WINDOWS))
        let_stand_for_all(c, replayed);
    free(replayed);
}

/* --- all --------------------------------------------------------------------------------------------------- */

void kt_corrected_make(struct kt_comparison *c)
{
    kt_corrected_free(c);
    c->corrected = kt_resize(NULL, c->setup.jobs.count * c->libraries, sizeof *c->corrected);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        for (size_t l = 0; l < c->libraries; l++) {
            struct kt_series *series = series_of(c, i, l);
            *series = kt_series_copy(&c->schedule.item[i].lane[l]);
            if (!kt_corrects(c->options.without, KT_CORRECT_DISTURBED))
                kt_series_take_in(series);
        }
    correct_windows(c);
}

void kt_corrected_free(struct kt_comparison *c)
{
    for (size_t i = 0; c->corrected && i < c->setup.jobs.count * c->libraries; i++)
        kt_series_forget(&c->corrected[i]);
    free(c->corrected);
    c->corrected = NULL;
}
