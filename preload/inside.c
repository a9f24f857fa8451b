/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/inside.h"

#include "preload/elements.h"
#include "preload/entries.h"

enum {
    ENTRIES = 1 << 16,
    BUDGET = 128,   /* one in so many ticks of the calls may be spent on their insides */
    RAREST = 18,    /* one in 2^18 is drawn at least: sums of weights and ticks stay numbers of 64 bits */
    LEAST_RISK = 2, /* at most one in so many is drawn: the others tell how long the call takes */
    FEW = 4,        /* calls that tell nothing of the mean yet */
    DEAREST = 8,    /* a nested call does not cost more than so many times its price, nor less than the half of it */
    TRUST = 256     /* the price counts as much as so many nested calls that were measured */
};

bool kt_passes_insides;

static bool samples;

/* Ticks that recording a nested call takes, as measured at the start. */
static uint64_t price;

/* Of entries: its first call was seen; calls nest in its calls. */
static _Atomic uint64_t seen[ENTRIES / 64], nests[ENTRIES / 64];

/* False: it was noted before. */
static bool note(_Atomic uint64_t *bits, unsigned entry)
{
    uint64_t bit = (uint64_t)1 << entry % 64;
    if (atomic_load_explicit(&bits[entry / 64], memory_order_relaxed) & bit)
        return false;
    return !(atomic_fetch_or_explicit(&bits[entry / 64], bit, memory_order_relaxed) & bit);
}

bool kt_inside_is_likely(unsigned entry)
{
    return samples && atomic_load_explicit(&nests[entry / 64], memory_order_relaxed) >> entry % 64 & 1;
}

bool kt_inside_is_new(unsigned entry)
{
    return samples && !(atomic_load_explicit(&seen[entry / 64], memory_order_relaxed) >> entry % 64 & 1);
}

void kt_inside_start(enum kt_nested nested, uint64_t self_ticks)
{
    samples = nested == KT_NESTED_SAMPLE;
    kt_passes_insides = nested != KT_NESTED_ALL;
    price = self_ticks > 2 ? self_ticks : 2;
}

/* --- strata ------------------------------------------------------------------------------------------------ */

/*
 * Calls of an entry of about the same size: of the length in bits of all that can be a size. Two cost estimates of one
 * entry may differ by orders of magnitude.
 */
static uint32_t stratum_key(unsigned entry, const uint64_t *word, unsigned words)
{
    enum { CLASS_BITS = 11 };
    unsigned bits = 0;
    for (unsigned i = KT_CALL_HEAD_WORDS; i < words; i++)
        bits += word[i] - 2 < UINT32_MAX - 2 ? 64 - (unsigned)__builtin_clzll(word[i]) : 0;
    return (uint32_t)entry << CLASS_BITS | (bits & ((1 << CLASS_BITS) - 1));
}

/* Where there is no room for one more, all are learnt anew. */
static struct kt_stratum *find_stratum(struct kt_insides *in, uint32_t key)
{
    size_t at = key * 0x9e3779b1u >> 24;
    _Static_assert(KT_STRATA == 256, "the hash has eight bits");
    for (unsigned i = 0; i < KT_STRATA; i++, at = (at + 1) % KT_STRATA) {
        struct kt_stratum *s = &in->stratum[at];
        if (s->key != key && s->key)
            continue;
        s->key = key;
        return s;
    }
    for (unsigned i = 0; i < KT_STRATA; i++)
        in->stratum[i] = (struct kt_stratum){0};
    return find_stratum(in, key);
}

/* Ticks, as far as is known. In integers, as all here: the program may look at the flags of its arithmetic. */
static uint64_t cost_of_nested(const struct kt_insides *in)
{
    int64_t all = (int64_t)(price * TRUST) + in->excess;
    uint64_t cost = all > 0 ? (uint64_t)all / (TRUST + in->excess_calls) : 0;
    cost = cost < price / 2 ? price / 2 : cost;
    return cost < DEAREST * price ? cost : DEAREST * price;
}

/* --- drawing ----------------------------------------------------------------------------------------------- */

/* The same numbers in each run. */
static uint32_t draw(struct kt_insides *in, uint64_t number)
{
    uint64_t state = in->random ? in->random : number * 0x9e3779b97f4a7c15u + 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    in->random = state;
    return (uint32_t)(state >> 32);
}

/* A probability, in units of 2^-32. */
static uint64_t chance_in(const struct kt_insides *in, const struct kt_stratum *s)
{
    const uint64_t most = ((uint64_t)1 << 32) / LEAST_RISK;
    uint64_t ticks = s->ticks;
    uint64_t cost = s->nested * cost_of_nested(in) * BUDGET;
    for (; ticks >> 32; ticks >>= 1)
        cost >>= 1;
    const uint64_t least = (uint64_t)1 << (32 - RAREST);
    uint64_t chance = cost ? (ticks << 32) / cost : most;
    chance = chance < least ? least : chance;
    return chance < most ? chance : most;
}

/* Calls of a size that was not met before are recorded if what was spent so far allows it. */
static bool is_affordable(const struct kt_insides *in)
{
    return in->spent * BUDGET <= in->ticks;
}

static uint32_t weight_of_new(struct kt_stratum *s, bool is_drawn)
{
    s->is_met |= is_drawn;
    return is_drawn ? KT_INSIDE_ONE : 0;
}

/* In units of 1 / KT_INSIDE_ONE; 0: it is not drawn. */
static uint32_t weight_of(struct kt_insides *in, struct kt_stratum *s, uint64_t number)
{
    if (!s->calls)
        return weight_of_new(s, !s->is_met && is_affordable(in));
    if (draw(in, number) >= s->chance)
        return 0;
    return (uint32_t)(((uint64_t)KT_INSIDE_ONE << 32) / s->chance);
}

/* What nests in a call that only asks for the size of a workspace is nothing like what nests in calls that work. */
static bool is_query(unsigned entry, const uint64_t *word)
{
    struct kt_element_walk walk;
    unsigned interface = (unsigned)(kt_entries_interface(entry) - kt_interfaces);
    kt_elements_begin(interface, word + KT_CALL_HEAD_WORDS, false, &walk);
    return walk.is_query;
}

static uint32_t draw_from(struct kt_stream *stream, unsigned entry, const uint64_t *word, unsigned words)
{
    struct kt_insides *in = &stream->insides;
    bool is_first = kt_inside_is_new(entry) && !is_query(entry, word) && note(seen, entry);
    in->now = NULL;
    if (!is_first && !kt_inside_is_likely(entry))
        return 0;
    in->now = find_stratum(in, stratum_key(entry, word, words));
    return is_first ? weight_of_new(in->now, true) : weight_of(in, in->now, stream->number);
}

uint32_t kt_inside_draw(struct kt_stream *stream, struct kt_frame *frame, const uint64_t *word, unsigned words)
{
    uint32_t weight = samples ? draw_from(stream, frame->binding->entry, word, words) : 0;
    stream->insides.weight = weight;
    if (!weight)
        return 0;
    frame->passes = false;
    frame->guard = kt_guard(frame);
    kt_self.passing = NULL;
    stream->insides.calls_before = stream->calls + 1; /* this one */
    return weight;
}

/* --- learning ---------------------------------------------------------------------------------------------- */

/* How much longer than others of its kind was a call whose inside was recorded? */
static void learn_cost(struct kt_insides *in, const struct kt_stratum *s, uint64_t ticks, uint64_t nested)
{
    in->spent += nested * cost_of_nested(in);
    if (!s || s->calls < FEW)
        return;
    in->excess += (int64_t)(ticks - s->ticks / s->calls);
    in->excess_calls += nested;
}

/* Divisions take as long as all else here. */
static void learn_usual(const struct kt_insides *in, struct kt_stratum *s, uint64_t ticks, uint64_t nested)
{
    enum { RENEWED = 64 };
    if (!s)
        return;
    s->calls++;
    s->ticks += ticks;
    s->nested += nested;
    if (s->calls < RENEWED || s->calls % RENEWED == 0)
        s->chance = chance_in(in, s);
}

/* Calls that were recorded or passed on in it. */
static uint64_t nested_in(const struct kt_stream *stream, const struct kt_frame *frame, uint64_t passed)
{
    return frame->passes ? passed : stream->calls - stream->insides.calls_before;
}

uint32_t kt_inside_weight(void)
{
    return kt_passes_insides ? kt_self.stream->insides.weight : KT_INSIDE_ONE;
}

void kt_inside_learn(struct kt_stream *stream, const struct kt_frame *frame, uint64_t ticks, uint64_t passed)
{
    struct kt_insides *in = &stream->insides;
    uint64_t nested = samples ? nested_in(stream, frame, passed) : 0;
    if (!nested)
        return;
    note(nests, frame->binding->entry);
    in->ticks += ticks;
    if (frame->passes)
        learn_usual(in, in->now, ticks, nested);
    else
        learn_cost(in, in->now, ticks, nested);
}
