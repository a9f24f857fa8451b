/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/residues.h"

#include "trace/base/memory.h"
#include "trace/base/stats.h"

#include <math.h>

/* What is left over costs no less than nothing, and no more than so many whole strips: columns one by one do. */
enum { PASSES = 6, SAMPLES_PER_SHIFT = 3, MOST_PERIODS = 3 };

size_t kt_residues_samples(int axes, int period)
{
    return (size_t)(SAMPLES_PER_SHIFT * (period - 1) * axes);
}

static bool counts(const struct kt_kernel_model *m, const struct kt_point *p)
{
    return p->samples && !p->held_out && !kt_sizes_are_regular(m->axes, p->size) && kt_kernel_model_region(m, p->size);
}

/* The unknown of a residue of an axis; -1: it is 0 for good. */
static int unknown(const struct kt_residues *r, int axis, int64_t size)
{
    int residue = (int)(size % r->period);
    return size < KT_FINE_BELOW || residue == 0 ? -1 : axis * (r->period - 1) + residue - 1;
}

static double slope(const struct kt_region *region, int axes, const double *size, int axis)
{
    double at[KT_MODEL_AXES];
    memcpy(at, size, sizeof at);
    at[axis] = size[axis] + 1;
    double above = kt_region_value(region, axes, at);
    at[axis] = size[axis] - 1;
    return (above - kt_region_value(region, axes, at)) / 2;
}

/* How much larger the sizes would have to be for the polynomial to agree with a sample: one equation, relative to the
 * sample's time. */
static void add_equation(const struct kt_kernel_model *m, const struct kt_residues *r, const struct kt_point *p,
                         double *a, double *b, int rows, int row)
{
    const struct kt_region *region = kt_kernel_model_region(m, p->size);
    double size[KT_MODEL_AXES] = {0};
    for (int x = 0; x < m->axes; x++)
        size[x] = kt_residues_size(r, x, p->size[x]);
    b[row] = 1 - kt_region_value(region, m->axes, size) / p->seconds;
    for (int x = 0; x < m->axes; x++) {
        int column = unknown(r, x, p->size[x]);
        if (column >= 0)
            a[column * rows + row] = slope(region, m->axes, size, x) / p->seconds;
    }
}

/* Weak equations that say that a shift is 0: what no sample tells stays so. */
static void add_doubts(const struct kt_residues *r, int columns, double *a, double *b, int rows, int first)
{
    const double weight = 2e-3;
    for (int c = 0; c < columns; c++) {
        a[c * rows + first + c] = weight;
        b[first + c] = -weight * r->shift[c / (r->period - 1)][c % (r->period - 1) + 1];
    }
}

/* Where polynomials are off anyway, samples tell nothing of residues: those by much more than most are count less (with
 * Cauchy's weights, for errors of which some are large). */
static void weigh(int columns, int samples, double *a, double *b, int rows)
{
    const double usual = 1.5; /* medians */
    const double least = 0.01;
    double *off = calloc((size_t)samples, sizeof *off);
    for (int i = 0; i < samples; i++)
        off[i] = fabs(b[i]);
    double scale = fmax(usual * kt_stat_of(off, (size_t)samples, KT_BEST_MEDIAN).median, least);
    free(off);
    for (int i = 0; i < samples; i++) {
        double weight = 1 / hypot(1, b[i] / scale);
        b[i] *= weight;
        for (int c = 0; c < columns; c++)
            a[c * rows + i] *= weight;
    }
}

static void add_shifts(struct kt_residues *r, int columns, const double *x)
{
    for (int c = 0; c < columns; c++) {
        int residue = c % (r->period - 1) + 1;
        double *shift = &r->shift[c / (r->period - 1)][residue];
        *shift = fmax(-residue, fmin(MOST_PERIODS * r->period, *shift + x[c]));
    }
}

/* One step of Gauss and Newton. */
static enum kt_status improve(struct kt_solver *solver, const struct kt_kernel_model *m, int samples,
                              struct kt_residues *r, struct kt_error *error)
{
    int columns = m->axes * (r->period - 1);
    int rows = samples + columns;
    double *a = calloc((size_t)rows * (size_t)columns, sizeof *a);
    double *b = calloc((size_t)rows, sizeof *b);
    double *x = calloc((size_t)columns, sizeof *x);
    int row = 0;
    for (size_t i = 0; i < m->points; i++)
        if (counts(m, &m->point[i]))
            add_equation(m, r, &m->point[i], a, b, rows, row++);
    weigh(columns, row, a, b, rows);
    add_doubts(r, columns, a, b, rows, row);
    enum kt_status status = kt_solver_solve(solver, rows, columns, a, b, x, error);
    if (status == KT_OK)
        add_shifts(r, columns, x);
    free(a);
    free(b);
    free(x);
    return status;
}

enum kt_status kt_residues_fit(struct kt_solver *solver, struct kt_kernel_model *m, struct kt_error *error)
{
    struct kt_residues r = {.period = KT_RESIDUE_PERIOD};
    int samples = 0;
    for (size_t i = 0; i < m->points; i++)
        samples += counts(m, &m->point[i]);
    m->residues = (struct kt_residues){0};
    if (samples < m->axes * (r.period - 1))
        return KT_OK;
    for (int pass = 0; pass < PASSES; pass++)
        KT_TRY(improve(solver, m, samples, &r, error));
    m->residues = r;
    return KT_OK;
}
