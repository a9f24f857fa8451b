/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shim: what every generated wrapper does around the real routine, and what the files of preload/ share.
 *
 * This code runs inside somebody else's program. Its rules:
 *   - no standard I/O, no allocation by malloc, no lock that could stay held on the way of a call that is recorded;
 *   - errno, signals, floating-point state, file descriptors and the environment are left as they were;
 *   - it never exits, aborts or waits for anything: when something fails, calls are passed on and counted as lost;
 *   - between the two clock readings there is nothing but the call.
 *
 * The way of a call: an exported name is a stub (stub.h), which jumps to the compiled wrapper of its symbol or to the
 * trampoline. kt_binding_for finds where this caller's call goes, kt_enter asks whether it is recorded, kt_begin stores
 * a CALL event and reads the clock, the routine runs, kt_end reads the clock and stores an END event.
 */
#ifndef KT_SHIM_H
#define KT_SHIM_H

#include "ktrace/clock.h"
#include "preload/control.h"
#include "preload/recorder.h"
#include "preload/thread.h"

/* Of an outermost call nothing is recorded that nests in it, unless preload/inside.c draws it.
 */
extern KT_HIDDEN bool kt_passes_insides;

/* preload/bind.c: the binding for this caller, made on first use. Never NULL. */
KT_HIDDEN KT_COLD const struct kt_binding *kt_bind_find(struct kt_slot *slot, const void *caller);

/*
 * preload/gate.c. Is a call to be recorded although the thread's stream is not ready for it? Makes it so if possible,
 * counts the loss if not.
 */
KT_HIDDEN KT_COLD bool kt_gate_open(struct kt_frame *frame);

/* preload/gate.c: counts a call whose binding is nameless. */
KT_HIDDEN KT_COLD void kt_gate_lose_nameless(struct kt_frame *frame);

/* preload/record.c: room behind the limit; false if there is none, which is counted. */
KT_HIDDEN KT_COLD bool kt_record_room(struct kt_stream *stream, struct kt_frame *frame);

/* preload/record.c: empties a context that another entry or chunk has used; counts page faults, as above. */
KT_HIDDEN KT_COLD void kt_record_renew_context(struct kt_stream *stream, struct kt_context *context, uint64_t stamp,
                                               struct kt_frame *frame, const uint64_t *word, unsigned words);

/* preload/record.c: stores the event of a call of ENTRY of which some words changed, and these in the context. */
KT_HIDDEN void kt_record_changes(struct kt_stream *stream, struct kt_context *context, const uint64_t *word,
                                 unsigned words, uint64_t entry);

/* preload/record.c: kt_begin if there are extras. */
KT_HIDDEN void kt_record_begin(struct kt_frame *frame, uint64_t *word, unsigned words);

/* preload/record.c: the end of a call of which there is more to tell, or that cannot be told as usual. */
KT_HIDDEN KT_COLD void kt_record_end(struct kt_frame *frame, unsigned entry, uint64_t ticks, unsigned cpu,
                                     int64_t info);

/* preload/tally.c: what was passed on in a call that was not recorded counts as the call does. */
KT_HIDDEN void kt_tally_passed(const struct kt_frame *frame);

static inline void kt_end_unrecorded(const struct kt_frame *frame)
{
    if (KT_UNLIKELY(frame->cpu != KT_FATE_NONE && kt_self.passed))
        kt_tally_passed(frame);
}

/* Integers by reference; C programs pass NULL for arguments that a routine does not look at. */
static inline int64_t kt_integer(const void *at, bool wide)
{
    if (!at)
        return 0;
    return wide ? *(const int64_t *)at : *(const int32_t *)at;
}

/* Integers by value: the upper half of a register that carries 32 bits is undefined. */
static inline int64_t kt_integer_value(int64_t word, bool wide)
{
    return wide ? word : (int32_t)word;
}

/* preload/system.c: is there memory that can be read? Asks the kernel. */
KT_HIDDEN KT_COLD bool kt_system_is_readable(const void *at);

/* A dead frame of which a part has been overwritten must not pass for a live one. */
KT_READS_DEAD_STACK static inline uintptr_t kt_guard(const struct kt_frame *frame)
{
    return (uintptr_t)frame ^ (uintptr_t)frame->parent ^ ((uintptr_t)frame->binding + 2 * frame->depth + frame->passes);
}

/*
 * A call that was left by longjmp or an exception never ended its frame: its place on the stack is below the present
 * one, or has been used for something else since.
 */
KT_READS_DEAD_STACK static inline bool kt_is_live(const struct kt_frame *frame, const struct kt_frame *now)
{
    uintptr_t distance = (uintptr_t)frame - (uintptr_t)now;
    return (uintptr_t)frame > (uintptr_t)now && (KT_LIKELY(distance < KT_NEAR) || kt_system_is_readable(frame)) &&
           frame->self == frame && frame->guard == kt_guard(frame);
}

/* The chain of frames behind a dead one cannot be trusted, unless that still is intact. */
KT_READS_DEAD_STACK static inline struct kt_frame *kt_live_frame(struct kt_frame *top, const struct kt_frame *now)
{
    while (KT_UNLIKELY(top && !kt_is_live(top, now)))
        top = kt_system_is_readable(top) && top->self == top && top->guard == kt_guard(top) ? top->parent : NULL;
    return top;
}

static inline const struct kt_binding *kt_binding_for(struct kt_slot *slot, const void *caller)
{
    const struct kt_binding *binding = kt_recent_binding(slot, caller);
    return KT_LIKELY(binding != NULL) ? binding : kt_bind_find(slot, caller);
}

/* preload/tally.c: nested calls of which no event tells: of a call that was left, or that handlers made at its end. */
KT_HIDDEN KT_COLD void kt_tally_rest(void);

/* How many calls were passed on since this was asked last. A handler may pass on more at any time. */
static inline uint64_t kt_take_passed(void)
{
    return __atomic_exchange_n(&kt_self.passed, 0, __ATOMIC_RELAXED);
}

/* Calls that KTRACE_ROUTINES leaves out do not count. */
static inline unsigned kt_depth_within(const struct kt_frame *parent)
{
    return parent->depth + (parent->binding->entry && parent->depth < UINT16_MAX);
}

/* A frame that is complete is the innermost one from now on: a signal handler may find it. */
static inline void kt_push(struct kt_frame *frame, bool passes)
{
    struct kt_thread *thread = &kt_self;
    frame->passes = passes;
    frame->guard = kt_guard(frame);
    atomic_signal_fence(memory_order_seq_cst);
    thread->top = frame;
    thread->passing = passes ? frame : NULL;
}

/* A call in a call: false, if that passes on what nests in it. Such a call only comes here if its stub could not tell,
 * as on another stack. */
static inline bool kt_enter_nested(struct kt_frame *frame, struct kt_frame *parent)
{
    const bool is_passed = parent->passes;
    frame->parent = parent;
    frame->depth = kt_depth_within(parent);
    frame->outer = is_passed ? parent : NULL;
    if (KT_UNLIKELY(!frame->depth && kt_self.passed))
        kt_tally_rest();
    if (KT_UNLIKELY(is_passed && !frame->binding->passes)) /* a handler may count between reading and writing */
        __atomic_fetch_add(&kt_self.passed, 1, __ATOMIC_RELAXED);
    kt_push(frame, is_passed || (frame->depth == 0 && frame->binding->entry && kt_passes_insides));
    return !is_passed;
}

static inline void kt_enter_outermost(struct kt_frame *frame)
{
    frame->parent = NULL;
    frame->depth = 0;
    frame->outer = NULL;
    if (KT_UNLIKELY(kt_self.passed))
        kt_tally_rest();
    kt_push(frame, frame->binding->entry && kt_passes_insides);
}

/* The call begins. Is it recorded? */
__attribute__((always_inline)) static inline bool kt_enter(struct kt_frame *frame, const struct kt_binding *binding)
{
    struct kt_thread *thread = &kt_self;
    struct kt_frame *parent = kt_live_frame(thread->top, frame);
    bool is_looked_at = true;
    frame->self = frame;
    frame->binding = binding;
    frame->record = 0;
    if (KT_LIKELY(!parent))
        kt_enter_outermost(frame);
    else
        is_looked_at = kt_enter_nested(frame, parent);
    if (KT_UNLIKELY(!is_looked_at || !binding->entry)) {
        frame->cpu = KT_FATE_NONE;
        if (is_looked_at && binding->nameless)
            kt_gate_lose_nameless(frame);
        return false;
    }
    if (KT_UNLIKELY(atomic_load_explicit(&thread->stream->ready, memory_order_relaxed) != kt_epoch()))
        return kt_gate_open(frame);
    return true;
}

/* From here to kt_close_stream() a signal handler that makes calls does not touch this stream: its calls go to the
 * thread's second one. */
static inline uintptr_t kt_open_stream(struct kt_stream *stream, const struct kt_frame *frame)
{
    uintptr_t ready = atomic_load_explicit(&stream->ready, memory_order_relaxed);
    atomic_store_explicit(&stream->ready, (uintptr_t)frame, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    return ready;
}

static inline void kt_close_stream(struct kt_stream *stream, uintptr_t ready)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&stream->ready, ready, memory_order_relaxed);
}

/* Commits an event of so many words, of which all but the first is stored. */
static inline void kt_commit_words(struct kt_stream *stream, uint64_t first, uint64_t words)
{
    *(uint64_t *)(void *)stream->cursor = first;
    stream->cursor += 8 * words;
    /* Pairs with the reader, which takes no event behind this. */
    atomic_store_explicit((_Atomic uint64_t *)&stream->chunk->used_bytes,
                          (uint64_t)(stream->cursor - (unsigned char *)stream->chunk), memory_order_release);
}

static inline void kt_commit(struct kt_stream *stream, uint64_t head)
{
    kt_commit_words(stream, head, head >> 8 & 0xff);
}

/* Where the stream is; no place of another chunk is the same. */
static inline uint64_t kt_place(const struct kt_stream *stream)
{
    return stream->chunk_stamp | (uint64_t)(stream->cursor - (unsigned char *)stream->chunk);
}

/* One writer; others may look at any time. */
static inline void kt_add(uint64_t *number, uint64_t more)
{
    __atomic_store_n(number, *number + more, __ATOMIC_RELAXED);
}

static inline void kt_count(uint64_t *number)
{
    kt_add(number, 1);
}

static inline unsigned kt_cpu(const struct kt_stream *stream)
{
    return *(const volatile uint32_t *)stream->cpu_now & 0xffff;
}

/* Libraries that run OpenMP's threads themselves run a call within a region of the program with one. */
static inline uint64_t kt_team_flag(void)
{
    int (*in_parallel)(void) = atomic_load_explicit(&kt_omp_in_parallel, memory_order_relaxed);
    return KT_UNLIKELY(in_parallel != NULL) && in_parallel() ? KT_TEAM_FLAG : 0;
}

/* preload/stack.c: the number of the place in the program that makes this call; 0: not known. */
extern KT_HIDDEN bool kt_tells_places;
KT_HIDDEN uint32_t kt_stack_place(const struct kt_frame *frame, uintptr_t caller);

/* Nested calls are made by libraries. */
static inline uint64_t kt_place_bits(const struct kt_frame *frame, uint64_t caller)
{
    bool is_told = KT_UNLIKELY(kt_tells_places) && frame->depth == 0;
    return is_told ? (uint64_t)kt_stack_place(frame, caller) << KT_SOURCE_SHIFT : 0;
}

/* WORD: those of a call, WORDS in all, aligned to 16 bytes and in pairs; the first is filled in here. False if there is
 * no room.
 */
static inline bool kt_store_call(struct kt_frame *frame, uint64_t *word, unsigned words)
{
    struct kt_stream *stream = kt_self.stream;
    const uint64_t entry = frame->binding->entry;
    uintptr_t ready = kt_open_stream(stream, frame);
    if (KT_UNLIKELY(stream->cursor > stream->limit) && !kt_record_room(stream, frame))
        return false;
    frame->cpu = kt_cpu(stream);
    word[0] = frame->depth | (uint64_t)frame->cpu << 16 | kt_team_flag() | kt_place_bits(frame, word[1]);
    struct kt_context *context = &stream->context[entry % KT_CONTEXTS];
    const uint64_t stamp = stream->chunk_stamp | entry;
    if (KT_UNLIKELY(context->stamp != stamp))
        kt_record_renew_context(stream, context, stamp, frame, word, words);
    uint64_t changed = 0;
#pragma GCC unroll 32
    for (unsigned i = 0; i < words; i++)
        changed |= word[i] ^ context->word[i];
    if (changed)
        kt_record_changes(stream, context, word, words, entry);
    else
        kt_commit_words(stream, kt_event_head(KT_EVENT_CALL, 1, entry, 0), 1);
    frame->after = kt_place(stream) | !changed;
    kt_count(&stream->calls);
    frame->record = stream->number;
    kt_close_stream(stream, ready);
    return true;
}

/* Stores the call's begin and reads the clock. */
static inline void kt_begin(struct kt_frame *frame, uint64_t *word, unsigned words)
{
    if (KT_UNLIKELY(kt_extras)) {
        kt_record_begin(frame, word, words);
        return;
    }
    if (KT_LIKELY(kt_store_call(frame, word, words)))
        frame->start = kt_clock_start();
}

/* The call took TICKS; INFO: what it told of its success, or 0; RETURNED: what a function returned, or 0. */
static inline void kt_store_end(struct kt_frame *frame, uint64_t ticks, int64_t info, uint64_t returned)
{
    struct kt_stream *stream = kt_self.stream;
    const unsigned cpu = kt_cpu(stream);
    ticks += ticks == 0; /* 0 would say that the call has not returned */
    uintptr_t ready = kt_open_stream(stream, frame);
    if (KT_UNLIKELY(kt_extras | (ticks >> KT_LONG_BITS) | (cpu ^ frame->cpu) | (uint64_t)info | kt_self.passed |
                    (frame->record ^ stream->number) | (ready ^ kt_epoch()) | (stream->cursor > stream->limit))) {
        kt_close_stream(stream, ready);
        kt_self.returned = returned;
        kt_record_end(frame, frame->binding->entry, ticks, cpu, info);
        return;
    }
    uint64_t *at = (uint64_t *)(void *)stream->cursor;
    uint64_t gap = frame->start - stream->last;
    uint64_t between = frame->after ^ kt_place(stream); /* at most 1 if nothing was stored since the CALL */
    stream->last = frame->start + ticks;
    if (KT_LIKELY(between == 1 && !((ticks | gap) >> KT_DONE_BITS))) {
        /* The CALL becomes a DONE, in one store. */
        at[-1] = kt_done_word(frame->binding->entry, ticks, gap);
    } else if (between <= 1 && !((ticks | gap) >> KT_LEAF_END_BITS)) {
        kt_commit_words(stream, kt_leaf_end_word(ticks, gap), 1);
    } else {
        at[1] = frame->start;
        kt_commit(stream, kt_event_head(KT_EVENT_END, KT_END_WORDS, frame->depth, ticks));
    }
    kt_count(&stream->ended);
    kt_close_stream(stream, ready);
}

/* What belongs to the call is stored: the frame ends. */
static inline void kt_leave(struct kt_frame *frame)
{
    kt_self.top = frame->parent; /* first: a signal handler takes what it finds there for a call in progress */
    atomic_signal_fence(memory_order_seq_cst);
    kt_self.passing = frame->outer;
    if (KT_UNLIKELY(kt_self.passed && !frame->depth))
        kt_tally_rest();
}

static inline void kt_end_returning(struct kt_frame *frame, uint64_t returned)
{
    if (KT_LIKELY(frame->record)) {
        uint64_t ticks = kt_clock_stop() - frame->start;
        kt_store_end(frame, ticks, 0, returned);
    } else {
        kt_end_unrecorded(frame);
    }
    kt_leave(frame);
}

static inline void kt_end(struct kt_frame *frame)
{
    kt_end_returning(frame, 0);
}

#endif
