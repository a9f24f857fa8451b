/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the way of a call leaves to others: arguments that changed, chunks that are full, ends of calls that a plain END
 * does not tell, profiles, counters and the kernel's clock.
 */
#include "preload/checksum.h"
#include "preload/counters.h"
#include "preload/events.h"
#include "preload/halves.h"
#include "preload/inside.h"
#include "preload/profiler.h"
#include "preload/quiet.h"
#include "preload/snapshot.h"
#include "preload/system.h"
#include "preload/tally.h"
#include "preload/tape.h"
#include "preload/ticks.h"
#include "preload/writer.h"
#include "preload/yard.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

/* --- events ------------------------------------------------------------------------------------------------ */

/* Of this thread so far. False: a sandbox does not let it know. */
static bool count_faults(uint64_t *faults)
{
    struct rusage usage;
    int saved = errno;
    bool known = kt_system_may_ask() && getrusage(RUSAGE_THREAD, &usage) == 0;
    errno = saved;
    if (known)
        *faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
    return known;
}

/* Nothing that can be a size is less than half of what it was. */
static bool is_as_large(const struct kt_context *context, const uint64_t *word, unsigned words)
{
    for (unsigned i = KT_CALL_HEAD_WORDS; i < words; i++)
        if (context->word[i] <= UINT32_MAX && word[i] < context->word[i] / 2)
            return false;
    return true;
}

static struct kt_expectation *expectation_of(struct kt_stream *stream, const struct kt_frame *frame)
{
    return &stream->expectation[frame->depth > 0];
}

/* The usual stamp is not that of a call that may be long, unless it is in another chunk, where none is the usual one.
 */
static void mark_context(struct kt_stream *stream, unsigned entry)
{
    unsigned at = entry % KT_CONTEXTS;
    if ((stream->expectation[0].entry[at] == entry || stream->expectation[1].entry[at] == entry ||
         kt_inside_is_likely(entry) || kt_inside_is_new(entry)) &&
        stream->context[at].stamp == (stream->chunk_stamp | entry))
        stream->context[at].stamp |= KT_LONG_STAMP;
}

/* A call took long, or not: what is to be expected of the next ones? */
static void expect(struct kt_stream *stream, const struct kt_frame *frame, unsigned entry, bool took_long)
{
    struct kt_expectation *e = expectation_of(stream, frame);
    unsigned at = entry % KT_CONTEXTS;
    if (took_long) {
        e->entry[at] = (uint16_t)entry;
        e->shorts[at] = 0;
    } else if (e->entry[at] != entry || ++e->shorts[at] > KT_MOST_SHORTS) {
        e->entry[at] = 0;
    }
    mark_context(stream, entry);
}

/* What is said of an inside comes right before the call. */
static void decide_on_inside(struct kt_stream *stream, struct kt_frame *frame, const uint64_t *word, unsigned words)
{
    uint32_t weight = kt_inside_draw(stream, frame, word, words);
    if (!weight)
        return;
    frame->cpu |= KT_INSIDE_DRAWN; /* so that its end comes to kt_record_end */
    kt_commit(stream, kt_event_head(KT_EVENT_INSIDE, 1, 0, weight));
}

void kt_record_renew_context(struct kt_stream *stream, struct kt_context *context, uint64_t stamp,
                             struct kt_frame *frame, const uint64_t *word, unsigned words)
{
    unsigned entry = (uint16_t)stamp;
    bool is_first = !context->stamp;
    bool has_words = (uint16_t)context->stamp == entry;
    bool is_expected = expectation_of(stream, frame)->entry[entry % KT_CONTEXTS] == entry;
    bool is_asked = is_first || (is_expected && !(has_words && !is_as_large(context, word, words)));
    if (context->stamp != (stamp | KT_LONG_STAMP))
        memset(context->word, 0, sizeof context->word);
    context->stamp = stamp;
    if (is_asked && count_faults(&frame->faults))
        frame->cpu |= KT_FAULTS_KNOWN;
    else if (is_expected)
        expect(stream, frame, entry, false);
    mark_context(stream, entry);
    if (frame->depth == 0)
        decide_on_inside(stream, frame, word, words);
}

static void store_wide_changes(struct kt_stream *stream, struct kt_context *context, const uint64_t *word,
                               unsigned words, uint64_t entry)
{
    enum { HEAD = 3 };
    uint64_t *at = (uint64_t *)(void *)stream->cursor;
    uint32_t *end = (uint32_t *)(void *)(at + HEAD);
    for (unsigned part = 0; part < 2; part++) {
        unsigned first = part * KT_MASK_WORDS;
        unsigned count = words > first ? words - first : 0;
        at[1 + part] =
            kt_changed_halves(word + first, context->word + first, count < KT_MASK_WORDS ? count : KT_MASK_WORDS);
        end = kt_put_halves(end, word + first, at[1 + part]);
    }
    *end = 0; /* up to the next word */
    kt_commit(stream, kt_event_head(KT_EVENT_WIDE_HALVES, (uint64_t)(end + 1 - (uint32_t *)(void *)at) / 2, entry, 0));
}

void kt_record_changes(struct kt_stream *stream, struct kt_context *context, const uint64_t *word, unsigned words,
                       uint64_t entry)
{
    if (words > KT_HALVES_WORDS) {
        store_wide_changes(stream, context, word, words, entry);
        return;
    }
    uint64_t changed = kt_changed_halves(word, context->word, words);
    uint32_t *at = (uint32_t *)(void *)stream->cursor;
    uint32_t *end = kt_put_halves(at + 2, word, changed);
    *end = 0; /* up to the next word */
    kt_commit(stream, kt_event_head(KT_EVENT_HALVES, (uint64_t)(end + 1 - at) / 2, entry, changed));
}

/* What there is to tell of the end of a call. */
struct ending {
    uint64_t ticks;
    unsigned cpu;
    int64_t info;
    uint64_t faults; /* faults_in() */
    unsigned counters;
    uint64_t counter[KT_MAX_EVENTS];
};

/* --- calls ------------------------------------------------------------------------------------------------- */

/* False: the stream stays closed, and the next call comes to the gate. */
bool kt_record_room(struct kt_stream *stream, struct kt_frame *frame)
{
    if (!kt_tape_is_full(stream)) {
        kt_yard_look(stream, frame->depth);
        return true;
    }
    int saved = errno;
    uint64_t start = kt_ticks_now();
    enum kt_loss cause = kt_tally_cause_when_busy();
    if (kt_quiet_begin()) {
        cause = kt_tape_advance(stream);
        kt_quiet_end();
    }
    kt_add(&stream->room_ticks, kt_ticks_now() - start);
    errno = saved;
    if (cause == KT_LOSS_COUNT) {
        kt_yard_look(stream, frame->depth);
        return true;
    }
    kt_tally_lost_call(frame, cause);
    atomic_store(&stream->ready, 0);
    return false;
}

/* Is there room for the end of a call? Where no more can be had, behind the limit. */
static bool has_room_for_end(struct kt_stream *stream)
{
    if (kt_tape_is_full(stream) && kt_quiet_begin()) {
        kt_tape_advance(stream);
        kt_quiet_end();
    }
    return stream->cursor + 8 * (KT_LONG_END_WORDS + 8 + 1) <= stream->touched;
}

/* The last before the routine. The trampoline reads the processor's clock again. */
static inline void read_clock(struct kt_frame *frame)
{
    frame->start = kt_clock_start();
    if (kt_extras & KT_EXTRA_CLOCK)
        frame->began = kt_ticks_now();
}

/* What the kernel's clock says instead of the processor's. */
static uint64_t kernel_ticks(struct kt_frame *frame)
{
    uint64_t ticks = kt_ticks_now() - frame->began;
    frame->start = frame->began;
    return ticks + (ticks == 0);
}

/* Counted in a cell instead of being recorded. */
static void begin_in_profile(struct kt_frame *frame, uint64_t *word, unsigned words)
{
    struct kt_stream *stream = kt_self.stream;
    uintptr_t ready = kt_open_stream(stream, frame);
    word[0] = kt_place_bits(frame, word[1]);
    if (frame->depth == 0)
        kt_inside_draw(stream, frame, word, words);
    enum kt_loss cause = kt_profiler_begin(frame, word, words);
    if (KT_UNLIKELY(cause != KT_LOSS_COUNT))
        kt_tally_lost_call(frame, cause);
    kt_close_stream(stream, ready);
    read_clock(frame);
}

/* Counters are read last: what storing the event takes is not the call's. */
void kt_record_begin(struct kt_frame *frame, uint64_t *word, unsigned words)
{
    if (kt_extras & KT_EXTRA_PROFILE) {
        begin_in_profile(frame, word, words);
        return;
    }
    if (kt_extras & KT_EXTRA_CHECKSUM && frame->depth == 0)
        kt_checksum_inputs(frame, word, words);
    if (!kt_store_call(frame, word, words))
        return;
    if (kt_extras & KT_EXTRA_SNAPSHOT)
        kt_snapshot(frame, word, words);
    if (kt_extras & KT_EXTRA_EVENTS)
        kt_counters_begin(frame->depth);
    read_clock(frame);
}

/* How many page faults its thread met in the call, as a LONG_END tells it beside the processor; 0: not known. */
static uint64_t faults_in(const struct kt_frame *frame)
{
    uint64_t faults;
    if (!(frame->cpu & KT_FAULTS_KNOWN) || !count_faults(&faults))
        return 0;
    faults -= frame->faults;
    return KT_FAULTS_FLAG | (faults < UINT32_MAX ? faults : UINT32_MAX) << 32;
}

/* A short call that was not expected to be long changes nothing. */
static void note_length(struct kt_stream *stream, const struct kt_frame *frame, unsigned entry, uint64_t ticks)
{
    bool took_long = ticks >> KT_LONG_BITS;
    if (!(kt_extras & KT_EXTRA_EVENTS) && (took_long || frame->cpu & KT_FAULTS_KNOWN))
        expect(stream, frame, entry, took_long);
}

/* Words of the event that tells the end; behind them another one may be stored before this one is committed. */
static uint64_t put_end(uint64_t *at, const struct kt_frame *frame, const struct ending *end)
{
    at[1] = frame->start;
    if (end->cpu == (frame->cpu & ~(unsigned)KT_INSIDE_DRAWN) && !(end->ticks >> 32) && !end->info && !end->counters) {
        at[0] = kt_event_head(KT_EVENT_END, KT_END_WORDS, frame->depth, end->ticks);
        return KT_END_WORDS;
    }
    at[2] = end->ticks;
    at[3] = end->cpu | end->faults;
    at[4] = (uint64_t)end->info;
    memcpy(at + KT_LONG_END_WORDS, end->counter, end->counters * sizeof *end->counter);
    at[0] = kt_event_head(KT_EVENT_LONG_END, KT_LONG_END_WORDS + end->counters, frame->depth, 0);
    return KT_LONG_END_WORDS + end->counters;
}

/* An event of its own, in the same store; PASSED: calls in the one that ends. */
static uint64_t put_passed(struct kt_stream *stream, uint64_t *at, uint64_t passed)
{
    if (!passed)
        return 0;
    *at = kt_event_head(KT_EVENT_PASSED, 1, 0, passed < UINT32_MAX ? passed : UINT32_MAX);
    kt_tally_passed_in(stream, passed);
    return 1;
}

static void write_end(struct kt_stream *stream, const struct kt_frame *frame, const struct ending *end, uint64_t passed)
{
    uint64_t *at = (uint64_t *)(void *)stream->cursor;
    stream->last = frame->start + end->ticks;
    uint64_t words = put_end(at, frame, end);
    words += put_passed(stream, at + words, passed);
    kt_commit_words(stream, at[0], words);
    kt_count(&stream->ended);
}

/* That has the begin of the call; NULL if it is closed. */
static struct kt_stream *stream_of(const struct kt_frame *frame)
{
    struct kt_stream *second = kt_self.second;
    if (kt_self.stream->number == frame->record)
        return kt_self.stream;
    return second && second->number == frame->record ? second : NULL;
}

/* A sampled call that was the program's own has its next ones come to the gate. */
static void close_after_end(struct kt_stream *stream, const struct kt_frame *frame, uintptr_t ready)
{
    bool sampled_is_over = kt_extras & KT_EXTRA_SAMPLE && frame->depth == 0;
    kt_close_stream(stream, kt_is_frame(ready) || sampled_is_over ? 0 : ready);
}

static __attribute__((noinline)) void end_in_profile(const struct kt_frame *frame, uint64_t ticks, int64_t info)
{
    struct kt_stream *stream = kt_self.stream;
    if (stream->number != frame->record || kt_writer_is_interrupted(stream, frame))
        return;
    uintptr_t ready = kt_open_stream(stream, frame);
    uint64_t passed = frame->depth == 0 ? kt_take_passed() : 0;
    kt_profiler_end(frame, ticks, info, passed);
    kt_tally_passed_in(stream, passed);
    if (frame->depth == 0)
        kt_inside_learn(stream, frame, ticks, passed);
    close_after_end(stream, frame, ready);
}

void kt_record_end(struct kt_frame *frame, unsigned entry, uint64_t ticks, unsigned cpu, int64_t info)
{
    if (kt_extras & KT_EXTRA_CLOCK)
        ticks = kernel_ticks(frame);
    if (kt_extras & KT_EXTRA_PROFILE) {
        end_in_profile(frame, ticks, info);
        return;
    }
    struct ending end = {.ticks = ticks, .cpu = cpu, .info = info, .faults = faults_in(frame)};
    if (kt_extras & KT_EXTRA_EVENTS)
        end.counters = kt_counters_end(frame->depth, end.counter);
    struct kt_stream *stream = stream_of(frame);
    int saved = errno;
    if (!stream || kt_writer_is_interrupted(stream, frame))
        return;
    bool is_checked = kt_extras & KT_EXTRA_CHECKSUM && frame->depth == 0;
    if (is_checked)
        kt_checksum_outputs(stream, frame);
    uintptr_t ready = kt_open_stream(stream, frame);
    if (has_room_for_end(stream)) {
        uint64_t passed = frame->depth == 0 ? kt_take_passed() : 0;
        write_end(stream, frame, &end, passed);
        note_length(stream, frame, entry, ticks);
        if (frame->depth == 0)
            kt_inside_learn(stream, frame, ticks, passed);
        if (is_checked)
            kt_checksum_store(stream, frame);
        kt_yard_after(stream, frame->depth, stream->last);
    }
    close_after_end(stream, frame, ready);
    errno = saved;
}
