/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/chart.h"

#include "trace/base/count.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* --- documents --------------------------------------------------------------------------------------------- */

double kt_chart_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static struct kt_cost cost_of(const json_t *object, const char *middle)
{
    return (struct kt_cost){kt_chart_number(object, middle), kt_chart_number(object, "lo"),
                            kt_chart_number(object, "hi")};
}

struct kt_cost kt_chart_predicted(const json_t *object)
{
    return cost_of(json_object_get(object, "predicted"), "seconds");
}

struct kt_cost kt_chart_measured(const json_t *object, const char *key)
{
    return cost_of(json_object_get(object, key), "median");
}

void kt_chart_cell(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, ",%.9g", value);
    else
        fprintf(file, ",");
}

void kt_chart_cells(FILE *file, const struct kt_cost *cost)
{
    kt_chart_cell(file, cost->seconds);
    kt_chart_cell(file, cost->lo);
    kt_chart_cell(file, cost->hi);
}

/* --- heads ------------------------------------------------------------------------------------------------- */

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

/* "models of openblas from 1234 samples; AMD EPYC 7B13; measured in 21 rounds" */
static void subject_of(const json_t *document, double rounds, char *out, size_t size)
{
    const char *library = json_string_value(json_object_get(document, "library"));
    const char *machine = json_string_value(json_object_get(document, "machine"));
    size_t length = length_without_hash(library);
    int used = snprintf(out, size, "models of %.*s%.20s from %s", (int)(length < 60 ? length : 60), library,
                        library[length] ? library + length + strlen("-01234567") : "",
                        KT_COUNT(kt_chart_number(document, "samples"), "sample"));
    used += snprintf(out + used, size - (size_t)used, "%s%.60s", *machine ? "; " : "", machine);
    if (rounds > 0)
        snprintf(out + used, size - (size_t)used, "; measured in %s", KT_COUNT(rounds, "round"));
}

void kt_chart_begin(FILE *script, const struct kt_picture *picture)
{
    kt_picture_begin(script, picture);
    kt_gnuplot_style(script);
}

void kt_chart_title(FILE *script, const char *command, const char *first, const json_t *document, double rounds)
{
    char subject[256];
    subject_of(document, rounds, subject, sizeof subject);
    fprintf(script, "%s ", command);
    kt_gnuplot_lines(script, first, subject);
    fprintf(script, "\n");
}

/* --- points ------------------------------------------------------------------------------------------------ */

void kt_chart_widen(struct kt_axis_range *span, double value)
{
    if (!isfinite(value))
        return;
    span->from = fmin(span->from, value);
    span->to = fmax(span->to, value);
}

static bool is_within(const struct kt_axis_range *span, double value)
{
    return value >= span->from && value <= span->to;
}

void kt_chart_point(FILE *script, double x, const struct kt_cost *cost, const struct kt_axis_range *y)
{
    if (is_within(y, cost->seconds))
        fprintf(script, "%.9g %.9g %.9g %.9g\n", x, cost->seconds,
                isnan(cost->lo) ? cost->seconds : fmax(cost->lo, y->from),
                isnan(cost->hi) ? cost->seconds : fmin(cost->hi, y->to));
}

void kt_chart_mark_cut(FILE *script, double x, const struct kt_cost *cost, const struct kt_axis_range *y,
                       const char *colour)
{
    kt_gnuplot_mark_cut(script, x, cost->seconds > y->to || cost->hi > y->to,
                        cost->seconds < y->from || cost->lo < y->from, colour);
}

void kt_chart_end_block(FILE *script)
{
    fprintf(script, "NaN NaN NaN NaN NaN NaN\nEOD\n");
}

/* --- bars -------------------------------------------------------------------------------------------------- */

enum { ROW = 34, EDGES = 130 };

int kt_chart_bars_height(size_t bars)
{
    return EDGES + ROW * (int)bars;
}

/* How far right they go. Intervals may be as wide as what they are of. */
static struct kt_axis_range span_of(const struct kt_bar *bar, size_t bars)
{
    static const double room = 1.25;
    struct kt_axis_range span = {0, 0};
    for (size_t i = 0; i < bars; i++) {
        kt_chart_widen(&span, bar[i].predicted.seconds);
        kt_chart_widen(&span, bar[i].measured.seconds);
    }
    span.to = span.to > 0 ? room * span.to : 1;
    return span;
}

/* Predicted above, measured below; the whole row if there is but one of them. */
static void strip_of(size_t row, bool is_measured, bool both, double *low, double *high)
{
    static const double half = 0.36, gap = 0.02;
    *low = -(double)row - (both && !is_measured ? -gap : half);
    *high = -(double)row + (both && is_measured ? -gap : half);
}

static void write_bars(FILE *script, const char *name, const struct kt_bar *bar, size_t bars, bool is_measured,
                       bool both)
{
    fprintf(script, "$%s << EOD\n", name);
    for (size_t i = 0; i < bars; i++) {
        double low, high;
        double seconds = is_measured ? bar[i].measured.seconds : bar[i].predicted.seconds;
        strip_of(i, is_measured, both, &low, &high);
        if (isfinite(seconds))
            fprintf(script, "%.9g %.4f 0 %.9g %.4f %.4f\n", seconds, (low + high) / 2, seconds, low, high);
    }
    kt_chart_end_block(script);
}

static void write_whisker(FILE *script, const struct kt_cost *cost, double y, const struct kt_axis_range *x)
{
    if (isfinite(cost->seconds) && isfinite(cost->lo) && isfinite(cost->hi))
        fprintf(script, "%.9g %.4f %.9g %.9g\n", cost->seconds, y, fmax(cost->lo, x->from), fmin(cost->hi, x->to));
}

static void write_whiskers(FILE *script, const struct kt_bar *bar, size_t bars, bool both,
                           const struct kt_axis_range *x)
{
    fprintf(script, "$whiskers << EOD\n");
    for (size_t i = 0; i < bars; i++)
        for (int measured = 0; measured < 2; measured++) {
            double low, high;
            strip_of(i, measured, both, &low, &high);
            write_whisker(script, measured ? &bar[i].measured : &bar[i].predicted, (low + high) / 2, x);
        }
    kt_chart_end_block(script);
}

static void write_names(FILE *script, const struct kt_bar *bar, size_t bars, bool both, const struct kt_axis_range *x)
{
    for (size_t i = 0; i < bars; i++) {
        fprintf(script, "set ytics add (");
        kt_gnuplot_text(script, bar[i].name);
        fprintf(script, " %d)\n", -(int)i);
        for (int measured = 0; measured < 2; measured++) {
            double low, high;
            strip_of(i, measured, both, &low, &high);
            if ((measured ? bar[i].measured : bar[i].predicted).hi > x->to)
                fprintf(script, "set label '▶' at graph 1, first %.4f right font ',7' front\n", (low + high) / 2);
        }
        if (!*bar[i].note)
            continue;
        fprintf(script, "set label ");
        kt_gnuplot_text(script, bar[i].note);
        fprintf(script, " at graph 0.01, first %.4f left font ',9' tc rgb '#606060' front\n", -(double)i + 0.19);
    }
}

void kt_chart_bars(FILE *script, const struct kt_bar *bar, size_t bars)
{
    struct kt_axis_range x = span_of(bar, bars);
    bool both = false;
    for (size_t i = 0; i < bars; i++)
        both = both || isfinite(bar[i].measured.seconds);
    fprintf(script,
            "set xlabel 'time; whiskers: 95 %% interval, cut at arrows'\nset format x '%%.1s %%cs'\nset xrange "
            "[0:%.9g]\nset yrange [%.4g:0.5]\nset ytics () scale 0\nset key outside right top vertical Left reverse\n",
            x.to, 0.5 - (double)bars);
    write_names(script, bar, bars, both, &x);
    write_bars(script, "predicted", bar, bars, false, both);
    write_bars(script, "measured", bar, bars, true, both);
    write_whiskers(script, bar, bars, both, &x);
    fprintf(script,
            "plot $predicted using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 noborder lc rgb '#" KT_CHART_PREDICTED
            "' title 'predicted', \\\n");
    if (both)
        fprintf(script,
                "  $measured using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 noborder lc rgb '#" KT_CHART_MEASURED
                "' title 'measured', \\\n");
    fprintf(script, "  $whiskers using 1:2:3:4 with xerrorbars pt -1 lw 1.2 lc rgb '#000000' notitle\n");
}
