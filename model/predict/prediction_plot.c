/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A prediction over sizes. Data blocks, $over: over what is predicted:
 *
 *     $curve  n predicted lo hi warm cold
 *     $measured, $over  n seconds lo hi
 */
#include "model/predict/prediction_plot.h"

#include "model/predict/chart.h"
#include <math.h>
#include <stdbool.h>

enum { WIDTH = 860, HEIGHT = 720 };

/* A size of the curve. What is not predicted as a whole has no number. */
struct point {
    double n, warm, cold, rounds;
    struct kt_cost predicted, measured;
};

static struct point point_of(const json_t *point)
{
    static const struct kt_cost none = {NAN, NAN, NAN};
    bool whole = kt_chart_number(point, "calls_not_predicted") == 0;
    return (struct point){.n = kt_chart_number(json_object_get(point, "parameters"), "n"),
                          .predicted = whole ? kt_chart_predicted(point) : none,
                          .warm = whole ? kt_chart_number(point, "warm") : NAN,
                          .cold = whole ? kt_chart_number(point, "cold") : NAN,
                          .measured = kt_chart_measured(point, "measured_stat"),
                          .rounds = kt_chart_number(json_object_get(point, "measured_stat"), "n")};
}

static const json_t *curve_of(const json_t *document)
{
    return json_object_get(document, "curve");
}

static enum kt_status write_curve_data(const json_t *document, const char *path, struct kt_error *error)
{
    size_t i;
    const json_t *one;
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    fprintf(data.file, "n,predicted,lo,hi,warm,cold,measured,measured_lo,measured_hi\n");
    json_array_foreach(curve_of(document), i, one)
    {
        struct point p = point_of(one);
        fprintf(data.file, "%g", p.n);
        kt_chart_cells(data.file, &p.predicted);
        kt_chart_cell(data.file, p.warm);
        kt_chart_cell(data.file, p.cold);
        kt_chart_cells(data.file, &p.measured);
        fprintf(data.file, "\n");
    }
    return kt_text_file_end(&data, error);
}

/* Of the lower panel: all that is over what is predicted, but not intervals that are wider than all of these. */
static struct kt_axis_range span_over(const json_t *document)
{
    static const double room = 1.15;
    size_t i;
    const json_t *one;
    struct kt_axis_range y = {1, 1};
    json_array_foreach(curve_of(document), i, one)
    {
        struct point p = point_of(one);
        kt_chart_widen(&y, p.warm / p.predicted.seconds);
        kt_chart_widen(&y, p.cold / p.predicted.seconds);
        kt_chart_widen(&y, p.measured.seconds / p.predicted.seconds);
    }
    return (struct kt_axis_range){y.from / room, y.to * room};
}

static struct kt_cost over_predicted(const struct point *p)
{
    double unit = p->predicted.seconds;
    return (struct kt_cost){p->measured.seconds / unit, p->measured.lo / unit, p->measured.hi / unit};
}

static void write_blocks(FILE *script, const json_t *document, const struct kt_axis_range *y)
{
    static const struct kt_axis_range all = {-INFINITY, INFINITY};
    size_t i;
    const json_t *one;
    fprintf(script, "$curve << EOD\n");
    json_array_foreach(curve_of(document), i, one)
    {
        struct point p = point_of(one);
        fprintf(script, "%g %.9g %.9g %.9g %.9g %.9g\n", p.n, p.predicted.seconds, p.predicted.lo, p.predicted.hi,
                p.warm, p.cold);
    }
    kt_chart_end_block(script);
    fprintf(script, "$measured << EOD\n");
    json_array_foreach(curve_of(document), i, one)
    {
        struct point p = point_of(one);
        kt_chart_point(script, p.n, &p.measured, &all);
    }
    kt_chart_end_block(script);
    fprintf(script, "$over << EOD\n");
    json_array_foreach(curve_of(document), i, one)
    {
        struct point p = point_of(one);
        struct kt_cost over = over_predicted(&p);
        kt_chart_point(script, p.n, &over, y);
    }
    kt_chart_end_block(script);
}

static void mark_cut(FILE *script, const json_t *document, const struct kt_axis_range *y)
{
    size_t i;
    const json_t *one;
    json_array_foreach(curve_of(document), i, one)
    {
        struct point p = point_of(one);
        struct kt_cost over = over_predicted(&p);
        kt_chart_mark_cut(script, p.n, &over, y, KT_CHART_MEASURED);
    }
}

/* OVER: each over what is predicted. */
static void write_plot(FILE *script, const char *over, bool is_measured)
{
    fprintf(script,
            "plot $curve using 1:($3%s):($4%s) with filledcurves fc rgb '#" KT_CHART_INTERVAL
            "' title '95 %% interval of the models', \\\n"
            "  $curve using 1:($2%s) with linespoints pt 7 ps 0.5 lw 1.2 lc rgb '#" KT_CHART_PREDICTED
            "' title 'predicted', \\\n"
            "  $curve using 1:($5%s) with lines dt 2 lw 2 lc rgb '#" KT_CHART_WARM "' title 'all warm', \\\n"
            "  $curve using 1:($6%s) with lines dt 2 lw 2 lc rgb '#" KT_CHART_COLD "' title 'all cold'",
            over, over, over, over, over);
    if (is_measured)
        fprintf(script,
                ", \\\n  $%s using 1:2:3:4 with yerrorbars pt 2 ps 0.7 lc rgb '#" KT_CHART_MEASURED
                "' title 'measured'",
                *over ? "over" : "measured");
    fprintf(script, "\n");
}

/* How far predictions are off, where that was measured. */
static void curve_title(const json_t *document, char *out, size_t size)
{
    size_t i;
    const json_t *one;
    struct kt_axis_range off = KT_AXIS_EMPTY;
    json_array_foreach(curve_of(document), i, one)
    {
        struct point p = point_of(one);
        kt_chart_widen(&off, p.predicted.seconds / p.measured.seconds - 1);
    }
    int used =
        snprintf(out, size, "%.60s: predicted time by size", json_string_value(json_object_get(document, "algorithm")));
    if (isfinite(off.from))
        snprintf(out + used, size - (size_t)used, ", %+.1f to %+.1f %% off what was measured", 100 * off.from,
                 100 * off.to);
}

static double most_rounds(const json_t *document)
{
    size_t i;
    const json_t *one;
    double rounds = 0;
    json_array_foreach(curve_of(document), i, one)
    {
        rounds = fmax(rounds, point_of(one).rounds);
    }
    return rounds;
}

static void write_curve(FILE *script, const json_t *document, const struct kt_picture *picture)
{
    char title[160];
    struct kt_picture sized = *picture;
    struct kt_axis_range y = span_over(document);
    double rounds = most_rounds(document);
    sized.width = WIDTH;
    sized.height = HEIGHT;
    kt_chart_begin(script, &sized);
    curve_title(document, title, sizeof title);
    write_blocks(script, document, &y);
    kt_chart_title(script, "set multiplot layout 2,1 title", title, document, rounds);
    fprintf(script,
            "set lmargin 12\nset key outside bottom center horizontal title ' '\nset xlabel 'n'\nset logscale y\n"
            "set format y '%%.0s %%cs'\nset ylabel 'time'\n");
    write_plot(script, "", rounds > 0);
    fprintf(script,
            "unset key\nset format y '%%g'\nset ylabel 'over what is predicted'\nset yrange [%.9g:%.9g]\n"
            "set ytics (0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 2, 3, 5, 10, 20)\n",
            y.from, y.to);
    mark_cut(script, document, &y);
    write_plot(script, "/$2", rounds > 0);
    fprintf(script, "unset multiplot\n");
}

enum kt_status kt_plot_prediction(const json_t *document, const struct kt_picture *picture, struct kt_error *error)
{
    struct kt_text_file script;
    KT_TRY(write_curve_data(document, picture->data, error));
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    write_curve(script.file, document, picture);
    KT_TRY(kt_text_file_end(&script, error));
    return kt_picture_draw(picture, error);
}
