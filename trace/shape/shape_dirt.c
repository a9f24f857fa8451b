/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/shape_dirt.h"

#include <math.h>

/* Seconds that recording a call takes, as far as the process measured it. */
static double self_of(const struct kt_call *call)
{
    return call->process->self_ticks * call->process->tick_seconds;
}

static void add_dirty(struct kt_shape_group *shape, struct kt_dirt *dirt, const struct kt_call *call, double seconds)
{
    if (shape->inside.dirty++ == 0)
        dirt->clean = kt_samples_copy(&shape->seconds);
    dirt->self = self_of(call);
    dirt->sampled |= call->process->nested_mode != KT_NESTED_ALL;
    shape->inside.in_dirty += (double)call->nested;
    shape->inside.subtracted += (double)call->nested * dirt->self;
    if (call->weight > 1) {
        kt_samples_add(&dirt->drawn, seconds);
        dirt->drawn_total += seconds;
        dirt->drawn_nested += (double)call->nested;
        return;
    }
    dirt->own_total += seconds;
    dirt->own_nested += (double)call->nested;
}

static void add_clean(struct kt_shape_group *shape, struct kt_dirt *dirt, const struct kt_call *call, double seconds)
{
    dirt->clean_total += seconds;
    dirt->cleans++;
    dirt->unseen += !call->inside_recorded;
    if (shape->inside.dirty)
        kt_samples_add(&dirt->clean, seconds);
}

void kt_dirt_add(struct kt_shape_group *shape, struct kt_dirt *dirt, const struct kt_call *call, double seconds)
{
    shape->inside.calls += call->inside_recorded || call->passed;
    shape->inside.recorded += call->inside_recorded;
    shape->inside.nested += (double)(call->nested + call->passed);
    if (call->nested)
        add_dirty(shape, dirt, call, seconds);
    else
        add_clean(shape, dirt, call, seconds);
}

/* Calls of a shape differ by what they compute, too: a few of them do not tell what recording took. */
enum { ENOUGH = 8 };

/* Disturbances only add, to some calls: lower quartiles differ by what recording took. That is between nothing and
 * twice what the process measured: a difference that errs to one side only would be an error of all sums. */
static double excess_of(const struct kt_dirt *dirt)
{
    if (dirt->drawn.n < ENOUGH || dirt->clean.n < ENOUGH)
        return 0;
    double dirty = kt_samples_stat(&dirt->drawn, KT_BEST_QUARTILE).best;
    double clean = kt_samples_stat(&dirt->clean, KT_BEST_QUARTILE).best;
    double each = (dirty - clean) * (double)dirt->drawn.n / dirt->drawn_nested;
    return fmin(fmax(each, -dirt->self), dirt->self);
}

/* Some calls of the shape were recorded without what nests in them: these tell what one takes. */
static void judge_by_clean(struct kt_shape_group *shape, struct kt_dirt *dirt)
{
    struct kt_shape_inside *inside = &shape->inside;
    struct kt_samples all = shape->seconds;
    shape->seconds = dirt->clean;
    dirt->clean = all;
    inside->clean = dirt->clean_total / (double)dirt->cleans;
    inside->excess = excess_of(dirt);
    shape->total += (double)dirt->drawn.n * inside->clean - dirt->drawn_total;
    shape->total -= fmin(inside->excess * dirt->own_nested, dirt->own_total);
}

void kt_dirt_settle(struct kt_shape_group *shape, struct kt_dirt *dirt)
{
    static const double worth_a_mark = 0.05; /* of the time of the shape */
    struct kt_shape_inside *inside = &shape->inside;
    if (inside->dirty && dirt->unseen)
        judge_by_clean(shape, dirt);
    else if (inside->dirty)
        shape->corrected = dirt->sampled || inside->subtracted > worth_a_mark * shape->total;
    kt_samples_free(&dirt->clean);
    kt_samples_free(&dirt->drawn);
}

double kt_shape_call_seconds(const struct kt_shape_group *shape, const struct kt_call *call)
{
    double seconds = kt_call_seconds(call);
    if (!call->complete || call->nested == 0 || isnan(shape->inside.clean))
        return seconds;
    return call->weight > 1 ? shape->inside.clean : fmax(seconds - shape->inside.excess * (double)call->nested, 0);
}
