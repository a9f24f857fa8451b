/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where things are in a picture with logarithmic axes, and where labels go so that they hide neither each other nor
 * what they name. Pixels count from the lower left corner. Pure functions.
 */
#ifndef KT_PLOT_LAYOUT_H
#define KT_PLOT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct kt_axes {
    double x0, x1, y0, y1;           /* the range of the data, above 0 */
    double left, right, bottom, top; /* of the plot, pixels */
};

double kt_axes_x(const struct kt_axes *axes, double x);
double kt_axes_y(const struct kt_axes *axes, double y);
/* The angle at which a line of unit slope appears, in degrees. */
double kt_axes_unit_slope(const struct kt_axes *axes);

/* Widens LO..HI so that there is FACTOR between the data and each end; at least a decade. */
void kt_axes_range(double *lo, double *hi, double factor);

struct kt_rectangle {
    double x0, y0, x1, y1; /* pixels */
};

/* What needs a label: a disc. */
struct kt_disc {
    double x, y, radius;  /* pixels */
    double width, height; /* of its label */
};

/*
 * The centres of the labels of N discs, the first ones first: in the disc if it is large enough and not under another,
 * otherwise as near to it as is free. TAKEN: where there may be none. FREE of each label: false where no free place
 * was left, and the least bad one was taken.
 */
void kt_labels_place(const struct kt_disc *disc, size_t n, const struct kt_rectangle *taken, size_t takens,
                     const struct kt_axes *axes, double (*centre)[2], bool *free_place);

#endif
