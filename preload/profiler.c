/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a call in profile mode. The cell that was used last for an entry is tried first, then the index of the
 * thread's table; a shape that is new gets a cell, and where there is no room the call is counted in an overflow cell,
 * which all threads share.
 */
#include "preload/profiler.h"

#include "preload/inside.h"
#include "preload/plan.h"
#include "preload/profile_memory.h"
#include "preload/profile_table.h"
#include "preload/ticks.h"

enum {
    KEPT_FOR_OUTERMOST = KT_PROFILE_MEMORY / 3, /* calls that nest have countless shapes in some libraries */
    LEVELS = 32, /* calls nested deeper than this count as if nothing were nested in them */
    CALLS_PER_ANCHOR = 1 << 16
};

/* An overflow cell, in frame->cpu, beside the place of a cell. */
#define OVERFLOW_BIT 0x80000000u

/* Calls in progress, by depth: what was nested in them, and what the thread had spent on cells when they began. */
struct level {
    uint64_t calls, ticks;
    uint64_t spent;
};

static __thread struct level level_at[LEVELS] __attribute__((tls_model("initial-exec")));

/* --- overflow ---------------------------------------------------------------------------------------------------- */

/* All threads count here. */
static void add(uint64_t *count, uint64_t number)
{
    atomic_fetch_add_explicit((_Atomic uint64_t *)count, number, memory_order_relaxed);
}

static void add_extremes(struct kt_cell *cell, uint64_t ticks)
{
    uint64_t least = atomic_load((_Atomic uint64_t *)&cell->least);
    uint64_t most = atomic_load((_Atomic uint64_t *)&cell->most);
    while (ticks < least && !atomic_compare_exchange_weak((_Atomic uint64_t *)&cell->least, &least, ticks))
        ;
    while (ticks > most && !atomic_compare_exchange_weak((_Atomic uint64_t *)&cell->most, &most, ticks))
        ;
}

static KT_COLD void end_in_overflow(struct kt_cell *cell, uint64_t ticks, const struct level *level)
{
    add(&cell->ticks, ticks);
    add_extremes(cell, ticks);
    if (level->calls) {
        add(&cell->nests, 1);
        add(&cell->nests_ticks, ticks);
        add(&cell->nested, level->calls);
        add(&cell->nested_ticks, level->ticks);
    }
    add(&cell->calls, 1);
}

/* --- cells ------------------------------------------------------------------------------------------------------- */

static struct kt_where where_in(uint32_t within, const struct kt_frame *parent, const struct kt_plan *plan)
{
    for (; parent && parent->record; parent = parent->parent) {
        const struct kt_plan *other = kt_plan_of(parent->binding->entry);
        if (other && plan && other->routine == plan->routine)
            return (struct kt_where){KT_WITHIN_ITSELF, within};
    }
    return (struct kt_where){KT_NESTED, within};
}

/* Behind the others; counts begin with the first call. Calls that nest come in countless shapes, of which each has few:
 * for those, the shortest, the longest and the sum have to do. */
static uint32_t add_cell(struct kt_table *t, const struct kt_plan *plan, struct kt_where where, unsigned entry,
                         const uint64_t *word)
{
    const size_t bins = where.nesting == KT_NOT_NESTED ? KT_BINS : 0;
    size_t bytes = sizeof(struct kt_cell) + 8 * (bins + plan->words) + sizeof(struct kt_cell_inside);
    if (!kt_profile_table_room(t, bytes, bins ? 0 : KEPT_FOR_OUTERMOST))
        return 0;
    uint32_t place = (uint32_t)(t->used / 8);
    struct kt_cell *cell = kt_cell_at(t->head, place);
    memset(cell, 0, bytes); /* a jump may have left an unfinished one here */
    *cell = (struct kt_cell){.bytes = (uint32_t)bytes,
                             .entry = (uint16_t)entry,
                             .kind = bins ? KT_CELL_SHAPE : KT_CELL_BARE,
                             .nesting = (uint8_t)where.nesting,
                             .least = UINT64_MAX,
                             .words = plan->words,
                             .within = where.within};
    memcpy(kt_words_of(cell), word, plan->words * sizeof *word);
    kt_profile_table_add(t, bytes, kt_hash_of(plan, where, entry, word));
    return place;
}

static __attribute__((noinline)) uint32_t look_up(struct kt_table *t, const struct kt_plan *plan, struct kt_where where,
                                                  unsigned entry, const uint64_t *word)
{
    const uint64_t hash = kt_hash_of(plan, where, entry, word);
    size_t at = hash & (t->slots - 1);
    for (; t->slot[at].place; at = (at + 1) & (t->slots - 1))
        if (t->slot[at].hash == hash)
            return t->slot[at].place;
    uint64_t begin = kt_ticks_now();
    uint32_t place = add_cell(t, plan, where, entry, word);
    t->spent += kt_ticks_now() - begin;
    return place;
}

/* Mostly the cell that was used last for the entry, which is in a cache then. Where it was another one several times it
 * is not looked at. */
static inline uint32_t find_cell(struct kt_table *t, const struct kt_plan *plan, struct kt_where where, unsigned entry,
                                 const uint64_t *word)
{
    enum { MOST_IN_VAIN = 4 };
    struct kt_last_cell *last = &t->last[entry % KT_LASTS];
    if (KT_LIKELY(last->place && last->in_vain < MOST_IN_VAIN &&
                  kt_is_of_cell(kt_cell_at(t->head, last->place), plan, where, entry, word)))
        return last->place;
    uint32_t place = look_up(t, plan, where, entry, word);
    last->in_vain = last->place == place ? 0 : last->in_vain + (last->in_vain < MOST_IN_VAIN);
    return place ? last->place = place : 0;
}

static inline struct level *level_of(const struct kt_frame *frame)
{
    return frame->depth < LEVELS ? &level_at[frame->depth] : NULL;
}

static KT_COLD enum kt_loss begin_in_overflow(struct kt_frame *frame, enum kt_nesting nesting)
{
    uint32_t place = kt_profile_table_overflow(frame->binding->entry, nesting);
    if (!place)
        return KT_LOSS_SPACE;
    add(&kt_cell_at(kt_overflow, place)->begun, 1);
    frame->cpu = place | OVERFLOW_BIT;
    return KT_LOSS_COUNT;
}

enum kt_loss kt_profiler_begin(struct kt_frame *frame, const uint64_t *word, unsigned words)
{
    struct kt_table *t = kt_table;
    unsigned entry = frame->binding->entry;
    const struct kt_plan *plan = kt_plan_of(entry);
    if (KT_UNLIKELY(!plan))
        plan = kt_plan_make(entry);
    struct kt_where where = {KT_NOT_NESTED, 0};
    if (KT_UNLIKELY(frame->depth))
        where = where_in(t ? t->within : 0, frame->parent, plan);
    else if (KT_LIKELY(t))
        t->within = entry + 1;
    uint32_t place = KT_LIKELY(t && plan && plan->words == words) ? find_cell(t, plan, where, entry, word) : 0;
    if (KT_LIKELY(place)) {
        struct kt_cell *cell = kt_cell_at(t->head, place);
        cell->begun++;
        t->head->current = 8 * (uint64_t)place;
        frame->cpu = place;
    } else {
        enum kt_loss cause = begin_in_overflow(frame, where.nesting);
        if (cause != KT_LOSS_COUNT)
            return cause;
    }
    if (KT_LIKELY(frame->depth < LEVELS))
        level_at[frame->depth] = (struct level){.spent = t ? t->spent : 0};
    if (t)
        t->outermost += where.nesting == KT_NOT_NESTED;
    frame->record = kt_self.stream->number;
    kt_self.stream->calls++;
    return KT_LOSS_COUNT;
}

/* A duration shorter than all bins: the bins move down, and the longest durations share the last one. */
static KT_COLD void move_bins(struct kt_cell *cell, unsigned bin)
{
    uint64_t *count = (uint64_t *)(cell + 1);
    unsigned first = bin / KT_OCTAVE_BINS * KT_OCTAVE_BINS;
    unsigned by = cell->calls ? cell->first_bin - first : 0;
    for (unsigned i = KT_BINS; by && i-- > 0;) {
        uint64_t moved = count[i];
        count[i] = 0;
        count[i + by < KT_BINS ? i + by : KT_BINS - 1] += moved;
    }
    cell->first_bin = first;
}

static inline void add_to_bin(struct kt_cell *cell, uint64_t ticks)
{
    uint64_t *count = (uint64_t *)(cell + 1);
    unsigned bin = kt_bin_of(ticks);
    if (cell->kind != KT_CELL_SHAPE)
        return;
    if (KT_UNLIKELY(bin < cell->first_bin || !cell->first_bin))
        move_bins(cell, bin);
    bin -= cell->first_bin;
    count[bin < KT_BINS ? bin : KT_BINS - 1]++;
}

static KT_COLD void begin_counts(struct kt_cell *cell, const struct kt_frame *frame, int64_t info)
{
    cell->info = info;
    cell->start = frame->start;
}

static struct kt_cell_inside *inside_of(struct kt_cell *cell)
{
    return (struct kt_cell_inside *)(void *)(kt_words_of(cell) + cell->words);
}

static void count_weighted(struct kt_cell_inside *in, uint64_t ticks, const struct level *level)
{
    uint64_t weight = kt_inside_weight();
    in->calls += weight;
    in->ticks += weight * ticks;
    if (!level)
        return;
    in->nested += weight * level->calls;
    in->nested_ticks += weight * level->ticks;
}

/* Of most outermost calls there is nothing to tell. */
static inline void count_inside(struct kt_cell *cell, const struct kt_frame *frame, uint64_t ticks, uint64_t passed,
                                const struct level *level)
{
    if (KT_LIKELY(frame->passes && !passed))
        return;
    struct kt_cell_inside *in = inside_of(cell);
    if (frame->passes) {
        in->passed += passed;
        return;
    }
    in->drawn += frame->depth == 0;
    in->drawn_ticks += frame->depth == 0 ? ticks : 0;
    count_weighted(in, ticks, level);
}

/* A jump may leave this at any moment, many times: what a cell tells of the inside never is of more calls than CALLS.
 */
static inline void end_in_cell(struct kt_cell *cell, const struct kt_frame *frame, uint64_t ticks, int64_t info,
                               uint64_t passed, const struct level *level)
{
    if (KT_UNLIKELY(!cell->calls))
        begin_counts(cell, frame, info);
    add_to_bin(cell, ticks);
    cell->ticks += ticks;
    cell->least = ticks < cell->least ? ticks : cell->least;
    cell->most = ticks > cell->most ? ticks : cell->most;
    atomic_signal_fence(memory_order_seq_cst);
    cell->calls++;
    atomic_signal_fence(memory_order_seq_cst);
    if (KT_UNLIKELY(level && level->calls)) {
        cell->nests++;
        cell->nests_ticks += ticks;
        cell->nested += level->calls;
        cell->nested_ticks += level->ticks;
    }
    count_inside(cell, frame, ticks, passed, level);
}

/* What a call was nested in has it in its own time. */
static void tell_parent(const struct kt_frame *frame, uint64_t ticks)
{
    struct level *level = frame->depth && frame->depth <= LEVELS ? &level_at[frame->depth - 1] : NULL;
    if (!level)
        return;
    level->calls++;
    level->ticks += ticks;
}

static uint64_t place_of_parent(const struct kt_frame *frame)
{
    const struct kt_frame *parent = frame->parent;
    return parent && parent->record && !(parent->cpu & OVERFLOW_BIT) ? 8 * (uint64_t)parent->cpu : 0;
}

/* The clocks are read now and then: without a clean end that tells how fast they ran. */
static KT_COLD void read_clocks(struct kt_profile_head *head)
{
    uint64_t number = head->laters == 1 ? 2 : 1;
    head->later[number - 1] = kt_ticks_anchor();
    atomic_store_explicit((_Atomic uint64_t *)&head->laters, number, memory_order_release);
}

static inline void end_in_table(struct kt_table *t, const struct kt_frame *frame, uint64_t ticks, int64_t info,
                                uint64_t passed, const struct level *level)
{
    end_in_cell(kt_cell_at(t->head, frame->cpu), frame, ticks, info, passed, level);
    t->head->current = KT_LIKELY(!frame->parent) ? 0 : place_of_parent(frame);
}

static inline uint64_t own_ticks(const struct kt_table *t, uint64_t ticks, const struct level *level)
{
    uint64_t spent = t && level ? t->spent - level->spent : 0;
    return KT_LIKELY(spent < ticks) ? ticks - spent : ticks;
}

void kt_profiler_end(const struct kt_frame *frame, uint64_t ticks, int64_t info, uint64_t passed)
{
    static const struct level nothing;
    struct kt_table *t = kt_table;
    const struct level *level = level_of(frame);
    if (KT_LIKELY(t))
        t->head->last = frame->start + ticks;
    ticks = own_ticks(t, ticks, level);
    if (KT_UNLIKELY(frame->depth))
        tell_parent(frame, ticks);
    else if (t)
        t->ticks += ticks;
    if (KT_UNLIKELY(frame->cpu & OVERFLOW_BIT))
        end_in_overflow(kt_cell_at(kt_overflow, frame->cpu & ~OVERFLOW_BIT), ticks, level ? level : &nothing);
    else
        end_in_table(t, frame, ticks, info, passed, level);
    atomic_signal_fence(memory_order_seq_cst); /* what has ended can be read, wherever a jump leaves this */
    kt_self.stream->ended++;
    if (KT_UNLIKELY(kt_self.stream->ended % CALLS_PER_ANCHOR == 0) && t)
        read_clocks(t->head);
}
