/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The partition of a domain, as figure 3 of Peise & Bientinesi draws it, by gnuplot.
 */
#include "model/kernels/model_show.h"

#include "trace/print/csv_cell.h"
#include "trace/print/gnuplot.h"
#include "trace/print/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 460, HEIGHT = 430, MOST_PANELS = 12 };

/* A region of a model with more sizes is drawn if it is at the upper end of those that are not. */
static bool is_drawn(const struct kt_kernel_model *m, const struct kt_box *box)
{
    for (int a = 2; a < m->axes; a++)
        if (box->hi[a] != m->domain.hi[a] || (box->lo[a] == box->hi[a] && m->domain.lo[a] < m->domain.hi[a]))
            return false;
    return true;
}

static void write_regions(FILE *script, FILE *data, const struct kt_kernel_model *m)
{
    for (size_t i = 0; i < m->regions; i++) {
        const struct kt_region *r = &m->region[i];
        int64_t low = m->axes > 1 ? r->box.lo[1] : 0;
        int64_t high = m->axes > 1 ? r->box.hi[1] : 1;
        double top = m->axes > 1 || !r->coefficient ? (double)high : 100 * r->worst;
        if (!is_drawn(m, &r->box))
            continue;
        kt_csv_cell(data, m->routine);
        fprintf(data, ",");
        kt_csv_cell(data, m->options);
        fprintf(data, ",%s,region,%ld,%ld,%ld,%ld,%.5g,%.5g\n", kt_model_context_name[m->context], (long)r->box.lo[0],
                (long)r->box.hi[0], (long)low, (long)high, r->average, r->worst);
        if (r->coefficient)
            fprintf(script,
                    "set object rect from %ld,%ld to %ld,%.6g fc palette cb %.4f fs solid border lc rgb 'black'\n",
                    (long)r->box.lo[0], (long)low, (long)r->box.hi[0], top, 100 * r->worst);
        else
            fprintf(script, "set object rect from %ld,%ld to %ld,%ld fs empty border lc rgb 'grey'\n",
                    (long)r->box.lo[0], (long)low, (long)r->box.hi[0], (long)high);
    }
}

static size_t write_points(FILE *script, const struct kt_kernel_model *m, bool held_out, const char *name)
{
    size_t n = 0;
    fprintf(script, "$%s << EOD\n", name);
    for (size_t i = 0; i < m->points; i++) {
        const struct kt_point *p = &m->point[i];
        if (p->held_out != held_out || !p->samples)
            continue;
        fprintf(script, "%ld %g\n", (long)p->size[0], m->axes > 1 ? (double)p->size[1] : 0);
        n++;
    }
    fprintf(script, "EOD\n");
    return n;
}

/* Of one size there is no field: its regions are bars as high as their error. */
static double worst_region(const struct kt_kernel_model *m)
{
    double worst = 1e-3;
    for (size_t i = 0; i < m->regions; i++)
        if (m->region[i].coefficient)
            worst = fmax(worst, m->region[i].worst);
    return 100 * worst;
}

static void write_panel(FILE *script, FILE *data, const struct kt_kernel_model *m)
{
    bool flat = m->axes == 1;
    char name[256];
    char quality[128] = "no held-out points yet";
    if (m->error.n)
        snprintf(quality, sizeof quality, "mean %.2g %%, max %.2g %% at %d held-out points", 100 * m->error.average,
                 100 * m->error.worst, m->error.n);
    snprintf(name, sizeof name, "%.100s %.100s, %s", m->routine, m->options, kt_model_context_name[m->context]);
    fprintf(script, "unset object\nset title ");
    kt_gnuplot_lines(script, name, quality);
    fprintf(script, "\nset xlabel ");
    kt_gnuplot_text(script, m->axis[0]);
    fprintf(script, "\nset ylabel ");
    kt_gnuplot_text(script, flat ? "worst sample, %" : m->axis[1]);
    fprintf(script, "\nset xrange [%ld:%ld]\nset yrange [%g:%g]\n", (long)m->domain.lo[0], (long)m->domain.hi[0],
            flat ? 0 : (double)m->domain.lo[1], flat ? 1.1 * worst_region(m) : (double)m->domain.hi[1]);
    write_points(script, m, false, "samples");
    size_t held_out = write_points(script, m, true, "heldout");
    write_regions(script, data, m);
    fprintf(script,
            "plot $samples using 1:2:(0) with dots lc palette notitle, $samples with points pt 7 ps 0.35 "
            "lc rgb 'black' title 'sample'%s\n",
            held_out ? ", $heldout with points pt 2 ps 0.5 lc rgb '#0072b2' title 'held out'" : "");
}

/* Of the pictures side by side. */
struct grid {
    size_t panels, columns, rows;
};

/* Those of the filter that have an extent, as far as there is room; ALL: how many there are. */
static size_t choose_panels(const struct kt_models *models, const char *filter, const struct kt_kernel_model **panel,
                            size_t *all)
{
    size_t n = 0;
    *all = 0;
    for (size_t i = 0; i < models->count; i++) {
        const struct kt_kernel_model *m = &models->model[i];
        bool flat = m->domain.lo[0] == m->domain.hi[0] || (m->axes > 1 && m->domain.lo[1] == m->domain.hi[1]);
        if (!kt_model_matches(m, filter) || !m->regions || flat)
            continue;
        ++*all;
        if (n < MOST_PANELS)
            panel[n++] = m;
    }
    return n;
}

static void write_script(FILE *script, FILE *data, const struct kt_kernel_model **panel, const struct grid *grid,
                         const struct kt_picture *picture)
{
    kt_picture_begin(script, picture);
    fprintf(script,
            "set multiplot layout %zu,%zu\nset palette defined (0 '#ffffe5', 0.4 '#fec44f', 1 '#cc4c02')\n"
            "set cbrange [0:10]\nset cblabel 'worst sample, %%'\nset key outside bottom center horizontal\n",
            grid->rows, grid->columns);
    fprintf(data, "routine,options,context,kind,lo1,hi1,lo2,hi2,error_mean,error_max\n");
    for (size_t i = 0; i < grid->panels; i++)
        write_panel(script, data, panel[i]);
    fprintf(script, "unset multiplot\n");
}

static enum kt_status write_files(const struct kt_kernel_model **panel, const struct grid *grid,
                                  const struct kt_picture *picture, struct kt_error *error)
{
    struct kt_text_file script, data;
    KT_TRY(kt_gnuplot_begin(&script, picture->script, error));
    enum kt_status status = kt_text_file_begin(&data, picture->data, error);
    if (status == KT_OK) {
        write_script(script.file, data.file, panel, grid, picture);
        status = kt_text_file_end(&data, error);
    }
    enum kt_status ended = kt_text_file_end(&script, error);
    return status != KT_OK ? status : ended;
}

enum kt_status kt_models_plot(const struct kt_models *models, const char *filter, const char *file,
                              struct kt_error *error)
{
    const struct kt_kernel_model *panel[MOST_PANELS];
    struct kt_picture picture;
    size_t all;
    struct grid grid = {.panels = choose_panels(models, filter, panel, &all)};
    grid.columns = grid.panels < 3 ? grid.panels : 3;
    if (!grid.panels)
        return kt_fail(error, KT_BAD_INPUT, "%s: no model here has a range of sizes to plot", models->path);
    grid.rows = (grid.panels + grid.columns - 1) / grid.columns;
    KT_TRY(kt_picture_name(file, (int)grid.columns * WIDTH, (int)grid.rows * HEIGHT, &picture, error));
    KT_TRY(write_files(panel, &grid, &picture, error));
    if (all > grid.panels)
        kt_notice("model show: %zu of %zu models are drawn; --routine chooses", grid.panels, all);
    return kt_picture_draw(&picture, error);
}
