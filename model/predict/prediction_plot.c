/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/prediction_plot.h"

#include "trace/print/gnuplot.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 800, HEIGHT = 500 }; /* pixels */

/* --- files ------------------------------------------------------------------------------------------------- */

/* What a plot is made of: NAME.svg and its script and data, in a folder. */
static enum kt_status name_files(const char *folder, const char *name, struct kt_picture *out, struct kt_error *error)
{
    char path[PATH_MAX];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return kt_fail(error, KT_SYSTEM, "%s: %s", folder, strerror(errno));
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    return kt_picture_name(path, WIDTH, HEIGHT, out, error);
}

/* An empty cell is no point for gnuplot. */
static void write_cell(FILE *file, const json_t *value)
{
    if (json_is_number(value))
        fprintf(file, ",%.9g", json_number_value(value));
    else
        fprintf(file, ",");
}

/* How much of the name of a library is before the hash that tells files of models apart ("-0123abcd", behind the name
 * of a file); all of it if there is none. */
static size_t length_without_hash(const char *library)
{
    enum { DIGITS = 8 };
    const char *file = strstr(library, ".so");
    for (const char *at = file; at && (at = strchr(at, '-')); at++) {
        size_t digits = strspn(at + 1, "0123456789abcdef");
        if (digits == DIGITS && (!at[1 + DIGITS] || at[1 + DIGITS] == '-'))
            return (size_t)(at - library);
    }
    return strlen(library);
}

/* WHAT of the library that the document names, and a line of words below it. */
static void write_title(FILE *script, const json_t *document, const char *what, const char *words)
{
    char title[256];
    const char *library = json_string_value(json_object_get(document, "library"));
    size_t length = length_without_hash(library);
    snprintf(title, sizeof title, "%.60s on %.*s%.20s", json_string_value(json_object_get(document, what)),
             (int)(length < 80 ? length : 80), library, library[length] ? library + length + strlen("-01234567") : "");
    fprintf(script, "set title ");
    kt_gnuplot_lines(script, title, words);
}

static void write_head(FILE *script, const struct kt_picture *picture, const char *x)
{
    kt_picture_begin(script, picture);
    fprintf(script, "set datafile separator ','\nset grid\nset xlabel '%s'\nset border 3\nset tics nomirror\n", x);
}

static void write_second_output(FILE *script, const char *name)
{
    fprintf(script, "set terminal pngcairo size %d,%d noenhanced\nset output '%s.png'\nreplot\nset output\n", WIDTH,
            HEIGHT, name);
}

/* --- predictions ------------------------------------------------------------------------------------------- */

static enum kt_status write_prediction(const json_t *document, const char *path, struct kt_error *error)
{
    size_t i;
    const json_t *point;
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    FILE *file = data.file;
    fprintf(file, "n,predicted,lo,hi,warm,cold,measured\n");
    json_array_foreach(json_object_get(document, "curve"), i, point)
    {
        bool whole = json_integer_value(json_object_get(point, "calls_not_predicted")) == 0;
        const json_t *predicted = whole ? json_object_get(point, "predicted") : NULL;
        fprintf(file, "%g", json_number_value(json_object_get(json_object_get(point, "parameters"), "n")));
        write_cell(file, json_object_get(predicted, "seconds"));
        write_cell(file, json_object_get(predicted, "lo"));
        write_cell(file, json_object_get(predicted, "hi"));
        write_cell(file, whole ? json_object_get(point, "warm") : NULL);
        write_cell(file, whole ? json_object_get(point, "cold") : NULL);
        write_cell(file, json_object_get(point, "measured"));
        fprintf(file, "\n");
    }
    return kt_text_file_end(&data, error);
}

enum kt_status kt_plot_prediction(const json_t *document, const char *folder, struct kt_error *error)
{
    struct kt_picture picture;
    struct kt_text_file text;
    const json_t *first = json_array_get(json_object_get(document, "curve"), 0);
    KT_TRY(name_files(folder, "predicted", &picture, error));
    KT_TRY(write_prediction(document, picture.data, error));
    KT_TRY(kt_gnuplot_begin(&text, picture.script, error));
    FILE *script = text.file;
    write_head(script, &picture, "n");
    write_title(script, document, "algorithm", "");
    fprintf(script,
            "\nset key top left\nset logscale y\nset format y '%%.0s %%cs'\nset ylabel 'time'\nplot 'predicted.csv' "
            "skip 1 using 1:3:4 with "
            "filledcurves fc rgb '#c6dbef' "
            "title 'interval of the models', '' skip 1 using 1:2 with linespoints pt 7 ps 0.6 lc rgb '#08519c' "
            "title 'predicted', '' skip 1 using 1:5 with lines dt 2 lc rgb '#31a354' title 'all warm', '' skip 1 "
            "using 1:6 with lines dt 2 lc rgb '#de2d26' title 'all cold'%s\n",
            json_object_get(first, "measured")
                ? ", '' skip 1 using 1:7 with points pt 2 lc rgb 'black' title 'measured'"
                : "");
    write_second_output(script, "predicted");
    KT_TRY(kt_text_file_end(&text, error));
    return kt_picture_draw(&picture, error);
}

/* --- block sizes ------------------------------------------------------------------------------------------- */

static enum kt_status write_tuning(const json_t *document, const char *path, struct kt_error *error)
{
    size_t i, j;
    const json_t *curve, *point;
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    FILE *file = data.file;
    fprintf(file, "n,b,predicted,measured,is_best\n");
    json_array_foreach(json_object_get(document, "curves"), i, curve)
    {
        double best = json_number_value(json_object_get(curve, "best"));
        json_array_foreach(json_object_get(curve, "curve"), j, point)
        {
            double value = json_number_value(json_object_get(point, "value"));
            fprintf(file, "%g,%g", json_number_value(json_object_get(curve, "n")), value);
            write_cell(file, json_object_get(json_object_get(point, "predicted"), "seconds"));
            write_cell(file, json_object_get(json_object_get(point, "measured"), "median"));
            fprintf(file, ",%d\n", value == best);
        }
    }
    return kt_text_file_end(&data, error);
}

/* The least seconds of the curve; 0: none has any. */
static double least_of(const json_t *curve, const char *what, const char *seconds)
{
    size_t i;
    const json_t *point;
    double least = 0;
    json_array_foreach(json_object_get(curve, "curve"), i, point)
    {
        double value = json_number_value(json_object_get(json_object_get(point, what), seconds));
        if (value > 0)
            least = least == 0 || value < least ? value : least;
    }
    return least;
}

/* Predicted times over the least that is predicted, measured ones over the least that was measured: so all sizes go in
 * one plot, and a block size that is best is at 1, whatever the machine's pace was. */
static void plot_curve(FILE *script, const json_t *curve, int colour, const char *separator)
{
    double n = json_number_value(json_object_get(curve, "n"));
    double predicted = least_of(curve, "predicted", "seconds");
    double measured = least_of(curve, "measured", "median");
    fprintf(
        script,
        "%s 'block_size.csv' skip 1 using ($1==%g?$2:1/0):($3/%.9g) with lines lc %d title 'n = %g', '' skip 1 using "
        "($1==%g&&$5==1?$2:1/0):($3/%.9g) with points pt 7 ps 1.2 lc %d notitle",
        separator, n, predicted, colour, n, n, predicted, colour);
    if (measured > 0)
        fprintf(script, ", '' skip 1 using ($1==%g?$2:1/0):($4/%.9g) with points pt 2 ps 0.6 lc %d notitle", n,
                measured, colour);
}

enum kt_status kt_plot_tuning(const json_t *document, const char *folder, struct kt_error *error)
{
    size_t i;
    const json_t *curve;
    struct kt_picture picture;
    struct kt_text_file text;
    KT_TRY(name_files(folder, "block_size", &picture, error));
    KT_TRY(write_tuning(document, picture.data, error));
    KT_TRY(kt_gnuplot_begin(&text, picture.script, error));
    FILE *script = text.file;
    write_head(script, &picture, "block size (1: no blocks)");
    write_title(script, document, "routine", "lines: predicted, dots: predicted best, crosses: measured");
    fprintf(script, "\nset ylabel 'time over the best, predicted or measured'\nset yrange [0.7<*<0.95:1.1<*<2]\nset "
                    "key top right\nplot");
    json_array_foreach(json_object_get(document, "curves"), i, curve)
    {
        plot_curve(script, curve, (int)i + 1, i ? "," : "");
    }
    fprintf(script, "\n");
    write_second_output(script, "block_size");
    KT_TRY(kt_text_file_end(&text, error));
    return kt_picture_draw(&picture, error);
}
