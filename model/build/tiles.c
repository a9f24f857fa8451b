/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/tiles.h"

/* A cut has to take away that part of the time of sampling, at least; nearer to an end of the box it is not worth it.
 */
static const double least_gain = 0.4;
enum { LEAST_WIDTH = 32 };

struct tiling {
    const struct kt_box *domain;
    int axes, multiple;
    const struct kt_use *use;
    size_t uses;
    struct kt_box *out;
    size_t count, room; /* boxes; room that is not promised to a part yet */
};

/* Cuts along some axes, one after the other: what is small in the first of them is one part, of the rest what is small
 * in the second, and so on. */
struct cuts {
    int axis[KT_MODEL_AXES];
    int64_t at[KT_MODEL_AXES];
    int count;
    double price; /* of all parts */
};

/* The largest sizes that are used in each part; 0: none. */
struct largest {
    int64_t size[KT_MODEL_AXES + 1][KT_MODEL_AXES];
};

/* What the dearest sample of a box takes goes with the product of its sizes. */
static double price_of(const int64_t *hi, int axes)
{
    double price = 1;
    for (int a = 0; a < axes; a++)
        price *= (double)hi[a];
    return price;
}

static int part_of(const struct cuts *cuts, const int64_t *size)
{
    int part = 0;
    while (part < cuts->count && size[cuts->axis[part]] > cuts->at[part])
        part++;
    return part;
}

static void find_largest(const struct tiling *t, const struct kt_box *box, const struct cuts *cuts, struct largest *out)
{
    *out = (struct largest){0};
    for (size_t i = 0; i < t->uses; i++) {
        const int64_t *size = t->use[i].size;
        if (!kt_box_owns(box, t->domain, t->axes, size))
            continue;
        int64_t *largest = out->size[part_of(cuts, size)];
        for (int a = 0; a < t->axes; a++)
            largest[a] = size[a] > largest[a] ? size[a] : largest[a];
    }
}

/* False: that is too near to an end of the box. */
static bool add_cut(const struct tiling *t, const struct kt_box *box, int axis, int64_t size, struct cuts *cuts)
{
    int64_t at = (size + t->multiple - 1) / t->multiple * t->multiple;
    cuts->axis[cuts->count] = axis;
    cuts->at[cuts->count++] = at;
    return at - box->lo[axis] >= LEAST_WIDTH && box->hi[axis] - at >= LEAST_WIDTH;
}

static void try_cuts(const struct tiling *t, const struct kt_box *box, unsigned axes, int64_t size, struct cuts *best)
{
    struct largest largest;
    struct cuts cuts = {.count = 0};
    for (int a = 0; a < t->axes; a++)
        if (axes >> a & 1 && !add_cut(t, box, a, size, &cuts))
            return;
    find_largest(t, box, &cuts, &largest);
    for (int part = 0; part <= cuts.count; part++)
        cuts.price += price_of(largest.size[part], t->axes);
    if (cuts.price < best->price)
        *best = cuts;
}

/* What is beyond all uses is cut off, or large sizes are cut from small ones. */
static struct cuts find_cuts(const struct tiling *t, const struct kt_box *box)
{
    struct largest largest;
    struct cuts best = {.count = 0};
    find_largest(t, box, &best, &largest);
    best.price = (1 - least_gain) * price_of(box->hi, t->axes);
    if (price_of(largest.size[0], t->axes) <= 0)
        return best;
    for (int a = 0; a < t->axes; a++)
        try_cuts(t, box, 1u << a, largest.size[0][a], &best);
    for (unsigned axes = 1; axes < 1u << t->axes; axes++)
        for (int64_t size = LEAST_WIDTH; size < (int64_t)1 << 20; size *= 2)
            try_cuts(t, box, axes, size, &best);
    return best;
}

static void tile(struct tiling *t, const struct kt_box *box)
{
    struct kt_box rest = *box;
    struct cuts cuts = find_cuts(t, box);
    if (t->room < (size_t)cuts.count)
        cuts.count = 0;
    if (cuts.count == 0) {
        t->out[t->count++] = *box;
        return;
    }
    t->room -= (size_t)cuts.count;
    for (int i = 0; i < cuts.count; i++) {
        struct kt_box part = rest;
        part.hi[cuts.axis[i]] = rest.lo[cuts.axis[i]] = cuts.at[i];
        tile(t, &part);
    }
    tile(t, &rest);
}

size_t kt_tiles_of(const struct kt_box *box, const struct kt_box *domain, int axes, const struct kt_use *use,
                   size_t uses, int multiple, struct kt_box out[KT_TILES_MOST])
{
    struct tiling t = {domain, axes, multiple, use, uses, out, 0, KT_TILES_MOST - 1};
    tile(&t, box);
    return t.count;
}
