/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/plot/roofline_parts.h"

#include <math.h>
#include <string.h>

static const double most_radius = 64; /* pixels, of a share of 1 */
static const double least_radius = 3.5;

double kt_plot_radius(const struct kt_roofline_point *p)
{
    return p->share > 0 ? fmax(least_radius, most_radius * sqrt(fmin(1, p->share))) : least_radius;
}

/* --- points ------------------------------------------------------------------------------------------------ */

static void write_spread(FILE *file, double least, double most, double middle)
{
    fprintf(file, " %.6g %.6g", isfinite(least) ? least : middle, isfinite(most) ? most : middle);
}

/* Of a kernel what spreads are the times of its visits. */
static struct kt_spread rate_of(const struct kt_plot *plot, const struct kt_roofline_point *p)
{
    double hz = plot->roofline->roofs[plot->roofline->series[p->series].roofs].hz;
    return plot->roofline->lined ? kt_spread_quotient(p->work.flops / hz, &p->visits) : p->rate;
}

/* One line of the block NAME for a point. */
static void write_point(const struct kt_plot *plot, const char *block, const struct kt_roofline_point *p)
{
    FILE *file = plot->file;
    const struct kt_spread spread = rate_of(plot, p);
    const struct kt_spread *x = &p->intensity, *y = &spread;
    fprintf(file, "%.6g %.6g", x->median, p->rate.median);
    if (!strcmp(block, "boxes") || !strcmp(block, "fields")) {
        write_spread(file, x->q1, x->q3, x->median);
        write_spread(file, y->q1, y->q3, y->median);
    } else if (!strcmp(block, "whiskers")) {
        write_spread(file, x->least, x->most, x->median);
        write_spread(file, y->least, y->most, y->median);
    } else if (!strcmp(block, "discs")) {
        fprintf(file, " %.4g", kt_plot_radius(p));
    }
    fprintf(file, " 0x%s", kt_plot_colour(plot, p));
    if (!strcmp(block, "discs"))
        fprintf(file, " %zu", p->number);
    fprintf(file, "\n");
}

/* Whiskers may leave the picture, as one call in a thousand may have waited for anything: that is marked. */
static void mark_cut(const struct kt_plot *plot, const struct kt_roofline_point *p)
{
    const struct kt_axes *a = &plot->axes;
    char more[64];
    if (!kt_plot_belongs("whiskers", p) || !(rate_of(plot, p).least < a->y0))
        return;
    snprintf(more, sizeof more, "center font \",8\" textcolor rgb \"#%s\"", kt_plot_colour(plot, p));
    kt_plot_text(plot, kt_axes_x(a, p->intensity.median), a->bottom + 5, "▼", more);
}

static const double boxed_share = 0.01; /* boxes of groups with less would only hide what matters */

bool kt_plot_belongs(const char *block, const struct kt_roofline_point *p)
{
    if (!kt_point_is_drawable(p))
        return false;
    if (!strcmp(block, "warm") || !strcmp(block, "cold"))
        return p->number && !p->leads && !strcmp(block, kt_point_context_name[p->context]);
    if (!strcmp(block, "groups"))
        return !p->number && p->leads;
    if (!strcmp(block, "discs"))
        return p->number && p->leads;
    bool is_group = !strcmp(block, "fields");
    if (is_group ? p->number > 0 || p->share < boxed_share : !p->number)
        return false;
    bool is_wide = kt_spread_is_wide(&p->rate) || kt_spread_is_wide(&p->intensity) || kt_spread_is_wide(&p->visits);
    return p->leads && is_wide; /* boxes, whiskers */
}

static void write_block(const struct kt_plot *plot, const char *block)
{
    fprintf(plot->file, "$%s << EOD\n", block);
    for (size_t i = 0; i < plot->roofline->points; i++)
        if (kt_plot_belongs(block, &plot->roofline->point[i]))
            write_point(plot, block, &plot->roofline->point[i]);
    fprintf(plot->file, "EOD\n");
}

/* --- lines between points ---------------------------------------------------------------------------------- */

/* An arrow says what would be won: none where nothing is, or hardly more than the noise. */
static bool is_gain(const struct kt_roofline_point *insitu, const struct kt_roofline_point *warm)
{
    return warm->rate.median > 1.05 * insitu->rate.median;
}

static bool are_joined(const char *block, const struct kt_roofline_point *a, const struct kt_roofline_point *b)
{
    if (!a->number || a->number != b->number || !a->leads || !kt_point_is_drawable(a) || !kt_point_is_drawable(b))
        return false;
    if (!strcmp(block, "links"))
        return b->leads && b->series == a->series + 1 && !strcmp(a->routine, b->routine);
    if (!strcmp(block, "gains") && !is_gain(a, b))
        return false;
    return a->series == b->series && !b->leads &&
           b->context == (!strcmp(block, "gains") ? KT_POINT_WARM : KT_POINT_COLD);
}

static void write_joins(const struct kt_plot *plot, const char *block)
{
    const struct kt_roofline *r = plot->roofline;
    fprintf(plot->file, "$%s << EOD\n", block);
    for (size_t i = 0; i < r->points; i++)
        for (size_t j = 0; j < r->points; j++) {
            const struct kt_roofline_point *a = &r->point[i], *b = &r->point[j];
            if (are_joined(block, a, b))
                fprintf(plot->file, "%.6g %.6g %.6g %.6g 0x%s %zu\n", a->intensity.median, a->rate.median,
                        b->intensity.median, b->rate.median, kt_plot_colour(plot, a), a->number);
        }
    fprintf(plot->file, "EOD\n");
}

/* The sizes of a kernel, one after the other. */
static void write_curves(const struct kt_plot *plot)
{
    const struct kt_roofline *r = plot->roofline;
    fprintf(plot->file, "$curves << EOD\n");
    for (size_t i = 0; i < r->points && r->lined; i++) {
        const struct kt_roofline_point *p = &r->point[i];
        if (i && p->series != r->point[i - 1].series)
            fprintf(plot->file, "\n");
        if (kt_point_is_drawable(p))
            fprintf(plot->file, "%.6g %.6g 0x%s %s\n", p->intensity.median, p->rate.median, kt_plot_colour(plot, p),
                    p->shape);
    }
    fprintf(plot->file, "EOD\n");
}

/* --- discs and numbers ------------------------------------------------------------------------------------- */

/* A number, or the size of a kernel. */
static void label_of(const struct kt_plot *plot, const struct kt_roofline_point *p, char out[24])
{
    if (plot->roofline->lined)
        snprintf(out, 24, "%.20s", p->shape + strcspn(p->shape, "0123456789"));
    else
        snprintf(out, 24, "%zu", p->number);
}

/* A number that is not at its disc gets a thin line to it. */
static void write_leader(const struct kt_plot *plot, const struct kt_disc *disc, const double centre[2])
{
    double far = hypot(centre[0] - disc->x, centre[1] - disc->y);
    if (far < disc->radius + 16)
        return;
    double from = disc->radius / far, to = 1 - 8 / far;
    double dx = centre[0] - disc->x, dy = centre[1] - disc->y;
    fprintf(
        plot->file,
        "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead lw 0.5 lc rgb \"#808080\" front\n",
        (disc->x + from * dx) / plot->picture->width, (disc->y + from * dy) / plot->picture->height,
        (disc->x + to * dx) / plot->picture->width, (disc->y + to * dy) / plot->picture->height);
}

/* Has an earlier disc the same number? Each number stands once, and sizes of a kernel at the first curve. */
static bool is_labelled(const struct kt_plot *plot, size_t point)
{
    const struct kt_roofline *r = plot->roofline;
    for (size_t i = 0; i < point; i++)
        if (r->point[i].number == r->point[point].number && kt_plot_belongs("discs", &r->point[i]))
            return true;
    return false;
}

static void write_labels(const struct kt_plot *plot, const struct kt_disc *disc, char (*label)[24], size_t n)
{
    double centre[KT_PLOT_MOST_NUMBERED][2];
    bool is_free[KT_PLOT_MOST_NUMBERED];
    kt_labels_place(disc, n, plot->taken, plot->takens, &plot->axes, centre, is_free);
    for (size_t i = 0; i < n; i++) {
        write_leader(plot, &disc[i], centre[i]);
        kt_plot_text(plot, centre[i][0], centre[i][1], label[i], "center font \",9\"");
    }
}

void kt_plot_discs(struct kt_plot *plot)
{
    struct kt_disc labelled[KT_PLOT_MOST_NUMBERED] = {0};
    char label[KT_PLOT_MOST_NUMBERED][24];
    size_t n = 0;
    for (size_t i = 0; i < plot->roofline->points; i++) {
        const struct kt_roofline_point *p = &plot->roofline->point[i];
        if (!kt_plot_belongs("discs", p))
            continue;
        struct kt_disc disc = {.x = kt_axes_x(&plot->axes, p->intensity.median),
                               .y = kt_axes_y(&plot->axes, p->rate.median),
                               .radius = kt_plot_radius(p),
                               .height = 13};
        kt_plot_circle(plot, disc.x, disc.y, disc.radius, kt_plot_colour(plot, p));
        if (n == KT_PLOT_MOST_NUMBERED || is_labelled(plot, i))
            continue;
        label_of(plot, p, label[n]);
        disc.width = 3 + 6 * (double)strlen(label[n]);
        labelled[n++] = disc;
    }
    write_labels(plot, labelled, label, n);
}

/* --- all of them ------------------------------------------------------------------------------------------- */

void kt_plot_marks(const struct kt_plot *plot)
{
    static const char *const block[] = {"boxes", "fields", "whiskers", "discs", "groups", "warm", "cold"};
    static const char *const join[] = {"gains", "losses", "links"};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        write_block(plot, block[i]);
    for (size_t i = 0; i < sizeof join / sizeof *join; i++)
        write_joins(plot, join[i]);
    write_curves(plot);
    for (size_t i = 0; i < plot->roofline->points; i++)
        mark_cut(plot, &plot->roofline->point[i]);
}
