/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/plot/roofline_plot.h"

#include "model/plot/roofline_parts.h"
#include "trace/base/memory.h"

#include <math.h>
#include <string.h>

enum { ROW = 16, SHAPE = 28 }; /* pixels, characters */

static const char *const other_colour = "7f7f7f";

/* --- colours ----------------------------------------------------------------------------------------------- */

/* The first routines by share; points are in that order. */
static void choose_colours(struct kt_plot *plot)
{
    for (size_t i = 0; i < plot->roofline->points && plot->routines < KT_PICTURE_COLOURS; i++) {
        const struct kt_roofline_point *p = &plot->roofline->point[i];
        bool known = !p->number;
        for (size_t r = 0; r < plot->routines; r++)
            known = known || !strcmp(plot->routine[r], p->routine);
        if (!known)
            memcpy(plot->routine[plot->routines++], p->routine, sizeof p->routine);
    }
}

const char *kt_plot_colour(const struct kt_plot *plot, const struct kt_roofline_point *p)
{
    if (plot->roofline->count > 1)
        return kt_picture_colour(p->series);
    for (size_t r = 0; r < plot->routines; r++)
        if (!strcmp(plot->routine[r], p->routine))
            return kt_picture_colour(r);
    return other_colour;
}

/* --- shapes of gnuplot --------------------------------------------------------------------------------------- */

void kt_plot_circle(struct kt_plot *plot, double x, double y, double radius, const char *colour)
{
    fprintf(plot->file,
            "set object %d circle at screen %.5f, screen %.5f size screen %.5f fillstyle transparent solid 0.45 "
            "border rgb \"#%s\" fillcolor rgb \"#%s\" back\n",
            ++plot->objects, x / plot->picture->width, y / plot->picture->height, radius / plot->picture->width, colour,
            colour);
}

void kt_plot_text(const struct kt_plot *plot, double x, double y, const char *text, const char *more)
{
    fprintf(plot->file, "set label ");
    kt_gnuplot_text(plot->file, text);
    fprintf(plot->file, " at screen %.5f, screen %.5f %s front\n", x / plot->picture->width, y / plot->picture->height,
            more);
}

/* --- the table beside the plot ----------------------------------------------------------------------------- */

/* Without leading dimensions and scalars if it is too long. */
static void short_shape(const char *shape, char out[SHAPE + 1])
{
    size_t length = strlen(shape);
    for (size_t cut = length; length > SHAPE && cut > 0; cut--)
        if (shape[cut] == '=')
            for (length = cut; length > 0 && shape[length] != ' ';)
                length--;
    snprintf(out, SHAPE + 1, "%.*s", (int)length, shape);
}

static double write_row(struct kt_plot *plot, const struct kt_roofline_point *p, double y)
{
    char text[160];
    char shape[SHAPE + 1];
    snprintf(text, sizeof text, "%2zu", p->number);
    kt_plot_circle(plot, KT_PLOT_TABLE + 4, y, 4, kt_plot_colour(plot, p));
    kt_plot_text(plot, KT_PLOT_TABLE + 14, y, text, "font \"monospace,9\"");
    short_shape(p->shape, shape);
    snprintf(text, sizeof text, "%-7s %s", p->routine, shape);
    kt_plot_text(plot, KT_PLOT_TABLE + 36, y, text, "font \"monospace,9\"");
    snprintf(text, sizeof text, "%.1f %%", 100 * p->share);
    if (!isnan(p->share))
        kt_plot_text(plot, plot->picture->width - 12, y, text, "right font \"monospace,9\"");
    return y - ROW;
}

static double write_series(struct kt_plot *plot, double y)
{
    for (size_t s = 0; plot->roofline->count > 1 && s < plot->roofline->count; s++) {
        const struct kt_point_series *series = &plot->roofline->series[s];
        char text[160];
        kt_plot_circle(plot, KT_PLOT_TABLE + 4, y, 6, kt_picture_colour(s));
        bool same = plot->roofline->lined && kt_roofline_has_one_library(plot->roofline);
        snprintf(text, sizeof text, same ? "%s" : "%s (%s)", series->name, series->label);
        kt_plot_text(plot, KT_PLOT_TABLE + 16, y, text, "font \",9\"");
        y -= ROW + 2;
    }
    return y - 4;
}

/* Of several series each number once. */
static double write_rows(struct kt_plot *plot, double y)
{
    if (plot->roofline->lined)
        return y;
    bool seen[KT_PLOT_MOST_NUMBERED + 1] = {false};
    kt_plot_text(plot, KT_PLOT_TABLE, y, "shape", "font \",9\" textcolor rgb \"#606060\"");
    kt_plot_text(plot, plot->picture->width - 12, y, "share of time", "right font \",9\" textcolor rgb \"#606060\"");
    y -= ROW;
    for (size_t i = 0; i < plot->roofline->points; i++) {
        const struct kt_roofline_point *p = &plot->roofline->point[i];
        if (!kt_plot_belongs("discs", p) || p->number > KT_PLOT_MOST_NUMBERED || seen[p->number])
            continue;
        seen[p->number] = true;
        y = write_row(plot, p, y);
    }
    return y;
}

static bool has_any(const struct kt_plot *plot, const char *block)
{
    for (size_t i = 0; i < plot->roofline->points; i++)
        if (kt_plot_belongs(block, &plot->roofline->point[i]))
            return true;
    return false;
}

/* What is shown how. */
static void write_key(struct kt_plot *plot, double y)
{
    static const char small[] = "font \",8\" textcolor rgb \"#404040\"";
    bool counted = false;
    for (size_t i = 0; i < plot->roofline->points; i++)
        counted = counted || plot->roofline->point[i].source == KT_COUNTED;
    y -= 6;
    if (plot->roofline->lined) {
        kt_plot_text(plot, KT_PLOT_TABLE, y, "numbers: sizes; dashed: the same size from another state", small);
        kt_plot_text(plot, KT_PLOT_TABLE, y - ROW,
                     "point: lower quartile of the times of its visits, the least of each", small);
        kt_plot_text(plot, KT_PLOT_TABLE, y - 2 * ROW,
                     "box: quartiles of these; whiskers: extremes, ▼ beyond the picture", small);
        kt_plot_text(plot, KT_PLOT_TABLE, y - 3 * ROW, "intensity: modelled, of operands that come from memory", small);
        return;
    }
    kt_plot_text(plot, KT_PLOT_TABLE, y, "disc: as the calls happened; its area is the share of time", small);
    kt_plot_text(plot, KT_PLOT_TABLE, y -= ROW, "box: quartiles of the calls; whiskers: extremes, ▼ beyond the picture",
                 small);
    if (has_any(plot, "warm"))
        kt_plot_text(plot, KT_PLOT_TABLE, y -= ROW, "▲ replayed with operands in cache; arrow: what locality would win",
                     small);
    if (has_any(plot, "cold"))
        kt_plot_text(plot, KT_PLOT_TABLE, y -= ROW, "▽ replayed with operands in memory", small);
    if (has_any(plot, "groups"))
        kt_plot_text(plot, KT_PLOT_TABLE, y -= ROW, "○ the other shapes of a routine together", small);
    if (plot->roofline->count > 1)
        kt_plot_text(plot, KT_PLOT_TABLE, y -= ROW, "dashed: the same shape in two traces", small);
    kt_plot_text(plot, KT_PLOT_TABLE, y -= ROW,
                 counted ? "intensity: counted by the processor where it was, else modelled"
                         : "intensity: modelled, operands loaded once, results stored once",
                 small);
}

/* --- all of it ----------------------------------------------------------------------------------------------- */

static void write_plot(const struct kt_plot *plot)
{
    fprintf(plot->file, "plot $roofs using 1:2:3 with lines lw 1.6 lc rgb variable, \\\n"
                        "  $ridges using 1:2 with points pt 6 ps 0.5 lc rgb \"#555555\", \\\n"
                        "  $losses using 1:2:($3-$1):($4-$2):5 with vectors nohead dt 3 lw 0.8 lc rgb variable, \\\n"
                        "  $curves using 1:2:3 with lines lw 1.6 lc rgb variable, \\\n"
                        "  $links using 1:2:($3-$1):($4-$2) with vectors nohead dt 2 lw 1 lc rgb \"#606060\", \\\n"
                        "  $whiskers using 1:2:3:4:5:6:7 with xyerrorbars pt -1 lw 0.6 lc rgb variable, \\\n"
                        "  $boxes using 1:2:3:4:5:6:7 with boxxyerror fs empty lw 2.5 lc rgb variable, \\\n"
                        "  $fields using 1:2:3:4:5:6:7 with boxxyerror fs empty lw 0.8 dt 3 lc rgb variable, \\\n"
                        "  $gains using 1:2:($3-$1):($4-$2):5 with vectors head size screen 0.006,20 filled lw 1.4 lc "
                        "rgb variable, \\\n"
                        "  $groups using 1:2:3 with points pt 6 ps 0.7 lc rgb variable, \\\n"
                        "  $cold using 1:2:3 with points pt 10 ps 0.7 lc rgb variable, \\\n"
                        "  $warm using 1:2:3 with points pt 9 ps 0.7 lc rgb variable\n");
}

/* A kernel's rates over its sizes, in the corner that no table takes. */
static void write_sizes(const struct kt_plot *plot)
{
    const struct kt_roofline *r = plot->roofline;
    double w = plot->picture->width, h = plot->picture->height;
    fprintf(plot->file, "$sizes << EOD\n");
    for (size_t i = 0; i < r->points; i++) {
        const struct kt_roofline_point *p = &r->point[i];
        if (i && p->series != r->point[i - 1].series)
            fprintf(plot->file, "\n");
        kt_gnuplot_word(plot->file, p->shape + strcspn(p->shape, "0123456789"));
        fprintf(plot->file, " %.6g 0x%s\n", p->rate.median, kt_plot_colour(plot, p));
    }
    fprintf(plot->file,
            "EOD\nunset label\nunset object\nunset arrow\nunset y2tics\nset ytics mirror\nunset ylabel\n"
            "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset bmargin at screen %.5f\nset tmargin at screen "
            "%.5f\nset xrange [*:*]\nset yrange [*:*]\nset xlabel \"n\"\nset title \"flops per cycle by size\"\n"
            "plot $sizes using 1:2:3 with linespoints pt 7 ps 0.4 lw 1.6 lc rgb variable\n",
            (KT_PLOT_TABLE + 30) / w, 1 - 20 / w, KT_PLOT_BOTTOM / h, (KT_PLOT_BOTTOM + 340) / h);
}

static void write_script(struct kt_plot *plot, const struct kt_plot_title *title)
{
    kt_picture_begin(plot->file, plot->picture);
    choose_colours(plot);
    kt_plot_choose_axes(plot);
    kt_plot_frame(plot, title);
    kt_plot_roofs(plot);
    kt_plot_marks(plot);
    kt_plot_label_roofs(plot);
    kt_plot_discs(plot);
    double y = plot->picture->height - KT_PLOT_TOP_MARGIN - 4;
    write_key(plot, write_rows(plot, write_series(plot, y)));
    if (plot->roofline->lined)
        fprintf(plot->file, "set multiplot\n");
    write_plot(plot);
    if (plot->roofline->lined)
        write_sizes(plot);
}

enum kt_status kt_roofline_plot(const struct kt_roofline *roofline, const struct kt_plot_title *title,
                                const struct kt_picture *picture, struct kt_error *error)
{
    size_t drawn = 0;
    for (size_t i = 0; i < roofline->points; i++)
        drawn += kt_point_is_drawable(&roofline->point[i]);
    if (drawn == 0)
        return kt_fail(error, KT_BAD_INPUT,
                       "no call has both operations that can be counted and memory traffic: there is nothing to draw");
    struct kt_text_file script;
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    struct kt_plot *plot = kt_resize(NULL, 1, sizeof *plot);
    *plot = (struct kt_plot){.roofline = roofline, .picture = picture, .file = script.file};
    write_script(plot, title);
    free(plot);
    return kt_text_file_end(&script, error);
}
