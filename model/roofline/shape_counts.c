/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/shape_counts.h"

#include "model/roofline/quantities.h"
#include "trace/command/counts.h"
#include "trace/base/memory.h"

#include <math.h>

enum { MOST_KEPT = 10000 }; /* calls of a shape: as quartiles they are good to a percent */

static void choose(const struct kt_trace *trace, struct kt_shape_counts *out)
{
    for (size_t p = 0; p < trace->processes && !out->any; p++) {
        kt_events_choose(kt_event_was_counted, &trace->process[p], out->chosen);
        for (int q = 0; q < KT_COUNTABLES_COUNT; q++)
            out->any = out->any || out->chosen[q];
    }
}

static void make_room(struct kt_shape_count *shape)
{
    if (shape->calls < shape->room)
        return;
    shape->room = shape->room ? 2 * shape->room : 16;
    for (int q = 0; q < KT_COUNTABLES_COUNT; q++)
        shape->value[q] = kt_resize(shape->value[q], shape->room, sizeof **shape->value);
}

/* Recording what nests in a call is counted, too: calls without that count, where there are any. */
static bool is_counted(const struct kt_shape_group *shape, const struct kt_call *call)
{
    return call->nested == 0 || isnan(shape->inside.clean);
}

static void add_call(struct kt_shape_counts *counts, const struct kt_shapes *shapes, size_t number,
                     const struct kt_call *call)
{
    struct kt_shape_count *shape = number < counts->shapes ? &counts->shape[number] : NULL;
    if (!shape || shape->calls == MOST_KEPT || !is_counted(&shapes->shape[number], call))
        return;
    make_room(shape);
    for (int q = 0; q < KT_COUNTABLES_COUNT; q++)
        shape->value[q][shape->calls] = counts->chosen[q] ? kt_event_sum(counts->chosen[q], call) : NAN;
    shape->calls++;
}

void kt_shape_counts_collect(const struct kt_trace *trace, const struct kt_shapes *shapes, struct kt_shape_counts *out)
{
    struct kt_shapes ignored;
    struct kt_call call;
    *out = (struct kt_shape_counts){.shapes = shapes->count};
    choose(trace, out);
    if (!out->any)
        return;
    out->shape = kt_zeros(shapes->count, sizeof *out->shape);
    struct kt_collection *collection = kt_collection_of(trace, shapes);
    struct kt_cursor *cursor = kt_resize(NULL, 1, sizeof *cursor);
    kt_cursor_begin(trace, cursor);
    while (kt_cursor_next(cursor, &call))
        if (call.complete && call.depth == 0)
            add_call(out, shapes, kt_collection_number(collection, &call), &call);
    free(cursor);
    kt_collection_finish(collection, &ignored);
    kt_shapes_free(&ignored);
}

void kt_shape_counts_free(struct kt_shape_counts *counts)
{
    for (size_t i = 0; i < counts->shapes && counts->shape; i++)
        for (int q = 0; q < KT_COUNTABLES_COUNT; q++)
            free(counts->shape[i].value[q]);
    free(counts->shape);
    *counts = (struct kt_shape_counts){0};
}

/* Copies what is known, to be sorted. */
static size_t take_known(const double *value, size_t n, double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(value[i]))
            out[count++] = value[i];
    return count;
}

double kt_shape_counted(const struct kt_shape_counts *counts, size_t number, enum kt_countable countable)
{
    if (!counts->any || number >= counts->shapes)
        return NAN;
    const struct kt_shape_count *shape = &counts->shape[number];
    double *value = kt_resize(NULL, shape->calls, sizeof *value);
    struct kt_spread spread = kt_spread_of(value, take_known(shape->value[countable], shape->calls, value));
    free(value);
    return spread.median;
}

struct kt_spread kt_shape_intensity(const struct kt_shape_counts *counts, size_t number, double flops)
{
    if (!counts->any || number >= counts->shapes)
        return kt_spread_of(NULL, 0);
    const struct kt_shape_count *shape = &counts->shape[number];
    double *value = kt_resize(NULL, shape->calls, sizeof *value);
    for (size_t i = 0; i < shape->calls; i++) {
        double counted = shape->value[KT_COUNT_FLOPS][i];
        value[i] = kt_intensity(counted > 0 ? counted : flops, shape->value[KT_COUNT_TRAFFIC][i]);
    }
    struct kt_spread spread = kt_spread_of(value, take_known(value, shape->calls, value));
    free(value);
    return spread;
}
