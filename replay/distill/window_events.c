/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/distill/window_events.h"

#include "trace/base/memory.h"

#include <string.h>

enum { MOST_EVENT_WORDS = 3 + KT_CONTEXT_WORDS + KT_LONG_END_WORDS + 1 };

static void put(struct kt_window_stream *s, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        s->bytes = kt_room_for_one(s->bytes, s->size / 8, 8);
        memcpy(s->bytes + s->size, (const unsigned char *)bytes + i, 8);
        s->size += 8;
    }
    struct kt_chunk *head = (struct kt_chunk *)(void *)s->bytes;
    if (s->size >= sizeof *head) {
        head->used_bytes = head->chunk_bytes = s->size;
        head->passed = s->passed;
    }
}

static struct kt_window_stream *add_stream(struct kt_window_streams *streams, uint32_t tid,
                                           const struct kt_anchor *anchor)
{
    struct kt_window_stream *s = kt_zeros(1, sizeof *s);
    streams->stream = kt_room_for_one(streams->stream, streams->count, sizeof(struct kt_window_stream *));
    streams->stream[streams->count++] = s;
    s->tid = tid;
    s->last = anchor->ticks;
    struct kt_chunk head = {.byte_order = KT_BYTE_ORDER,
                            .major = KT_FORMAT_MAJOR,
                            .minor = KT_FORMAT_MINOR,
                            .header_bytes = sizeof head,
                            .pid = 1,
                            .tid = (uint32_t)streams->count,
                            .anchor = *anchor};
    memcpy(head.magic, KT_CHUNK_MAGIC, sizeof head.magic);
    put(s, &head, sizeof head);
    return s;
}

static struct kt_window_stream *stream_of(struct kt_window_streams *streams, uint32_t tid,
                                          const struct kt_anchor *anchor)
{
    for (size_t i = 0; i < streams->count; i++)
        if (streams->stream[i]->tid == tid)
            return streams->stream[i];
    return add_stream(streams, tid, anchor);
}

/* --- events ---------------------------------------------------------------------------------------------------- */

static uint32_t half(const uint64_t *word, size_t i)
{
    return (uint32_t)(word[i / 2] >> (i % 2 ? 32 : 0));
}

/* The event that begins the call; returns its words. */
static size_t begin_event(struct kt_window_stream *s, const struct kt_window_call *call, uint64_t *out)
{
    struct kt_window_slot *slot = &s->slot[call->entry % KT_CONTEXTS];
    bool is_wide = call->words > KT_HALVES_WORDS;
    size_t before = is_wide ? 3 : 1;
    size_t changed = 0;
    uint64_t mask[2] = {0};
    if (slot->entry != call->entry)
        *slot = (struct kt_window_slot){.entry = call->entry};
    for (size_t i = 0; i < 2 * call->words; i++)
        if (half(call->word, i) != half(slot->word, i)) {
            mask[i / 64] |= (uint64_t)1 << i % 64;
            out[before + changed / 2] =
                changed % 2 ? out[before + changed / 2] | (uint64_t)half(call->word, i) << 32 : half(call->word, i);
            changed++;
        }
    memcpy(slot->word, call->word, 8 * call->words);
    if (!changed) {
        out[0] = kt_event_head(KT_EVENT_CALL, 1, call->entry, 0);
        return 1;
    }
    size_t words = before + (changed + 1) / 2;
    out[0] = kt_event_head(is_wide ? KT_EVENT_WIDE_HALVES : KT_EVENT_HALVES, words, call->entry, is_wide ? 0 : mask[0]);
    if (is_wide)
        memcpy(out + 1, mask, sizeof mask);
    return words;
}

static size_t end_event(const struct kt_window_stream *s, const struct kt_window_call *call, uint64_t *out)
{
    uint64_t gap = call->start - s->last;
    bool is_plain = call->info == 0 && call->faults < 0;
    if (is_plain && (gap | call->ticks) >> KT_LEAF_END_BITS == 0) {
        out[0] = kt_leaf_end_word(call->ticks, gap);
        return 1;
    }
    out[1] = call->start;
    if (is_plain && call->ticks >> 32 == 0) {
        out[0] = kt_event_head(KT_EVENT_END, KT_END_WORDS, 0, call->ticks);
        return KT_END_WORDS;
    }
    uint64_t faults = (uint64_t)call->faults < UINT32_MAX ? (uint64_t)call->faults : UINT32_MAX;
    out[0] = kt_event_head(KT_EVENT_LONG_END, KT_LONG_END_WORDS, 0, 0);
    out[2] = call->ticks;
    out[3] = call->faults < 0 ? 0 : KT_FAULTS_FLAG | faults << 32;
    out[4] = (uint64_t)call->info;
    return KT_LONG_END_WORDS;
}

static size_t passed_event(const struct kt_window_call *call, uint64_t *out)
{
    if (!call->passed)
        return 0;
    out[0] = kt_event_head(KT_EVENT_PASSED, 1, 0, call->passed < UINT32_MAX ? call->passed : UINT32_MAX);
    return 1;
}

/* A thread makes one call at a time: rounding must not let one begin before the last one ends. */
void kt_window_events_add(struct kt_window_streams *streams, uint32_t tid, const struct kt_anchor *anchor,
                          const struct kt_window_call *call)
{
    uint64_t word[MOST_EVENT_WORDS];
    struct kt_window_stream *s = stream_of(streams, tid, anchor);
    struct kt_window_call placed = *call;
    placed.start = call->start > s->last ? call->start : s->last;
    size_t words = begin_event(s, &placed, word);
    words += end_event(s, &placed, word + words);
    words += passed_event(&placed, word + words);
    s->last = placed.start + placed.ticks;
    s->calls++;
    s->ticks += placed.ticks;
    s->passed += placed.passed < UINT32_MAX ? placed.passed : UINT32_MAX;
    put(s, word, 8 * words);
}

void kt_window_events_free(struct kt_window_streams *streams)
{
    for (size_t i = 0; i < streams->count; i++) {
        free(streams->stream[i]->bytes);
        free(streams->stream[i]);
    }
    free(streams->stream);
    *streams = (struct kt_window_streams){0};
}
