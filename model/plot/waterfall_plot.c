/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/plot/waterfall_plot.h"

#include "trace/print/csv_cell.h"
#include "trace/print/text.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUTINES = 9, MOST_STEPS = 6, ROW_PIXELS = 62, EDGES = 120 };

/* A step of the stairs: what a part adds. */
struct step {
    const char *name;
    const char *colour;
    struct kt_time time;
};

/* Parts that are not known apart are one step. */
static int steps_of(const struct kt_decomposition *d, struct step out[MOST_STEPS])
{
    int n = 0;
    if (!isnan(d->bound.value)) {
        out[n++] = (struct step){"bound", "009e73", d->bound};
        out[n++] = (struct step){"library", "0072b2", d->library};
    } else {
        out[n++] = (struct step){"warm", "56b4e9", d->warm};
    }
    if (!isnan(d->cache.value))
        out[n++] = (struct step){"cache", "e69f00", d->cache};
    if (!isnan(d->contention.value))
        out[n++] = (struct step){"contention", "d55e00", d->contention};
    if (!isnan(d->cache.value))
        out[n++] = (struct step){"residual", "999999", d->residual};
    if (!isnan(d->unsplit.value) && d->tracked < d->shapes)
        out[n++] = (struct step){"cache and residual", "999999", d->unsplit};
    return n;
}

/* The step's time; of the one that page faults are in, which comes last, also what they took. */
static void label_of(const struct kt_decomposition *d, const struct step *step, bool is_last, char *out, size_t size)
{
    static const double worth_words = 0.1; /* of the step */
    char seconds[16];
    bool is_negative = step->time.value < 0;
    int used = snprintf(out, size, " %s%s %s%s", is_negative ? "< " : "", step->name,
                        kt_text_seconds(step->time.value, seconds), is_negative ? " (below 0)" : "");
    if (is_last && d->fault_seconds > worth_words * step->time.value)
        snprintf(out + used, size - (size_t)used, ", page faults about %s", kt_text_seconds(d->fault_seconds, seconds));
}

static const char *name_of(const struct kt_parts_group *group)
{
    return group->routine ? group->routine : "all calls";
}

/* Row 0: all calls; then routines. NULL: there is no such row. */
static const struct kt_parts_group *row_of(const struct kt_parts *parts, size_t row)
{
    if (row == 0)
        return &parts->total;
    return row <= parts->routines.count && row <= MOST_ROUTINES ? &parts->routines.group[row - 1] : NULL;
}

/* Those above 0, or those below. */
static void write_steps(FILE *file, const struct kt_parts_group *group, size_t row, bool negative)
{
    struct step step[MOST_STEPS];
    int steps = steps_of(&group->parts, step);
    double at = 0;
    for (int i = 0; i < steps && group->parts.shapes; i++) {
        double top = -(double)row + 0.4 - 0.8 * i / steps;
        double from = at;
        at += step[i].time.value;
        if ((step[i].time.value < 0) != negative)
            continue;
        fprintf(file, "%.6g %.6g %.4f %.4f 0x%s '%s' ", from, at, top - 0.8 / steps, top, step[i].colour, step[i].name);
        kt_gnuplot_word(file, group->routine ? group->routine : "all");
        fprintf(file, "\n");
    }
}

static void write_texts(FILE *file, const struct kt_parts_group *group, size_t row)
{
    struct step step[MOST_STEPS];
    char seconds[16];
    int steps = steps_of(&group->parts, step);
    double at = 0;
    for (int i = 0; i < steps && group->parts.shapes; i++) {
        char text[96];
        double end = at + step[i].time.value;
        label_of(&group->parts, &step[i], i == steps - 1, text, sizeof text);
        fprintf(file, "set label ");
        kt_gnuplot_text(file, text);
        fprintf(file, " at %.6g, %.4f left font \",8\" front\n", fmax(at, end),
                -(double)row + 0.4 - 0.8 * (i + 0.5) / steps);
        at = end;
    }
    char name[80];
    snprintf(name, sizeof name, "%.40s, %s", name_of(group), kt_text_seconds(group->parts.insitu, seconds));
    fprintf(file, "set ytics add (");
    kt_gnuplot_text(file, name);
    fprintf(file, " %d)\n", -(int)row);
}

/* How far right the steps come: parts may be negative, so the sum is not the end. */
static double farthest(const struct kt_parts *parts)
{
    double most = 0;
    for (size_t row = 0; row_of(parts, row); row++) {
        struct step step[MOST_STEPS];
        int steps = steps_of(&row_of(parts, row)->parts, step);
        double at = 0;
        for (int i = 0; i < steps; i++)
            most = fmax(most, at += step[i].time.value);
    }
    return most;
}

/* Of what the time is and what takes most of it, then what ran. */
static void write_title(FILE *file, const struct kt_parts *parts, const struct kt_plot_title *title)
{
    struct step step[MOST_STEPS];
    char text[256];
    int most = 0;
    int steps = steps_of(&parts->total.parts, step);
    for (int i = 1; i < steps; i++)
        most = step[i].time.value > step[most].time.value ? i : most;
    double share = steps ? step[most].time.value / parts->total.parts.insitu : NAN;
    int used = snprintf(text, sizeof text, "%s", title->what);
    if (!isnan(share))
        snprintf(text + used, sizeof text - (size_t)used, ": %s is the largest part, %.0f %%", step[most].name,
                 100 * share);
    fprintf(file, "set title ");
    kt_gnuplot_lines(file, text, title->about);
}

static void write_script(FILE *file, const struct kt_parts *parts, const struct kt_plot_title *title,
                         const struct kt_picture *picture)
{
    struct kt_picture sized = *picture;
    size_t rows = 0;
    while (row_of(parts, rows))
        rows++;
    sized.height = EDGES + ROW_PIXELS * (int)rows;
    kt_picture_begin(file, &sized);
    kt_gnuplot_style(file);
    write_title(file, parts, title);
    fprintf(file,
            "\nset xlabel \"seconds in situ; parts begin where the one before ends, hollow ones are below 0\"\n"
            "set yrange [%g:0.6]\nset xrange [:%.6g]\nset lmargin 26\nset grid noytics\n"
            "unset key\nset ytics () scale 0\n",
            -(double)rows + 0.4, 1.35 * farthest(parts)); /* with room for the last label */
    for (size_t row = 0; row < rows; row++)
        write_texts(file, row_of(parts, row), row);
    for (int negative = 0; negative < 2; negative++) {
        fprintf(file, "$%s << EOD\n", negative ? "below" : "parts");
        for (size_t row = 0; row < rows; row++)
            write_steps(file, row_of(parts, row), row, negative);
        fprintf(file, "NaN NaN NaN NaN 0 '' ''\nEOD\n"); /* gnuplot draws no block without a line */
    }
    fprintf(file, "plot $parts using 1:3:1:2:3:4:5 with boxxyerror fs solid 0.85 noborder lc rgb variable, \\\n"
                  "     $below using 1:3:1:2:3:4:5 with boxxyerror fs empty border lw 2 dt 3 lc rgb variable\n");
}

enum kt_status kt_waterfall_plot(const struct kt_parts *parts, const struct kt_plot_title *title,
                                 const struct kt_picture *picture, struct kt_error *error)
{
    struct kt_text_file script;
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    write_script(script.file, parts, title, picture);
    return kt_text_file_end(&script, error);
}

static void write_number(FILE *file, double value)
{
    fprintf(file, isnan(value) ? "," : ",%.6g", value);
}

static void write_row(FILE *file, const struct kt_parts_group *group, const char *part, const struct kt_time *time)
{
    kt_csv_cell(file, name_of(group));
    fprintf(file, ",%s", part);
    write_number(file, time->value);
    write_number(file, time->lo);
    write_number(file, time->hi);
    fprintf(file, "\n");
}

enum kt_status kt_waterfall_csv(const struct kt_parts *parts, const char *path, struct kt_error *error)
{
    const struct kt_parts_group *group;
    struct step step[MOST_STEPS];
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    FILE *file = data.file;
    fprintf(file, "routine,part,seconds,lo,hi\n");
    for (size_t row = 0; (group = row_of(parts, row)); row++) {
        int steps = steps_of(&group->parts, step);
        for (int i = 0; i < steps && group->parts.shapes; i++)
            write_row(file, group, step[i].name, &step[i].time);
        write_row(file, group, "in situ", &(struct kt_time){group->parts.insitu, NAN, NAN});
    }
    return kt_text_file_end(&data, error);
}
