/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/by_caller.h"

#include "trace/base/memory.h"
#include "trace/shape/shape.h"

static size_t place_of(const struct kt_shape_calls *key, size_t slots)
{
    uint64_t hash = (key->caller ^ (uintptr_t)key->process) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ key->shape ^ hash >> 29) * 0x9e3779b97f4a7c15u;
    return hash >> 32 & (slots - 1);
}

static bool is_same(const struct kt_shape_calls *a, const struct kt_shape_calls *b)
{
    return a->shape == b->shape && a->caller == b->caller && a->process == b->process;
}

static void grow(struct kt_by_caller *sums)
{
    sums->slots = sums->slots ? 2 * sums->slots : 256;
    sums->slot = kt_resize(sums->slot, sums->slots, sizeof *sums->slot);
    memset(sums->slot, 0, sums->slots * sizeof *sums->slot);
    for (size_t i = 0; i < sums->count; i++) {
        size_t at = place_of(&sums->of[i], sums->slots);
        while (sums->slot[at])
            at = (at + 1) & (sums->slots - 1);
        sums->slot[at] = (uint32_t)i + 1;
    }
}

static struct kt_shape_calls *find(struct kt_by_caller *sums, const struct kt_shape_calls *key)
{
    if (2 * sums->count >= sums->slots)
        grow(sums);
    size_t at = place_of(key, sums->slots);
    for (; sums->slot[at]; at = (at + 1) & (sums->slots - 1))
        if (is_same(&sums->of[sums->slot[at] - 1], key))
            return &sums->of[sums->slot[at] - 1];
    sums->of = kt_room_for_one(sums->of, sums->count, sizeof *sums->of);
    sums->of[sums->count] = *key;
    sums->slot[at] = (uint32_t)sums->count + 1;
    return &sums->of[sums->count++];
}

static struct kt_shape_calls key_of(const struct kt_by_caller *sums, const struct kt_call *call, size_t shape)
{
    struct kt_site site = {call->process, kt_call_site(call)};
    if (sums->sites)
        site = kt_sites_of(sums->sites, call);
    return (struct kt_shape_calls){.process = site.process, .caller = site.id, .shape = shape};
}

void kt_by_caller_add(struct kt_by_caller *sums, const struct kt_call *call, size_t shape, double seconds)
{
    struct kt_shape_calls key = key_of(sums, call, shape);
    struct kt_shape_calls *found = find(sums, &key);
    if (!sums->only_sums)
        kt_samples_add(&found->seconds, seconds);
    found->calls++;
    found->total += seconds;
}

void kt_by_caller_add_counts(struct kt_by_caller *sums, const struct kt_counts *counts, size_t shape)
{
    struct kt_shape_calls key = key_of(sums, &counts->call, shape);
    struct kt_shape_calls *found = find(sums, &key);
    if (!sums->only_sums)
        kt_counts_samples(counts, false, &found->seconds);
    found->calls += counts->calls;
    found->total += counts->seconds;
}

void kt_by_caller_add_profiles(struct kt_by_caller *sums, struct kt_collection *collection,
                               const struct kt_trace *trace)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    kt_counts_begin(trace, &cursor);
    while (kt_counts_next(&cursor, &counts)) {
        if (counts.call.args && counts.calls && counts.nesting == KT_NOT_NESTED)
            kt_by_caller_add_counts(sums, &counts, kt_collection_number(collection, &counts.call));
    }
}

void kt_by_caller_free(struct kt_by_caller *sums)
{
    for (size_t i = 0; i < sums->count; i++)
        kt_samples_free(&sums->of[i].seconds);
    kt_sites_free(sums->sites);
    free(sums->of);
    free(sums->slot);
    *sums = (struct kt_by_caller){0};
}
