/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls by place and shape, and how long the calls of a shape took.
 */
#include "model/html/html_parts.h"

#include "trace/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* --- from which places --------------------------------------------------------------------------------------- */

enum { CALLS_FROM = 1500 };

static int compare_totals(const void *x, const void *y)
{
    const struct kt_shape_calls *a = *(const struct kt_shape_calls *const *)x;
    const struct kt_shape_calls *b = *(const struct kt_shape_calls *const *)y;
    return a->total < b->total ? 1 : a->total > b->total ? -1 : 0;
}

static json_t *place_of(const struct kt_report *report, const struct kt_shape_calls *calls)
{
    char text[512];
    const struct kt_place *place = kt_callers_find(report->symbols, calls->process, calls->caller);
    kt_place_text(place, text, sizeof text);
    return kt_json_text(text);
}

/* Where each number of a shape stands in the table; to be freed. */
static size_t *rows_by_number(const struct kt_shapes *shapes)
{
    size_t *row = kt_resize(NULL, shapes->count, sizeof *row);
    for (size_t i = 0; i < shapes->count; i++)
        row[shapes->shape[i].number] = i;
    return row;
}

/* By how much the calls of each shape are longer or shorter in its total, which is without what recording their insides
 * took; to be freed. */
static double *factors_of(const struct kt_shapes *shapes, const size_t *row)
{
    double *factor = kt_resize(NULL, shapes->count, sizeof *factor);
    for (size_t i = 0; i < shapes->count; i++)
        factor[i] = 0;
    for (size_t i = 0; i < shapes->callers.count; i++)
        factor[row[shapes->callers.of[i].shape]] += shapes->callers.of[i].total;
    for (size_t i = 0; i < shapes->count; i++)
        factor[i] = factor[i] > 0 ? shapes->shape[i].total / factor[i] : 0;
    return factor;
}

json_t *kt_html_calls_from(const struct kt_report *report, json_t *left_out)
{
    const struct kt_shapes *shapes = &report->groups;
    const struct kt_by_caller *of = &shapes->callers;
    const struct kt_shape_calls **order = kt_resize(NULL, of->count, sizeof *order);
    size_t *row = rows_by_number(shapes);
    size_t shown = of->count < CALLS_FROM ? of->count : CALLS_FROM;
    double *factor = factors_of(shapes, row);
    json_t *rows = json_array();
    for (size_t i = 0; i < of->count; i++)
        order[i] = &of->of[i];
    qsort(order, of->count, sizeof *order, compare_totals);
    for (size_t i = 0; i < shown; i++) {
        size_t shape = row[order[i]->shape];
        const char *routine = shapes->shape[shape].first.entry->symbol.routine->name;
        json_array_append_new(rows,
                              json_pack("[o, s, I, I, o]", place_of(report, order[i]), routine, (json_int_t)shape,
                                        (json_int_t)order[i]->calls, kt_json_number(order[i]->total * factor[shape])));
    }
    kt_html_leave_out(left_out, "calls_from", shown, of->count);
    free(order);
    free(factor);
    free(row);
    return rows;
}

/* --- how long ------------------------------------------------------------------------------------------------ */

enum { SHAPES = 100, BINS = 40 };

struct histogram {
    double from, step; /* natural logarithms */
    uint64_t count[BINS];
};

static void count(struct histogram *h, double seconds, uint64_t n)
{
    int bin = h->step > 0 ? (int)((log(fmax(seconds, 1e-12)) - h->from) / h->step) : 0;
    h->count[bin < 0 ? 0 : bin < BINS ? bin : BINS - 1] += n;
}

static json_t *times_of(const struct kt_samples *samples)
{
    double least = fmax(samples->least, 1e-9);
    double most = fmax(samples->most, least);
    struct histogram h = {.from = log(least), .step = (log(most) - log(least)) / BINS};
    if (samples->n == 0)
        return json_null();
    for (uint64_t i = 0; samples->kept && i < samples->n; i++)
        count(&h, samples->kept[i], 1);
    for (size_t i = 0; samples->bin && i < KT_SAMPLE_BINS; i++)
        if (samples->bin[i].n)
            count(&h, samples->bin[i].sum / (double)samples->bin[i].n, samples->bin[i].n);
    json_t *counts = json_array();
    for (int i = 0; i < BINS; i++)
        json_array_append_new(counts, json_integer((json_int_t)h.count[i]));
    return json_pack("{s:f, s:f, s:o}", "from", least, "to", most, "counts", counts);
}

json_t *kt_html_times(const struct kt_report *report)
{
    json_t *times = json_array();
    for (size_t i = 0; i < report->groups.count && i < SHAPES; i++)
        json_array_append_new(times, times_of(&report->groups.shape[i].seconds));
    return times;
}
