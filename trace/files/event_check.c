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

/* Of other kinds the words tell the length, or it may be any. */
static const struct {
    unsigned words;
    bool may_be_more;
} length_of[] = {[KT_EVENT_END] = {KT_END_WORDS, false},
                 [KT_EVENT_LONG_END] = {KT_LONG_END_WORDS, true},
                 [KT_EVENT_REGION] = {KT_REGION_WORDS, false},
                 [KT_EVENT_INSIDE] = {1, false},
                 [KT_EVENT_PASSED] = {1, false},
                 [KT_EVENT_YARDSTICK] = {KT_YARDSTICK_WORDS, true},
                 [KT_EVENT_WORK] = {KT_WORK_WORDS, true}};

static bool has_possible_length(struct kt_head head)
{
    unsigned words = head.kind < sizeof length_of / sizeof *length_of ? length_of[head.kind].words : 0;
    return words == 0 || head.words == words || (head.words > words && length_of[head.kind].may_be_more);
}

const char *kt_event_problem(struct kt_head head, const unsigned char *at, uint64_t left, uint64_t beyond)
{
    if (head.words == 0 || 8u * head.words > left)
        return "has an impossible length";
    if (kt_begins_call(head))
        return call_problem(head, at, beyond);
    if (!has_possible_length(head))
        return "has an impossible length";
    if (head.kind == KT_EVENT_CHECKSUMS && (head.id > KT_CHECK_OPERANDS || !checks_fit(head, at)))
        return "does not have the length of what it holds";
    return NULL;
}
