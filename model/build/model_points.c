/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/model_points.h"

#include "model/build/residues.h"

#include <math.h>
#include <string.h>

enum kind { BETWEEN, HELD_OUT, HELD_OUT_BETWEEN };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double uniform(uint64_t *state)
{
    return (double)(next_random(state) >> 11) / 9007199254740992.0;
}

/* Between the multiples small sizes tell most, and cost least; but polynomials are worst there, and what is left over
 * need not cost as much beside larger sizes. Below a crossover are mostly small ones, above it there are hardly any. */
static int64_t draw_size(enum kind kind, bool small, enum kt_side side, int64_t lo, int64_t hi, uint64_t *state)
{
    double u = uniform(state);
    double low = (double)(lo > 0 ? lo : 1);
    bool is_small = side != KT_ABOVE && (small || side == KT_BELOW);
    double size =
        is_small ? low * pow((double)hi / low, kind == BETWEEN ? 0.7 * u : u) : (double)lo + u * (double)(hi - lo);
    int64_t whole = llround(size);
    if (kind == HELD_OUT && whole >= KT_FINE_BELOW)
        whole -= whole % KT_FINE_BELOW;
    return whole < lo ? lo : whole > hi ? hi : whole;
}

/* One of the regions that have a polynomial, by what it is worth. */
static const struct kt_region *draw_region(const struct kt_build *build, size_t need, const struct kt_kernel_model *m,
                                           uint64_t *state)
{
    double total = 0;
    const struct kt_region *chosen = NULL;
    for (size_t i = 0; i < m->regions; i++) {
        bool open = m->region[i].coefficient && kt_box_fixed(&m->region[i].box, &m->domain, m->axes) < m->axes;
        double worth = open ? kt_batch_worth(build, &build->needs->need[need], m, &m->region[i]) : 0;
        total += worth;
        if (worth > 0 && uniform(state) * total <= worth)
            chosen = &m->region[i];
    }
    return chosen;
}

static bool is_of_kind(enum kind kind, int axes, const int64_t *size)
{
    return kt_sizes_are_regular(axes, size) == (kind == HELD_OUT);
}

static size_t count_points(const struct kt_kernel_model *m, enum kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < m->points; i++)
        n += m->point[i].held_out == (kind != BETWEEN) && is_of_kind(kind, m->axes, m->point[i].size);
    return n;
}

static void draw_points(const struct kt_build *build, size_t need, size_t context, enum kind kind, size_t wanted,
                        struct kt_batch *batch)
{
    enum { TRIES = 8 };
    const struct kt_kernel_model *m = kt_build_model(build, need, context);
    /* Contexts draw the same sizes, unless their regions differ: then they are timed together. */
    size_t known = count_points(m, kind);
    uint64_t state = UINT64_C(88172645463325252) + need * 1000003 + kind * 7919 + known * 104729;
    for (size_t tries = TRIES * wanted; known < wanted && tries > 0; tries--) {
        struct kt_wish wish = {.need = need, .contexts = 1u << context, .held_out = kind != BETWEEN};
        const struct kt_region *region = draw_region(build, need, m, &state);
        if (!region)
            return;
        for (int a = 0; a < m->axes; a++)
            wish.size[a] = draw_size(kind, kind == BETWEEN && known % 2 == 0, region->side, region->box.lo[a],
                                     region->box.hi[a], &state);
        if (!is_of_kind(kind, m->axes, wish.size) || !kt_region_holds(region, &m->crossover, m->axes, wish.size) ||
            kt_model_find_point(m, wish.size) || !kt_batch_can_time(build, need, wish.size))
            continue;
        wish.guess = kt_batch_guess(build, need, context, wish.size);
        kt_batch_add(batch, build, &wish);
        known++;
    }
}

static void draw_points_of(const struct kt_build *build, size_t need, bool held_out, double part, double seconds,
                           struct kt_batch *batch)
{
    size_t between = kt_residues_samples(build->needs->need[need].query.axes, KT_RESIDUE_PERIOD);
    for (size_t c = 0; c < build->rules->contexts && batch->seconds < seconds; c++) {
        if (!held_out)
            draw_points(build, need, c, BETWEEN, (size_t)((double)between * part), batch);
        if (held_out)
            draw_points(build, need, c, HELD_OUT, (size_t)(build->rules->held_out * part), batch);
        if (held_out)
            draw_points(build, need, c, HELD_OUT_BETWEEN, (size_t)(build->rules->held_out * part), batch);
    }
}

void kt_build_choose_points(const struct kt_build *build, bool held_out, double seconds, struct kt_batch *batch)
{
    for (double part = held_out ? 0.25 : 0.5; part <= 1; part *= 2)
        for (size_t n = 0; n < build->needs->count && batch->seconds < seconds; n++)
            draw_points_of(build, n, held_out, part, seconds, batch);
}
