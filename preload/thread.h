/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread: its calls in progress and its streams of events. */
#ifndef KT_THREAD_H
#define KT_THREAD_H

#include "ktrace/format.h"
#include "ktrace/yardstick.h"
#include "preload/binding.h"
#include "preload/checks.h"

#include <limits.h>

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
    unsigned char *limit;  /* who wants to store behind this comes to kt_record_room() first */
    uint64_t number;       /* of streams of this process: not 0 */
    uint64_t chunk_stamp;  /* for contexts: not 0 */
    const uint32_t *cpu_now;
    struct kt_chunk *chunk; /* being written */
    uint64_t calls;         /* begun */
    uint64_t ended;
    uint64_t last; /* ticks: the last end of a call in this chunk, or its anchor */
    /* the rest, up to the contexts, belongs to preload/tape.c */
    size_t chunk_bytes;
    unsigned char *room;    /* no event begins behind this; LIMIT is not behind it */
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
    struct {
        uint64_t due;    /* ticks: the next reading */
        uint64_t looked; /* when that was last asked */
        size_t step;     /* bytes of events until it is asked again */
        _Alignas(64) unsigned char lines[KT_YARD_LINES];
    } yard; /* preload/yard.c */
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
    /* the rest is for what is not recorded as usual */
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

/* The stream of threads without one. */
extern KT_HIDDEN struct kt_stream kt_no_stream;

/* What is in kt_stream.ready: a frame's address is even, and a stream is ready for no even epoch. */
static inline bool kt_is_frame(uintptr_t ready)
{
    return ready % 2 == 0;
}

/* The frame whose event is being written, as its address, or 0. */
static inline uintptr_t kt_writer_of(const struct kt_stream *stream)
{
    uintptr_t ready = atomic_load(&stream->ready);
    return kt_is_frame(ready) ? ready : 0;
}

/*
 * Calls that this thread makes in between are no calls of the program: those by which libraries are asked what they
 * are, and what nests in them. They come to the gate, and no further.
 */
KT_HIDDEN void kt_thread_silence(void);
KT_HIDDEN void kt_thread_unsilence(void);

#endif
