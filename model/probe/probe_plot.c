/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/probe/probe_plot.h"

#include "trace/print/gnuplot.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A file's name of a curve's. */
static void file_name(const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s", name);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

static void write_points(FILE *file, const json_t *curve)
{
    const json_t *x = json_object_get(curve, "x");
    const json_t *y = json_object_get(curve, "y");
    fprintf(file, "$curve << EOD\n");
    for (size_t i = 0; i < json_array_size(x); i++)
        fprintf(file, "%.9g %.9g\n", json_number_value(json_array_get(x, i)), json_number_value(json_array_get(y, i)));
    fprintf(file, "EOD\n");
}

/* Sizes with their prefix, also beside the line of a step. */
static void write_step(FILE *file, double x, bool bytes)
{
    fprintf(file, "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead lw 2 lc rgb '#d55e00'\n", x, x);
    fprintf(file, "set label gprintf('%s', %.9g) at %.9g, graph 0.96 right offset -0.5,0 tc rgb '#d55e00'\n",
            bytes ? "%.0b %BB" : "%.0f", x, x);
}

static void write_axes(FILE *file, const char *x_name, bool bytes)
{
    bool counts = !strcmp(x_name, "threads") || !strcmp(x_name, "chains") || !strcmp(x_name, "variables");
    if (!counts)
        fprintf(file, "set logscale x 2\n");
    if (bytes)
        fprintf(file, "set format x '%%.0b %%BB'\n");
    if (!strcmp(x_name, "threads") || !strcmp(x_name, "chains"))
        fprintf(file, "set xtics 1\n");
}

static double largest_ratio(const json_t *y)
{
    double low = INFINITY;
    double high = 0;
    for (size_t i = 0; i < json_array_size(y); i++) {
        low = fmin(low, json_number_value(json_array_get(y, i)));
        high = fmax(high, json_number_value(json_array_get(y, i)));
    }
    return high / low;
}

/* "" if a file that was changed by hand lacks it. */
static const char *text_of(const json_t *curve, const char *key)
{
    const char *text = json_string_value(json_object_get(curve, key));
    return text ? text : "";
}

static void write_script(FILE *file, const char *title, const json_t *curve)
{
    const char *x_name = text_of(curve, "x_name");
    bool bytes = !strcmp(x_name, "bytes") || !strcmp(x_name, "distance");
    size_t i;
    json_t *step;
    write_points(file, curve);
    fprintf(file, "set title ");
    kt_gnuplot_text(file, title);
    fprintf(file, "\nset xlabel ");
    kt_gnuplot_text(file, x_name);
    fprintf(file, "\nset ylabel ");
    kt_gnuplot_text(file, text_of(curve, "y_name"));
    fprintf(file, "\nset grid\nunset key\n");
    write_axes(file, x_name, bytes);
    if (largest_ratio(json_object_get(curve, "y")) > 10)
        fprintf(file, "set logscale y\n");
    json_array_foreach(json_object_get(curve, "steps"), i, step)
    {
        write_step(file, json_number_value(step), bytes);
    }
}

static enum kt_status plot_curve(const char *directory, const char *title, const json_t *curve, struct kt_error *error)
{
    char name[128];
    char path[PATH_MAX];
    file_name(title, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s.gp", directory, name);
    struct kt_text_file script;
    KT_TRY(kt_gnuplot_begin(&script, path, error));
    fprintf(script.file, "set terminal svg size 800,500 noenhanced\nset output '%s.svg'\n", name);
    write_script(script.file, title, curve);
    fprintf(script.file, "plot $curve with linespoints pt 7 ps 0.4 lc rgb '#0072b2'\n");
    fprintf(script.file, "set terminal png size 800,500 noenhanced\nset output '%s.png'\nreplot\n", name);
    KT_TRY(kt_text_file_end(&script, error));
    return kt_gnuplot_run(path, error);
}

/* All of them on one page. Names are those of files, in which nothing means anything to a browser. */
static enum kt_status write_index(const json_t *curves, const char *directory, struct kt_error *error)
{
    char name[128];
    char path[PATH_MAX];
    const char *title;
    json_t *curve;
    struct kt_text_file page;
    snprintf(path, sizeof path, "%s/index.html", directory);
    KT_TRY(kt_text_file_begin(&page, path, error));
    fprintf(page.file,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>ktrace probe</title>\n"
            "<style>body { font: 15px sans-serif; display: grid; gap: 16px;\n"
            "grid-template-columns: repeat(auto-fill, minmax(380px, 1fr)); }\n"
            "h1, p { grid-column: 1 / -1; margin: 0; } figure { margin: 0; } img { width: 100%%; }</style>\n"
            "</head><body><h1>ktrace probe: %zu curves</h1>\n"
            "<p>Orange lines are steps that the analysis found. A click opens a curve alone.</p>\n",
            json_object_size(curves));
    json_object_foreach((json_t *)curves, title, curve)
    {
        file_name(title, name, sizeof name);
        fprintf(page.file,
                "<figure><a href=\"%s.svg\">"
                "<img src=\"%s.svg\" alt=\"%s\" loading=\"lazy\"></a></figure>\n",
                name, name, name);
    }
    fprintf(page.file, "</body></html>\n");
    return kt_text_file_end(&page, error);
}

enum kt_status kt_probe_plot(const json_t *document, const char *directory, struct kt_error *error)
{
    const char *title;
    json_t *curve;
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return kt_fail(error, KT_SYSTEM, "%s: %s", directory, strerror(errno));
    json_object_foreach(json_object_get((json_t *)document, "curves"), title, curve)
        KT_TRY(plot_curve(directory, title, curve, error));
    return write_index(json_object_get(document, "curves"), directory, error);
}
