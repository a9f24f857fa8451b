/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plot of a comparison: FILE.svg, with the script and the data that it is made of beside it.
 */
#include "replay/compare/comparison.h"

#include "trace/print/csv_cell.h"
#include "trace/print/gnuplot.h"
#include "trace/library/installed.h"

#include <math.h>

enum { BARS = 8 /* routines */, WIDTH = 1000, HEIGHT = 500 };

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

static void write_bars(FILE *file, const struct kt_comparison *c, const char *data)
{
    fprintf(file, "plot ");
    for (size_t l = 0; l < c->libraries; l++) {
        size_t column = 2 + 3 * l;
        fprintf(file, "%s", l ? ", \\\n     " : "");
        kt_gnuplot_text(file, kt_base_name(data));
        fprintf(file, " every ::1::%d using %zu:%zu:%zu:xtic(1) title ", BARS, column, column + 1, column + 2);
        kt_gnuplot_text(file, c->label[l]);
    }
    fprintf(file, "\n");
}

static enum kt_status write_script(const struct kt_comparison *c, const struct kt_picture *picture,
                                   struct kt_error *error)
{
    struct kt_text_file script;
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    kt_picture_begin(script.file, picture);
    fprintf(script.file,
            "set datafile separator ','\nset title 'Predicted time of all calls but waits, context %s, with 95 %% "
            "intervals'\n"
            "set ylabel 'seconds'\nset yrange [0:*]\nset grid ytics\nset key outside right top vertical Left reverse\n"
            "set style data histograms\n"
            "set style histogram errorbars gap 2 lw 1\nset style fill solid 0.7 border -1\nset boxwidth 0.9\n",
            kt_comparison_context(c));
    write_bars(script.file, c, picture->data);
    return kt_text_file_end(&script, error);
}

enum kt_status kt_comparison_plot(const struct kt_comparison *c, const char *path, struct kt_error *error)
{
    struct kt_picture picture;
    KT_TRY(kt_picture_name(path, WIDTH, HEIGHT, &picture, error));
    KT_TRY(write_data(c, picture.data, error));
    KT_TRY(write_script(c, &picture, error));
    return kt_picture_draw(&picture, error);
}
