/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time over the block size, a panel for each problem size. Data blocks of each panel:
 *
 *     $predicted  block seconds lo hi
 *     $measured   the same
 */
#include "model/predict/prediction_plot.h"

#include "model/predict/chart.h"
#include "trace/print/text.h"

#include <math.h>

enum { WIDTH = 470, HEIGHT = 360, ALONE_WIDTH = 800, ALONE_HEIGHT = 500, HEAD = 60, MOST_PANELS = 9, COLUMNS = 3 };

static enum kt_status write_data(const json_t *document, const char *path, struct kt_error *error)
{
    size_t i, j;
    const json_t *curve, *point;
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    fprintf(data.file, "n,b,predicted,lo,hi,measured,measured_lo,measured_hi,is_best\n");
    json_array_foreach(json_object_get(document, "curves"), i, curve)
    {
        json_array_foreach(json_object_get(curve, "curve"), j, point)
        {
            double b = kt_chart_number(point, "value");
            struct kt_cost predicted = kt_chart_predicted(point);
            struct kt_cost measured = kt_chart_measured(point, "measured");
            fprintf(data.file, "%g,%g", kt_chart_number(curve, "n"), b);
            kt_chart_cells(data.file, &predicted);
            kt_chart_cells(data.file, &measured);
            fprintf(data.file, ",%d\n", b == kt_chart_number(curve, "best"));
        }
    }
    return kt_text_file_end(&data, error);
}

static const json_t *point_at(const json_t *curve, double b)
{
    size_t i;
    const json_t *point;
    json_array_foreach(json_object_get(curve, "curve"), i, point)
    {
        if (kt_chart_number(point, "value") == b)
            return point;
    }
    return NULL;
}

/* All times and intervals, unless the good block sizes would then not be told apart. */
static struct kt_axis_range span_of(const json_t *curve)
{
    static const double farthest = 1.6, room = 0.06;
    size_t i;
    const json_t *point;
    struct kt_axis_range all = KT_AXIS_EMPTY;
    double best = kt_chart_predicted(point_at(curve, kt_chart_number(curve, "best"))).seconds;
    double fastest = INFINITY;
    json_array_foreach(json_object_get(curve, "curve"), i, point)
    {
        struct kt_cost predicted = kt_chart_predicted(point);
        struct kt_cost measured = kt_chart_measured(point, "measured");
        kt_chart_widen(&all, predicted.lo);
        kt_chart_widen(&all, predicted.hi);
        kt_chart_widen(&all, measured.lo);
        kt_chart_widen(&all, measured.hi);
        fastest = fmin(fastest, measured.seconds);
    }
    all.from = fmax(all.from, fmin(best, fastest) / farthest);
    all.to = fmin(all.to, farthest * (isfinite(fastest) ? fmax(best, fastest) : best));
    return (struct kt_axis_range){(1 - room) * all.from, (1 + room) * all.to};
}

static void write_block(FILE *script, const json_t *curve, bool is_measured, const struct kt_axis_range *y)
{
    size_t i;
    const json_t *point;
    fprintf(script, "$%s << EOD\n", is_measured ? "measured" : "predicted");
    json_array_foreach(json_object_get(curve, "curve"), i, point)
    {
        struct kt_cost cost = is_measured ? kt_chart_measured(point, "measured") : kt_chart_predicted(point);
        kt_chart_point(script, kt_chart_number(point, "value"), &cost, y);
    }
    kt_chart_end_block(script);
    json_array_foreach(json_object_get(curve, "curve"), i, point)
    {
        struct kt_cost cost = is_measured ? kt_chart_measured(point, "measured") : kt_chart_predicted(point);
        if (!is_measured)
            cost.lo = cost.hi = NAN; /* a band that leaves the picture is seen to do so */
        kt_chart_mark_cut(script, kt_chart_number(point, "value"), &cost, y,
                          is_measured ? KT_CHART_MEASURED : KT_CHART_PREDICTED);
    }
}

/* A line across the panel, with a word that stands where no other one does: on a LINE of its own, from the top. */
static void mark_block(FILE *script, const char *word, double b, double last, int line, const char *colour)
{
    bool is_left = b > last / 2;
    if (isnan(b))
        return;
    fprintf(script, "set arrow from %g, graph 0 to %g, graph 1 nohead dt 2 lc rgb '#%s' back\n", b, b, colour);
    fprintf(script, "set label '%s %g' at %g, graph %g %s offset %s,0 tc rgb '#%s' front boxed\n", word, b, b,
            0.95 - 0.07 * line, is_left ? "right" : "left", is_left ? "-0.7" : "0.7", colour);
}

static void write_marks(FILE *script, const json_t *curve, double standard, double last)
{
    double best = kt_chart_number(curve, "best");
    int line = 0;
    mark_block(script, best == standard ? "best as predicted, and default:" : "best as predicted:", best, last, line++,
               KT_CHART_PREDICTED);
    mark_block(script, "fastest as measured:", kt_chart_number(curve, "fastest"), last, line++, KT_CHART_MEASURED);
    if (standard != best && standard <= last)
        mark_block(script, "default:", standard, last, line, "7f7f7f");
}

/* What the default costs. */
static void write_panel_title(FILE *script, const json_t *curve, double standard)
{
    char text[128], seconds[16];
    double best = kt_chart_predicted(point_at(curve, kt_chart_number(curve, "best"))).seconds;
    double other = kt_chart_predicted(point_at(curve, standard)).seconds;
    int used = snprintf(text, sizeof text, "n = %g: %s with the best block size", kt_chart_number(curve, "n"),
                        kt_text_seconds(best, seconds));
    if (other > best)
        snprintf(text + used, sizeof text - (size_t)used, ", default %+.1f %%", 100 * (other / best - 1));
    fprintf(script, "set title ");
    kt_gnuplot_text(script, text);
    fprintf(script, "\n");
}

static void write_panel(FILE *script, const json_t *curve, double standard)
{
    const json_t *points = json_object_get(curve, "curve");
    double last = kt_chart_number(json_array_get(points, json_array_size(points) - 1), "value");
    struct kt_axis_range y = span_of(curve);
    fprintf(script, "unset label\nunset arrow\n");
    write_panel_title(script, curve, standard);
    fprintf(script, "set xrange [0:%g]\nset yrange [%.9g:%.9g]\n", 1.04 * last, y.from, y.to);
    write_marks(script, curve, standard, last);
    write_block(script, curve, false, &y);
    write_block(script, curve, true, &y);
    fprintf(
        script,
        "plot $predicted using 1:3:4 with filledcurves fc rgb '#" KT_CHART_INTERVAL
        "' title '95 %% interval of the models', \\\n  $predicted using 1:2 with linespoints pt 7 ps 0.5 lw 1.6 lc rgb "
        "'#" KT_CHART_PREDICTED "' title 'predicted'");
    if (json_object_get(json_array_get(points, 0), "measured"))
        fprintf(script, ", \\\n  $measured using 1:2:3:4 with yerrorbars pt 2 ps 0.6 lc rgb '#" KT_CHART_MEASURED
                        "' title 'measured'");
    fprintf(script, "\n");
}

static double rounds_of(const json_t *document)
{
    const json_t *first = json_array_get(json_object_get(document, "curve"), 0);
    return kt_chart_number(json_object_get(first, "measured"), "n");
}

static void write_script(FILE *script, const json_t *document, size_t panels, const struct kt_picture *picture)
{
    char head[64], title[96];
    size_t columns = panels < COLUMNS ? panels : COLUMNS;
    kt_chart_begin(script, picture);
    fprintf(script,
            "set xlabel 'block size (1: no blocks)' offset 0,0.4\nset ylabel 'time'\nset format y '%%.2s %%cs'\n"
            "set key outside bottom center horizontal title ' '\nset style textbox opaque noborder\n");
    snprintf(title, sizeof title, "Time of %.32s by its block size",
             json_string_value(json_object_get(document, "routine")));
    snprintf(head, sizeof head, "set multiplot layout %zu,%zu title", (panels + columns - 1) / columns, columns);
    kt_chart_title(script, head, title, document, rounds_of(document));
    for (size_t i = 0; i < panels; i++)
        write_panel(script, json_array_get(json_object_get(document, "curves"), i),
                    kt_chart_number(document, "default"));
    fprintf(script, "unset multiplot\n");
}

enum kt_status kt_plot_tuning(const json_t *document, const struct kt_picture *picture, struct kt_error *error)
{
    size_t all = json_array_size(json_object_get(document, "curves"));
    size_t panels = all < MOST_PANELS ? all : MOST_PANELS;
    size_t columns = panels < COLUMNS ? panels : COLUMNS;
    struct kt_picture sized = *picture;
    struct kt_text_file script;
    sized.width = panels == 1 ? ALONE_WIDTH : (int)columns * WIDTH;
    sized.height = HEAD + (panels == 1 ? ALONE_HEIGHT : (int)((panels + columns - 1) / columns) * HEIGHT);
    KT_TRY(write_data(document, picture->data, error));
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    write_script(script.file, document, panels, &sized);
    KT_TRY(kt_text_file_end(&script, error));
    if (all > panels)
        kt_notice("model tune: the first %zu of %zu sizes are drawn; the data have all", panels, all);
    return kt_picture_draw(picture, error);
}
