/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plot of a comparison: FILE.svg, with the script and the data that it is made of beside it.
 */
#include "replay/compare/comparison.h"

#include "trace/print/csv_cell.h"
#include "trace/print/gnuplot.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

enum { ROUTINES = 8, WIDTH = 1000, ROW = 16, EDGES = 130 };

/* Each library has a mark of its own besides its colour. */
enum { MARKS = 8 };
static const int mark[MARKS] = {7, 5, 9, 11, 13, 6, 4, 8};

static const char *colour_of(size_t lane)
{
    return kt_picture_colour(lane - 1); /* the first one is what the others are compared with */
}

static void write_number(FILE *file, double value)
{
    fprintf(file, isnan(value) ? ",NaN" : ",%.9g", value);
}

/* A line for each routine: its name, then predicted seconds and their interval of each library, without first
 * calls and what calls waited for, which are no routine's own. */
static enum kt_status write_data(const struct kt_comparison *c, const char *path, struct kt_error *error)
{
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    FILE *file = data.file;
    fprintf(file, "routine");
    for (size_t l = 0; l < c->libraries; l++) {
        fprintf(file, ",");
        kt_csv_cell(file, c->label[l]);
        fprintf(file, ",lo,hi");
    }
    fprintf(file, "\n");
    for (size_t r = 0; r < c->routines; r++) {
        kt_csv_cell(file, c->routine[r].name);
        for (size_t l = 0; l < c->libraries; l++) {
            const struct kt_lane_sum *sum = &c->routine[r].lane[l];
            const double factor = sum->failed ? NAN : c->pace * c->scale;
            write_number(file, factor * sum->seconds);
            write_number(file, factor * sum->lo);
            write_number(file, factor * sum->hi);
        }
        fprintf(file, "\n");
    }
    return kt_text_file_end(&data, error);
}

/* Row 0: all calls; then routines. */
static const struct kt_ratio *ratio_of(const struct kt_comparison *c, size_t row, size_t lane)
{
    const struct kt_lane_sum *sum = row ? &c->routine[row - 1].lane[lane] : &c->sum[lane];
    return &sum->ratio;
}

static size_t rows_of(const struct kt_comparison *c)
{
    return 1 + (c->routines < ROUTINES ? c->routines : ROUTINES);
}

/* Ratios are in the picture, and their intervals as far as they are no wider than all ratios together. */
static void choose_range(const struct kt_comparison *c, double *from, double *to)
{
    static const double margin = 1.25;
    *from = *to = 1;
    for (size_t row = 0; row < rows_of(c); row++)
        for (size_t l = 1; l < c->libraries; l++) {
            double value = ratio_of(c, row, l)->value;
            *from = value > 0 ? fmin(*from, value) : *from;
            *to = value > 0 ? fmax(*to, value) : *to;
        }
    *from /= margin;
    *to *= margin;
}

static double height_of(const struct kt_comparison *c, size_t row, size_t lane)
{
    static const double used = 0.8; /* of a row */
    return -(double)row + used * (0.5 - ((double)lane - 0.5) / (double)(c->libraries - 1));
}

/* A library's ratios as a data block, intervals cut to the picture, with an arrow where they were. */
static void write_lane(FILE *file, const struct kt_comparison *c, size_t lane, double from, double to)
{
    fprintf(file, "$library%zu << EOD\n", lane);
    for (size_t row = 0; row < rows_of(c); row++) {
        const struct kt_ratio *r = ratio_of(c, row, lane);
        if (r->value > 0)
            fprintf(file, "%.6g %.4f %.6g %.6g\n", r->value, height_of(c, row, lane),
                    r->lo > 0 ? fmax(r->lo, from) : r->value, r->hi > 0 ? fmin(r->hi, to) : r->value);
    }
    fprintf(file, "NaN NaN NaN NaN\nEOD\n"); /* gnuplot draws no block without a line */
    for (size_t row = 0; row < rows_of(c); row++) {
        const struct kt_ratio *r = ratio_of(c, row, lane);
        if (r->value > 0 && r->hi > to)
            fprintf(file, "set label '▶' at %.6g, %.4f right font ',7' tc rgb '#%s'\n", to, height_of(c, row, lane),
                    colour_of(lane));
        if (r->value > 0 && r->lo > 0 && r->lo < from)
            fprintf(file, "set label '◀' at %.6g, %.4f left font ',7' tc rgb '#%s'\n", from, height_of(c, row, lane),
                    colour_of(lane));
    }
}

static void write_rows(FILE *file, const struct kt_comparison *c)
{
    char text[80], seconds[16];
    fprintf(file, "set ytics () scale 0\n");
    for (size_t row = 0; row < rows_of(c); row++) {
        const char *name = row ? c->routine[row - 1].name : "all calls";
        double of_base = row ? c->routine[row - 1].lane[0].seconds : c->sum[0].seconds;
        snprintf(text, sizeof text, "%.32s, %s", name, kt_text_seconds(c->pace * c->scale * of_base, seconds));
        fprintf(file, "set ytics add (");
        kt_gnuplot_text(file, text);
        fprintf(file, " %d)\n", -(int)row);
    }
}

/* The finding: which library is certain to be the fastest, if any is. */
static void write_title(FILE *file, const struct kt_comparison *c)
{
    char first[256], second[256], times[16];
    const struct kt_ratio *ratio = &c->sum[c->mix.library].ratio;
    if (c->mix.library && kt_ratio_verdict(ratio) == KT_FASTER)
        snprintf(first, sizeof first, "On %s the calls take %s times as long as on %s", c->label[c->mix.library],
                 kt_text_ratio(ratio->value, times), c->label[0]);
    else
        snprintf(first, sizeof first, "No other library is certain to be faster than %s", c->label[0]);
    snprintf(second, sizeof second, "95 %% intervals, cut at arrows; context %s; behind names: seconds on %s",
             kt_comparison_context(c), c->label[0]);
    fprintf(file, "set title ");
    kt_gnuplot_lines(file, first, second);
}

static void write_plot(FILE *file, const struct kt_comparison *c)
{
    for (size_t l = 1; l < c->libraries; l++) {
        fprintf(file, "%s$library%zu using 1:2:3:4 with xerrorbars pt %d ps 0.8 lw 1.5 lc rgb '#%s' title ",
                l == 1 ? "plot " : ", \\\n     ", l, mark[l % MARKS], colour_of(l));
        kt_gnuplot_text(file, c->label[l]);
    }
    fprintf(file, "\n");
}

static enum kt_status write_script(const struct kt_comparison *c, const struct kt_picture *picture,
                                   struct kt_error *error)
{
    struct kt_text_file script;
    double from, to;
    char axis[256];
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    FILE *file = script.file;
    kt_picture_begin(file, picture);
    kt_gnuplot_style(file);
    choose_range(c, &from, &to);
    write_title(file, c);
    snprintf(axis, sizeof axis, "times as long as on %s", c->label[0]);
    fprintf(file, "\nset xlabel ");
    kt_gnuplot_text(file, axis);
    fprintf(file,
            "\nset logscale x\nset xrange [%.6g:%.6g]\nset yrange [%.4g:0.5]\nset lmargin 22\n"
            "set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)\n"
            "set grid noytics\nset key outside right top vertical Left reverse\n"
            "set arrow from 1, graph 0 to 1, graph 1 nohead lw 1.5 lc rgb '#50565f'\n",
            from, to, 0.5 - (double)rows_of(c));
    write_rows(file, c);
    for (size_t l = 1; l < c->libraries; l++)
        write_lane(file, c, l, from, to);
    write_plot(file, c);
    return kt_text_file_end(&script, error);
}

enum kt_status kt_comparison_plot(const struct kt_comparison *c, const char *path, struct kt_error *error)
{
    struct kt_picture picture;
    int lines = (int)(rows_of(c) * (c->libraries > 3 ? c->libraries - 1 : 2));
    KT_TRY(kt_picture_name(path, WIDTH, EDGES + ROW * lines, &picture, error));
    KT_TRY(write_data(c, picture.data, error));
    KT_TRY(write_script(c, &picture, error));
    return kt_picture_draw(&picture, error);
}
