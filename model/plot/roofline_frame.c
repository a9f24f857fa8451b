/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/plot/roofline_parts.h"

#include <math.h>
#include <string.h>

/* --- axes -------------------------------------------------------------------------------------------------- */

static void include(double *lo, double *hi, double value)
{
    if (!(value > 0) || isinf(value))
        return;
    *lo = fmin(*lo, value);
    *hi = fmax(*hi, value);
}

static bool has_single_core(const struct kt_roofs *roofs, enum kt_roof_kind kind)
{
    for (size_t i = 0; i < roofs->count; i++)
        if (roofs->roof[i].kind == kind && roofs->roof[i].cores <= 1)
            return true;
    return false;
}

/* The roofs that are a bound of something in the picture: no single precision where there are no such points. */
static bool is_relevant(const struct kt_roofline *roofline, size_t machine, const struct kt_roof *roof)
{
    bool single[2] = {false, false};
    bool many = false;
    for (size_t i = 0; i < roofline->points; i++) {
        const struct kt_roofline_point *p = &roofline->point[i];
        if (!kt_point_is_drawable(p) || roofline->series[p->series].roofs != machine)
            continue;
        single[p->work.is_single] = true;
        many = many || roofline->series[p->series].threads > 1;
    }
    if (roofline->machines > 1 && !roof->is_main) /* enough roofs as it is */
        return false;
    if (roof->cores > 1 && !many && has_single_core(&roofline->roofs[machine], roof->kind))
        return false;
    return roof->kind == KT_ROOF_BYTES || single[roof->is_single];
}

static const double least_share = 0.001; /* of what is not numbered: less of it may be outside the picture */
static const double beyond = 10;         /* so many times above or below what is numbered likewise */

/* Of numbered points all are in the picture; others must not stretch it. */
static bool is_framed(const struct kt_roofline_point *p, const struct kt_axes *numbered)
{
    bool is_near = p->rate.median >= numbered->y0 / beyond && p->intensity.median >= numbered->x0 / beyond &&
                   p->intensity.median <= numbered->x1 * beyond;
    bool is_any = !(numbered->x1 > 0);
    return kt_point_is_drawable(p) && (p->number || (p->share >= least_share && (is_near || is_any)));
}

/* Medians are in the picture; whiskers may leave it, as one call in a thousand may have waited for anything. */
static void include_points(const struct kt_roofline *r, bool numbered, struct kt_axes *a)
{
    const struct kt_axes before = *a;
    for (size_t i = 0; i < r->points; i++) {
        const struct kt_roofline_point *p = &r->point[i];
        if (!p->number == numbered || !is_framed(p, &before))
            continue;
        include(&a->x0, &a->x1, p->intensity.median);
        include(&a->y0, &a->y1, p->rate.median);
        if (p->number && p->source == KT_COUNTED) {
            include(&a->x0, &a->x1, p->intensity.q1);
            include(&a->x0, &a->x1, p->intensity.q3);
        }
    }
}

static void include_roofs(const struct kt_roofline *r, size_t machine, struct kt_axes *a)
{
    const struct kt_roofs *roofs = &r->roofs[machine];
    for (size_t i = 0; i < roofs->count; i++) {
        const struct kt_roof *roof = &roofs->roof[i];
        const struct kt_roof *peak = kt_roofs_flops(roofs, false, roof->cores);
        if (roof->kind == KT_ROOF_FLOPS && is_relevant(r, machine, roof))
            include(&a->y0, &a->y1, roof->value);
        if (peak && roof->is_main && !strcmp(roof->level, "memory"))
            include(&a->x0, &a->x1, 2 * kt_roofs_ridge(peak, roof));
    }
}

void kt_plot_choose_axes(struct kt_plot *plot)
{
    const struct kt_roofline *r = plot->roofline;
    struct kt_axes *a = &plot->axes;
    *a = (struct kt_axes){INFINITY,       0,
                          INFINITY,       0,
                          KT_PLOT_LEFT,   KT_PLOT_RIGHT,
                          KT_PLOT_BOTTOM, plot->picture->height - KT_PLOT_TOP_MARGIN};
    include_points(r, true, a);
    include_points(r, false, a);
    kt_axes_range(&a->x0, &a->x1, 2);
    for (size_t m = 0; m < r->machines; m++)
        include_roofs(r, m, a);
    kt_axes_range(&a->y0, &a->y1, 1.8);
}

/* --- roofs ------------------------------------------------------------------------------------------------- */

struct line {
    double x0, y0, x1, y1;
};

/* The highest value of a kind among the relevant roofs of a machine. */
static double highest(const struct kt_plot *plot, size_t machine, enum kt_roof_kind kind)
{
    const struct kt_roofs *roofs = &plot->roofline->roofs[machine];
    double value = 0;
    for (size_t i = 0; i < roofs->count; i++)
        if (roofs->roof[i].kind == kind && is_relevant(plot->roofline, machine, &roofs->roof[i]))
            value = fmax(value, roofs->roof[i].value);
    return value;
}

/* What of a roof is below the others and in the picture; false: nothing. */
static bool line_of(const struct kt_plot *plot, size_t machine, const struct kt_roof *roof, struct line *out)
{
    const struct kt_axes *a = &plot->axes;
    double steepest = highest(plot, machine, KT_ROOF_BYTES);
    double peak = highest(plot, machine, KT_ROOF_FLOPS);
    if (roof->kind == KT_ROOF_FLOPS) {
        double from = steepest > 0 ? roof->value / steepest : a->x0;
        *out = (struct line){fmax(from, a->x0), roof->value, a->x1, roof->value};
    } else {
        double from = fmax(a->x0, a->y0 / roof->value);
        double to = fmin(a->x1, (peak > 0 ? peak : a->y1) / roof->value);
        *out = (struct line){from, from * roof->value, to, to * roof->value};
    }
    return out->x0 < out->x1;
}

static bool same_line(const struct kt_roof *a, const struct kt_roof *b)
{
    return a->kind == b->kind && fabs(a->value / b->value - 1) < 0.03;
}

/* Calls DRAW for each roof that shows, the machines one after the other. */
static void for_roofs(struct kt_plot *plot, void (*draw)(struct kt_plot *, const struct kt_roofs *,
                                                         const struct kt_roof *, const struct line *))
{
    for (size_t m = 0; m < plot->roofline->machines; m++) {
        const struct kt_roofs *roofs = &plot->roofline->roofs[m];
        for (size_t i = 0; i < roofs->count; i++) {
            struct line line;
            bool hidden = false;
            for (size_t j = 0; j < i; j++)
                hidden = hidden || (is_relevant(plot->roofline, m, &roofs->roof[j]) &&
                                    same_line(&roofs->roof[i], &roofs->roof[j]));
            if (!hidden && is_relevant(plot->roofline, m, &roofs->roof[i]) && line_of(plot, m, &roofs->roof[i], &line))
                draw(plot, roofs, &roofs->roof[i], &line);
        }
    }
}

/* Of several machines each has the colour of its first trace. */
static const char *roof_colour(const struct kt_plot *plot, const struct kt_roofs *roofs, const struct kt_roof *roof)
{
    size_t machine = (size_t)(roofs - plot->roofline->roofs);
    for (size_t s = 0; plot->roofline->machines > 1 && s < plot->roofline->count; s++)
        if (plot->roofline->series[s].roofs == machine)
            return kt_picture_colour(s);
    return roof->is_main ? "555555" : "aaaaaa";
}

static void write_roof(struct kt_plot *plot, const struct kt_roofs *roofs, const struct kt_roof *roof,
                       const struct line *line)
{
    const char *colour = roof_colour(plot, roofs, roof);
    fprintf(plot->file, "%.6g %.6g 0x%s # ", line->x0, line->y0, colour);
    for (const char *c = roof->name; *c; c++) /* one line */
        fputc((unsigned char)*c < ' ' ? '?' : *c, plot->file);
    fprintf(plot->file, "\n%.6g %.6g 0x%s\n\n", line->x1, line->y1, colour);
}

static void write_ridges(struct kt_plot *plot)
{
    fprintf(plot->file, "$ridges << EOD\n");
    for (size_t m = 0; m < plot->roofline->machines; m++) {
        const struct kt_roofs *roofs = &plot->roofline->roofs[m];
        double peak = highest(plot, m, KT_ROOF_FLOPS);
        for (size_t i = 0; i < roofs->count; i++) {
            const struct kt_roof *roof = &roofs->roof[i];
            if (roof->kind == KT_ROOF_BYTES && roof->is_main && is_relevant(plot->roofline, m, roof))
                fprintf(plot->file, "%.6g %.6g\n", peak / roof->value, peak);
        }
    }
    fprintf(plot->file, "EOD\n");
}

/* What text that lies at X, Y would hide: points, and labels of other roofs. */
static double hidden_at(const struct kt_plot *plot, double x, double y)
{
    double sum = 0;
    const struct kt_roofline *r = plot->roofline;
    for (size_t i = 0; i < r->points; i++) {
        const struct kt_roofline_point *p = &r->point[i];
        if (!kt_point_is_drawable(p))
            continue;
        double dx = kt_axes_x(&plot->axes, p->intensity.median) - x;
        double dy = kt_axes_y(&plot->axes, p->rate.median) - y;
        double off = hypot(dx, dy) - (p->leads ? kt_plot_radius(p) : 0);
        sum += off < 14 ? 1 : 0;
    }
    for (size_t t = 0; t < plot->takens; t++) {
        double dx = (plot->taken[t].x0 + plot->taken[t].x1) / 2 - x;
        double dy = (plot->taken[t].y0 + plot->taken[t].y1) / 2 - y;
        sum += hypot(dx, dy) < 18 ? 3 : 0;
    }
    return sum;
}

static double hidden_by(const struct kt_plot *plot, double x, double y, double width, double angle)
{
    double sum = 0;
    for (double at = -width / 2; at <= width / 2; at += 8)
        sum += hidden_at(plot, x + at * cos(angle), y + at * sin(angle));
    return sum;
}

static void take(struct kt_plot *plot, double x, double y, double width, double angle)
{
    for (double at = -width / 2; at <= width / 2 && plot->takens < KT_PLOT_MOST_TAKEN; at += 10) {
        double cx = x + at * cos(angle);
        double cy = y + at * sin(angle);
        plot->taken[plot->takens++] = (struct kt_rectangle){cx - 6, cy - 6, cx + 6, cy + 6};
    }
}

/* Is there another roof of its kind so near above that a label does not fit between them? */
static bool is_near_another(const struct kt_plot *plot, const struct kt_roof *roof, double angle)
{
    for (size_t m = 0; m < plot->roofline->machines; m++)
        for (size_t i = 0; i < plot->roofline->roofs[m].count; i++) {
            const struct kt_roof *other = &plot->roofline->roofs[m].roof[i];
            if (other->kind != roof->kind || same_line(other, roof) || !is_relevant(plot->roofline, m, other))
                continue;
            double gap = kt_axes_y(&plot->axes, other->value) - kt_axes_y(&plot->axes, roof->value);
            if (gap > 0 && gap * cos(angle) < 16)
                return true;
        }
    return false;
}

/* A roof's label goes along it, just above, where least is in its way; horizontal ones rather to the right. */
static void label_roof(struct kt_plot *plot, const struct kt_roofs *roofs, const struct kt_roof *roof,
                       const struct line *line)
{
    char text[256];
    const struct kt_axes *a = &plot->axes;
    bool flat = roof->kind == KT_ROOF_FLOPS;
    snprintf(text, sizeof text, "%s%s%s: %.3g %s", roofs->machine, *roofs->machine ? ", " : "", roof->name, roof->value,
             flat ? "flop/cycle" : "B/cycle");
    double angle = flat ? 0 : kt_axes_unit_slope(a) * M_PI / 180;
    double width = 6.1 * (double)strlen(text);
    double x0 = kt_axes_x(a, line->x0), y0 = kt_axes_y(a, line->y0);
    double length = hypot(kt_axes_x(a, line->x1) - x0, kt_axes_y(a, line->y1) - y0);
    double best = INFINITY, best_at = 0;
    double off = is_near_another(plot, roof, angle) ? -8 : 8;
    for (int i = 0; i <= 24; i++) {
        double at = width / 2 + 6 + (length - width - 12) * i / 24;
        double x = x0 + at * cos(angle) - off * sin(angle), y = y0 + at * sin(angle) + off * cos(angle);
        double here = hidden_by(plot, x, y, width, angle) + 0.01 * (flat ? 24 - i : i);
        if (here < best) {
            best = here;
            best_at = at;
        }
    }
    if (length < width)
        return;
    double x = x0 + best_at * cos(angle) - off * sin(angle), y = y0 + best_at * sin(angle) + off * cos(angle);
    fprintf(plot->file, "set label ");
    kt_gnuplot_text(plot->file, text);
    fprintf(plot->file, " at screen %.5f, screen %.5f center rotate by %.2f textcolor rgb \"#%s\" font \",8\" front\n",
            x / plot->picture->width, y / plot->picture->height, angle * 180 / M_PI,
            roof->is_main || plot->roofline->machines > 1 ? roof_colour(plot, roofs, roof) : "808080");
    take(plot, x, y, width, angle);
}

/* --- the frame ------------------------------------------------------------------------------------------- */

void kt_plot_frame(const struct kt_plot *plot, const struct kt_plot_title *title)
{
    const struct kt_axes *a = &plot->axes;
    const struct kt_roofs *roofs = &plot->roofline->roofs[0];
    double w = plot->picture->width, h = plot->picture->height;
    fprintf(plot->file,
            "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset bmargin at screen %.5f\n"
            "set tmargin at screen %.5f\n",
            a->left / w, a->right / w, a->bottom / h, a->top / h);
    fprintf(plot->file, "set logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\nunset key\n", a->x0, a->x1,
            a->y0, a->y1);
    fprintf(plot->file, "set grid xtics ytics lc rgb \"#eeeeee\" lt 1\nset tics nomirror\nset format \"%%g\"\n");
    fprintf(plot->file, "set xlabel \"intensity: flops per byte of memory traffic\"\n");
    if (plot->roofline->machines == 1) {
        double giga = roofs->hz * 1e-9;
        fprintf(plot->file, "set ylabel \"flops per cycle, of %.2f GHz\"\n", giga);
        fprintf(plot->file, "set y2range [%.6g:%.6g]\nset logscale y2\nset y2tics font \",8\"\n", a->y0 * giga,
                a->y1 * giga);
        kt_plot_text(plot, a->right + 4, a->top + 12, "Gflop/s", "right font \",8\"");
    } else {
        fprintf(plot->file, "set ylabel \"flops per cycle\"\n");
    }
    kt_plot_text(plot, a->left, h - 16, title->what, "left font \",13\"");
    kt_plot_text(plot, a->left, h - 36, title->about, "left font \",10\" textcolor rgb \"#404040\"");
}

void kt_plot_roofs(struct kt_plot *plot)
{
    fprintf(plot->file, "$roofs << EOD\n");
    for_roofs(plot, write_roof);
    fprintf(plot->file, "EOD\n");
    write_ridges(plot);
}

void kt_plot_label_roofs(struct kt_plot *plot)
{
    for_roofs(plot, label_roof);
}
