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
 * trampoline. kt_binding_for finds where this caller's call goes, kt_enter room for a record, the arguments are stored,
 * kt_begin commits the record and reads the clock, the routine runs, kt_end completes the record.
 */
#ifndef KT_SHIM_H
#define KT_SHIM_H

#include "ktrace/clock.h"
#include "ktrace/format.h"

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
    uintptr_t lo, bytes;      /* the calling object's code */
    void *target;             /* the routine that this caller would have reached without us */
    uint16_t entry;           /* of the trace; 0 is none */
    bool wide;                /* the library's integers have 64 bits */
    bool hidden_result;       /* a complex result is stored through a first argument that the source does not show */
    bool foreign;             /* not a BLAS routine but somebody else's function of that name: nothing is recorded */
    _Atomic unsigned unloads; /* void unless this is how often objects were unloaded */
    struct kt_binding *next;
};

/* One per interposed name. */
struct kt_slot {
    _Atomic(const struct kt_binding *) recent; /* the binding used last; never NULL */
    _Atomic(struct kt_binding *) all;
};

/* A call in progress; lives on the stack of its wrapper. */
struct kt_frame {
    const struct kt_frame *self; /* with guard: tells whether the frame still is what it was */
    const struct kt_binding *binding;
    struct kt_record *record; /* NULL: not recorded; the frame itself: being chosen */
    struct kt_frame *parent;
    const unsigned char *limit; /* of the record's chunk */
    uint64_t start;
    unsigned depth;
    const struct kt_frame *guard;
};

struct kt_chunk_map {
    struct kt_chunk *chunk;
    size_t bytes;
};

enum { KT_OLD_CHUNKS = 8 };

/* A thread's recorder. The first members are all that the way of a call touches. */
struct kt_thread {
    unsigned char *cursor; /* room for the next record */
    unsigned char *limit;  /* end of the chunk */
    struct kt_frame *top;  /* innermost call in progress */
    uint64_t calls;        /* recorded */
    /* the rest belongs to preload/record.c */
    struct kt_chunk_map current;
    struct kt_chunk_map old[KT_OLD_CHUNKS]; /* still needed by calls in progress */
    uint64_t lost[KT_LOSS_COUNT];
    uint64_t file_bytes;
    int file;
    uint32_t chunks;
    unsigned process;  /* kt_process_number that opened the stream */
    uint64_t failures; /* calls lost since room could last be had */
    enum kt_loss last_failure;
    bool opened, busy;
    bool silent;                 /* calls are ours, and not recorded */
    unsigned char *silent_limit; /* what LIMIT was before */
    struct kt_thread *next; /* of the registry */
};

extern KT_HIDDEN __thread struct kt_thread kt_self __attribute__((tls_model("initial-exec")));
extern KT_HIDDEN struct kt_slot kt_slots[];
extern KT_HIDDEN const struct kt_binding kt_unbound; /* matches no caller */

/* preload/bind.c: the binding for this caller, made on first use. Never NULL. */
KT_HIDDEN KT_COLD const struct kt_binding *kt_bind(struct kt_slot *slot, const void *caller);

/* preload/record.c: room for a record of BYTES in a new chunk, or NULL. Takes back that the cursor was moved. */
KT_HIDDEN KT_COLD unsigned char *kt_room(size_t bytes);

/* preload/record.c: is the record's chunk, which no longer is the thread's present one, still mapped? If not, forgets
 * it. */
KT_HIDDEN KT_COLD bool kt_is_mapped(struct kt_frame *frame);

/*
 * Moves the cursor and returns where it was. One instruction where there is one: a signal handler that makes calls
 * between a load and a store would have its records overwritten.
 */
static inline unsigned char *kt_advance(unsigned char **cursor, size_t bytes)
{
#if defined(__x86_64__)
    __asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(*cursor) : : "cc", "memory");
    return (unsigned char *)bytes;
#else
    return __atomic_fetch_add(cursor, bytes, __ATOMIC_RELAXED);
#endif
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

/* preload/forward.c: is there memory that can be read? Asks the kernel. */
KT_HIDDEN KT_COLD bool kt_is_readable(const void *at);

enum { KT_NEAR = 64 << 10 }; /* on the stack: what is further away may be on another, which may be gone */

/*
 * A call that was left by longjmp or an exception never ended its frame: its place on the stack is below the present
 * one, or has been used for something else since.
 */
KT_READS_DEAD_STACK static inline bool kt_is_live(const struct kt_frame *frame, const struct kt_frame *now)
{
    uintptr_t distance = (uintptr_t)frame - (uintptr_t)now;
    return (uintptr_t)frame > (uintptr_t)now && (KT_LIKELY(distance < KT_NEAR) || kt_is_readable(frame)) &&
           frame->self == frame && frame->guard == frame;
}

/* The chain of frames behind a dead one cannot be trusted, unless that still is intact. */
KT_READS_DEAD_STACK static inline struct kt_frame *kt_live_frame(struct kt_frame *top, const struct kt_frame *now)
{
    while (KT_UNLIKELY(top && !kt_is_live(top, now)))
        top = kt_is_readable(top) && top->self == top && top->guard == top ? top->parent : NULL;
    return top;
}

static inline const struct kt_binding *kt_binding_for(struct kt_slot *slot, const void *caller)
{
    const struct kt_binding *binding = atomic_load_explicit(&slot->recent, memory_order_acquire);
    if (KT_UNLIKELY((uintptr_t)caller - binding->lo >= binding->bytes))
        binding = kt_bind(slot, caller);
    return binding;
}

/* Returns where the arguments go, or NULL if the call is not recorded. */
static inline void *kt_enter(struct kt_frame *frame, const struct kt_binding *binding, size_t arg_bytes, void *caller)
{
    struct kt_thread *thread = &kt_self;
    size_t bytes = sizeof(struct kt_record) + arg_bytes;
    frame->self = frame->guard = frame;
    frame->binding = binding;
    frame->parent = kt_live_frame(thread->top, frame);
    frame->depth = frame->parent ? frame->parent->depth + 1 : 0;
    frame->record = (void *)frame;
    atomic_signal_fence(memory_order_seq_cst); /* a signal handler that finds the frame finds it complete */
    thread->top = frame;

    unsigned char *at = kt_advance(&thread->cursor, bytes);
    if (KT_UNLIKELY(at + bytes > thread->limit))
        at = kt_room(bytes);
    struct kt_record *record = (struct kt_record *)at;
    frame->limit = thread->limit;
    atomic_signal_fence(memory_order_seq_cst); /* from here on a handler may get another chunk */
    frame->record = record;
    if (KT_UNLIKELY(!record))
        return NULL;
    record->caller = (uintptr_t)caller;
    return record + 1;
}

/* Commits the record and reads the clock; a call that is not recorded costs neither. */
static inline void kt_begin(struct kt_frame *frame, size_t arg_bytes)
{
    struct kt_record *record = frame->record;
    if (KT_UNLIKELY(!record))
        return;
    uint64_t words = (sizeof *record + arg_bytes) / 8;
    uint64_t depth = frame->depth < UINT16_MAX ? frame->depth : UINT16_MAX;
    uint64_t head = words | (uint64_t)frame->binding->entry << 16 | depth << 32;
    /* Pairs with the reader, which takes no record whose length is 0. */
    atomic_store_explicit((_Atomic uint64_t *)(void *)record, head, memory_order_release);
    frame->start = kt_clock_start();
    record->start = frame->start;
}

/* Reads the clock and completes the record; NULL if there is none. */
static inline struct kt_record *kt_complete(struct kt_frame *frame)
{
    struct kt_record *record = frame->record;
    if (KT_UNLIKELY(!record))
        return NULL;
    unsigned cpu;
    uint64_t ticks = kt_clock_stop(&cpu) - frame->start;
    if (KT_UNLIKELY(frame->limit != kt_self.limit && !kt_is_mapped(frame)))
        return NULL;
    record->cpu = (uint16_t)cpu;
    record->ticks = ticks + (ticks == 0); /* 0 would say that the call has not returned */
    kt_self.calls++;
    return record;
}

/* What belongs to the call is stored: the frame ends. */
static inline void kt_leave(struct kt_frame *frame)
{
    kt_self.top = frame->parent;
}

static inline void kt_end(struct kt_frame *frame)
{
    kt_complete(frame);
    kt_leave(frame);
}

#endif
