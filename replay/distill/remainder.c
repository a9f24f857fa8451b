/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/distill/remainder.h"

#include "trace/base/memory.h"

#include <string.h>

/* --- tallies --------------------------------------------------------------------------------------------------- */

void kt_tally_add(struct kt_tally *t, uint64_t ticks, uint64_t count)
{
    if (!count)
        return;
    if (!t->bin && !t->only_sums)
        t->bin = kt_zeros(KT_TALLY_BINS, sizeof *t->bin);
    if (t->bin)
        t->bin[kt_bin_of(ticks)] += count;
    t->least = !t->calls || ticks < t->least ? ticks : t->least;
    t->most = ticks > t->most ? ticks : t->most;
    t->calls += count;
    t->ticks += count * ticks;
}

static uint64_t at_least(uint64_t value, uint64_t least)
{
    return value > least ? value : least;
}

/* The shortest and the longest of the rest are known as well as their bins. */
static void set_extremes(struct kt_tally *t, const struct kt_tally *all)
{
    unsigned lowest = 0;
    unsigned highest = KT_TALLY_BINS - 1;
    while (lowest < highest && !t->bin[lowest])
        lowest++;
    while (highest > lowest && !t->bin[highest])
        highest--;
    t->least = at_least(all->least, lowest == kt_bin_of(0) ? 0 : kt_bin_ticks(lowest));
    t->most = at_least(t->least, highest + 1 < KT_TALLY_BINS ? kt_bin_ticks(highest + 1) - 1 : all->most);
    t->most = t->most < all->most ? t->most : all->most;
    if (t->calls == 1)
        t->least = t->most = t->ticks;
}

struct kt_tally kt_tally_without(const struct kt_tally *all, const struct kt_tally *less)
{
    struct kt_tally left = {.calls = all->calls - less->calls,
                            .ticks = all->ticks - less->ticks,
                            .least = all->least,
                            .most = all->most,
                            .passed = all->passed - less->passed,
                            .only_sums = all->only_sums};
    if (!left.calls || left.only_sums)
        return left;
    left.bin = kt_zeros(KT_TALLY_BINS, sizeof *left.bin);
    for (unsigned i = 0; i < KT_TALLY_BINS; i++)
        left.bin[i] = all->bin[i] - (less->bin ? less->bin[i] : 0);
    set_extremes(&left, all);
    return left;
}

void kt_tally_free(struct kt_tally *t)
{
    free(t->bin);
    *t = (struct kt_tally){0};
}

/* --- cells ----------------------------------------------------------------------------------------------------- */

static void put(struct kt_remainder *r, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        r->bytes = kt_room_for_one(r->bytes, r->size / 8, 8);
        memcpy(r->bytes + r->size, (const unsigned char *)bytes + i, 8);
        r->size += 8;
    }
    ((struct kt_profile_head *)(void *)r->bytes)->chunk.used_bytes = r->size;
}

void kt_remainder_begin(struct kt_remainder *r, const struct kt_anchor *anchor, uint64_t threads)
{
    struct kt_profile_head head = {.chunk = {.byte_order = KT_BYTE_ORDER,
                                             .major = KT_FORMAT_MAJOR,
                                             .minor = KT_FORMAT_MINOR,
                                             .header_bytes = sizeof head,
                                             .pid = 1,
                                             .anchor = *anchor},
                                   .last = anchor->ticks,
                                   .threads = threads};
    memcpy(head.chunk.magic, KT_PROFILE_MAGIC, sizeof head.chunk.magic);
    head.chunk.used_bytes = sizeof head;
    r->bytes = kt_copy_of_array(&head, sizeof head / 8, 8);
    r->size = sizeof head;
}

/* Durations beyond the last bin of a cell are in it. */
static unsigned take_bins(const struct kt_tally *t, uint64_t out[KT_BINS])
{
    unsigned first = kt_bin_of(t->least);
    unsigned highest = kt_bin_of(UINT64_MAX) - KT_BINS;
    first = (first < highest ? first : highest) / KT_OCTAVE_BINS * KT_OCTAVE_BINS;
    for (unsigned i = first; i < KT_TALLY_BINS; i++)
        out[i - first < KT_BINS ? i - first : KT_BINS - 1] += t->bin[i];
    return first;
}

void kt_remainder_add(struct kt_remainder *r, uint16_t entry, const struct kt_tally *t, const uint64_t *word,
                      size_t words, int64_t info)
{
    uint64_t bins[KT_BINS] = {0};
    const struct kt_cell_inside inside = {.passed = t->passed};
    struct kt_cell cell = {.bytes = sizeof cell,
                           .entry = entry,
                           .kind = word ? KT_CELL_SHAPE : KT_CELL_OVERFLOW,
                           .begun = t->calls,
                           .calls = t->calls,
                           .ticks = t->ticks,
                           .least = t->least,
                           .most = t->most,
                           .info = info};
    if (!t->calls)
        return;
    if (!word) {
        put(r, &cell, sizeof cell);
        return;
    }
    cell.bytes = (uint32_t)(sizeof cell + sizeof bins + 8 * words + sizeof inside);
    cell.first_bin = take_bins(t, bins);
    cell.words = (uint32_t)words;
    cell.start = ((const struct kt_profile_head *)(const void *)r->bytes)->chunk.anchor.ticks;
    put(r, &cell, sizeof cell);
    put(r, bins, sizeof bins);
    put(r, word, 8 * words);
    put(r, &inside, sizeof inside);
}

void kt_remainder_add_thread(struct kt_remainder *r, uint64_t tid, uint64_t calls, uint64_t ticks)
{
    const struct kt_thread_cell cell = {
        .bytes = sizeof cell, .kind = KT_CELL_THREAD, .tid = tid, .calls = calls, .outermost = calls, .ticks = ticks};
    if (calls)
        put(r, &cell, sizeof cell);
}

void kt_remainder_free(struct kt_remainder *r)
{
    free(r->bytes);
    *r = (struct kt_remainder){0};
}
