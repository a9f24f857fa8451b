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
#include "ktrace/format.h"
#include "preload/checks.h"
#include "preload/sizes.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#define KT_EXPORT __attribute__((visibility("default")))
#define KT_HIDDEN __attribute__((visibility("hidden")))
#define KT_COLD   __attribute__((cold, noinline))
/* AddressSanitizer rightly asks why. */
#ifdef __SANITIZE_ADDRESS__
#define KT_READS_DEAD_STACK __attribute__((no_sanitize_address, noinline))
#else
#define KT_READS_DEAD_STACK
#endif
#define KT_LIKELY(x)   __builtin_expect(!!(x), 1)
#define KT_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Where calls of one symbol go that come from one range of code. Never freed; only UNLOADS changes once published. */
struct kt_binding {
    uintptr_t lo, bytes; /* the calling object's code */
    void *target;        /* the routine that this caller would have reached without us */
    bool passes;    /* its calls are none of ours: the stub jumps to TARGET (preload/stub.h knows what is up to here) */
    bool wide;      /* the library's integers have 64 bits */
    uint16_t entry; /* of the trace; 0 is none */
    const struct kt_interface *interface; /* of the name; preload/names.h */
    bool hidden_result;       /* a complex result is stored through a first argument that the source does not show */
    bool nameless;            /* the trace cannot name it: its calls are lost, CAUSE says why */
    uint8_t cause;            /* enum kt_loss */
    bool foreign;             /* not a BLAS routine but somebody else's function of that name: nothing is recorded */
    _Atomic unsigned unloads; /* void unless this is how often objects were unloaded */
    struct kt_binding *next;
};

/*
 * One per interposed name, in a cache line. All are zeros at first, so loading the library neither relocates nor
 * touches them. LO to PASSES are a copy of one binding for the stub: of the first caller whose calls are passed on, or
 * nest in others. Only BYTES changes once they are stored; 0: they do not count.
 */
struct kt_slot {
    _Alignas(64) _Atomic uintptr_t recent; /* the binding used last, as its distance from kt_unbound */
    _Atomic(struct kt_binding *) all;
    uintptr_t lo;
    _Atomic uintptr_t bytes;
    void *target;
    uint64_t passes;
};

/* A call in progress; lives on the stack of its wrapper. */
struct kt_frame {
    const struct kt_frame *self; /* with guard: tells whether the frame still is what it was */
    const struct kt_binding *binding;
    uint64_t record; /* the number of the stream that has its CALL event; 0: not recorded */
    struct kt_frame *parent;
    uint64_t start; /* ticks */
    unsigned depth;
    unsigned cpu;
    union {
        uint64_t after; /* kt_place() behind the CALL; the lowest bit: that is one word */
        uint64_t began; /* by the kernel's clock, if KT_EXTRA_CLOCK */
    };
    uintptr_t guard; /* kt_guard() */
    uint64_t faults; /* of the thread before the call, if CPU has KT_FAULTS_KNOWN */
    /* The innermost frame below that passes calls on (kt_thread.passing), or NULL; of such calls this one is. */
    struct kt_frame *outer;
    bool passes; /* calls nested in it are passed on, not recorded */
};

/* Of a call that is not recorded: what it counts as, in frame->cpu. Calls passed on in it count as the same. */
enum kt_fate { KT_FATE_NONE, KT_FATE_SKIPPED, KT_FATE_LOST /* and enum kt_loss added */ };

/*
 * Page faults are counted of calls that take long, by asking the kernel before and after: half a microsecond each. That
 * a call will take long is known if one of the three before it did, as many calls of LAPACK come in pairs, of which the
 * first asks for the size of a workspace: then the stamp of their context has KT_LONG_STAMP, so it is not the usual
 * one, and the way of all other calls is none the longer. Calls that are nested in others are a matter of their own:
 * between two products of large matrices that a program asks for a factorisation makes a thousand small ones. The first
 * call of an entry is asked about as well: it meets memory that its library uses for the first time. A call that was
 * asked about says so in its frame's CPU, which is none that it can end on.
 */
enum { KT_LONG_BITS = 19, KT_FAULTS_KNOWN = 1 << 16, KT_INSIDE_DRAWN = 1 << 17, KT_MOST_SHORTS = 2 };
#define KT_LONG_STAMP ((uint64_t)1 << 63)

/* By context: the entry of which a long call is expected, 0: of none; its calls since the last long one. */
struct kt_expectation {
    uint16_t entry[KT_CONTEXTS];
    uint8_t shorts[KT_CONTEXTS];
};

/* What the last call of an entry was like: the next one is stored as differences. */
struct kt_context {
    _Alignas(16) uint64_t word[KT_CONTEXT_WORDS + 1]; /* in pairs */
    uint64_t stamp;                                   /* entry and chunk, KT_LONG_STAMP; 0: unused */
};

/* Regions deeper than that are not told apart. */
enum { KT_REGION_LEVELS = 24 };

/* What a stream has been told of the regions that its thread is in. */
struct kt_told {
    unsigned known;                   /* that many of them */
    unsigned common;                  /* of these, how many the thread has not left since */
    uint64_t ended[KT_REGION_LEVELS]; /* when it left the others, in ticks */
};

/* Outermost calls of one entry and about one size (preload/inside.c). */
struct kt_stratum {
    uint32_t key;   /* 0: unused */
    uint32_t calls; /* whose inside was passed on, with these sums over them */
    bool is_met;    /* an inside of one was recorded without a draw */
    uint64_t ticks, nested;
    uint64_t chance; /* with which its calls are drawn, in units of 2^-32; renewed now and then */
};

/* What a stream's calls have told of what recording their insides costs. */
enum { KT_STRATA = 256 };
struct kt_insides {
    struct kt_stratum *now; /* of the call in progress */
    uint64_t calls_before;  /* of the stream, if its inside is recorded: with itself */
    uint32_t weight;        /* of its inside; 0: it is passed on */
    uint64_t ticks, spent;  /* of all calls that nest others, and of that for recording insides */
    int64_t excess;         /* ticks that calls took longer whose inside was recorded, */
    uint64_t excess_calls;  /* and how many calls nested in them */
    uint64_t random;
    struct kt_stratum stratum[KT_STRATA];
};

/*
 * A thread's stream of events. Its pages are zeroed in forked children, also where no handler runs (clone): READY is 0
 * then, and the child does not write into its parent's stream.
 */
struct kt_stream {
    /* An odd epoch: while kt_epoch() is the same events can be written. The address of a frame: an event of its call is
     * being written. 0: neither. */
    _Atomic uintptr_t ready;
    unsigned char *cursor; /* room for the next event */
    unsigned char *limit;  /* no event begins behind this */
    uint64_t number;       /* of streams of this process: not 0 */
    uint64_t chunk_stamp;  /* for contexts: not 0 */
    const uint32_t *cpu_now;
    struct kt_chunk *chunk; /* being written */
    uint64_t calls;         /* begun */
    uint64_t ended;
    uint64_t last; /* ticks: the last end of a call in this chunk, or its anchor */
    /* the rest, up to the contexts, belongs to preload/tape.c */
    size_t chunk_bytes;
    unsigned char *touched; /* end of the pages that can be written without a fault */
    uint64_t file_bytes;    /* so far, with the chunk being written */
    uint64_t next;          /* where in the file the next full chunk goes: at its end, unless the last calls are kept */
    uint64_t reserved;      /* bytes of the file that it is certain to have room for */
    uint64_t forgotten;     /* calls that ended and were overwritten, */
    uint64_t forgotten_begun; /* and that had begun by then */
    uint64_t skipped;         /* calls not recorded because the user did not want them to be */
    uint64_t passed;          /* nested calls that were passed on in recorded ones */
    uint64_t room_ticks;      /* that making room took */
    uint32_t tid;             /* of the thread */
    uint32_t cpu;             /* where the chunk was begun, for kernels that do not tell where we are */
    bool skip;                /* the chunk counts as full */
    bool is_second;           /* of its thread */
    bool in_memory;           /* the chunk being written is not mapped from the file */
    uint64_t lost[KT_LOSS_COUNT];
    struct kt_told told; /* preload/region.c */
    struct kt_insides insides;
    struct kt_expectation expectation[2]; /* of the calls of the application, and of nested ones */
    char path[PATH_MAX];
    struct kt_context context[KT_CONTEXTS]; /* most of their pages are never used, */
    struct kt_checks checks;                /* and these are for KTRACE_CHECKSUM only */
};

/*
 * The first two are what stubs look at (preload/stub.h). PASSING: the frame of a call in progress; calls nested in it
 * are passed on by a jump, and counted in PASSED. NULL: calls are looked at.
 */
struct kt_thread {
    struct kt_frame *passing;
    uint64_t passed;            /* and not yet counted in the stream */
    struct kt_frame *top;       /* innermost call in progress */
    struct kt_frame *suspended; /* what PASSING was when an exception was raised (preload/jumps.S) */
    struct kt_stream *stream;   /* never NULL */
    struct kt_stream *second;   /* of calls by signal handlers that found an event being written; NULL: none yet */
    /* the rest belongs to preload/gate.c */
    uint64_t failures; /* calls lost since room could last be had */
    enum kt_loss last_failure;
    uint64_t unsampled;     /* calls so far of the present KTRACE_SAMPLE */
    uint64_t drawn;         /* which one of them is recorded */
    bool busy;              /* on a slow path */
    bool silent;            /* calls are ours, and not recorded */
    uint64_t passed_before; /* that */
    uint64_t returned;      /* by a function with a compiled wrapper, if there are extras */
};

extern KT_HIDDEN __thread struct kt_thread kt_self __attribute__((tls_model("initial-exec")));

/* What the way of a call has to do besides full recording; fixed after the start of the process, 0 is the usual. */
enum {
    KT_EXTRA_EVENTS = 1,
    KT_EXTRA_SAMPLE = 2,
    KT_EXTRA_PROFILE = 4,
    KT_EXTRA_CLOCK = 8 /* the kernel's */,
    KT_EXTRA_SNAPSHOT = 16,
    KT_EXTRA_CHECKSUM = 32
};
extern KT_HIDDEN unsigned kt_extras;

/* Of an outermost call nothing is recorded that nests in it, unless preload/inside.c draws it.
 */
extern KT_HIDDEN bool kt_passes_insides;

/*
 * What the process is to do, changed from within or, through the file that it is mapped from, from outside. The epoch
 * increases when threads have to look what that is: at a pause, at the end.
 */
extern KT_HIDDEN struct kt_control *_Atomic kt_control_page;

static inline struct kt_control *kt_control(void)
{
    return atomic_load_explicit(&kt_control_page, memory_order_acquire);
}

static inline uintptr_t kt_epoch(void)
{
    return (uintptr_t)__atomic_load_n(&kt_control()->epoch, __ATOMIC_RELAXED);
}

extern KT_HIDDEN struct kt_slot kt_slots[];
extern KT_HIDDEN const struct kt_binding kt_unbound; /* matches no caller */
extern KT_HIDDEN _Atomic uint64_t kt_some_pass;      /* not 0: there is a binding that passes calls on */

/* preload/bind.c: the binding for this caller, made on first use. Never NULL. */
KT_HIDDEN KT_COLD const struct kt_binding *kt_bind(struct kt_slot *slot, const void *caller);

/*
 * preload/gate.c. Is a call to be recorded although the thread's stream is not ready for it? Makes it so if possible,
 * counts the loss if not.
 */
KT_HIDDEN KT_COLD bool kt_gate(struct kt_frame *frame);

/* preload/gate.c: counts a call whose binding is nameless. */
KT_HIDDEN KT_COLD void kt_lose_nameless(struct kt_frame *frame);

/* preload/record.c: room behind the limit; false if there is none, which is counted. */
KT_HIDDEN KT_COLD bool kt_room(struct kt_stream *stream, struct kt_frame *frame);

/* preload/record.c: empties a context that another entry or chunk has used; counts page faults, as above. */
KT_HIDDEN KT_COLD void kt_renew_context(struct kt_stream *stream, struct kt_context *context, uint64_t stamp,
                                        struct kt_frame *frame, const uint64_t *word, unsigned words);

/* preload/record.c: stores the event of a call of ENTRY of which some words changed, and these in the context. */
KT_HIDDEN void kt_store_changes(struct kt_stream *stream, struct kt_context *context, const uint64_t *word,
                                unsigned words, uint64_t entry);

/* preload/record.c: kt_begin if there are extras. */
KT_HIDDEN void kt_begin_extra(struct kt_frame *frame, uint64_t *word, unsigned words);

/* preload/record.c: the end of a call of which there is more to tell, or that cannot be told as usual. */
KT_HIDDEN KT_COLD void kt_store_long_end(struct kt_frame *frame, unsigned entry, uint64_t ticks, unsigned cpu,
                                         int64_t info);

/* preload/gate.c: what was passed on in a call that was not recorded counts as the call does. */
KT_HIDDEN void kt_count_passed(const struct kt_frame *frame);

static inline void kt_end_unrecorded(const struct kt_frame *frame)
{
    if (KT_UNLIKELY(frame->cpu != KT_FATE_NONE && kt_self.passed))
        kt_count_passed(frame);
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

static inline void kt_set_recent(struct kt_slot *slot, const struct kt_binding *binding)
{
    atomic_store(&slot->recent, (uintptr_t)binding - (uintptr_t)&kt_unbound);
}

/* The binding that was used last, if it is for this caller; otherwise NULL. */
static inline const struct kt_binding *kt_recent_binding(const struct kt_slot *slot, const void *caller)
{
    uintptr_t recent = atomic_load_explicit(&slot->recent, memory_order_acquire);
    const struct kt_binding *binding = (const struct kt_binding *)((uintptr_t)&kt_unbound + recent);
    return KT_LIKELY((uintptr_t)caller - binding->lo < binding->bytes) ? binding : NULL;
}

static inline const struct kt_binding *kt_binding_for(struct kt_slot *slot, const void *caller)
{
    const struct kt_binding *binding = kt_recent_binding(slot, caller);
    return KT_LIKELY(binding != NULL) ? binding : kt_bind(slot, caller);
}

/* preload/gate.c: nested calls of which no event tells: of a call that was left, or that handlers made at its end. */
KT_HIDDEN KT_COLD void kt_count_rest(void);

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
        kt_count_rest();
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
        kt_count_rest();
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
            kt_lose_nameless(frame);
        return false;
    }
    if (KT_UNLIKELY(atomic_load_explicit(&thread->stream->ready, memory_order_relaxed) != kt_epoch()))
        return kt_gate(frame);
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

/* Is this thread in a parallel region? Of GCC's OpenMP, if the program was linked with it; NULL: it was not. */
extern KT_HIDDEN int (*_Atomic kt_omp_in_parallel)(void);

/* Libraries that run OpenMP's threads themselves run a call within a region of the program with one. */
static inline uint64_t kt_team_flag(void)
{
    int (*in_parallel)(void) = atomic_load_explicit(&kt_omp_in_parallel, memory_order_relaxed);
    return KT_UNLIKELY(in_parallel != NULL) && in_parallel() ? KT_TEAM_FLAG : 0;
}

/* preload/python.c: the number of the line of the program's own code that makes this call; 0: not known. */
extern KT_HIDDEN bool kt_reads_lines;
KT_HIDDEN uint32_t kt_python_line(void);

/* Nested calls are made by libraries. */
static inline uint64_t kt_line_bits(const struct kt_frame *frame)
{
    return KT_UNLIKELY(kt_reads_lines) && frame->depth == 0 ? (uint64_t)kt_python_line() << KT_SOURCE_SHIFT : 0;
}

/* WORD: those of a call, WORDS in all, aligned to 16 bytes and in pairs; the first is filled in here. False if there is
 * no room.
 */
static inline bool kt_store_call(struct kt_frame *frame, uint64_t *word, unsigned words)
{
    struct kt_stream *stream = kt_self.stream;
    const uint64_t entry = frame->binding->entry;
    uintptr_t ready = kt_open_stream(stream, frame);
    if (KT_UNLIKELY(stream->cursor > stream->limit) && !kt_room(stream, frame))
        return false;
    frame->cpu = kt_cpu(stream);
    word[0] = frame->depth | (uint64_t)frame->cpu << 16 | kt_team_flag() | kt_line_bits(frame);
    struct kt_context *context = &stream->context[entry % KT_CONTEXTS];
    const uint64_t stamp = stream->chunk_stamp | entry;
    if (KT_UNLIKELY(context->stamp != stamp))
        kt_renew_context(stream, context, stamp, frame, word, words);
    uint64_t changed = 0;
#pragma GCC unroll 32
    for (unsigned i = 0; i < words; i++)
        changed |= word[i] ^ context->word[i];
    if (changed)
        kt_store_changes(stream, context, word, words, entry);
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
        kt_begin_extra(frame, word, words);
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
        kt_store_long_end(frame, frame->binding->entry, ticks, cpu, info);
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
        kt_count_rest();
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
