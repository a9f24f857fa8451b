/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/regions.h"

#include "trace/base/memory.h"

#include <math.h>

enum { FIRST_SLOTS = 64 };

struct kt_regions *kt_regions_new(void)
{
    struct kt_regions *regions = kt_resize(NULL, 1, sizeof *regions);
    *regions = (struct kt_regions){.slots = FIRST_SLOTS};
    regions->slot = kt_zeros(FIRST_SLOTS, sizeof *regions->slot);
    regions->region = kt_room_for_one(NULL, 0, sizeof *regions->region);
    regions->region[regions->count++] = (struct kt_named_region){0};
    return regions;
}

void kt_regions_free(struct kt_regions *regions)
{
    if (!regions)
        return;
    free(regions->region);
    free(regions->slot);
    free(regions);
}

/* Where a region of that name and parent is, or would be. */
static uint32_t *find_slot(const struct kt_regions *regions, uint32_t parent, uint32_t name)
{
    uint64_t hash = ((uint64_t)parent << 16 ^ name) * 0x9e3779b97f4a7c15u;
    for (size_t i = hash >> 20 & (regions->slots - 1);; i = (i + 1) & (regions->slots - 1)) {
        uint32_t *slot = &regions->slot[i];
        const struct kt_named_region *region = &regions->region[*slot];
        if (!*slot || (region->parent == parent && region->name == name))
            return slot;
    }
}

/* A third of the slots stays free at least. */
static void grow(struct kt_regions *regions)
{
    regions->slots *= 2;
    regions->slot = kt_resize(regions->slot, regions->slots, sizeof *regions->slot);
    memset(regions->slot, 0, regions->slots * sizeof *regions->slot);
    for (uint32_t i = 1; i < regions->count; i++)
        *find_slot(regions, regions->region[i].parent, regions->region[i].name) = i;
}

static void add_region(struct kt_regions *regions, uint32_t parent, uint32_t name)
{
    if (3 * regions->count >= 2 * regions->slots)
        grow(regions);
    *find_slot(regions, parent, name) = (uint32_t)regions->count;
    regions->region = kt_room_for_one(regions->region, regions->count, sizeof *regions->region);
    regions->region[regions->count++] =
        (struct kt_named_region){.name = name, .parent = parent, .depth = regions->region[parent].depth + 1};
}

uint32_t kt_regions_step(const struct kt_regions *regions, uint32_t region, uint32_t *deeper, unsigned id)
{
    bool deepest = regions->region[region].depth == KT_REGION_DEPTH;
    if (id && !deepest)
        return *find_slot(regions, region, id);
    if (id || *deeper) {
        *deeper += id ? 1 : -1u;
        return region;
    }
    return regions->region[region].parent;
}

static void add_time(struct kt_regions *regions, const struct kt_region_place *place, uint64_t ticks)
{
    struct kt_named_region *region = &regions->region[place->region];
    uint64_t since = place->since[region->depth];
    region->ticks += ticks > since && !place->repeats ? ticks - since : 0;
}

void kt_regions_record(struct kt_regions *regions, struct kt_region_place *place, unsigned id, uint64_t ticks)
{
    uint32_t before = place->region;
    bool deepest = regions->region[before].depth == KT_REGION_DEPTH;
    if (!id && before == 0)
        regions->unmatched += !place->repeats;
    else if (!id && !place->deeper)
        add_time(regions, place, ticks);
    if (id && !deepest && !*find_slot(regions, before, id))
        add_region(regions, before, id);
    place->region = kt_regions_step(regions, before, &place->deeper, id);
    if (id && !deepest) {
        regions->region[place->region].entered += !place->repeats;
        place->since[regions->region[place->region].depth] = ticks;
    }
}

static bool is_number(double x)
{
    return isfinite(x) && x >= 0;
}

void kt_regions_work(struct kt_regions *regions, const struct kt_region_place *place, double flops, double bytes)
{
    struct kt_named_region *region = &regions->region[place->region];
    if (place->region == 0 || place->deeper || !is_number(flops) || !is_number(bytes))
        return;
    region->flops += flops;
    region->bytes += bytes;
}

void kt_regions_leave(struct kt_regions *regions, struct kt_region_place *place, uint64_t ticks)
{
    place->deeper = 0;
    for (; place->region; place->region = regions->region[place->region].parent)
        add_time(regions, place, ticks);
}
