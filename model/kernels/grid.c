/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/grid.h"

#include <math.h>

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

int kt_grid_axis(const struct kt_refine_rules *rules, int64_t lo, int64_t hi, int64_t out[KT_GRID_MOST])
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

int kt_grid_of(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, const struct kt_box *box, int axis,
               int64_t out[KT_GRID_MOST])
{
    int64_t at[KT_GRID_MOST];
    int n = kt_grid_axis(rules, box->lo[axis], box->hi[axis], at);
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

/* By axis: the sizes that it is the product of. */
struct grid {
    int64_t at[KT_MODEL_AXES][KT_GRID_MOST];
    int n[KT_MODEL_AXES];
};

static struct grid grid_of(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                           const struct kt_region *region)
{
    struct grid g = {.n = {0}};
    for (int a = 0; a < m->axes; a++)
        g.n[a] = kt_grid_of(rules, m, &region->box, a, g.at[a]);
    return g;
}

static int count_points(const struct grid *g, int axes)
{
    int points = 1;
    for (int a = 0; a < axes; a++)
        points *= g->n[a];
    return points;
}

/* Number I of them; the size of the first axis varies fastest. */
static void point_of(const struct grid *g, int axes, int i, int64_t *size)
{
    for (int a = 0; a < axes; i /= g->n[a++])
        size[a] = g->at[a][i % g->n[a]];
}

/* How many sizes of the axis are on the region's side, together with at least one of all others. */
static int count_reached(const struct kt_kernel_model *m, const struct kt_region *region, const struct grid *g,
                         int axis)
{
    int64_t size[KT_MODEL_AXES];
    int reached = 0;
    for (int a = 0; a < m->axes; a++)
        size[a] = g->at[a][region->side == KT_ABOVE ? g->n[a] - 1 : 0];
    for (int i = 0; i < g->n[axis]; i++) {
        size[axis] = g->at[axis][i];
        reached += kt_region_holds(region, &m->crossover, m->axes, size);
    }
    return reached;
}

/* The size of the axis next to the crossover, on the region's side. */
static int64_t last_size(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                         const struct kt_region *region, int axis, const int64_t *others)
{
    double product = kt_crossover_product(&m->crossover, others) / (double)others[axis];
    int64_t multiple = region->box.hi[axis] > KT_FINE_BELOW ? rules->multiple : 1;
    int64_t size = (int64_t)floor(m->crossover.product / product / (double)multiple) * multiple;
    size += region->side == KT_ABOVE ? multiple : 0;
    return has_slice_at(m, axis, size) ? size + (int64_t)region->side * multiple : size;
}

static bool is_on_axis(const struct grid *g, int axis, int64_t size)
{
    bool found = false;
    for (int i = 0; i < g->n[axis]; i++)
        found = found || g->at[axis][i] == size;
    return found;
}

/* Where so few sizes of an axis are on the region's side that they tell nothing of those between the last one and the
 * crossover, lines along it have a point there. */
static void visit_ends(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                       const struct kt_region *region, const struct grid *g, int axis, kt_want *visit, void *context)
{
    enum { FEW = 2 };
    struct grid lines = *g;
    int reached = count_reached(m, region, g, axis);
    if (region->side == KT_BOTH || !(m->crossover.axes & 1u << axis) || reached > FEW || reached == g->n[axis])
        return;
    lines.n[axis] = 1;
    for (int i = 0; i < count_points(&lines, m->axes); i++) {
        int64_t size[KT_MODEL_AXES] = {0};
        point_of(&lines, m->axes, i, size);
        size[axis] = last_size(rules, m, region, axis, size);
        if (!is_on_axis(g, axis, size[axis]) && kt_region_holds(region, &m->crossover, m->axes, size))
            visit(context, size);
    }
}

/* Calls VISIT for each point of the region's grid that it is to hold. */
static void visit_grid(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                       const struct kt_region *region, kt_want *visit, void *context)
{
    const struct grid g = grid_of(rules, m, region);
    for (int i = 0; i < count_points(&g, m->axes); i++) {
        int64_t size[KT_MODEL_AXES] = {0};
        point_of(&g, m->axes, i, size);
        if (kt_region_holds(region, &m->crossover, m->axes, size))
            visit(context, size);
    }
    for (int a = 0; a < m->axes; a++)
        visit_ends(rules, m, region, &g, a, visit, context);
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

size_t kt_grid_wanted(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, size_t region,
                      kt_want *want, void *context)
{
    struct counting c = {.model = m, .want = want, .context = context};
    visit_grid(rules, m, &m->region[region], count_point, &c);
    return c.wanted;
}

int kt_grid_sampled(const struct kt_refine_rules *rules, const struct kt_kernel_model *m,
                    const struct kt_region *region)
{
    struct counting c = {.model = m};
    visit_grid(rules, m, region, count_point, &c);
    return c.sampled;
}

int kt_grid_cut(const struct kt_refine_rules *rules, int64_t lo, int64_t hi, int64_t part[2][2])
{
    int64_t middle = round_size(rules, size_at(0, lo, hi), lo, hi);
    part[0][0] = part[1][0] = lo;
    part[0][1] = part[1][1] = hi;
    if (middle - lo < rules->smallest || hi - middle < rules->smallest || middle <= lo || middle >= hi)
        return 1;
    part[0][1] = part[1][0] = middle;
    return 2;
}
