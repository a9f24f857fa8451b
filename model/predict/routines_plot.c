/* SPDX-License-Identifier: BSD-3-Clause */
/* A prediction by routine: bars of what was predicted beside what was measured. */
#include "model/predict/prediction_plot.h"

#include "model/predict/chart.h"
#include "trace/base/memory.h"
#include "trace/print/csv_cell.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUTINES = 12 };

/* All calls of a routine, or several routines. */
struct part {
    const char *name;
    uint64_t calls, unknown;
    struct kt_cost predicted; /* of those that are known */
    double measured;          /* of all */
};

static void add_part(struct part *sum, const struct part *part)
{
    sum->calls += part->calls;
    sum->unknown += part->unknown;
    sum->measured += part->measured;
    sum->predicted.seconds += part->predicted.seconds;
    sum->predicted.lo += part->predicted.lo;
    sum->predicted.hi += part->predicted.hi;
}

static struct part part_of(const struct kt_predicted_calls *row)
{
    bool is_known = row->costs.known <= KT_COST_EXTRAPOLATED && !isnan(row->cost.seconds);
    return (struct part){.calls = row->calls,
                         .unknown = is_known ? 0 : row->calls,
                         .predicted = is_known ? row->cost : (struct kt_cost){0},
                         .measured = row->measured};
}

static size_t make_parts(const struct kt_prediction *p, struct part *out)
{
    size_t parts = 0;
    for (size_t i = 0; i < p->rows; i++) {
        const char *name = p->row[i].symbol->routine->name;
        size_t at = 0;
        while (at < parts && strcmp(out[at].name, name) != 0)
            at++;
        if (at == parts)
            out[parts++] = (struct part){.name = name};
        struct part one = part_of(&p->row[i]);
        add_part(&out[at], &one); /* models of one routine are off the same way: their intervals add up */
    }
    return parts;
}

/* By what is known of them: predicted or, where nothing is, measured. */
static double weight_of(const struct part *part)
{
    return fmax(part->predicted.seconds, part->measured);
}

static int compare_parts(const void *a, const void *b)
{
    double x = weight_of(a), y = weight_of(b);
    return (x < y) - (x > y);
}

static struct kt_bar bar_of(const struct part *part)
{
    char calls[16];
    struct kt_bar bar = {.predicted = part->predicted, .measured = {part->measured, NAN, NAN}};
    snprintf(bar.name, sizeof bar.name, "%.40s, %s", part->name, KT_COUNT(part->calls, "call"));
    if (part->unknown == part->calls) {
        bar.predicted = (struct kt_cost){NAN, NAN, NAN};
        snprintf(bar.note, sizeof bar.note, "no model");
    } else if (part->unknown) {
        snprintf(bar.note, sizeof bar.note, "no model of %s of these calls",
                 kt_text_count((double)part->unknown, calls));
    }
    return bar;
}

/* Errors of different routines go different ways: the interval of all calls is that of the prediction. */
static struct kt_bar bar_of_all(const struct kt_prediction *p, const struct kt_cost *measured)
{
    struct part all = {.name = "all calls", .calls = p->calls, .unknown = p->unknown, .predicted = p->cost};
    struct kt_bar bar = bar_of(&all);
    bar.measured = *measured;
    return bar;
}

/* All calls, the longest routines, the others together; returns how many. */
static size_t make_bars(const struct kt_prediction *p, const struct kt_cost *measured, struct part *part,
                        struct kt_bar out[MOST_ROUTINES + 2])
{
    size_t parts = make_parts(p, part);
    size_t bars = 0;
    char others[32];
    if (parts)
        qsort(part, parts, sizeof *part, compare_parts);
    out[bars++] = bar_of_all(p, measured);
    for (size_t i = 0; i < parts && i < MOST_ROUTINES; i++)
        out[bars++] = bar_of(&part[i]);
    if (parts <= MOST_ROUTINES)
        return bars;
    snprintf(others, sizeof others, "%zu others", parts - MOST_ROUTINES);
    struct part rest = {.name = others};
    for (size_t i = MOST_ROUTINES; i < parts; i++)
        add_part(&rest, &part[i]);
    out[bars++] = bar_of(&rest);
    return bars;
}

static enum kt_status write_bar_data(const struct kt_bar *bar, size_t bars, const char *path, struct kt_error *error)
{
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    fprintf(data.file, "what,predicted,lo,hi,measured,measured_lo,measured_hi\n");
    for (size_t i = 0; i < bars; i++) {
        kt_csv_cell(data.file, bar[i].name);
        kt_chart_cells(data.file, &bar[i].predicted);
        kt_chart_cells(data.file, &bar[i].measured);
        fprintf(data.file, "\n");
    }
    return kt_text_file_end(&data, error);
}

static void sum_title(const struct kt_bar *all, const char *what, char *out, size_t size)
{
    char text[4][16];
    const struct kt_cost *p = &all->predicted;
    int used = snprintf(out, size, "%.60s: %s predicted", what, kt_text_seconds(p->seconds, text[0]));
    if (isfinite(p->lo) && isfinite(p->hi))
        used += snprintf(out + used, size - (size_t)used, " (%s to %s)", kt_text_seconds(p->lo, text[1]),
                         kt_text_seconds(p->hi, text[2]));
    if (isfinite(all->measured.seconds))
        snprintf(out + used, size - (size_t)used, ", %s measured", kt_text_seconds(all->measured.seconds, text[3]));
}

static enum kt_status draw_bars(const struct kt_bar *bar, size_t bars, double rounds, const char *what,
                                const json_t *document, const struct kt_picture *picture, struct kt_error *error)
{
    char title[200];
    struct kt_text_file script;
    struct kt_picture sized = *picture;
    sized.width = KT_CHART_BAR_WIDTH;
    sized.height = kt_chart_bars_height(bars);
    KT_TRY(write_bar_data(bar, bars, picture->data, error));
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    kt_chart_begin(script.file, &sized);
    sum_title(&bar[0], what, title, sizeof title);
    kt_chart_title(script.file, "set title", title, document, rounds);
    kt_chart_bars(script.file, bar, bars);
    KT_TRY(kt_text_file_end(&script, error));
    return kt_picture_draw(picture, error);
}

enum kt_status kt_plot_routines(const struct kt_prediction *prediction, const struct kt_cost *measured, double rounds,
                                const char *what, const json_t *document, const struct kt_picture *picture,
                                struct kt_error *error)
{
    struct kt_bar bar[MOST_ROUTINES + 2];
    struct part *part = kt_resize(NULL, prediction->rows + 1, sizeof *part);
    size_t bars = make_bars(prediction, measured, part, bar);
    free(part);
    return draw_bars(bar, bars, rounds, what, document, picture, error);
}
