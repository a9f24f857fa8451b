/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/model_domain.h"

#include "model/build/tiles.h"
#include "trace/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Sizes that are used in so much of a kernel's time have slices, and with less those at which kernels are not smooth;
 * so have the combinations of these that are used. */
static const double often = 0.2, seldom = 0.01;
enum { RESONANT = 256, MOST_SPECIAL = 8, MOST_COMBINATIONS = 32 };

/* Of an axis: those with most of the time first. */
struct special {
    int64_t size[MOST_SPECIAL];
    int count;
};

static int compare_sizes(const void *a, const void *b)
{
    int64_t x = ((const struct kt_use *)a)->size[0];
    int64_t y = ((const struct kt_use *)b)->size[0];
    return (x > y) - (x < y);
}

/* The different sizes of the axis, each in the first place of a use, with their time; returns how many. */
static size_t sum_by_size(const struct kt_need *need, int axis, struct kt_use *out)
{
    size_t n = 0;
    for (size_t i = 0; i < need->uses; i++)
        out[i] = (struct kt_use){.size = {need->use[i].size[axis]}, .seconds = need->use[i].seconds};
    qsort(out, need->uses, sizeof *out, compare_sizes);
    for (size_t i = 0; i < need->uses; i++) {
        if (n && out[n - 1].size[0] == out[i].size[0])
            out[n - 1].seconds += out[i].seconds;
        else
            out[n++] = out[i];
    }
    qsort(out, n, sizeof *out, kt_use_compare);
    return n;
}

static struct special find_special(const struct kt_build *build, const struct kt_need *need,
                                   const struct kt_kernel_model *m, int axis)
{
    struct special special = {.count = 0};
    struct kt_use *sum = kt_resize(NULL, need->uses, sizeof *sum);
    size_t n = need->uses ? sum_by_size(need, axis, sum) : 0;
    for (size_t i = 0; i < n && special.count < MOST_SPECIAL; i++) {
        double least = sum[i].size[0] % RESONANT == 0 ? seldom : often;
        if (sum[i].seconds >= least * need->seconds &&
            kt_domain_can_slice(&build->rules->refine, m, axis, sum[i].size[0]))
            special.size[special.count++] = sum[i].size[0];
    }
    free(sum);
    return special;
}

/* SIZE if it is one of them, or 0. */
static int64_t among(const struct special *special, int64_t size)
{
    for (int i = 0; i < special->count; i++)
        if (special->size[i] == size)
            return size;
    return 0;
}

/* Where the user gave the domain, what the trace uses most says nothing. */
static void add_slices(const struct kt_build *build, const struct kt_need *need, struct kt_kernel_model *m)
{
    struct special special[KT_MODEL_AXES];
    if (build->rules->hi[0])
        return;
    for (int a = 0; a < m->axes; a++) {
        special[a] = find_special(build, need, m, a);
        for (int i = 0; i < special[a].count; i++) {
            int64_t size[KT_MODEL_AXES] = {0};
            size[a] = special[a].size[i];
            kt_domain_add_slice(&build->rules->refine, m, size);
        }
    }
    size_t most = m->regions + MOST_COMBINATIONS;
    for (size_t i = 0; i < need->uses && m->regions < most; i++) {
        int64_t size[KT_MODEL_AXES] = {0};
        for (int a = 0; a < m->axes; a++)
            size[a] = among(&special[a], need->use[i].size[a]);
        kt_domain_add_slice(&build->rules->refine, m, size);
    }
}

/* Where the user gave the domain, all of it is wanted. */
static void cut_unused(const struct kt_build *build, const struct kt_need *need, struct kt_kernel_model *m)
{
    struct kt_box part[KT_TILES_MOST];
    size_t before = m->regions;
    if (build->rules->hi[0])
        return;
    for (size_t i = 0; i < before; i++) {
        const struct kt_box *box = &m->region[i].box;
        if (m->region[i].coefficient)
            continue;
        size_t parts =
            kt_tiles_of(box, &m->domain, m->axes, need->use, need->uses, build->rules->refine.multiple, part);
        kt_domain_cut(m, i, part, parts);
    }
}

/* Are sizes wanted of which that one is below the other? */
static bool wants_beyond(const struct kt_build *build, const struct kt_need *n, int larger)
{
    const struct kt_build_rules *rules = build->rules;
    return rules->hi[0] ? rules->lo[larger - 1] < rules->hi[2 - larger] : n->is_below[larger - 1];
}

void kt_build_set_larger(const struct kt_build *build, size_t need)
{
    const struct kt_need *n = &build->needs->need[need];
    int larger = build->rules->hi[0] ? 0 : kt_need_larger(n);
    bool is_new = true;
    for (size_t c = 0; c < build->rules->contexts; c++) {
        const struct kt_kernel_model *m = kt_build_model(build, need, c);
        if (m->points == 0)
            continue;
        larger = is_new || m->larger == larger ? m->larger : 0;
        is_new = false;
    }
    if (larger && wants_beyond(build, n, larger))
        larger = 0;
    for (size_t c = 0; c < build->rules->contexts; c++)
        kt_domain_set_larger(kt_build_model(build, need, c), larger);
}

void kt_build_set_domain(const struct kt_build *build, size_t need, struct kt_kernel_model *m)
{
    const struct kt_need *n = &build->needs->need[need];
    struct kt_box box = n->box;
    int argument[KT_MODEL_AXES];
    for (int a = 0; a < m->axes && build->rules->hi[0]; a++) {
        box.lo[a] = build->rules->lo[a];
        box.hi[a] = build->rules->hi[a];
    }
    kt_model_axes_of(n->routine, argument);
    for (int a = 0; a < m->axes; a++)
        memcpy(m->axis[a], n->routine->arg[argument[a]].name, sizeof m->axis[a]);
    kt_domain_grow(&build->rules->refine, m, &box);
    add_slices(build, n, m);
    cut_unused(build, n, m);
}
