/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/refine.h"

#include "replay/setup/timing.h"
#include "trace/base/memory.h"

#include <math.h>

/* Twice the uncertainty of a sample is not held against the polynomial. */
static const double noise_weight = 2;

/* --- samples ----------------------------------------------------------------------------------------------- */

static bool is_regular(const struct kt_refine_rules *rules, int axes, const int64_t *size)
{
    for (int a = 0; a < axes; a++)
        if (size[a] >= KT_FINE_BELOW && size[a] % rules->multiple != 0)
            return false;
    return true;
}

/* Does it count for the region's polynomial? What is special in slices is not to bend the others. */
static bool is_fitted(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                      const struct kt_region *region, const struct kt_point *point)
{
    return point->samples && !point->held_out && kt_region_holds(region, &m->crossover, m->axes, point->size) &&
           is_regular(rules, m->axes, point->size) &&
           kt_box_fixed(&region->box, &m->domain, m->axes) == kt_kernel_model_fixed(m, point->size);
}

static int count_fitted(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                        const struct kt_region *region)
{
    int n = 0;
    for (size_t i = 0; i < m->points; i++)
        n += is_fitted(rules, m, region, &m->point[i]);
    return n;
}

bool kt_refine_is_pending(const struct kt_region *region)
{
    return !region->fitted;
}

/* --- fitting ----------------------------------------------------------------------------------------------- */

static int fewer(int a, int b)
{
    return a < b ? a : b;
}

/* Where a part of the grid cannot be timed, as with sizes that bound each other, there are to be as many samples for a
 * term as on a whole grid of two axes, or the polynomial meets them and nothing between. The first axes come first to
 * be lowered: sizes that bound others, in which time mostly grows no faster than linearly. */
static int most_coefficients(int axes, int samples)
{
    int most = axes > 1 ? 2 * samples / 3 : samples - 1;
    return most > 1 ? most : 1;
}

static void lower_degrees(int axes, int most, struct kt_region *region)
{
    while (kt_region_coefficients(region, axes) > most) {
        int highest = 0;
        for (int a = 1; a < axes; a++)
            highest = region->degree[a] > region->degree[highest] ? a : highest;
        region->degree[highest]--;
    }
}

/* Different sizes of the axis among the samples that are fitted, as far as they matter. */
static int count_sizes(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                       const struct kt_region *region, int axis)
{
    int64_t seen[KT_GRID_MOST];
    int n = 0;
    for (size_t i = 0; i < m->points && n < KT_GRID_MOST; i++) {
        int64_t size = m->point[i].size[axis];
        bool known = !is_fitted(rules, m, region, &m->point[i]);
        for (int k = 0; k < n && !known; k++)
            known = seen[k] == size;
        if (!known)
            seen[n++] = size;
    }
    return n;
}

/* As many degrees as the samples of an axis allow. */
static void choose_degrees(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, int samples,
                           struct kt_region *region)
{
    int grid = 1;
    int on_grid = kt_grid_sampled(rules, m, region);
    for (int a = 0; a < m->axes; a++) {
        int64_t at[KT_GRID_MOST];
        int n = fewer(kt_grid_of(rules, m, &region->box, a, at), count_sizes(rules, m, region, a));
        int most = n > 2 ? n - 1 - fewer(rules->oversampling, n - 2) : n - 1;
        region->degree[a] = fewer(rules->degree, most);
        grid *= n;
    }
    int most = on_grid < grid ? most_coefficients(m->axes, samples) : KT_MAX_COEFFICIENTS;
    lower_degrees(m->axes, fewer(most, KT_MAX_COEFFICIENTS), region);
}

static void effective_sizes(const struct kt_kernel_model *m, const int64_t *size, double *out)
{
    for (int a = 0; a < m->axes; a++)
        out[a] = kt_residues_size(&m->residues, a, size[a]);
}

static double error_at(const struct kt_kernel_model *m, const struct kt_region *region, const struct kt_point *point)
{
    double size[KT_MODEL_AXES];
    effective_sizes(m, point->size, size);
    return fabs(kt_region_value(region, m->axes, size) / point->seconds - 1);
}

static void judge(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, struct kt_region *region)
{
    region->samples = 0;
    region->average = region->worst = 0;
    for (size_t i = 0; i < m->points; i++) {
        if (!is_fitted(rules, m, region, &m->point[i]))
            continue;
        double error = error_at(m, region, &m->point[i]);
        region->average += error;
        region->worst = fmax(region->worst, error);
        region->samples++;
    }
    region->average /= region->samples ? region->samples : 1;
}

struct equations {
    int rows, columns;
    double *a, *b; /* owned; A by columns */
};

/* One for each sample, divided by its time: relative errors count. Returns the longest time. */
static double add_samples(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                          const struct kt_region *region, struct equations *e)
{
    double basis[KT_MAX_COEFFICIENTS];
    double size[KT_MODEL_AXES];
    double longest = 0;
    int row = 0;
    for (size_t i = 0; i < m->points; i++) {
        if (!is_fitted(rules, m, region, &m->point[i]))
            continue;
        effective_sizes(m, m->point[i].size, size);
        kt_region_basis(region, m->axes, size, basis);
        for (int c = 0; c < e->columns; c++)
            e->a[c * e->rows + row] = basis[c] / m->point[i].seconds;
        e->b[row++] = 1;
        longest = fmax(longest, m->point[i].seconds);
    }
    return longest;
}

/* Weak ones that say that a term is 0 unless it is linear in each size, the more so the higher its degrees. Samples on
 * one side of a crossover are no whole grid: there are terms that vanish on all of them, and between them are anything.
 */
static void add_doubts(const struct kt_region *region, int axes, double seconds, struct equations *e)
{
    const double weight = 1e-3;
    int first = e->rows - e->columns;
    for (int c = 0; c < e->columns; c++) {
        int excess = 0;
        for (int axis = 0, rest = c; axis < axes; rest /= region->degree[axis++] + 1) {
            int degree = rest % (region->degree[axis] + 1);
            excess += degree > 1 ? degree - 1 : 0;
        }
        e->a[c * e->rows + first + c] = weight * excess / seconds;
    }
}

static double *zeros(int count)
{
    double *number = kt_resize(NULL, (size_t)count, sizeof *number);
    for (int i = 0; i < count; i++)
        number[i] = 0;
    return number;
}

static enum kt_status fit(const struct kt_refine_rules *rules, struct kt_solver *solver,
                          const struct kt_kernel_model *m, int samples, struct kt_region *region,
                          struct kt_error *error)
{
    bool doubted = region->side != KT_BOTH;
    struct equations e = {.rows = samples + (doubted ? region->coefficients : 0), .columns = region->coefficients};
    e.a = zeros(e.rows * e.columns);
    e.b = zeros(e.rows);
    double longest = add_samples(rules, m, region, &e);
    if (doubted)
        add_doubts(region, m->axes, longest, &e);
    enum kt_status status = kt_solver_solve(solver, e.rows, e.columns, e.a, e.b, region->coefficient, error);
    free(e.a);
    free(e.b);
    return status;
}

enum kt_status kt_refine_fit(const struct kt_refine_rules *rules, struct kt_solver *solver, struct kt_kernel_model *m,
                             size_t region, struct kt_error *error)
{
    struct kt_region fitted = m->region[region];
    fitted.frame = fitted.box;
    int samples = count_fitted(rules, m, &fitted);
    if (samples == 0)
        return KT_OK;
    choose_degrees(rules, m, samples, &fitted);
    fitted.coefficients = kt_region_coefficients(&fitted, m->axes);
    fitted.coefficient = kt_resize(NULL, (size_t)fitted.coefficients, sizeof *fitted.coefficient);
    enum kt_status status = fit(rules, solver, m, samples, &fitted, error);
    if (status != KT_OK) {
        free(fitted.coefficient);
        return status;
    }
    fitted.fitted = true;
    judge(rules, m, &fitted);
    free(m->region[region].coefficient);
    m->region[region] = fitted;
    return KT_OK;
}

double kt_refine_excess(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, size_t region)
{
    const struct kt_region *r = &m->region[region];
    double worst = 0;
    if (!r->coefficient)
        return INFINITY;
    for (size_t i = 0; i < m->points; i++)
        if (is_fitted(rules, m, r, &m->point[i]))
            worst = fmax(worst, error_at(m, r, &m->point[i]) - noise_weight * m->point[i].noise);
    return worst;
}

bool kt_refine_doubts(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, size_t region,
                      const struct kt_point *point)
{
    const struct kt_region *r = &m->region[region];
    if (!r->coefficient || !r->fitted || !is_fitted(rules, m, r, point))
        return false;
    double clock = KT_CLOCK_DOUBT / point->seconds; /* however often it is timed */
    double error = error_at(m, r, point);
    return error - noise_weight * clock > rules->bound && error - noise_weight * point->noise <= rules->bound;
}

bool kt_refine_is_outdated(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, size_t region)
{
    const struct kt_region *r = &m->region[region];
    for (size_t i = 0; r->fitted && i < m->points; i++)
        if (m->point[i].is_new && is_fitted(rules, m, r, &m->point[i]))
            return true;
    return false;
}

/* --- splitting --------------------------------------------------------------------------------------------- */

/* A line of the grid along an axis: by how much, relative to its values, the best polynomial misses them at least that
 * has one degree less than would determine it. With a divided difference: sum of w y, where w = 1 / product of (x -
 * x'), over sum of |w| y. */
static double line_roughness(const struct kt_kernel_model *m, const int64_t *at, int n, int axis, int64_t *size)
{
    double sum = 0;
    double all = 0;
    double noise = 0;
    for (int i = 0; n > 1 && i < n; i++) {
        double weight = 1;
        size[axis] = at[i];
        const struct kt_point *point = kt_model_find_point(m, size);
        if (!point || !point->samples)
            return 0;
        for (int j = 0; j < n; j++)
            weight *= i == j ? 1 : (double)(at[n - 1] - at[0]) / (double)(at[i] - at[j]);
        sum += weight * point->seconds;
        all += fabs(weight) * point->seconds;
        noise += point->noise / n;
    }
    return all > 0 ? fmax(0, fabs(sum) / all - noise) : 0;
}

/* Those of the sizes that lie on the region's side of the crossover. */
static int keep_own(const struct kt_kernel_model *m, const struct kt_region *region, int axis, int64_t *size,
                    const int64_t *at, int n, int64_t *out)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        size[axis] = at[i];
        if (kt_region_holds(region, &m->crossover, m->axes, size))
            out[kept++] = at[i];
    }
    return kept;
}

/* Of all lines of the region's grid along that axis. */
static double axis_roughness(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                             const struct kt_region *region, int axis)
{
    int64_t at[KT_MODEL_AXES][KT_GRID_MOST];
    int64_t own[KT_GRID_MOST];
    int n[KT_MODEL_AXES];
    int lines = 1;
    double worst = 0;
    for (int a = 0; a < m->axes; a++) {
        n[a] = kt_grid_of(rules, m, &region->box, a, at[a]);
        lines *= a == axis ? 1 : n[a];
    }
    for (int i = 0; i < lines; i++) {
        int64_t size[KT_MODEL_AXES] = {0};
        for (int a = 0, rest = i; a < m->axes; a++) {
            size[a] = a == axis ? 0 : at[a][rest % n[a]];
            rest /= a == axis ? 1 : n[a];
        }
        int kept = keep_own(m, region, axis, size, at[axis], n[axis], own);
        if (kept < n[axis] && kept <= rules->degree) /* what little is left of a line is no polynomial's fault */
            continue;
        worst = fmax(worst, line_roughness(m, own, kept, axis, size));
    }
    return worst;
}

/* Cuts axes along which the samples are rough. Where the roughest is too short to be cut, cutting others does not help.
 */
static int cut_rough(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                     const struct kt_region *region, int64_t part[][2][2], int *parts)
{
    const struct kt_box *box = &region->box;
    const double stands_out = 0.4;
    double rough[KT_MODEL_AXES];
    double most = 0;
    int total = 1;
    for (int a = 0; a < m->axes; a++) {
        parts[a] = kt_grid_cut(rules, box->lo[a], box->hi[a], part[a]);
        rough[a] = axis_roughness(rules, m, region, a);
        most = fmax(most, rough[a]);
    }
    for (int a = 0; a < m->axes; a++) {
        if (parts[a] > 1 && rough[a] < fmin(stands_out * most, rules->bound)) {
            parts[a] = 1;
            part[a][0][1] = box->hi[a];
        }
        total *= parts[a];
    }
    return total;
}

bool kt_refine_split(const struct kt_refine_rules *rules, struct kt_kernel_model *m, size_t region)
{
    int64_t part[KT_MODEL_AXES][2][2];
    int parts[KT_MODEL_AXES];
    struct kt_region whole = m->region[region];
    if (cut_rough(rules, m, &whole, part, parts) == 1)
        return false;
    size_t first = m->regions;
    kt_domain_add_parts(m, part, parts, whole.side);
    kt_domain_inherit(m, first, &whole);
    free(whole.coefficient);
    m->region[region] = m->region[--m->regions];
    return true;
}
