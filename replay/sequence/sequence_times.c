/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/sequence_times.h"

#include "trace/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By shape, of the last pass. */
static double *find_means(const struct kt_sequence *s)
{
    size_t shapes = s->setup->shapes.count;
    const float *time = s->sample[s->passes - 1];
    double *mean = kt_resize(NULL, shapes, sizeof *mean);
    size_t *calls = kt_resize(NULL, shapes, sizeof *calls);
    for (size_t i = 0; i < shapes; i++)
        mean[i] = calls[i] = 0;
    for (size_t i = 0; i < s->recording.calls; i++)
        if (s->recording.call[i].counted && time[i] >= 0) {
            mean[s->recording.call[i].shape] += (double)time[i];
            calls[s->recording.call[i].shape]++;
        }
    for (size_t i = 0; i < shapes; i++)
        mean[i] = calls[i] ? mean[i] / (double)calls[i] : NAN;
    free(calls);
    return mean;
}

/* By shape, of the first call of each: what it took, less what the same call took in the last pass. */
static double *find_first(const struct kt_sequence *s)
{
    size_t shapes = s->setup->shapes.count;
    const float *time = s->sample[s->passes - 1];
    double *more = kt_resize(NULL, shapes, sizeof *more);
    for (size_t i = 0; i < shapes; i++)
        more[i] = NAN;
    for (size_t i = s->recording.calls; i-- > 0;)
        more[s->recording.call[i].shape] = s->first[i] >= 0 && time[i] >= 0 ? (double)(s->first[i] - time[i]) : NAN;
    return more;
}

bool kt_sequence_times_first(struct kt_sequence *s, double *seconds)
{
    if (!s->first)
        return false;
    double *more = find_first(s);
    for (size_t i = 0; i < s->setup->jobs.count; i++)
        seconds[i] = more[kt_sequence_shape(s, &s->setup->jobs.job[i])];
    free(more);
    free(s->first);
    s->first = NULL;
    return true;
}

static void take_means(const struct kt_sequence *s, double *seconds)
{
    double *mean = find_means(s);
    for (size_t i = 0; i < s->setup->jobs.count; i++)
        seconds[i] = mean[kt_sequence_shape(s, &s->setup->jobs.job[i])];
    free(mean);
}

/* By shape, of the last pass. */
static struct kt_samples *find_times(const struct kt_sequence *s)
{
    const float *time = s->sample[s->passes - 1];
    struct kt_samples *times = kt_zeros(s->setup->shapes.count, sizeof *times);
    for (size_t i = 0; i < s->recording.calls; i++)
        if (s->recording.call[i].counted && time[i] >= 0)
            kt_samples_add(&times[s->recording.call[i].shape], (double)time[i]);
    return times;
}

void kt_sequence_times(const struct kt_sequence *s, double *mean, double *median)
{
    struct kt_samples *times = find_times(s);
    take_means(s, mean);
    for (size_t i = 0; i < s->setup->jobs.count; i++)
        median[i] = kt_samples_stat(&times[kt_sequence_shape(s, &s->setup->jobs.job[i])], KT_BEST_MEDIAN).median;
    for (size_t i = 0; i < s->setup->shapes.count; i++)
        kt_samples_free(&times[i]);
    free(times);
}

void kt_sequence_times_means(struct kt_sequence *s, double *seconds)
{
    take_means(s, seconds);
    free(s->sample[s->passes - 1]);
    s->sample[s->passes - 1] = NULL;
}

static double mean_below(const struct kt_samples *samples, double most)
{
    enum { ROOM = 4096 };
    double seconds[ROOM];
    double sum = 0;
    size_t count = kt_samples_take(samples, seconds, ROOM);
    for (size_t i = 0; i < count; i++)
        sum += fmin(seconds[i], most);
    return sum / (double)count;
}

void kt_sequence_times_insitu(const struct kt_sequence *s, double *count, double *all)
{
    static const double disturbed = 10; /* times the median */
    size_t shapes = s->setup->shapes.count;
    double *sum = kt_resize(NULL, shapes, sizeof *sum);
    double *most = kt_resize(NULL, shapes, sizeof *most);
    size_t *calls = kt_resize(NULL, shapes, sizeof *calls);
    for (size_t i = 0; i < shapes; i++) {
        most[i] = disturbed * kt_samples_stat(&s->setup->shapes.shape[i].seconds, KT_BEST_MEDIAN).median;
        sum[i] = 0;
        calls[i] = 0;
    }
    for (size_t i = 0; i < s->recording.calls; i++) {
        const struct kt_recorded_call *call = &s->recording.call[i];
        sum[call->shape] += call->counted ? fmin(call->seconds, most[call->shape]) : 0;
        calls[call->shape] += call->counted;
    }
    for (size_t j = 0; j < s->setup->jobs.count; j++) {
        size_t i = kt_sequence_shape(s, &s->setup->jobs.job[j]);
        count[j] = calls[i] ? sum[i] / (double)calls[i] : NAN;
        all[j] = mean_below(&s->setup->shapes.shape[i].seconds, most[i]);
    }
    free(sum);
    free(most);
    free(calls);
}
