/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/sequence_estimates.h"

#include "trace/base/memory.h"

#include <math.h>

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a;
    float y = *(const float *)b;
    return (x > y) - (x < y);
}

/* *LEAST becomes the least of its times, if that is less. */
static double median_of_call(float *const *sample, unsigned passes, size_t i, double *least)
{
    float time[KT_MOST_PASSES];
    size_t count = 0;
    for (unsigned p = 0; p < passes && p < KT_MOST_PASSES; p++)
        if (sample[p][i] >= 0)
            time[count++] = sample[p][i];
    if (!count)
        return NAN;
    qsort(time, count, sizeof *time, compare);
    *least = (double)*time < *least ? (double)*time : *least;
    return ((double)time[(count - 1) / 2] + (double)time[count / 2]) / 2;
}

/* True for a call whose time tells something. */
static bool counts(const struct kt_sequence *s, size_t i)
{
    return s->recording.call[i].counted && !isnan(s->estimate[i]);
}

static void add_to_shape(double **of_shape, size_t *count, double value)
{
    *of_shape = kt_room_for_one(*of_shape, *count, sizeof **of_shape);
    (*of_shape)[(*count)++] = value;
}

static double *make_least(size_t shapes)
{
    double *least = kt_resize(NULL, shapes, sizeof *least);
    for (size_t i = 0; i < shapes; i++)
        least[i] = INFINITY;
    return least;
}

static void estimate_calls(struct kt_sequence *s)
{
    size_t shapes = s->setup->shapes.count;
    s->estimate = kt_resize(NULL, s->recording.calls, sizeof *s->estimate);
    s->of_shape = kt_zeros(shapes, sizeof *s->of_shape);
    s->of_shape_count = kt_zeros(shapes, sizeof *s->of_shape_count);
    s->least = make_least(shapes);
    for (size_t i = 0; i < s->recording.calls; i++) {
        size_t shape = s->recording.call[i].shape;
        s->estimate[i] = median_of_call(s->sample, s->passes, i, &s->least[shape]);
        if (counts(s, i))
            add_to_shape(&s->of_shape[shape], &s->of_shape_count[shape], s->estimate[i]);
    }
}

static void estimate_alone(struct kt_sequence *s)
{
    struct kt_alone *alone = &s->alone;
    size_t shapes = s->setup->shapes.count;
    alone->of_shape = kt_zeros(shapes, sizeof *alone->of_shape);
    alone->of_shape_count = kt_zeros(shapes, sizeof *alone->of_shape_count);
    alone->least = make_least(shapes);
    for (size_t i = 0; i < s->recording.calls; i++) {
        size_t shape = s->recording.call[i].shape;
        double median = median_of_call(alone->sample, alone->passes, i, &alone->least[shape]);
        if (counts(s, i) && !isnan(median))
            add_to_shape(&alone->of_shape[shape], &alone->of_shape_count[shape], median);
    }
}

void kt_sequence_estimate(struct kt_sequence *s)
{
    enum { LEAST_ALONE = 3 };
    estimate_calls(s);
    if (s->alone.passes >= LEAST_ALONE)
        estimate_alone(s);
}

void kt_sequence_forget_alone(struct kt_sequence *s)
{
    struct kt_alone *alone = &s->alone;
    for (unsigned p = 0; p < alone->passes; p++)
        free(alone->sample[p]);
    for (size_t i = 0; alone->of_shape && i < s->setup->shapes.count; i++)
        free(alone->of_shape[i]);
    free(alone->sample);
    free(alone->of_shape);
    free(alone->of_shape_count);
    free(alone->least);
}

/* --- what came out --------------------------------------------------------------------------------------------- */

/* BEST is the mean of the calls' estimates. */
static struct kt_stat stat_of(double *estimate, size_t n, double least)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += estimate[i];
    struct kt_stat stat = kt_stat_of(estimate, n, KT_BEST_MEDIAN);
    stat.min = n ? least : stat.min;
    stat.best = n ? sum / (double)n : stat.best;
    return stat;
}

struct kt_stat kt_sequence_stat(const struct kt_sequence *s, const struct kt_job *job)
{
    size_t shape = kt_sequence_shape(s, job);
    return s->of_shape ? stat_of(s->of_shape[shape], s->of_shape_count[shape], s->least[shape])
                       : kt_stat_of(NULL, 0, KT_BEST_MEDIAN);
}

struct kt_stat kt_sequence_stat_alone(const struct kt_sequence *s, const struct kt_job *job)
{
    const struct kt_alone *alone = &s->alone;
    size_t shape = kt_sequence_shape(s, job);
    return alone->of_shape ? stat_of(alone->of_shape[shape], alone->of_shape_count[shape], alone->least[shape])
                           : kt_stat_of(NULL, 0, KT_BEST_MEDIAN);
}

/* The median of the calls of each shape that count, times their number, of all shapes. */
static void sum_medians(const struct kt_sequence *s, struct kt_sequence_sum *out)
{
    size_t shapes = s->setup->shapes.count;
    double **insitu = kt_resize(NULL, shapes, sizeof *insitu);
    size_t *count = kt_resize(NULL, shapes, sizeof *count);
    for (size_t i = 0; i < shapes; i++) {
        insitu[i] = kt_resize(NULL, s->of_shape_count[i], sizeof **insitu);
        count[i] = 0;
    }
    for (size_t i = 0; i < s->recording.calls; i++) {
        const struct kt_recorded_call *call = &s->recording.call[i];
        if (counts(s, i))
            insitu[call->shape][count[call->shape]++] = call->seconds;
    }
    for (size_t i = 0; i < shapes; i++) {
        double calls = (double)count[i];
        if (count[i]) {
            out->typical_insitu += calls * kt_stat_of(insitu[i], count[i], KT_BEST_MEDIAN).median;
            out->typical_played += calls * kt_stat_of(s->of_shape[i], count[i], KT_BEST_MEDIAN).median;
        }
        free(insitu[i]);
    }
    free(insitu);
    free(count);
}

void kt_sequence_sum(const struct kt_sequence *s, struct kt_sequence_sum *out)
{
    *out = (struct kt_sequence_sum){0};
    for (size_t i = 0; s->estimate && i < s->recording.calls; i++) {
        const struct kt_recorded_call *call = &s->recording.call[i];
        out->left_out += s->board->absent[call->shape] != KT_PRESENT;
        out->refilled += s->board->part[i] == KT_REFILLED;
        out->strange += s->board->part[i] == KT_STRANGE;
        if (!counts(s, i))
            continue;
        out->calls++;
        out->insitu += call->seconds;
        out->played += s->estimate[i];
    }
    out->share = s->recording.trace_seconds > 0 ? out->insitu / s->recording.trace_seconds : 0;
    if (!s->estimate)
        return;
    sum_medians(s, out);
    struct kt_stat total = kt_stat_of(s->pass_total, s->passes, KT_BEST_QUARTILE);
    out->quarter_lo = total.best;
    out->quarter_hi = s->pass_total[(3 * s->passes - 1) / 4];
}
