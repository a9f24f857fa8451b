/* SPDX-License-Identifier: BSD-3-Clause */
/* Can an event be what its head says? Whoever uses trace/files/event.h relies on that. */
#ifndef KT_EVENT_CHECK_H
#define KT_EVENT_CHECK_H

#include "trace/files/event.h"

/* Most events are a call like the one before or a short end: their head tells all, if LEFT bytes hold them. */
static inline bool kt_is_sound_by_head(struct kt_head head, uint64_t left)
{
    bool same_call = head.words == 1 && head.upper == 0 && (head.kind == KT_EVENT_CALL || head.kind == KT_EVENT_DONE);
    bool short_end = head.kind == KT_EVENT_END && head.words == KT_END_WORDS && left >= 8 * KT_END_WORDS;
    return same_call || short_end || head.kind == KT_EVENT_LEAF_END;
}

/*
 * What is wrong with the event at AT, whose head is there, or NULL. LEFT: bytes from there to the end of what is used.
 * BEYOND: words that calls of its entry do not have, if it begins a call.
 */
const char *kt_event_problem(struct kt_head head, const unsigned char *at, uint64_t left, uint64_t beyond);

#endif
