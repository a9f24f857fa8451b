/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events as include/ktrace/format.h describes them, taken apart. Whoever uses this has made sure that they are whole.
 * What is done for every event is inline: a trace may hold 10^9 of them.
 */
#ifndef KT_EVENT_H
#define KT_EVENT_H

#include "ktrace/format.h"

#include <stdbool.h>
#include <string.h>

struct kt_head {
    enum kt_event kind;
    unsigned words;
    unsigned id;    /* entry or depth */
    uint32_t upper; /* changed words or ticks */
};

/* The end of a call; what follows TICKS is 0 unless there is more to tell. */
struct kt_end {
    unsigned depth;
    uint64_t start, ticks;
    bool has_cpu;
    unsigned cpu;
    int64_t faults; /* page faults in the call; -1: not known */
    int64_t info;
    unsigned counters;
    const uint64_t *counter;
};

/* A call's words, as the last call of its context left them. */
struct kt_context_slot {
    uint64_t version; /* for whoever reads calls: 0 when the slot is new */
    uint64_t mask;    /* the same */
    uint64_t word[KT_CONTEXT_WORDS];
};

/* To be cleared before each chunk. Keys are apart, so that only they need to be made: slots are two megabytes. */
struct kt_contexts {
    uint64_t chunk;            /* counts them: slots of earlier ones are out of date */
    uint64_t key[KT_CONTEXTS]; /* which chunk and entry a slot is of; 0: none yet */
    struct kt_context_slot slot[KT_CONTEXTS];
};

static inline uint64_t kt_word_at(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline struct kt_head kt_event_at(const unsigned char *at)
{
    uint64_t head = kt_word_at(at);
    if ((head & 0xff) == KT_EVENT_DONE)
        return (struct kt_head){KT_EVENT_DONE, 1, head >> 8 & 0xffff, 0};
    if ((head & 0xff) == KT_EVENT_LEAF_END)
        return (struct kt_head){KT_EVENT_LEAF_END, 1, 0, 0};
    return (struct kt_head){(enum kt_event)(head & 0xff), head >> 8 & 0xff, head >> 16 & 0xffff,
                            (uint32_t)(head >> 32)};
}

static inline bool kt_begins_call(struct kt_head head)
{
    return head.kind == KT_EVENT_CALL || head.kind == KT_EVENT_DONE || head.kind == KT_EVENT_HALVES ||
           head.kind == KT_EVENT_WIDE || head.kind == KT_EVENT_WIDE_HALVES;
}

static inline bool kt_ends_call(struct kt_head head)
{
    return head.kind == KT_EVENT_END || head.kind == KT_EVENT_LONG_END || head.kind == KT_EVENT_LEAF_END;
}

static inline bool kt_has_halves(struct kt_head head)
{
    return head.kind == KT_EVENT_HALVES || head.kind == KT_EVENT_WIDE_HALVES;
}

/* How many words stand before what changed: the head, and masks that do not fit into it. */
static inline unsigned kt_words_before_changes(struct kt_head head)
{
    return head.kind == KT_EVENT_WIDE_HALVES ? 3 : head.kind == KT_EVENT_WIDE ? 2 : 1;
}

/* Which halves changed: bit i of PART 0 is half i, of part 1 half 64 + i. */
static inline uint64_t kt_changed_halves(struct kt_head head, const unsigned char *at, unsigned part)
{
    if (head.kind == KT_EVENT_WIDE_HALVES)
        return kt_word_at(at + 8 + 8 * (size_t)part);
    return part == 0 ? head.upper : 0;
}

/* Bit i is set if bit 2 i or 2 i + 1 of HALVES is. */
static inline uint64_t kt_words_of_halves(uint64_t halves)
{
    uint64_t words = (halves | halves >> 1) & 0x5555555555555555u;
    words = (words | words >> 1) & 0x3333333333333333u;
    words = (words | words >> 2) & 0x0f0f0f0f0f0f0f0fu;
    words = (words | words >> 4) & 0x00ff00ff00ff00ffu;
    words = (words | words >> 8) & 0x0000ffff0000ffffu;
    return (words | words >> 16) & 0x00000000ffffffffu;
}

static inline uint64_t kt_changed_words(struct kt_head head, const unsigned char *at)
{
    if (kt_has_halves(head))
        return kt_words_of_halves(kt_changed_halves(head, at, 0)) | kt_words_of_halves(kt_changed_halves(head, at, 1))
                                                                        << 32;
    return head.kind == KT_EVENT_WIDE ? kt_word_at(at + 8) : head.upper;
}

/* How many words a check takes, by its first one. */
static inline unsigned kt_check_words(uint64_t first)
{
    uint64_t flags = first >> 16;
    return 1 + !!(flags & KT_CHECK_IN) + !!(flags & KT_CHECK_OUT);
}

static inline size_t kt_difference_bytes(const unsigned char *at)
{
    unsigned more = *at & 7;
    return more < 7 ? 1 + more : KT_DIFFERENCE_BYTES;
}

/* A difference of at most 9 bytes, in an event that ends at END and is longer than 8 bytes. */
static inline uint64_t kt_difference_at(const unsigned char *at, const unsigned char *end)
{
    unsigned more = *at & 7;
    if (more == 7)
        return kt_unzigzag(kt_word_at(at + 1));
    /* Reads eight bytes at once, none of them behind the event. */
    uint64_t value = end - at >= 8 ? kt_word_at(at) : kt_word_at(end - 8) >> 8 * (8 - (end - at));
    return kt_unzigzag((value & UINT64_MAX >> (56 - 8 * more)) >> 3);
}

static inline void kt_contexts_begin(struct kt_contexts *contexts)
{
    contexts->chunk = 0;
    memset(contexts->key, 0, sizeof contexts->key);
}

static inline void kt_contexts_clear(struct kt_contexts *contexts)
{
    contexts->chunk++;
}

/* Two times of so many BITS each: the duration, and that from LAST to the start. */
static inline struct kt_end kt_short_end(uint64_t times, unsigned bits, uint64_t last)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    return (struct kt_end){.start = last + (times >> bits & mask), .ticks = times & mask, .faults = -1};
}

/* Of an event that ends a call; a DONE and a LEAF_END tell no depth. LAST: ticks of the last end before it in its
 * chunk, or the anchor's. */
static inline struct kt_end kt_end_at(const unsigned char *event, uint64_t last)
{
    struct kt_head head = kt_event_at(event);
    if (head.kind == KT_EVENT_DONE)
        return kt_short_end(kt_word_at(event) >> 24, KT_DONE_BITS, last);
    if (head.kind == KT_EVENT_LEAF_END)
        return kt_short_end(kt_word_at(event) >> 8, KT_LEAF_END_BITS, last);
    if (head.kind == KT_EVENT_END)
        return (struct kt_end){.depth = head.id, .start = kt_word_at(event + 8), .ticks = head.upper, .faults = -1};
    uint64_t where = kt_word_at(event + 24);
    return (struct kt_end){.depth = head.id,
                           .start = kt_word_at(event + 8),
                           .ticks = kt_word_at(event + 16),
                           .has_cpu = true,
                           .cpu = (unsigned)where & UINT16_MAX,
                           .faults = where & KT_FAULTS_FLAG ? (int64_t)(where >> 32) : -1,
                           .info = (int64_t)kt_word_at(event + 32),
                           .counters = head.words - KT_LONG_END_WORDS,
                           .counter = (const uint64_t *)(const void *)(event + 8 * (size_t)KT_LONG_END_WORDS)};
}

/* Makes a call's CHANGED words, which are some, what the event says. */
void kt_context_change(struct kt_context_slot *slot, const unsigned char *event, uint64_t changed);

/* Of an event that begins a call: where the words of the call are, until the next call in the same slot. */
static inline struct kt_context_slot *kt_contexts_call(struct kt_contexts *contexts, const unsigned char *event)
{
    struct kt_head head = kt_event_at(event);
    struct kt_context_slot *slot = &contexts->slot[head.id % KT_CONTEXTS];
    uint64_t *known = &contexts->key[head.id % KT_CONTEXTS];
    uint64_t key = contexts->chunk << 16 | head.id;
    uint64_t changed = kt_changed_words(head, event);
    if (*known != key)
        *slot = (struct kt_context_slot){0};
    *known = key;
    if (changed)
        kt_context_change(slot, event, changed);
    return slot;
}

#endif
