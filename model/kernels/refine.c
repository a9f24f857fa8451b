/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/refine.h"

#include "trace/memory.h"

#include <math.h>

/* Twice the uncertainty of a sample is not held against the polynomial. */
static const double noise_weight = 2;

/* --- samples ----------------------------------------------------------------------------------------------- */

void kt_model_add_point(struct kt_kernel_model *model, const struct kt_point *point)
{
    model->point = kt_resize(model->point, model->points + 1, sizeof *model->point);
    model->point[model->points++] = *point;
}

const struct kt_point *kt_model_find_point(const struct kt_kernel_model *model, const int64_t *size)
{
    for (size_t i = 0; i < model->points; i++)
        if (!memcmp(model->point[i].size, size, (size_t)model->axes * sizeof *size))
            return &model->point[i];
    return NULL;
}

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
    return point->samples && !point->held_out && kt_region_holds(region, m->crossover, m->axes, point->size) &&
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

/* --- boxes and grids --------------------------------------------------------------------------------------- */

static void widen_to_grid(const struct kt_refine_rules *rules, int axes, struct kt_box *domain)
{
    for (int a = 0; a < axes; a++) {
        int64_t *lo = &domain->lo[a];
        int64_t *hi = &domain->hi[a];
        *lo = *lo < 1 ? 1 : *lo;
        *hi = *hi < *lo ? *lo : *hi;
        if (*lo >= KT_FINE_BELOW)
            *lo -= *lo % rules->multiple < *lo - KT_FINE_BELOW + 1 ? *lo % rules->multiple : 0;
        if (*hi > KT_FINE_BELOW)
            *hi = (*hi + rules->multiple - 1) / rules->multiple * rules->multiple;
    }
}

/* One part of an axis is below 8, the other from 8 on. */
static int cut_fine(int64_t lo, int64_t hi, int64_t part[2][2])
{
    part[0][0] = part[1][0] = lo;
    part[0][1] = part[1][1] = hi;
    if (lo >= KT_FINE_BELOW || hi <= KT_FINE_BELOW)
        return 1;
    part[0][1] = part[1][0] = KT_FINE_BELOW;
    return 2;
}

static void append(struct kt_kernel_model *m, const struct kt_box *box, enum kt_side side)
{
    m->region = kt_resize(m->region, m->regions + 1, sizeof *m->region);
    m->region[m->regions++] =
        (struct kt_region){.box = *box, .side = side, .frame = *box, .average = NAN, .worst = NAN};
}

/* Of the sizes of the box those on that side: a region for each side that the crossover divides it into. */
static void add_region(struct kt_kernel_model *m, const struct kt_box *box, enum kt_side side)
{
    enum kt_side of_box = kt_box_side(box, m->crossover, m->axes);
    if (m->crossover <= 0 || (of_box != KT_BOTH && (side == KT_BOTH || side == of_box)))
        append(m, box, KT_BOTH);
    else if (of_box == KT_BOTH)
        for (int s = KT_BELOW; s <= KT_ABOVE; s += KT_ABOVE - KT_BELOW)
            if (side == KT_BOTH || side == (enum kt_side)s)
                append(m, box, (enum kt_side)s);
}

/* All combinations of the parts of each axis. */
static void add_parts(struct kt_kernel_model *m, int64_t part[][2][2], const int *parts, enum kt_side side)
{
    int total = 1;
    for (int a = 0; a < m->axes; a++)
        total *= parts[a];
    for (int i = 0; i < total; i++) {
        struct kt_box box = {{0}, {0}};
        for (int a = 0, rest = i; a < m->axes; rest /= parts[a++]) {
            box.lo[a] = part[a][rest % parts[a]][0];
            box.hi[a] = part[a][rest % parts[a]][1];
        }
        add_region(m, &box, side);
    }
}

static void add_box(struct kt_kernel_model *m, const struct kt_box *box)
{
    int64_t part[KT_MODEL_AXES][2][2];
    int parts[KT_MODEL_AXES];
    for (int a = 0; a < m->axes; a++)
        parts[a] = cut_fine(box->lo[a], box->hi[a], part[a]);
    add_parts(m, part, parts, KT_BOTH);
}

/* Does the region end there, and is it not of one size only along the axis? */
static bool ends_at(const struct kt_region *region, int axis, int64_t end, bool upper)
{
    const struct kt_box *box = &region->box;
    return box->lo[axis] < box->hi[axis] && (upper ? box->hi[axis] : box->lo[axis]) == end;
}

/* Does the crossover go through it if it goes on to there, but not yet? */
static bool comes_to_crossover(const struct kt_kernel_model *m, const struct kt_region *region, int axis, int64_t to)
{
    struct kt_box box = region->box;
    box.lo[axis] = to < box.lo[axis] ? to : box.lo[axis];
    box.hi[axis] = to > box.hi[axis] ? to : box.hi[axis];
    return region->side == KT_BOTH && m->crossover > 0 && kt_box_side(&box, m->crossover, m->axes) == KT_BOTH;
}

/* So little beyond the ends of regions that their polynomials hold there, too. */
static bool is_narrow(const struct kt_kernel_model *m, int axis, int64_t from, int64_t to)
{
    enum { PART = 8 };
    bool narrow = to > from || (to >= KT_FINE_BELOW && PART * (from - to) <= from);
    for (size_t i = 0; i < m->regions && narrow; i++) {
        const struct kt_box *frame = &m->region[i].frame;
        int64_t beyond = to > from ? to - frame->hi[axis] : frame->lo[axis] - to;
        if (!ends_at(&m->region[i], axis, from, to > from))
            continue;
        narrow = !comes_to_crossover(m, &m->region[i], axis, to) &&
                 (!m->region[i].coefficient || PART * beyond <= frame->hi[axis] - frame->lo[axis]);
    }
    return narrow && m->domain.lo[axis] < m->domain.hi[axis];
}

static void stretch(struct kt_kernel_model *m, int axis, int64_t from, int64_t to)
{
    for (size_t i = 0; i < m->regions; i++)
        if (ends_at(&m->region[i], axis, from, to > from))
            *(to > from ? &m->region[i].box.hi[axis] : &m->region[i].box.lo[axis]) = to;
}

/* A box like that one, but between these sizes of the axis. */
static void add_strip(struct kt_kernel_model *m, const struct kt_box *like, int axis, int64_t from, int64_t to)
{
    struct kt_box strip = *like;
    strip.lo[axis] = to < from ? to : from;
    strip.hi[axis] = to < from ? from : to;
    add_box(m, &strip);
}

/* Is it the first of the regions that are fixed at the same sizes? */
static bool is_first_of_slice(const struct kt_kernel_model *m, size_t region)
{
    const struct kt_box *box = &m->region[region].box;
    bool first = kt_box_fixed(box, &m->domain, m->axes) > 0;
    for (size_t i = 0; i < region && first; i++) {
        const struct kt_box *other = &m->region[i].box;
        bool same = true;
        for (int a = 0; a < m->axes; a++) {
            bool fixed = box->lo[a] == box->hi[a];
            same = same && fixed == (other->lo[a] == other->hi[a]) && (!fixed || other->lo[a] == box->lo[a]);
        }
        first = !same;
    }
    return first;
}

/* All of the domain at the sizes at which that box is fixed. */
static struct kt_box slice_like(const struct kt_kernel_model *m, const struct kt_box *box)
{
    struct kt_box slice = m->domain;
    for (int a = 0; a < m->axes; a++)
        if (box->lo[a] == box->hi[a])
            slice.lo[a] = slice.hi[a] = box->lo[a];
    return slice;
}

/* Slices grow as well. */
static void grow_end(struct kt_kernel_model *m, int axis, int64_t *end, int64_t to)
{
    size_t before = m->regions;
    if (is_narrow(m, axis, *end, to)) {
        stretch(m, axis, *end, to);
        *end = to;
        return;
    }
    add_strip(m, &m->domain, axis, *end, to);
    for (size_t i = 0; i < before; i++) {
        const struct kt_box slice = slice_like(m, &m->region[i].box);
        if (slice.lo[axis] < slice.hi[axis] && is_first_of_slice(m, i))
            add_strip(m, &slice, axis, *end, to);
    }
    *end = to;
}

void kt_refine_grow(const struct kt_refine_rules *rules, struct kt_kernel_model *m, const struct kt_box *box)
{
    struct kt_box wanted = *box;
    widen_to_grid(rules, m->axes, &wanted);
    if (m->regions == 0) {
        m->domain = wanted;
        add_box(m, &wanted);
    }
    for (int a = 0; a < m->axes; a++) {
        if (wanted.lo[a] < m->domain.lo[a])
            grow_end(m, a, &m->domain.lo[a], wanted.lo[a]);
        if (wanted.hi[a] > m->domain.hi[a])
            grow_end(m, a, &m->domain.hi[a], wanted.hi[a]);
    }
}

void kt_refine_cut(struct kt_kernel_model *m, size_t region, const struct kt_box *part, size_t parts)
{
    m->region[region].box = m->region[region].frame = part[0];
    if (kt_box_side(&part[0], m->crossover, m->axes) == m->region[region].side)
        m->region[region].side = KT_BOTH;
    for (size_t i = 1; i < parts; i++)
        add_region(m, &part[i], m->region[region].side);
}

static double *copy_numbers(const double *from, int count)
{
    double *copy = kt_resize(NULL, (size_t)count, sizeof *copy);
    memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}

/* Regions from FIRST on, which have none, begin with the polynomial of the one that they are parts of: it is better
 * than none. */
static void inherit(struct kt_kernel_model *m, size_t first, const struct kt_region *whole)
{
    for (size_t i = first; i < m->regions; i++) {
        const struct kt_region part = m->region[i];
        m->region[i] = *whole;
        m->region[i].box = part.box;
        m->region[i].side = part.side;
        m->region[i].fitted = false;
        m->region[i].coefficient = whole->coefficient ? copy_numbers(whole->coefficient, whole->coefficients) : NULL;
    }
}

void kt_refine_cross(struct kt_kernel_model *m, double crossover)
{
    size_t before = m->regions;
    m->crossover = crossover;
    for (size_t i = 0; i < before; i++) {
        const struct kt_region whole = m->region[i];
        if (whole.side != KT_BOTH || kt_box_side(&whole.box, crossover, m->axes) != KT_BOTH)
            continue;
        append(m, &whole.box, KT_ABOVE);
        inherit(m, m->regions - 1, &whole);
        m->region[i].side = KT_BELOW;
        m->region[i].fitted = false;
    }
}

static bool has_box(const struct kt_kernel_model *m, const struct kt_box *box)
{
    int fixed = kt_box_fixed(box, &m->domain, m->axes);
    for (size_t i = 0; i < m->regions; i++) {
        bool same = fixed == kt_box_fixed(&m->region[i].box, &m->domain, m->axes);
        for (int a = 0; a < m->axes; a++)
            if (box->lo[a] == box->hi[a])
                same = same && m->region[i].box.lo[a] == box->lo[a] && m->region[i].box.hi[a] == box->hi[a];
        if (same)
            return true;
    }
    return false;
}

bool kt_refine_can_slice(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, int axis, int64_t size)
{
    return size >= rules->smallest && size >= KT_FINE_BELOW && size % rules->multiple == 0 &&
           size >= m->domain.lo[axis] && size <= m->domain.hi[axis] && m->domain.lo[axis] < m->domain.hi[axis];
}

void kt_refine_add_slice(const struct kt_refine_rules *rules, struct kt_kernel_model *m, const int64_t *size)
{
    struct kt_box box = m->domain;
    bool fixed = false;
    for (int a = 0; a < m->axes; a++) {
        if (!size[a] || box.lo[a] == box.hi[a])
            continue;
        if (!kt_refine_can_slice(rules, m, a, size[a]))
            return;
        box.lo[a] = box.hi[a] = size[a];
        fixed = true;
    }
    if (fixed && !has_box(m, &box))
        add_box(m, &box);
}

static int64_t round_size(const struct kt_refine_rules *rules, double size, int64_t lo, int64_t hi)
{
    int64_t multiple = hi > KT_FINE_BELOW ? rules->multiple : 1;
    int64_t rounded = llround(size / (double)multiple) * multiple;
    return rounded < lo ? lo : rounded > hi ? hi : rounded;
}

/* From -1 to 1 along an axis. Errors are relative ones: where the largest size is many times the smallest, points are
 * spread over the square roots, so that the small sizes, at which times change by factors, have their share. */
static double size_at(double x, int64_t lo, int64_t hi)
{
    enum { WIDE = 64 };
    if (hi <= WIDE * lo)
        return ((double)(lo + hi) + x * (double)(hi - lo)) / 2;
    double root = ((1 - x) * sqrt((double)lo) + (1 + x) * sqrt((double)hi)) / 2;
    return root * root;
}

/* Chebyshev points with the ends of the interval. */
int kt_refine_axis(const struct kt_refine_rules *rules, int64_t lo, int64_t hi, int64_t out[KT_GRID_MOST])
{
    int wanted = rules->degree + 1 + rules->oversampling;
    int n = 0;
    for (int i = 0; i < wanted; i++) {
        double x = wanted > 1 ? cos(M_PI * (wanted - 1 - i) / (wanted - 1)) : 0;
        int64_t size = round_size(rules, size_at(x, lo, hi), lo, hi);
        if (n == 0 || size > out[n - 1])
            out[n++] = size;
    }
    return n;
}

static bool has_slice_at(const struct kt_kernel_model *m, int axis, int64_t size)
{
    for (size_t i = 0; i < m->regions; i++)
        if (m->region[i].box.lo[axis] == size && m->region[i].box.hi[axis] == size &&
            m->domain.lo[axis] < m->domain.hi[axis])
            return true;
    return false;
}

/* The region's sizes along the axis. Where a slice has one the region takes the next multiple in its stead, as samples
 * in slices are not fitted outside of them. */
static int grid_axis(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, const struct kt_box *box,
                     int axis, int64_t out[KT_GRID_MOST])
{
    int64_t at[KT_GRID_MOST];
    int n = kt_refine_axis(rules, box->lo[axis], box->hi[axis], at);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        int64_t size = at[i];
        bool moves = box->lo[axis] < box->hi[axis] && has_slice_at(m, axis, size);
        if (moves)
            size += size + rules->multiple <= box->hi[axis] ? rules->multiple : -(int64_t)rules->multiple;
        if (size >= box->lo[axis] && (kept == 0 || size > out[kept - 1]))
            out[kept++] = size;
    }
    return kept;
}

/* Calls VISIT for each point of the region's grid that it is to hold. */
static void visit_grid(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                       const struct kt_region *region, kt_want *visit, void *context)
{
    int64_t at[KT_MODEL_AXES][KT_GRID_MOST];
    int n[KT_MODEL_AXES];
    int total = 1;
    for (int a = 0; a < m->axes; a++)
        total *= n[a] = grid_axis(rules, m, &region->box, a, at[a]);
    for (int i = 0; i < total; i++) {
        int64_t size[KT_MODEL_AXES] = {0};
        for (int a = 0, rest = i; a < m->axes; rest /= n[a++])
            size[a] = at[a][rest % n[a]];
        if (kt_region_holds(region, m->crossover, m->axes, size))
            visit(context, size);
    }
}

struct counting {
    const struct kt_kernel_model *model;
    kt_want *want; /* of points without sample; NULL: none */
    void *context;
    size_t wanted;
    int sampled; /* that there is a time of */
};

static void count_point(void *context, const int64_t *size)
{
    struct counting *c = context;
    const struct kt_point *point = kt_model_find_point(c->model, size);
    c->sampled += point && point->samples && !point->held_out;
    c->wanted += !point;
    if (!point && c->want)
        c->want(c->context, size);
}

size_t kt_refine_wanted(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, size_t region,
                        kt_want *want, void *context)
{
    struct counting c = {.model = m, .want = want, .context = context};
    visit_grid(rules, m, &m->region[region], count_point, &c);
    return c.wanted;
}

/* Points of the region's grid that were timed. */
static int count_on_grid(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                         const struct kt_region *region)
{
    struct counting c = {.model = m};
    visit_grid(rules, m, region, count_point, &c);
    return c.sampled;
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
    int on_grid = count_on_grid(rules, m, region);
    for (int a = 0; a < m->axes; a++) {
        int64_t at[KT_GRID_MOST];
        int n = fewer(grid_axis(rules, m, &region->box, a, at), count_sizes(rules, m, region, a));
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

/* --- splitting --------------------------------------------------------------------------------------------- */

/* At the middle point of the grid. */
static int cut_middle(const struct kt_refine_rules *rules, int64_t lo, int64_t hi, int64_t part[2][2])
{
    int64_t middle = round_size(rules, size_at(0, lo, hi), lo, hi);
    part[0][0] = part[1][0] = lo;
    part[0][1] = part[1][1] = hi;
    if (middle - lo < rules->smallest || hi - middle < rules->smallest || middle <= lo || middle >= hi)
        return 1;
    part[0][1] = part[1][0] = middle;
    return 2;
}

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
        if (kt_region_holds(region, m->crossover, m->axes, size))
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
        n[a] = grid_axis(rules, m, &region->box, a, at[a]);
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
        parts[a] = cut_middle(rules, box->lo[a], box->hi[a], part[a]);
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
    add_parts(m, part, parts, whole.side);
    inherit(m, first, &whole);
    free(whole.coefficient);
    m->region[region] = m->region[--m->regions];
    return true;
}
