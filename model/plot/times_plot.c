/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/plot/times_plot.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 40, ROW_PIXELS = 34, EDGES = 130, LABEL = 40 };

static const char *const colour[KT_POINT_CONTEXTS] = {"222222", "d55e00", "56b4e9", "cc79a7",
                                                      "009e73", "e69f00", "0072b2", "8c564b"};

/* Series and contexts of a shape share its row, one below the other. */
struct rows {
    const struct kt_roofline *roofline;
    size_t count;
    size_t contexts; /* that a series may have: a kernel's has one */
    double height;   /* of each of them; 1: of the row */
};

static bool is_shown(const struct kt_roofline_point *p)
{
    return p->number > 0 && p->number <= MOST_ROWS && p->time.median > 0;
}

/* What is known of the times: of a kernel, of its visits. */
static const struct kt_spread *times_of(const struct rows *rows, const struct kt_roofline_point *p)
{
    return rows->roofline->lined ? &p->visits : &p->time;
}

static void find_rows(const struct kt_roofline *roofline, struct rows *out)
{
    *out = (struct rows){.roofline = roofline};
    for (size_t i = 0; i < roofline->points; i++)
        if (is_shown(&roofline->point[i]) && roofline->point[i].number > out->count)
            out->count = roofline->point[i].number;
    out->contexts = roofline->lined ? 1 : KT_POINT_COLD + 1;
    out->height = 0.8 / (double)(out->contexts * (roofline->count ? roofline->count : 1));
}

/* The middle of a point's strip; rows grow downwards. */
static double place_of(const struct rows *rows, const struct kt_roofline_point *p)
{
    size_t strip = p->series * rows->contexts + (rows->contexts > 1 ? (size_t)p->context : 0);
    return -(double)p->number + 0.4 - rows->height * ((double)strip + 0.5);
}

static void write_boxes(FILE *file, const struct rows *rows)
{
    fprintf(file, "$boxes << EOD\n");
    for (size_t i = 0; i < rows->roofline->points; i++) {
        const struct kt_roofline_point *p = &rows->roofline->point[i];
        const struct kt_spread *time = times_of(rows, p);
        double y = place_of(rows, p), half = 0.42 * rows->height;
        if (is_shown(p) && time->q1 > 0 && time->q3 > 0)
            fprintf(file, "%.6g %.6g %.6g %.6g %.6g %.6g 0x%s\n", time->median, y, time->q1, time->q3, y - half,
                    y + half, colour[p->context]);
    }
    fprintf(file, "EOD\n");
}

static void write_whiskers(FILE *file, const struct rows *rows)
{
    fprintf(file, "$whiskers << EOD\n");
    for (size_t i = 0; i < rows->roofline->points; i++) {
        const struct kt_roofline_point *p = &rows->roofline->point[i];
        const struct kt_spread *time = times_of(rows, p);
        if (is_shown(p) && time->least > 0)
            fprintf(file, "%.6g %.6g %.6g %.6g 0x%s\n", time->median, place_of(rows, p), time->least,
                    time->most > 0 ? time->most : time->median, colour[p->context]);
    }
    fprintf(file, "EOD\n");
}

static void write_medians(FILE *file, const struct rows *rows)
{
    fprintf(file, "$medians << EOD\n");
    for (size_t i = 0; i < rows->roofline->points; i++) {
        const struct kt_roofline_point *p = &rows->roofline->point[i];
        double y = place_of(rows, p), half = 0.5 * rows->height;
        if (is_shown(p))
            fprintf(file, "%.6g %.6g %.6g 0x%s\n", times_of(rows, p)->median, y - half, y + half, colour[p->context]);
    }
    fprintf(file, "EOD\n");
}

/* The shape of each row at its left. */
static void write_names(FILE *file, const struct rows *rows)
{
    for (size_t n = 1; n <= rows->count; n++)
        for (size_t i = 0; i < rows->roofline->points; i++) {
            const struct kt_roofline_point *p = &rows->roofline->point[i];
            char text[200];
            if (p->number != n)
                continue;
            if (*p->words)
                snprintf(text, sizeof text, "%.*s%s", LABEL, p->words, strlen(p->words) > LABEL ? ".." : "");
            else
                snprintf(text, sizeof text, "%s %.*s", p->routine, LABEL, p->shape);
            fprintf(file, "set ytics add (");
            kt_gnuplot_text(file, text);
            fprintf(file, " %d)\n", -(int)n);
            break;
        }
}

/* Whose strips they are, at the right of those of the first row. */
static void write_series(FILE *file, const struct rows *rows)
{
    const struct kt_roofline *r = rows->roofline;
    bool same = r->count == 1 || (r->lined && kt_roofline_has_one_library(r));
    for (size_t s = 0; s < r->count && !same; s++) {
        double y = -0.6 - rows->height * (double)rows->contexts * ((double)s + 0.5);
        fprintf(file, "set label ");
        kt_gnuplot_text(file, r->lined ? r->series[s].label : r->series[s].name);
        fprintf(file, " at graph 0.995, first %.6g right font \",8\" textcolor rgb \"#606060\"\n", y);
    }
}

static void write_key(FILE *file, const struct rows *rows)
{
    bool present[KT_POINT_CONTEXTS] = {false};
    double x = 0.34;
    for (size_t i = 0; i < rows->roofline->points; i++)
        if (is_shown(&rows->roofline->point[i]))
            present[rows->roofline->point[i].context] = true;
    for (int c = 0; c < KT_POINT_CONTEXTS; c++)
        if (present[c]) {
            fprintf(file, "set label \"■ %s\" at screen %.2f, character 1 textcolor rgb \"#%s\" front\n",
                    kt_point_context_name[c], x, colour[c]);
            x += 0.1;
        }
    fprintf(file, "set label \"box: quartiles; line: median; whiskers: extremes%s\" at screen %.2f, character 1 ",
            rows->roofline->lined ? ", of the least of some calls each" : "", x);
    fprintf(file, "font \",9\" textcolor rgb \"#606060\" front\n");
}

static void write_script(FILE *file, const struct rows *rows, const struct kt_plot_title *title,
                         const struct kt_picture *picture)
{
    struct kt_picture sized = *picture;
    sized.height = EDGES + ROW_PIXELS * (int)rows->count * (int)(rows->roofline->count > 1 ? rows->roofline->count : 1);
    kt_picture_begin(file, &sized);
    kt_gnuplot_style(file);
    fprintf(file, "set title ");
    kt_gnuplot_lines(file, title->what, title->about);
    fprintf(file,
            "\nset logscale x\nset format x \"%%.0s %%cs\"\nset xlabel \"time of a call\"\nset yrange [%g:-0.5]\n"
            "set lmargin at screen 0.33\nset bmargin 5\nset grid xtics mxtics noytics\nunset key\nset ytics ()\n",
            -(double)rows->count - 0.5);
    write_names(file, rows);
    write_series(file, rows);
    write_key(file, rows);
    write_boxes(file, rows);
    write_whiskers(file, rows);
    write_medians(file, rows);
    fprintf(file, "plot $whiskers using 1:2:3:4:5 with xerrorbars pt -1 lw 1 lc rgb variable, \\\n"
                  "  $boxes using 1:2:3:4:5:6:7 with boxxyerror fs solid 0.4 noborder lc rgb variable, \\\n"
                  "  $medians using 1:2:(0):($3-$2):4 with vectors nohead lw 2 lc rgb variable\n");
}

enum kt_status kt_times_plot(const struct kt_roofline *roofline, const struct kt_plot_title *title,
                             const struct kt_picture *picture, struct kt_error *error)
{
    struct rows rows;
    find_rows(roofline, &rows);
    if (rows.count == 0)
        return kt_fail(error, KT_BAD_INPUT, "no shape has a time: there is nothing to draw");
    struct kt_text_file script;
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    write_script(script.file, &rows, title, picture);
    return kt_text_file_end(&script, error);
}
