/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/plot/plot_layout.h"

#include <math.h>

double kt_axes_x(const struct kt_axes *a, double x)
{
    return a->left + (a->right - a->left) * log(x / a->x0) / log(a->x1 / a->x0);
}

double kt_axes_y(const struct kt_axes *a, double y)
{
    return a->bottom + (a->top - a->bottom) * log(y / a->y0) / log(a->y1 / a->y0);
}

double kt_axes_unit_slope(const struct kt_axes *a)
{
    double x = (a->right - a->left) / log(a->x1 / a->x0);
    double y = (a->top - a->bottom) / log(a->y1 / a->y0);
    return atan2(y, x) * 180 / M_PI;
}

void kt_axes_range(double *lo, double *hi, double factor)
{
    *lo /= factor;
    *hi *= factor;
    double missing = 10 / (*hi / *lo);
    if (missing > 1) {
        *lo /= sqrt(missing);
        *hi *= sqrt(missing);
    }
}

/* --- labels ------------------------------------------------------------------------------------------------ */

enum { DIRECTIONS = 16, RINGS = 12 };
static const double ring_step = 7; /* pixels */

static double overlap(const struct kt_rectangle *a, const struct kt_rectangle *b)
{
    double width = fmin(a->x1, b->x1) - fmax(a->x0, b->x0);
    double height = fmin(a->y1, b->y1) - fmax(a->y0, b->y0);
    return width > 0 && height > 0 ? width * height : 0;
}

static struct kt_rectangle around(double x, double y, double width, double height)
{
    return (struct kt_rectangle){x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

struct board {
    const struct kt_disc *disc;
    size_t n, placed; /* labels of the first PLACED are placed */
    const struct kt_rectangle *taken;
    size_t takens;
    const struct kt_axes *axes;
    double (*centre)[2];
};

/* How much of what matters the label of disc I would cover there; 0: nothing. */
static double cost(const struct board *b, size_t i, double x, double y)
{
    struct kt_rectangle label = around(x, y, b->disc[i].width, b->disc[i].height);
    double sum = 0;
    const struct kt_axes *a = b->axes;
    if (label.x0 < a->left || label.x1 > a->right || label.y0 < a->bottom || label.y1 > a->top)
        sum += 1e6;
    for (size_t t = 0; t < b->takens; t++)
        sum += overlap(&label, &b->taken[t]);
    for (size_t p = 0; p < b->placed; p++) {
        struct kt_rectangle other = around(b->centre[p][0], b->centre[p][1], b->disc[p].width, b->disc[p].height);
        sum += 10 * overlap(&label, &other);
    }
    for (size_t d = 0; d < b->n; d++) {
        struct kt_rectangle middle = around(b->disc[d].x, b->disc[d].y, 10, 10); /* a large disc is transparent */
        sum += d == i ? 0 : overlap(&label, &middle);
    }
    return sum;
}

static bool fits_inside(const struct kt_disc *disc)
{
    return 2 * disc->radius >= hypot(disc->width, disc->height);
}

/* Takes the place if it is better than the best so far. */
static void try_place(const struct board *b, size_t i, double x, double y, double *best)
{
    double here = cost(b, i, x, y);
    if (!(here < *best))
        return;
    *best = here;
    b->centre[i][0] = x;
    b->centre[i][1] = y;
}

static double place_one(const struct board *b, size_t i)
{
    const struct kt_disc *disc = &b->disc[i];
    double best = INFINITY;
    if (fits_inside(disc))
        try_place(b, i, disc->x, disc->y, &best);
    for (int ring = 0; ring < RINGS && best > 0; ring++)
        for (int d = 0; d < DIRECTIONS && best > 0; d++) {
            double angle = 2 * M_PI * (d + 2) / DIRECTIONS;
            double far = disc->radius + 2 + ring * ring_step;
            try_place(b, i, disc->x + cos(angle) * (far + disc->width / 2),
                      disc->y + sin(angle) * (far + disc->height / 2), &best);
        }
    return best;
}

void kt_labels_place(const struct kt_disc *disc, size_t n, const struct kt_rectangle *taken, size_t takens,
                     const struct kt_axes *axes, double (*centre)[2], bool *free_place)
{
    struct board board = {disc, n, 0, taken, takens, axes, centre};
    for (size_t i = 0; i < n; i++) {
        free_place[i] = place_one(&board, i) == 0;
        board.placed = i + 1;
    }
}
