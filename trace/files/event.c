/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/files/event.h"

static void add_differences(struct kt_context_slot *slot, const unsigned char *at, const unsigned char *end,
                            uint64_t changed)
{
    for (; changed; changed &= changed - 1) {
        unsigned word = (unsigned)__builtin_ctzll(changed);
        if (word < KT_CONTEXT_WORDS)
            slot->word[word] += kt_difference_at(at, end);
        at += kt_difference_bytes(at);
    }
}

/* Returns where the halves of the next part are. */
static const unsigned char *take_halves(struct kt_context_slot *slot, const unsigned char *at, uint64_t changed,
                                        unsigned part)
{
    for (; changed; changed &= changed - 1, at += 4) {
        size_t half = 64 * (size_t)part + (unsigned)__builtin_ctzll(changed);
        if (half < 2 * KT_CONTEXT_WORDS)
            memcpy((unsigned char *)slot->word + 4 * half, at, 4);
    }
    return at;
}

void kt_context_change(struct kt_context_slot *slot, const unsigned char *event, uint64_t changed)
{
    struct kt_head head = kt_event_at(event);
    const unsigned char *at = event + 8 * (size_t)kt_words_before_changes(head);
    if (!kt_has_halves(head)) {
        add_differences(slot, at, event + 8 * (size_t)head.words, changed);
        return;
    }
    for (unsigned part = 0; part < 2; part++)
        at = take_halves(slot, at, kt_changed_halves(head, event, part), part);
}
