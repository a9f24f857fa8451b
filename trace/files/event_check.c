/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/files/event_check.h"

/* Do the differences of CHANGED words take the room from AT to END, up to what pads it? */
static bool differences_fit(const unsigned char *at, const unsigned char *end, uint64_t changed)
{
    for (; changed; changed &= changed - 1) {
        if (at >= end)
            return false;
        at += kt_difference_bytes(at);
    }
    return at <= end && end - at < 8;
}

/* Two halves take a word. */
static bool halves_fit(struct kt_head head, const unsigned char *at)
{
    unsigned halves = (unsigned)__builtin_popcountll(kt_changed_halves(head, at, 0)) +
                      (unsigned)__builtin_popcountll(kt_changed_halves(head, at, 1));
    return head.words == kt_words_before_changes(head) + (halves + 1) / 2;
}

static bool changes_fit(struct kt_head head, const unsigned char *at)
{
    if (kt_has_halves(head))
        return halves_fit(head, at);
    return differences_fit(at + 8 * (size_t)kt_words_before_changes(head), at + 8 * (size_t)head.words,
                           kt_changed_words(head, at));
}

static const char *call_problem(struct kt_head head, const unsigned char *at, uint64_t beyond)
{
    if (head.words < kt_words_before_changes(head))
        return "has an impossible length";
    if (!changes_fit(head, at))
        return "does not have the length of what it holds";
    if (kt_changed_words(head, at) & beyond)
        return "does not have the arguments of its symbol";
    return NULL;
}

/* Do the checks take the words of the event? */
static bool checks_fit(struct kt_head head, const unsigned char *at)
{
    unsigned words = KT_CHECK_HEAD_WORDS;
    for (unsigned i = 0; i < head.id; i++) {
        if (words >= head.words)
            return false;
        words += kt_check_words(kt_word_at(at + 8 * (size_t)words));
    }
    return words == head.words;
}

const char *kt_event_problem(struct kt_head head, const unsigned char *at, uint64_t left, uint64_t beyond)
{
    if (head.words == 0 || 8u * head.words > left)
        return "has an impossible length";
    if (kt_begins_call(head))
        return call_problem(head, at, beyond);
    if (head.kind == KT_EVENT_END && head.words != KT_END_WORDS)
        return "has an impossible length";
    if (head.kind == KT_EVENT_LONG_END && head.words < KT_LONG_END_WORDS)
        return "has an impossible length";
    if (head.kind == KT_EVENT_REGION && head.words != KT_REGION_WORDS)
        return "has an impossible length";
    if (head.kind == KT_EVENT_CHECKSUMS && (head.id > KT_CHECK_OPERANDS || !checks_fit(head, at)))
        return "does not have the length of what it holds";
    if (head.kind == KT_EVENT_YARDSTICK && head.words < KT_YARDSTICK_WORDS)
        return "has an impossible length";
    if ((head.kind == KT_EVENT_INSIDE || head.kind == KT_EVENT_PASSED) && head.words != 1)
        return "has an impossible length";
    return NULL;
}
