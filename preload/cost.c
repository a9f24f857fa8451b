/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/cost.h"

#include "preload/names.h"
#include "preload/price.h"
#include "preload/ticks.h"

#include <string.h>

enum { ARGUMENTS = 12, STRETCHES = 3, CALLS = 48, KINDS = 12 };

KT_HIDDEN void kt_cost_call(const void *const argument[ARGUMENTS], struct kt_slot *slot, const void *way);
extern KT_HIDDEN const char kt_way[];

static void do_nothing(void)
{
}

/* What LAPACK calls most. */
#define COMPILED(X) \
    X(dgemv) X(dger) X(dtrsm) X(dscal) X(ddot) X(daxpy) X(dcopy) X(dnrm2) X(dswap) X(dtrmv) X(idamax) X(dsyrk)
#define DECLARE(name) extern KT_HIDDEN const char kt_wrap_##name##_[];
COMPILED(DECLARE)
#define WAY(name)  kt_wrap_##name##_,
#define NAME(name) #name "_",
static const void *const compiled[KINDS] = {COMPILED(WAY)};
static const char *const compiled_name[KINDS] = {COMPILED(NAME)};
static const char *const trampoline_name[KINDS] = {"dlarfg_", "dlarf_",  "dlascl_", "dlange_", "dgeqr2_", "dorm2r_",
                                                   "dlarft_", "dlaset_", "dlacpy_", "iladlr_", "dlasr_",  "iladlc_"};

/* The range holds every caller. */
static struct kt_binding binding[KINDS];
static struct kt_slot slot[KINDS];

static void bind(const char *const name[KINDS])
{
    for (unsigned i = 0; i < KINDS; i++) {
        binding[i] = (struct kt_binding){.bytes = UINTPTR_MAX, .entry = 1 + i};
        binding[i].target = (void *)(uintptr_t)do_nothing;
        binding[i].interface = kt_names_interface(kt_names_find(name[i]));
        kt_set_recent(&slot[i], &binding[i]);
    }
}

/* Irregular, as programs are: the processor cannot learn what comes. */
static uint64_t next_random(void)
{
    static uint64_t state = 88172645463325252u;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 16;
}

/* Some arguments become others. */
static void change(const void *argument[ARGUMENTS])
{
    static const int32_t size[64];
    uint64_t random = next_random();
    for (unsigned i = 0; i < ARGUMENTS; i++)
        argument[i] = random >> (2 * i) & 3 ? argument[i] : size + (random >> (24 + i) & 15);
}

/* A row of calls; with CHANGED, each is different from the one before of its kind. */
static uint64_t ticks_of_calls(const void *const way[KINDS], bool changed)
{
    static const void *argument[KINDS][ARGUMENTS];
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned i = 0; i < ARGUMENTS; i++)
            argument[k][i] = &slot;
    uint64_t start = kt_ticks_now();
    for (unsigned call = 0; call < CALLS; call++) {
        unsigned kind = next_random() % KINDS;
        if (changed)
            change(argument[kind]);
        kt_cost_call(argument[kind], &slot[kind], way[kind]);
    }
    return kt_ticks_now() - start;
}

/* Neither the first, whose code is cold, nor one that was interrupted. */
static uint64_t middle(const uint64_t ticks[STRETCHES])
{
    _Static_assert(STRETCHES == 3, "the one between two others");
    uint64_t low = ticks[0] < ticks[1] ? ticks[0] : ticks[1];
    uint64_t high = ticks[0] < ticks[1] ? ticks[1] : ticks[0];
    return ticks[2] < low ? low : ticks[2] > high ? high : ticks[2];
}

/* Per call. The stream of threads without one takes what is recorded, in memory that no trace has. */
static uint64_t ticks_per_call(const void *const way[KINDS], bool changed)
{
    static uint64_t memory[(sizeof(struct kt_chunk) + CALLS * 256 + 1024) / 8];
    struct kt_stream *s = &kt_no_stream;
    uint64_t ticks[STRETCHES];
    s->chunk = (struct kt_chunk *)(void *)memory;
    s->limit = s->room = (unsigned char *)memory + sizeof memory - 1024;
    s->touched = (unsigned char *)memory + sizeof memory;
    s->number = s->chunk_stamp = 1 << 16;
    s->cpu_now = &s->cpu;
    for (int stretch = 0; stretch < STRETCHES; stretch++) {
        s->cursor = (unsigned char *)(s->chunk + 1);
        s->last = kt_ticks_now();
        atomic_store(&s->ready, kt_control_odd_epoch());
        ticks[stretch] = ticks_of_calls(way, changed);
    }
    for (unsigned i = 0; i < KINDS; i++)
        s->context[binding[i].entry].stamp = 0;
    s->number = 0;
    s->chunk = NULL;
    atomic_store(&s->ready, 0);
    return KT_PRICE_FRACTIONS * middle(ticks) / CALLS;
}

static uint64_t beyond(uint64_t ticks, uint64_t plain)
{
    return ticks > plain ? ticks - plain : 0;
}

/* What takes the place of a call that is in progress. */
static uint64_t price_of_passing(const void *const way[KINDS])
{
    struct kt_frame frame = {.self = &frame, .binding = binding};
    kt_self.passing = &frame;
    uint64_t ticks = ticks_per_call(way, false);
    kt_self.passing = NULL;
    kt_self.passed = 0;
    return ticks;
}

void kt_cost_measure(void)
{
    const unsigned extras = kt_extras;
    const void *nothing[KINDS], *trampoline[KINDS];
    for (unsigned i = 0; i < KINDS; i++) {
        nothing[i] = (const void *)(uintptr_t)do_nothing;
        trampoline[i] = kt_way;
    }
    kt_extras &= KT_EXTRA_CLOCK;
    uint64_t plain = ticks_per_call(nothing, true), plain_same = ticks_per_call(nothing, false);
    bind(compiled_name);
    kt_prices[KT_PRICE_COMPILED_SAME] = beyond(ticks_per_call(compiled, false), plain_same);
    kt_prices[KT_PRICE_COMPILED] = beyond(ticks_per_call(compiled, true), plain);
    kt_prices[KT_PRICE_PASSED] = beyond(price_of_passing(trampoline), plain_same);
    bind(trampoline_name);
    kt_prices[KT_PRICE_TRAMPOLINE_SAME] = beyond(ticks_per_call(trampoline, false), plain_same);
    kt_prices[KT_PRICE_TRAMPOLINE] = beyond(ticks_per_call(trampoline, true), plain);
    kt_extras = extras;
}
