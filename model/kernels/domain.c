/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/domain.h"

#include "trace/base/memory.h"

#include <math.h>

/* --- samples ----------------------------------------------------------------------------------------------- */

void kt_model_add_point(struct kt_kernel_model *model, const struct kt_point *point)
{
    model->point = kt_resize(model->point, model->points + 1, sizeof *model->point);
    model->point[model->points++] = *point;
}

static size_t find_point(const struct kt_kernel_model *model, const int64_t *size)
{
    size_t i = 0;
    while (i < model->points && memcmp(model->point[i].size, size, (size_t)model->axes * sizeof *size) != 0)
        i++;
    return i;
}

void kt_model_set_point(struct kt_kernel_model *model, const struct kt_point *point)
{
    size_t i = find_point(model, point->size);
    if (i == model->points) {
        kt_model_add_point(model, point);
        return;
    }
    int again = model->point[i].again + 1;
    if (point->samples && point->noise <= model->point[i].noise) {
        model->point[i] = *point;
        model->point[i].is_new = true;
    }
    model->point[i].again = again;
}

const struct kt_point *kt_model_find_point(const struct kt_kernel_model *model, const int64_t *size)
{
    size_t i = find_point(model, size);
    return i < model->points ? &model->point[i] : NULL;
}

/* --- boxes ------------------------------------------------------------------------------------------------- */

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
    enum kt_side of_box = kt_box_side(box, &m->crossover);
    if (m->crossover.product <= 0 || (of_box != KT_BOTH && (side == KT_BOTH || side == of_box)))
        append(m, box, KT_BOTH);
    else if (of_box == KT_BOTH)
        for (int s = KT_BELOW; s <= KT_ABOVE; s += KT_ABOVE - KT_BELOW)
            if (side == KT_BOTH || side == (enum kt_side)s)
                append(m, box, (enum kt_side)s);
}

void kt_domain_add_parts(struct kt_kernel_model *m, int64_t part[][2][2], const int *parts, enum kt_side side)
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
    kt_domain_add_parts(m, part, parts, KT_BOTH);
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
    return region->side == KT_BOTH && m->crossover.product > 0 && kt_box_side(&box, &m->crossover) == KT_BOTH;
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

/* A search for a crossover that found none has not been where sizes are now. */
static void doubt_search(struct kt_kernel_model *m)
{
    m->is_searched = m->is_searched && m->crossover.product > 0;
}

void kt_domain_grow(const struct kt_refine_rules *rules, struct kt_kernel_model *m, const struct kt_box *box)
{
    const struct kt_box before = m->domain;
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
    if (memcmp(&before, &m->domain, sizeof before) != 0)
        doubt_search(m);
}

void kt_domain_cut(struct kt_kernel_model *m, size_t region, const struct kt_box *part, size_t parts)
{
    const enum kt_side side = m->region[region].side;
    size_t first = 0;
    while (first < parts && side != KT_BOTH && (int)kt_box_side(&part[first], &m->crossover) == -(int)side)
        first++;
    if (first == parts)
        return;
    m->region[region].box = m->region[region].frame = part[first];
    if (kt_box_side(&part[first], &m->crossover) != KT_BOTH)
        m->region[region].side = KT_BOTH;
    for (size_t i = first + 1; i < parts; i++)
        add_region(m, &part[i], side);
}

void kt_domain_set_larger(struct kt_kernel_model *m, int larger)
{
    int was = m->larger;
    m->larger = larger;
    if (was && !larger)
        doubt_search(m);
    for (size_t i = 0; i < m->regions && was && !larger; i++) {
        struct kt_region *r = &m->region[i];
        if (r->box.lo[was - 1] >= r->box.hi[2 - was])
            continue;
        free(r->coefficient);
        r->coefficient = NULL;
        r->coefficients = 0;
        r->fitted = false;
    }
}

static double *copy_numbers(const double *from, int count)
{
    double *copy = kt_resize(NULL, (size_t)count, sizeof *copy);
    memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}

void kt_domain_inherit(struct kt_kernel_model *m, size_t first, const struct kt_region *whole)
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

void kt_domain_cross(struct kt_kernel_model *m, const struct kt_crossover *crossover)
{
    size_t before = m->regions;
    m->crossover = *crossover;
    for (size_t i = 0; i < before; i++) {
        const struct kt_region whole = m->region[i];
        if (whole.side != KT_BOTH || kt_box_side(&whole.box, crossover) != KT_BOTH)
            continue;
        append(m, &whole.box, KT_ABOVE);
        kt_domain_inherit(m, m->regions - 1, &whole);
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

bool kt_domain_can_slice(const struct kt_refine_rules *rules, const struct kt_kernel_model *m, int axis, int64_t size)
{
    return size >= rules->smallest && size >= KT_FINE_BELOW && size % rules->multiple == 0 &&
           size >= m->domain.lo[axis] && size <= m->domain.hi[axis] && m->domain.lo[axis] < m->domain.hi[axis];
}

void kt_domain_add_slice(const struct kt_refine_rules *rules, struct kt_kernel_model *m, const int64_t *size)
{
    struct kt_box box = m->domain;
    bool fixed = false;
    for (int a = 0; a < m->axes; a++) {
        if (!size[a] || box.lo[a] == box.hi[a])
            continue;
        if (!kt_domain_can_slice(rules, m, a, size[a]))
            return;
        box.lo[a] = box.hi[a] = size[a];
        fixed = true;
    }
    if (fixed && !has_box(m, &box))
        add_box(m, &box);
}
