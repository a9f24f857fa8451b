/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/comparison_pace.h"

#include "trace/base/memory.h"

#include <math.h>

/* By more than this no clock is lower: calls that all took longer waited. */
static const double most_pace = 1.5;

static bool corrects(const struct kt_comparison *c, enum kt_correction which)
{
    return kt_corrects(c->options.without, which);
}

static double replayed_of(const struct kt_comparison *c, size_t i)
{
    return kt_comparison_calls(c, i) * kt_comparison_cell(c, i, 0)->time.best;
}

/* What page faults took of the shape's time in the program, as far as they were counted: any library meets them. */
static double faults_of(const struct kt_comparison *c, size_t i)
{
    double faults = c->setup.jobs.job[i].shape->faults;
    bool is_known = faults > 0 && !isnan(c->fault) && corrects(c, KT_CORRECT_FAULTS);
    return is_known ? c->stands_for[i] * faults * c->fault : 0;
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

/* What first calls take beyond others: to bind and map the library's code and to set it up. */
static double firsts_of(const struct kt_comparison *c, size_t i, size_t lane)
{
    return corrects(c, KT_CORRECT_FIRST) ? processes_of(c) * c->first[i * c->libraries + lane] : 0;
}

/* The same of the program's; faults are a part of it. */
static double first_of(const struct kt_comparison *c, size_t i)
{
    return fmin(firsts_of(c, i, 0), kt_comparison_recorded(c, i));
}

/* What the shape's calls took there but for them. */
static double undelayed_of(const struct kt_comparison *c, size_t i)
{
    return fmax(kt_comparison_recorded(c, i) - fmax(faults_of(c, i), first_of(c, i)), 0);
}

/* What they had taken if each had taken the median; or what the replay explains, as calls may differ that nothing
 * disturbs. */
static double typical_of(const struct kt_comparison *c, size_t i)
{
    double calls = kt_comparison_calls(c, i) * c->setup.jobs.job[i].insitu.median;
    if (faults_of(c, i) > 0 || first_of(c, i) > 0)
        calls = fmin(calls, undelayed_of(c, i));
    return fmax(calls, fmin(kt_comparison_recorded(c, i), replayed_of(c, i)));
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
    bool is_known = recorded > 0 && typical > 0 && corrects(c, KT_CORRECT_DISTURBANCE);
    return is_known ? recorded / typical : 1;
}

/* Of the recorded library no more than its calls took. */
static void find_first_calls(struct kt_comparison *c)
{
    for (size_t l = 0; l < c->libraries; l++) {
        c->first_calls[l] = 0;
        for (size_t i = 0; i < c->setup.jobs.count; i++)
            if (kt_comparison_counts(c, i))
                c->first_calls[l] += l || !c->is_as_recorded ? firsts_of(c, i, l) : first_of(c, i);
    }
}

/* A library's threads that the program's own keep from their processors are waited for in slices of the scheduler's
 * time, milliseconds in calls of microseconds. Libraries without threads, and those whose threads are the program's, do
 * not know that. */
static void split_contention(struct kt_comparison *c, double clock, double faults)
{
    bool has_threads = c->worker[0].library.threads > 1;
    bool may_contend = c->has_team && has_threads && corrects(c, KT_CORRECT_CONTENTION);
    if (!may_contend || !kt_comparison_is_contended(c))
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
            own -= c->scale * (kt_comparison_recorded(c, i) - undelayed_of(c, i));
    }
    c->pace = 1;
    c->waited = c->contention = 0;
    if (c->is_as_recorded && count && replayed > 0) {
        double pace_of_all = own / disturbance / replayed;
        /* Calls whose context is known run at this pace; those above it waited for something. */
        double quartile = corrects(c, KT_CORRECT_PACE) ? kt_weighted_quantile(pace, count, 0.25) : 1;
        double clock = fmin(fmax(quartile, 1), most_pace);
        /* Where replays took longer than the program nothing waited. */
        double common = corrects(c, KT_CORRECT_WAITING) ? fmin(clock, pace_of_all) : pace_of_all;
        c->pace = disturbance * common;
        double faults = fmax(c->insitu - own - c->first_calls[0], 0);
        c->waited = faults + (common < pace_of_all ? own - c->pace * replayed : 0);
        split_contention(c, clock, faults);
    }
    free(pace);
}

void kt_comparison_pace_find(struct kt_comparison *c)
{
    find_first_calls(c);
    find_pace(c);
}
