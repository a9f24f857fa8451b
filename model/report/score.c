/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/score.h"

#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>

/* A filter leaves out what takes the least time for its calls, until this share of the time is left. */
static const double filtered_share = 0.95;
/* Fewer calls than this make a filter worth its trouble. */
static const double worth_filtering = 0.5;

/* --- the run ----------------------------------------------------------------------------------------------- */

static double run_seconds(const struct kt_trace *trace)
{
    double first = INFINITY;
    double last = 0;
    for (size_t i = 0; i < trace->processes; i++) {
        const struct kt_process *p = &trace->process[i];
        first = fmin(first, p->start - p->before);
        last = fmax(last, p->start - p->before + p->seconds);
    }
    return last > first ? last - first : 0;
}

static double sample_of(const struct kt_process *process)
{
    const char *text = kt_process_option(process, "SAMPLE");
    double sample = text ? strtod(text, NULL) : 1;
    return isfinite(sample) && sample > 1 ? sample : 1;
}

static double event_bytes_per_call(const struct kt_trace *trace)
{
    double bytes = 0;
    double calls = 0;
    for (size_t i = 0; i < trace->processes; i++) {
        const struct kt_process *p = &trace->process[i];
        bytes += (double)p->event_bytes;
        calls += p->event_bytes ? (double)p->calls : 0;
    }
    return calls > 0 ? bytes / calls : NAN;
}

static double seconds_per_call(const struct kt_process *p)
{
    return p->self_ticks > 0 ? p->self_ticks / p->tick_hz : NAN;
}

/* Of all calls of the run, whichever process made them. */
static double mean_seconds_per_call(const struct kt_summary *summary)
{
    double seconds = 0;
    double calls = 0;
    for (size_t i = 0; i < summary->threads.count; i++) {
        const struct kt_sum *thread = &summary->threads.sum[i];
        seconds += (double)thread->calls * seconds_per_call(thread->process);
        calls += (double)thread->calls;
    }
    return calls > 0 ? seconds / calls : NAN;
}

/* Recorded calls have already taken the time they cost, which the program without them does not. */
static double thread_overhead(const struct kt_sum *thread, double sample)
{
    double recorded = (double)thread->calls * seconds_per_call(thread->process);
    double without = thread->process->seconds - recorded;
    return without > 0 ? sample * recorded / without : NAN;
}

static double busiest_overhead(const struct kt_summary *summary, double sample)
{
    double worst = NAN;
    for (size_t i = 0; i < summary->threads.count; i++)
        worst = fmax(worst, thread_overhead(&summary->threads.sum[i], sample));
    return worst;
}

/* --- routines ---------------------------------------------------------------------------------------------- */

static int by_calls(const void *a, const void *b)
{
    const struct kt_score_routine *x = a;
    const struct kt_score_routine *y = b;
    return x->calls != y->calls ? (x->calls < y->calls) - (x->calls > y->calls) : strcmp(x->name, y->name);
}

static int by_seconds_call(const void *a, const void *b)
{
    const struct kt_score_routine *const *x = a;
    const struct kt_score_routine *const *y = b;
    return ((*x)->seconds_call < (*y)->seconds_call) - ((*x)->seconds_call > (*y)->seconds_call);
}

/* Nested calls that are passed on cost next to nothing. */
static double recorded_calls(const struct kt_sum *sum)
{
    return (double)(sum->estimate ? sum->recorded : sum->calls);
}

static void add_routines(const struct kt_summary *summary, struct kt_score *out)
{
    double all = 0;
    for (size_t i = 0; i < summary->routines.count; i++)
        all += fmax(summary->routines.sum[i].seconds_self, 0);
    out->routine = kt_resize(NULL, summary->routines.count, sizeof *out->routine);
    for (size_t i = 0; i < summary->routines.count; i++) {
        const struct kt_sum *sum = &summary->routines.sum[i];
        double seconds = fmax(sum->seconds_self, 0);
        out->routine[out->routines++] =
            (struct kt_score_routine){.name = sum->routine,
                                      .calls = recorded_calls(sum) * out->sample,
                                      .share = recorded_calls(sum) / (double)summary->calls,
                                      .seconds_call = sum->calls ? seconds / (double)sum->calls : 0,
                                      .share_time = all > 0 ? seconds / all : 0};
    }
    if (out->routines)
        qsort(out->routine, out->routines, sizeof *out->routine, by_calls);
}

static void append_name(char **list, const char *mark, const char *name)
{
    size_t length = *list ? strlen(*list) : 0;
    *list = kt_resize(*list, length + strlen(mark) + strlen(name) + 2, 1);
    sprintf(*list + length, "%s%s%s", length ? "," : "", mark, name);
}

static struct kt_score_cost cost_of(const struct kt_score *score, double share)
{
    return (struct kt_score_cost){.calls = score->full.calls * share,
                                  .calls_per_second = score->full.calls_per_second * share,
                                  .bytes_per_second = score->full.bytes_per_second * share,
                                  .overhead = score->full.overhead * share};
}

/* A choice of routines, as KTRACE_ROUTINES has it. */
struct filter {
    char *list; /* owned; NULL: no name */
    double calls, time;
};

/* The first of ORDER, as many as make up almost all of the time; returns how many. */
static size_t take_long_calls(const struct kt_score_routine *const *order, size_t count, struct filter *out)
{
    size_t taken = 0;
    *out = (struct filter){0};
    for (; taken < count && out->time < filtered_share; taken++) {
        append_name(&out->list, "", order[taken]->name);
        out->calls += order[taken]->share;
        out->time += order[taken]->share_time;
    }
    return taken;
}

/* All but those of ORDER that make many calls. */
static void leave_out_many(const struct kt_score_routine *const *order, size_t count, struct filter *out)
{
    static const double many = 0.01;
    *out = (struct filter){.calls = 1, .time = 1};
    for (size_t i = 0; i < count; i++) {
        if (order[i]->share < many)
            continue;
        append_name(&out->list, "!", order[i]->name);
        out->calls -= order[i]->share;
        out->time -= order[i]->share_time;
    }
}

/* The routines with the longest calls, or all but some with short ones: whichever list is shorter. */
static void choose_filter(struct kt_score *score)
{
    const struct kt_score_routine **order = kt_resize(NULL, score->routines, sizeof *order);
    struct filter with;
    struct filter without;
    for (size_t i = 0; i < score->routines; i++)
        order[i] = &score->routine[i];
    if (score->routines)
        qsort(order, score->routines, sizeof *order, by_seconds_call);
    size_t taken = take_long_calls(order, score->routines, &with);
    leave_out_many(order + taken, score->routines - taken, &without);
    free(order);
    bool is_shorter = with.list && without.list && strlen(without.list) < strlen(with.list);
    struct filter *chosen = is_shorter ? &without : &with;
    score->filtered = cost_of(score, chosen->calls);
    score->filtered_time = chosen->time;
    if (chosen->calls < worth_filtering) {
        score->filter = chosen->list;
        chosen->list = NULL;
    }
    free(with.list);
    free(without.list);
}

/* --- the whole --------------------------------------------------------------------------------------------- */

/* What is not known breaks no limit. */
static bool keeps(const struct kt_score_cost *cost, const struct kt_score_limits *limits)
{
    return !(cost->overhead > limits->overhead) && !(3600 * cost->bytes_per_second > limits->bytes_per_hour);
}

static double excess(const struct kt_score_cost *cost, const struct kt_score_limits *limits)
{
    return fmax(cost->overhead / limits->overhead, 3600 * cost->bytes_per_second / limits->bytes_per_hour);
}

/* A profile bounds the size, but costs the program as much time as a trace; a sample takes less of both. */
static enum kt_setting choose_setting(const struct kt_score *score, const struct kt_score_limits *limits)
{
    if (keeps(&score->full, limits))
        return KT_SETTING_FULL;
    if (score->filter && keeps(&score->filtered, limits))
        return KT_SETTING_FILTER;
    return score->full.overhead > limits->overhead ? KT_SETTING_SAMPLE : KT_SETTING_PROFILE;
}

void kt_score_make(const struct kt_trace *trace, const struct kt_summary *summary, const struct kt_score_limits *limits,
                   struct kt_score *out)
{
    *out = (struct kt_score){.seconds = run_seconds(trace),
                             .sample = sample_of(summary->first ? summary->first : trace->process),
                             .bytes_per_call = event_bytes_per_call(trace),
                             .seconds_per_call = mean_seconds_per_call(summary)};
    out->full.calls = (double)summary->calls * out->sample;
    out->full.calls_per_second = out->seconds > 0 ? out->full.calls / out->seconds : NAN;
    out->full.bytes_per_second = out->full.calls_per_second * out->bytes_per_call;
    out->full.overhead = busiest_overhead(summary, out->sample);
    add_routines(summary, out);
    choose_filter(out);
    out->setting = choose_setting(out, limits);
    out->sample_advised = ceil(excess(&out->full, limits));
}

void kt_score_free(struct kt_score *score)
{
    free(score->routine);
    free(score->filter);
    *score = (struct kt_score){0};
}
