/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/event.h"

void kt_context_change(struct kt_context_slot *slot, const unsigned char *event, uint64_t changed)
{
    struct kt_head head = kt_event_at(event);
    const unsigned char *at = event + 8 + 8 * (head.kind == KT_EVENT_WIDE);
    const unsigned char *end = event + 8 * (size_t)head.words;
    for (; changed; changed &= changed - 1) {
        unsigned word = (unsigned)__builtin_ctzll(changed);
        if (word < KT_CONTEXT_WORDS)
            slot->word[word] += kt_difference_at(at, end);
        at += kt_difference_bytes(at);
    }
}
