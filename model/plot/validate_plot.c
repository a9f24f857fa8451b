/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/plot/validate_plot.h"

#include "model/roofline/roofline_machine.h"
#include "model/roofline/validate.h"
#include "trace/command/about.h"
#include "trace/print/csv_cell.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 3, MOST_PANELS = 18, MOST_THREADS = 2, WIDTH = 440, HEIGHT = 330, HEAD = 60 };

static const struct quantity {
    const char *name; /* in the document */
    const char *axis;
} quantities[] = {{"seconds", "time over that at the roof"},
                  {"bytes", "counted bytes over expected"},
                  {"flops", "counted operations over expected"}};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* "seconds_spread" of a row and the like. */
static double sample(const json_t *row, const struct quantity *quantity, const char *what)
{
    char key[32];
    snprintf(key, sizeof key, "%s_spread", quantity->name);
    return number(json_object_get(row, key), what);
}

static double expected(const json_t *row, const struct quantity *quantity)
{
    char key[32];
    snprintf(key, sizeof key, "%s_expected", quantity->name);
    return number(row, key);
}

static const char *kernel_of(const json_t *row)
{
    return json_string_value(json_object_get(row, "kernel"));
}

static bool is_drawable(const json_t *row, const struct quantity *quantity)
{
    return sample(row, quantity, "least") > 0 && expected(row, quantity) > 0;
}

/* --- data -------------------------------------------------------------------------------------------------- */

static const char *const values[] = {"least", "q1", "median", "q3", "most", "n"};
enum { VALUES = sizeof values / sizeof *values };

static void write_row(FILE *file, const json_t *row, const struct quantity *quantity)
{
    kt_csv_cell(file, kernel_of(row));
    fprintf(file, ",%g,%g,%s,%.6g", number(row, "threads"), number(row, "size"), quantity->name,
            expected(row, quantity));
    for (int i = 0; i < VALUES; i++)
        fprintf(file, ",%.6g", sample(row, quantity, values[i]));
    fprintf(file, "\n");
}

static enum kt_status write_data(const json_t *rows, const char *path, struct kt_error *error)
{
    size_t i;
    const json_t *row;
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    fprintf(data.file, "kernel,threads,size,quantity,expected,least,q1,median,q3,most,n\n");
    json_array_foreach(rows, i, row)
    {
        for (int q = 0; q < QUANTITIES; q++)
            if (is_drawable(row, &quantities[q]))
                write_row(data.file, row, &quantities[q]);
    }
    return kt_text_file_end(&data, error);
}

/* --- panels ------------------------------------------------------------------------------------------------ */

struct panel {
    const char *kernel;
    const struct quantity *quantity;
    bool is_memory; /* sizes are bytes, otherwise operations */
};

static bool is_of(const struct panel *panel, const json_t *row)
{
    return !strcmp(kernel_of(row), panel->kernel) && is_drawable(row, panel->quantity);
}

/* Quantities one after the other, kernels in their order. */
static size_t find_panels(const json_t *rows, struct panel out[MOST_PANELS])
{
    size_t count = 0, i;
    const json_t *row;
    for (int q = 0; q < QUANTITIES; q++)
        json_array_foreach(rows, i, row)
        {
            struct panel panel = {kernel_of(row), &quantities[q], !isnan(kt_validate_volume(kernel_of(row), 1, 1))};
            bool is_new = is_drawable(row, &quantities[q]) && count < MOST_PANELS;
            for (size_t p = 0; p < count; p++)
                is_new = is_new && (out[p].quantity != panel.quantity || !is_of(&out[p], row));
            if (is_new)
                out[count++] = panel;
        }
    return count;
}

/* Boxes are in the picture, and what was expected; one sample in ten may have waited for anything. */
static void choose_range(const json_t *rows, const struct panel *panel, double *from, double *to)
{
    static const double room = 1.3;
    size_t i;
    const json_t *row;
    *from = *to = 1;
    json_array_foreach(rows, i, row)
    {
        if (!is_of(panel, row))
            continue;
        *from = fmin(*from, sample(row, panel->quantity, "q1") / expected(row, panel->quantity));
        *to = fmax(*to, sample(row, panel->quantity, "q3") / expected(row, panel->quantity));
    }
    *from /= room;
    *to *= room;
}

/* Threads stand beside each other. */
static double place_of(const json_t *row, int threads)
{
    static const double aside = 1.12;
    return number(row, "size") * (threads == 1 ? 1 / aside : aside);
}

static void write_block(FILE *script, const json_t *rows, const struct panel *panel, int threads)
{
    static const double half = 1.1;
    const struct quantity *q = panel->quantity;
    size_t i;
    const json_t *row;
    fprintf(script, "$threads%d << EOD\n", threads);
    json_array_foreach(rows, i, row)
    {
        double unit = expected(row, q);
        double x = place_of(row, threads);
        if (!is_of(panel, row) || number(row, "threads") != threads)
            continue;
        fprintf(script, "%.6g %.6g %.6g %.6g %.6g %.6g %.6g %.6g\n", x, sample(row, q, "median") / unit,
                sample(row, q, "least") / unit, sample(row, q, "q1") / unit, sample(row, q, "q3") / unit,
                sample(row, q, "most") / unit, x / half, x * half);
    }
    fprintf(script, "NaN NaN NaN NaN NaN NaN NaN NaN\nEOD\n"); /* gnuplot draws no block without a line */
}

static void mark_cut(FILE *script, const json_t *rows, const struct panel *panel, double from, double to)
{
    const struct quantity *q = panel->quantity;
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        int threads = (int)number(row, "threads");
        double unit = expected(row, q);
        if (is_of(panel, row))
            kt_gnuplot_mark_cut(script, place_of(row, threads), sample(row, q, "most") / unit > to,
                                sample(row, q, "least") / unit < from, kt_picture_colour((size_t)threads - 1));
    }
}

static bool has_threads(const json_t *rows, const struct panel *panel, int threads)
{
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (is_of(panel, row) && number(row, "threads") == threads)
            return true;
    }
    return false;
}

static void write_plot(FILE *script, const json_t *rows, const struct panel *panel)
{
    fprintf(script, "plot 1 with lines dt 2 lc rgb '#7f7f7f' title 'expected'");
    for (int t = 1; t <= MOST_THREADS; t++) {
        const char *colour = kt_picture_colour((size_t)t - 1);
        if (has_threads(rows, panel, t))
            fprintf(script,
                    ", \\\n  $threads%d using 1:2:3:6 with yerrorbars pt -1 lc rgb '#%s' notitle, \\\n"
                    "  $threads%d using 1:2:7:8:4:5 with boxxyerror fs solid 0.4 noborder lc rgb '#%s' notitle, \\\n"
                    "  $threads%d using 1:2 with linespoints pt 7 ps 0.4 lc rgb '#%s' title '%d thread%s'",
                    t, colour, t, colour, t, colour, t, t == 1 ? "" : "s at once");
    }
    fprintf(script, "\n");
}

static void write_panel(FILE *script, const json_t *rows, const struct panel *panel)
{
    fprintf(script, "set title '%s'\nset ylabel '%s'\nset xlabel '%s'\nset format x '%s'\n", panel->kernel,
            panel->quantity->axis, panel->is_memory ? "bytes of an array" : "operations",
            panel->is_memory ? "%.0b %BB" : "%.0s%c");
    fprintf(script, panel->is_memory ? "set logscale x 2\nset xtics 2**12, 16\n" : "set logscale x 10\nset xtics 10\n");
    double from, to;
    choose_range(rows, panel, &from, &to);
    fprintf(script, "unset label\nset yrange [%.6g:%.6g]\n", from, to);
    for (int t = 1; t <= MOST_THREADS; t++)
        write_block(script, rows, panel, t);
    mark_cut(script, rows, panel, from, to);
    write_plot(script, rows, panel);
}

static void write_title(FILE *script, const json_t *document, size_t rows, size_t columns)
{
    char processor[64], when[24], about[256];
    kt_roofline_processor(processor, sizeof processor);
    kt_about_now(when, sizeof when);
    snprintf(
        about, sizeof about,
        "%s; timed %s; %.0f runs of each, cold; box: quartiles, line: medians, whiskers: extremes, cut at triangles",
        *processor ? processor : "this machine", when, number(document, "k"));
    fprintf(script, "set multiplot layout %zu,%zu title ", rows, columns);
    kt_gnuplot_lines(script, "Kernels of known bytes and operations: what was found over what was expected", about);
    fprintf(script, "\nset logscale y\nset key outside bottom center horizontal title ' '\n"
                    "set ytics (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 20, 30, 50, 100)\n");
}

enum kt_status kt_validate_plot(const json_t *document, const struct kt_picture *picture, struct kt_error *error)
{
    const json_t *rows = json_object_get(document, "rows");
    struct panel panel[MOST_PANELS];
    struct kt_picture sized = *picture;
    struct kt_text_file script;
    size_t panels = find_panels(rows, panel);
    size_t lines = (panels + COLUMNS - 1) / COLUMNS;
    if (!panels)
        return kt_fail(error, KT_BAD_INPUT, "the machine file has no roofs of these kernels: nothing can be drawn");
    sized.width = COLUMNS * WIDTH;
    sized.height = HEAD + (int)lines * HEIGHT;
    KT_TRY(write_data(rows, picture->data, error));
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    kt_picture_begin(script.file, &sized);
    kt_gnuplot_style(script.file);
    write_title(script.file, document, lines, COLUMNS);
    for (size_t i = 0; i < panels; i++)
        write_panel(script.file, rows, &panel[i]);
    fprintf(script.file, "unset multiplot\n");
    return kt_text_file_end(&script, error);
}
