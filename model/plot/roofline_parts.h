/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of the roofline plot (model/plot/roofline_plot.c): its frame, which is axes and roofs
 * (roofline_frame.c); its marks, which are points, boxes and lines between them (roofline_marks.c); and what stands
 * beside it. Places on the screen are pixels from the lower left corner.
 */
#ifndef KT_ROOFLINE_PARTS_H
#define KT_ROOFLINE_PARTS_H

#include "trace/print/gnuplot.h"
#include "model/plot/plot_layout.h"
#include "model/plot/plot_title.h"
#include "model/roofline/roofline.h"

enum { KT_PLOT_LEFT = 84, KT_PLOT_RIGHT = 880, KT_PLOT_BOTTOM = 56, KT_PLOT_TOP_MARGIN = 62, KT_PLOT_TABLE = 940 };
enum { KT_PLOT_MOST_NUMBERED = 64, KT_PLOT_MOST_TAKEN = 256 };

struct kt_plot {
    const struct kt_roofline *roofline;
    const struct kt_picture *picture;
    struct kt_axes axes;
    FILE *file;
    char routine[KT_PICTURE_COLOURS][32]; /* with a colour of its own, if there is only one series */
    size_t routines;
    struct kt_rectangle taken[KT_PLOT_MOST_TAKEN]; /* by labels of roofs */
    size_t takens;
    int objects; /* of gnuplot, so far */
};

/* Six hexadecimal digits: that of its series, or of its routine if there is only one series. */
const char *kt_plot_colour(const struct kt_plot *plot, const struct kt_roofline_point *point);

/* The range of the axes: numbered points and the roofs over them are inside. */
void kt_plot_choose_axes(struct kt_plot *plot);
void kt_plot_frame(const struct kt_plot *plot, const struct kt_plot_title *title);
void kt_plot_roofs(struct kt_plot *plot);       /* data blocks */
void kt_plot_label_roofs(struct kt_plot *plot); /* where they hide least */

/* Does the point belong to that data block? */
bool kt_plot_belongs(const char *block, const struct kt_roofline_point *point);
void kt_plot_marks(const struct kt_plot *plot); /* data blocks */
void kt_plot_discs(struct kt_plot *plot);       /* with their numbers */

double kt_plot_radius(const struct kt_roofline_point *point);
void kt_plot_circle(struct kt_plot *plot, double x, double y, double radius, const char *colour);
/* MORE: how gnuplot is to set it. */
void kt_plot_text(const struct kt_plot *plot, double x, double y, const char *text, const char *more);

#endif
