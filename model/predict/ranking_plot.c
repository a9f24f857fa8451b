/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Algorithms of one operation: of one size bars in their order; of several sizes how many times as long each takes as
 * the one that is predicted to be quickest. Data blocks of the latter: $predicted0, $measured0, ... of each algorithm:
 * n ratio lo hi.
 */
#include "model/predict/prediction_plot.h"

#include "model/predict/chart.h"
#include "trace/base/memory.h"
#include "trace/print/csv_cell.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 620, HEIGHT = 540 };

static const json_t *orders_of(const json_t *document)
{
    return json_object_get(document, "orders");
}

static const json_t *order_at(const json_t *document, size_t i)
{
    return json_object_get(json_array_get(orders_of(document), i), "order");
}

static const char *name_of(const json_t *choice)
{
    return json_string_value(json_object_get(choice, "name"));
}

static bool is_tied(const json_t *choice)
{
    return json_is_true(json_object_get(choice, "tied"));
}

static enum kt_status write_data(const json_t *document, const char *path, struct kt_error *error)
{
    size_t i, j;
    const json_t *choice;
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    fprintf(data.file, "n,rank,tied,algorithm,b,predicted,lo,hi,measured,measured_lo,measured_hi\n");
    for (i = 0; i < json_array_size(orders_of(document)); i++)
        json_array_foreach(order_at(document, i), j, choice)
        {
            struct kt_cost predicted = kt_chart_predicted(choice);
            struct kt_cost measured = kt_chart_measured(choice, "measured");
            fprintf(data.file, "%g", kt_chart_number(json_array_get(orders_of(document), i), "n"));
            kt_chart_cell(data.file, kt_chart_number(choice, "rank"));
            fprintf(data.file, ",%d,", is_tied(choice));
            kt_csv_cell(data.file, name_of(choice));
            kt_chart_cell(data.file, kt_chart_number(choice, "b"));
            kt_chart_cells(data.file, &predicted);
            kt_chart_cells(data.file, &measured);
            fprintf(data.file, "\n");
        }
    return kt_text_file_end(&data, error);
}

static double rounds_of(const json_t *document)
{
    double rounds = 0;
    for (size_t i = 0; i < json_array_size(orders_of(document)); i++)
        rounds =
            fmax(rounds, kt_chart_number(json_object_get(json_array_get(order_at(document, i), 0), "measured"), "n"));
    return rounds;
}

/* --- one size ---------------------------------------------------------------------------------------------- */

static void make_bar(const json_t *choice, struct kt_bar *out)
{
    double rank = kt_chart_number(choice, "rank");
    double b = kt_chart_number(choice, "b");
    const char *missing = json_string_value(json_object_get(choice, "missing"));
    *out = (struct kt_bar){.predicted = kt_chart_predicted(choice), .measured = kt_chart_measured(choice, "measured")};
    int used = isnan(rank) ? 0 : snprintf(out->name, sizeof out->name, "%.0f%s  ", rank, is_tied(choice) ? " =" : "");
    used += snprintf(out->name + used, sizeof out->name - (size_t)used, "%.48s", name_of(choice));
    if (!isnan(b))
        snprintf(out->name + used, sizeof out->name - (size_t)used, ", b = %g", b);
    if (isnan(out->predicted.seconds))
        snprintf(out->note, sizeof out->note, "no model of %.32s", missing ? missing : "its kernels");
}

/* Which is quickest, or between how many the models cannot tell. */
static void order_title(const json_t *document, char *out, size_t size)
{
    const json_t *order = order_at(document, 0);
    double n = kt_chart_number(json_array_get(orders_of(document), 0), "n");
    size_t tied = 0;
    while (tied + 1 < json_array_size(order) && is_tied(json_array_get(order, tied + 1)))
        tied++;
    const char *first = name_of(json_array_get(order, 0));
    if (isnan(kt_chart_predicted(json_array_get(order, 0)).seconds))
        snprintf(out, size, "n = %g: nothing can be predicted", n);
    else if (tied)
        snprintf(out, size, "n = %g: %.48s or %zu more (=), the models cannot tell which is quickest", n, first, tied);
    else
        snprintf(out, size, "n = %g: %.48s is predicted to be quickest", n, first);
}

static void write_order(FILE *script, const json_t *document, const struct kt_picture *picture)
{
    const json_t *order = order_at(document, 0);
    size_t bars = json_array_size(order);
    struct kt_bar *bar = kt_resize(NULL, bars, sizeof *bar);
    struct kt_picture sized = *picture;
    char title[160];
    sized.width = KT_CHART_BAR_WIDTH;
    sized.height = kt_chart_bars_height(bars);
    for (size_t i = 0; i < bars; i++)
        make_bar(json_array_get(order, i), &bar[i]);
    kt_chart_begin(script, &sized);
    order_title(document, title, sizeof title);
    kt_chart_title(script, "set title", title, document, rounds_of(document));
    kt_chart_bars(script, bar, bars);
    free(bar);
}

/* --- several sizes ----------------------------------------------------------------------------------------- */

/* Of the algorithm with that name at a size, over the one that is first there; models that both use are off by the
 * same, so its interval is that of the difference. NAN: not known. */
static struct kt_cost ratio_at(const json_t *order, const char *name, bool is_measured)
{
    size_t i;
    const json_t *choice;
    double first = kt_chart_predicted(json_array_get(order, 0)).seconds;
    json_array_foreach(order, i, choice)
    {
        double seconds = kt_chart_predicted(choice).seconds;
        double margin = kt_chart_number(choice, "margin");
        if (strcmp(name_of(choice), name) != 0)
            continue;
        if (is_measured)
            return kt_chart_measured(choice, "measured_over_first");
        return (struct kt_cost){seconds / first, (seconds - margin) / first, (seconds + margin) / first};
    }
    return (struct kt_cost){NAN, NAN, NAN};
}

/* What is drawn of an algorithm in one of the panels. */
struct line {
    const json_t *document;
    const char *name;
    size_t number, lines;
    bool is_measured;
};

/* Lines keep off each other's whiskers. */
static double place_of(const struct line *line, size_t order)
{
    static const double step = 0.008; /* of the axis */
    const json_t *orders = orders_of(line->document);
    double first = kt_chart_number(json_array_get(orders, 0), "n");
    double last = kt_chart_number(json_array_get(orders, json_array_size(orders) - 1), "n");
    double aside = (double)line->number - ((double)line->lines - 1) / 2;
    return kt_chart_number(json_array_get(orders, order), "n") + aside * step * fabs(last - first);
}

static void write_line(FILE *script, const struct line *line, const struct kt_axis_range *y)
{
    size_t sizes = json_array_size(orders_of(line->document));
    fprintf(script, "$%s%zu << EOD\n", line->is_measured ? "measured" : "predicted", line->number);
    for (size_t i = 0; i < sizes; i++) {
        struct kt_cost cost = ratio_at(order_at(line->document, i), line->name, line->is_measured);
        kt_chart_point(script, place_of(line, i), &cost, y);
    }
    kt_chart_end_block(script);
    for (size_t i = 0; i < sizes; i++) {
        struct kt_cost cost = ratio_at(order_at(line->document, i), line->name, line->is_measured);
        kt_chart_mark_cut(script, place_of(line, i), &cost, y, kt_picture_colour(line->number));
    }
}

static void draw_line(FILE *script, const struct line *line)
{
    static const int mark[] = {7, 5, 9, 11, 13, 6, 4, 8};
    enum { MARKS = sizeof mark / sizeof *mark };
    const char *block = line->is_measured ? "measured" : "predicted";
    const char *colour = kt_picture_colour(line->number);
    size_t round = line->number / MARKS;
    fprintf(script,
            "%s$%s%zu using 1:2 with lines lw 1.4 dt %zu lc rgb '#%s' notitle, \\\n  $%s%zu using 1:2:3:4 with "
            "yerrorbars pt %d ps 0.7 lw 1.2 lc rgb '#%s' title ",
            line->number ? ", \\\n  " : "plot ", block, line->number, round + 1, colour, block, line->number,
            mark[(line->number + round) % MARKS], colour);
    kt_gnuplot_text(script, line->name);
}

/* Medians are in the picture, and intervals as far as they are no wider than all of these. */
static struct kt_axis_range span_of(const json_t *document)
{
    static const double room = 1.15;
    struct kt_axis_range y = {1, 1};
    for (size_t i = 0; i < json_array_size(orders_of(document)); i++) {
        size_t j;
        const json_t *choice;
        json_array_foreach(order_at(document, i), j, choice)
        {
            kt_chart_widen(&y, ratio_at(order_at(document, i), name_of(choice), false).seconds);
            kt_chart_widen(&y, ratio_at(order_at(document, i), name_of(choice), true).seconds);
        }
    }
    return (struct kt_axis_range){y.from / room, y.to * room};
}

static void write_panel(FILE *script, const json_t *document, bool is_measured)
{
    size_t i;
    const json_t *choice;
    const json_t *all = order_at(document, 0);
    struct kt_axis_range y = span_of(document);
    struct line line = {.document = document, .lines = json_array_size(all), .is_measured = is_measured};
    fprintf(script, "unset label\nset title '%s'\nset yrange [%.9g:%.9g]\n", is_measured ? "measured" : "predicted",
            y.from, y.to);
    json_array_foreach(all, i, choice)
    {
        line.number = i;
        line.name = name_of(choice);
        write_line(script, &line, &y);
    }
    json_array_foreach(all, i, choice)
    {
        line.number = i;
        line.name = name_of(choice);
        draw_line(script, &line);
    }
    fprintf(script, "\n");
}

/* Who is first where, and where nobody can tell. */
static void curves_title(const json_t *document, char *out, size_t size)
{
    size_t sizes = json_array_size(orders_of(document));
    size_t most = 0, untold = 0;
    const char *best = "";
    for (size_t i = 0; i < sizes; i++) {
        size_t wins = 0;
        const char *name = name_of(json_array_get(order_at(document, i), 0));
        untold += is_tied(json_array_get(order_at(document, i), 1));
        for (size_t j = 0; j < sizes; j++)
            wins += !strcmp(name_of(json_array_get(order_at(document, j), 0)), name) &&
                    !is_tied(json_array_get(order_at(document, j), 1));
        best = wins > most ? name : best;
        most = wins > most ? wins : most;
    }
    int used = most ? snprintf(out, size, "%.48s is predicted to be quickest at %zu of %zu sizes", best, most, sizes)
                    : snprintf(out, size, "Which is quickest");
    if (untold)
        snprintf(out + used, size - (size_t)used,
                 most ? "; at %zu the models cannot tell" : " the models cannot tell, at %zu sizes", untold);
}

static void write_curves(FILE *script, const json_t *document, const struct kt_picture *picture)
{
    char title[160];
    char head[64];
    double rounds = rounds_of(document);
    struct kt_picture sized = *picture;
    int panels = rounds > 0 ? 2 : 1;
    sized.width = panels == 2 ? 2 * WIDTH : WIDTH + WIDTH / 3;
    sized.height = HEIGHT;
    kt_chart_begin(script, &sized);
    fprintf(script,
            "set xlabel 'n; whiskers: 95 %% intervals, cut at triangles' offset 0,0.4\nset ylabel 'times as long as "
            "the one "
            "that is predicted to be quickest'\nset key outside bottom center horizontal title ' '\nset logscale y\n"
            "set ytics (0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 2, 3, 5, 10, 20, 50, 100)\n");
    curves_title(document, title, sizeof title);
    snprintf(head, sizeof head, "set multiplot layout 1,%d title", panels);
    kt_chart_title(script, head, title, document, rounds);
    write_panel(script, document, false);
    if (panels == 2)
        write_panel(script, document, true);
    fprintf(script, "unset multiplot\n");
}

enum kt_status kt_plot_ranking(const json_t *document, const struct kt_picture *picture, struct kt_error *error)
{
    struct kt_text_file script;
    KT_TRY(write_data(document, picture->data, error));
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    if (json_array_size(orders_of(document)) == 1)
        write_order(script.file, document, picture);
    else
        write_curves(script.file, document, picture);
    KT_TRY(kt_text_file_end(&script, error));
    return kt_picture_draw(picture, error);
}
