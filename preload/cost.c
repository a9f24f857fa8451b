/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/cost.h"

#include "preload/bind.h"
#include "preload/gate.h"
#include "preload/meta.h"

#include <string.h>

enum { ARGUMENTS = 12, STRETCHES = 8, CALLS = 24, FRACTIONS = 10 /* of a tick */ };

KT_HIDDEN void kt_cost_call(const void *const argument[ARGUMENTS], struct kt_slot *slot, const void *way);
extern KT_HIDDEN const char kt_wrap_dgemv_[];
extern KT_HIDDEN const char kt_way[];

static uint64_t cost[KT_PRICE_COUNT]; /* in fractions of a tick */

static void do_nothing(void)
{
}

/* One entry for all: their calls are not told apart. The range holds every caller. */
static struct kt_binding binding = {.bytes = UINTPTR_MAX, .entry = 1};
static struct kt_slot slot;

static void bind(const char *symbol)
{
    binding.target = (void *)(uintptr_t)do_nothing;
    binding.interface = kt_interface_of(kt_slot_find(symbol));
    kt_set_recent(&slot, &binding);
}

/* Some arguments become others, irregularly, as they do in programs: the processor cannot learn which. */
static void change(const void *argument[ARGUMENTS], uint64_t number)
{
    static const int32_t size[64];
    static uint64_t state = 88172645463325252u;
    state = state * 6364136223846793005u + 1442695040888963407u + number;
    for (unsigned i = 0; i < ARGUMENTS; i++)
        if (!(state >> (8 + 2 * i) & 3))
            argument[i] = size + (state >> (32 + i) & 31);
}

/* A row of calls; with CHANGED, each is different from the one before. */
static uint64_t ticks_of_calls(const void *way, bool changed)
{
    const void *argument[CALLS][ARGUMENTS];
    for (unsigned i = 0; i < ARGUMENTS; i++)
        argument[0][i] = &slot;
    for (unsigned call = 1; call < CALLS; call++) {
        memcpy(argument[call], argument[call - 1], sizeof argument[call]);
        if (changed)
            change(argument[call], call);
    }
    uint64_t start = kt_now();
    for (unsigned call = 0; call < CALLS; call++)
        kt_cost_call(argument[call], &slot, way);
    return kt_now() - start;
}

/* Per call. The stream of threads without one takes what is recorded, in memory that no trace has. */
static uint64_t least_of(const void *way, bool changed)
{
    static uint64_t memory[(sizeof(struct kt_chunk) + CALLS * 128 + 1024) / 8];
    struct kt_stream *s = &kt_no_stream;
    uint64_t least = UINT64_MAX;
    s->chunk = (struct kt_chunk *)(void *)memory;
    s->limit = (unsigned char *)memory + sizeof memory - 1024;
    s->touched = (unsigned char *)memory + sizeof memory;
    s->number = s->chunk_stamp = 1 << 16;
    s->cpu_now = &s->cpu;
    for (int stretch = 0; stretch < STRETCHES; stretch++) {
        s->cursor = (unsigned char *)(s->chunk + 1);
        s->last = kt_now();
        atomic_store(&s->ready, kt_odd_epoch());
        uint64_t ticks = ticks_of_calls(way, changed);
        least = ticks < least ? ticks : least;
    }
    s->context[binding.entry].stamp = s->number = 0;
    s->chunk = NULL;
    atomic_store(&s->ready, 0);
    return FRACTIONS * least / CALLS;
}

static uint64_t beyond(uint64_t ticks, uint64_t plain)
{
    return ticks > plain ? ticks - plain : 0;
}

/* What takes the place of a call that is in progress. */
static uint64_t least_of_passed(void)
{
    struct kt_frame frame = {.self = &frame, .binding = &binding};
    kt_self.passing = &frame;
    uint64_t least = least_of(kt_way, false);
    kt_self.passing = NULL;
    kt_self.passed = 0;
    return least;
}

void kt_costs_measure(void)
{
    const unsigned extras = kt_extras;
    kt_extras &= KT_EXTRA_CLOCK;
    const void *nothing = (const void *)(uintptr_t)do_nothing;
    uint64_t plain = least_of(nothing, true);
    bind("dgemv_");
    cost[KT_PRICE_COMPILED_SAME] = beyond(least_of(kt_wrap_dgemv_, false), plain);
    cost[KT_PRICE_COMPILED] = beyond(least_of(kt_wrap_dgemv_, true), plain);
    cost[KT_PRICE_PASSED] = beyond(least_of_passed(), plain);
    bind("dlarfg_");
    cost[KT_PRICE_TRAMPOLINE_SAME] = beyond(least_of(kt_way, false), plain);
    cost[KT_PRICE_TRAMPOLINE] = beyond(least_of(kt_way, true), plain);
    kt_extras = extras;
}

uint64_t kt_cost_of_call(void)
{
    return (cost[KT_PRICE_COMPILED] + cost[KT_PRICE_TRAMPOLINE]) / (2 * FRACTIONS);
}

void kt_cost_fields(struct kt_line *line)
{
    static const char *const name[] = {
#define KT_PRICE_NAME(name, text) text,
        KT_PRICES(KT_PRICE_NAME)
#undef KT_PRICE_NAME
    };
    for (int i = 0; i < KT_PRICE_COUNT; i++) {
        kt_line_raw(line, name[i]);
        kt_line_raw(line, "\t");
        kt_line_unsigned(line, cost[i] / FRACTIONS, 10);
        kt_line_raw(line, ".");
        kt_line_unsigned(line, cost[i] % FRACTIONS, 10);
        kt_line_raw(line, "\n");
    }
}
