/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace on disk: the only link between the shim, which writes it, and the tools, which read it.
 * FORMAT.md describes the same in prose.
 *
 * A trace is a directory. Each process that made a call has a directory p<PID> in it with
 *
 *     meta          what is known at the start, text
 *     definitions   objects, libraries and entries, appended when first met, text
 *     t<TID>        one stream of calls per thread, binary: a sequence of chunks
 *     s<TID>        instead of it in profile mode: what the calls of a thread add up to
 *     o<N>          what the operands of a call held, with KTRACE_SNAPSHOT
 *     control       what the process does, and is to do
 *     end           totals, text; only there after a clean end
 *
 * Text files hold lines of fields separated by tabs; backslash, tab, newline and bytes outside printable
 * ASCII are written \xHH. Binary files are little endian; every structure below is 8-byte aligned.
 *
 * Words. A call is one call of a BLAS or LAPACK routine through a symbol. Events are what is stored of it: one when it
 * begins, one when it ends. An entry is a symbol as bound to one library: events name the entry. An operand is an array
 * argument. Ticks are what the clock counts (meta: clock, anchors). A shape is what calls with equal sizes, options and
 * leading dimensions share; operands may lie anywhere.
 */
#ifndef KTRACE_FORMAT_H
#define KTRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* A change of any structure or of the meaning of a field bumps the major version; readers refuse others.
 * New kinds of events, new lines and new fields at the end of a line of the text files bump the minor version; readers
 * ignore them. */
#define KT_FORMAT_MAJOR 2
#define KT_FORMAT_MINOR 13

/* Of the line `workload` in meta: readers refuse larger ones. */
#define KT_WORKLOAD_VERSION 1

#define KT_CHUNK_MAGIC "ktchunk\n"
#define KT_BYTE_ORDER  0x01020304u

/*
 * Ticks that a call takes longer because of us, by what is recorded of it: through a compiled wrapper or the
 * trampoline; arguments are those of the call before, or some changed; or it is passed on. Lines of meta.
 */
#define KT_PRICES(X)                            \
    X(COMPILED_SAME, "price_compiled_same")     \
    X(COMPILED, "price_compiled")               \
    X(TRAMPOLINE_SAME, "price_trampoline_same") \
    X(TRAMPOLINE, "price_trampoline")           \
    X(PASSED, "price_passed")

enum kt_price {
#define KT_PRICE_ENUM(name, text) KT_PRICE_##name,
    KT_PRICES(KT_PRICE_ENUM) KT_PRICE_COUNT
#undef KT_PRICE_ENUM
};

/* Why calls are missing from a stream. Columns: name, text in reports. */
#define KT_LOSSES(X)                                               \
    X(SPACE, "no space left for the trace")                        \
    X(ERROR, "the trace could not be written")                     \
    X(SIGNAL, "called by a signal handler while ktrace was busy")  \
    X(ENTRIES, "more symbols and libraries than a trace can name") \
    X(EXIT, "called after the trace was closed")                   \
    X(LIMIT, "beyond the length that KTRACE_MAX_BYTES allows")

enum kt_loss {
#define KT_LOSS_ENUM(name, text) KT_LOSS_##name,
    KT_LOSSES(KT_LOSS_ENUM) KT_LOSS_COUNT
#undef KT_LOSS_ENUM
};

/* A reading of all clocks at one moment. */
struct kt_anchor {
    uint64_t ticks;
    uint64_t monotonic_ns; /* CLOCK_MONOTONIC */
    uint64_t realtime_ns;  /* CLOCK_REALTIME, since 1970 */
};

/*
 * Head of a chunk. Events follow at once, up to used_bytes. The first chunk of a file is the one being written: the
 * thread has it mapped into memory; when it is full, it is copied behind the others, and is the next chunk from then
 * on. The index tells the order; where two chunks have the same one, they begin alike, and the one with more in it
 * counts.
 */
struct kt_chunk {
    char magic[8];         /* KT_CHUNK_MAGIC */
    uint32_t byte_order;   /* KT_BYTE_ORDER as the writer stores it */
    uint16_t major, minor; /* KT_FORMAT_MAJOR, KT_FORMAT_MINOR */
    uint32_t header_bytes; /* sizeof (struct kt_chunk): where the events begin */
    uint32_t index;        /* 0 for the first chunk of the stream */
    uint64_t chunk_bytes;  /* of the file; the next chunk begins behind it */
    uint32_t pid, tid;
    struct kt_anchor anchor; /* when the chunk was begun */
    uint64_t lost[8];        /* calls lost by this thread up to here, by enum kt_loss */
    uint64_t calls;          /* of this stream that began before this chunk */
    uint64_t ended;          /* of these, calls that ended before it */
    uint64_t used_bytes;     /* with this head: what is committed, stored last */
    uint64_t skipped;        /* calls that this thread did not record up to here, as the user wished */
    uint64_t second;      /* 1: the thread has another stream; this one began when a signal handler interrupted that */
    uint64_t passed;      /* nested calls that this thread passed on and did not record up to here (KT_EVENT_PASSED) */
    uint64_t reserved[2]; /* 0 */
};

/*
 * An event is one 8-byte word, its head, and what may follow:
 *
 *     bits  0 to  7  kind
 *     bits  8 to 15  length in words, the head included
 *     bits 16 to 31  id: entry of a call that begins, depth of a call that ends, number of a region
 *     bits 32 to 63  CALL: which words of the call changed. HALVES: which halves. END: duration in ticks. INSIDE:
 *                    weight. PASSED: number
 *
 * but for these two, whose length is 1 by rule:
 *
 *     DONE      bits  8 to 23  entry
 *               bits 24 to 43  duration in ticks
 *               bits 44 to 63  ticks from the last end of a call in this chunk, or the chunk's anchor, to the start
 *     LEAF_END  bits  8 to 35  duration in ticks
 *               bits 36 to 63  ticks to the start, likewise
 *
 * The words of a call are: depth | cpu << 16; the return address; its arguments, as trace/table/symbol.h lays them out.
 * They are stored where they differ from those of the last call of the same context: contexts are KT_CONTEXTS slots, an
 * entry has slot entry % KT_CONTEXTS, and a slot that another entry takes, and each at the begin of a chunk, holds
 * zeros.
 */
enum kt_event {
    KT_EVENT_CALL = 1, /* [differences]: a call begins; bit i of the head's upper half: word i has changed */
    KT_EVENT_WIDE,     /* changed words, [differences]: the same for calls with more than 32 words */
    KT_EVENT_END,      /* start in ticks: the innermost open call of that depth has returned */
    KT_EVENT_LONG_END, /* start, ticks, cpu, info, counters...: the same when that does not tell all */
    KT_EVENT_REGION,   /* ticks: the thread enters the region of that number; 0: it leaves the innermost one */
    KT_EVENT_DONE,     /* a CALL without changes and its END in one word, as above */
    KT_EVENT_LEAF_END, /* the call that the event before begins has returned */
    KT_EVENT_INSIDE,   /* weight: what nests in the outermost call is recorded that the next event begins */
    KT_EVENT_PASSED, /* number of calls, of any depth, that were passed on in the outermost call that has just ended */
    KT_EVENT_HALVES, /* [halves]: a call begins; bit i of the head's upper half: half i of its words has changed */
    KT_EVENT_WIDE_HALVES, /* 128 bits, [halves]: the same for calls of more than KT_HALVES_WORDS words */
    KT_EVENT_CHECKSUMS,   /* start, checks: sums over operands of an outermost call that has ended; id: how many */
    KT_EVENT_YARDSTICK,   /* five words: how fast the machine is */
    KT_EVENT_WORK,        /* two numbers (double): operations and bytes that the program says of its innermost region */
};

/*
 * How fast the machine was when the thread made none of its calls (ktrace/yardstick.h). Id: how many loads, upper half:
 * how many additions the chain has. The words behind the head: when the reading began, in ticks; ticks of the chain,
 * and in the upper half of the KT_YARD_WIDTH times as many additions that need nothing; ticks of the loads; processor
 * time of the thread so far in microseconds; how often the kernel took the processor from it so far, and in the upper
 * half how often it gave it away, both modulo 2^32. The last two are KT_YARD_UNKNOWN where the kernel did not tell.
 */
enum { KT_YARDSTICK_WORDS = 6 };
#define KT_YARD_UNKNOWN UINT64_MAX

/*
 * KTRACE_NESTED=sample records what is nested in an outermost call for some outermost calls only. These have an INSIDE:
 * its weight, in units of 1 / KT_INSIDE_ONE, is the inverse of the probability with which the call was drawn, which is
 * how many calls it stands for; exactly 1: it was not drawn by chance (the first of its entry), it stands for itself.
 * Of the others nothing that nests in them is recorded. A PASSED says how many calls that was; without one there were
 * none.
 */
enum { KT_INSIDE_ONE = 256 };

/*
 * With KTRACE_CHECKSUM. A check is a word that says which operand: in bits 0 to 15 the offset of its address in the
 * arguments, or KT_CHECK_RESULT for what a function returned; in bits 16 to 31 KT_CHECK_IN and so on. Behind it stands
 * the sum before the call if it has KT_CHECK_IN, and then the one after it if it has KT_CHECK_OUT.
 */
enum {
    KT_CHECK_HEAD_WORDS = 2,
    KT_CHECK_OPERANDS = 33,
    KT_CHECK_RESULT = 0xffff,
    KT_CHECK_IN = 1,
    KT_CHECK_OUT = 2,
    KT_CHECK_PART = 4,       /* of a large operand some elements are summed */
    KT_CHECK_IN_UNREAD = 8,  /* it could not be read before the call, */
    KT_CHECK_OUT_UNREAD = 16 /* or after it */
};

/* More than any call has: depth and cpu, return address, arguments. */
enum {
    KT_CALL_HEAD_WORDS = 2,
    KT_CONTEXT_WORDS = 63,
    KT_CONTEXTS = 128,
    KT_NARROW_WORDS = 32,
    KT_HALVES_WORDS = 16,
    KT_END_WORDS = 2,
    KT_LONG_END_WORDS = 5
};

/* Of the word of a LONG_END that has the processor in bits 0 to 15: page faults were counted, bits 32 to 63 say how
 * many the thread met in the call. */
#define KT_FAULTS_FLAG ((uint64_t)1 << 31)

/* Of the first word of a call: it was made within a parallel region of the program's OpenMP. */
#define KT_TEAM_FLAG ((uint64_t)1 << 32)

/* From version 2.4 on the bits from here on are the number of the source line that the call was made from; 0: not
 * known. */
#define KT_SOURCE_SHIFT 40

/* Of that number: it is that of a stack, the lower bits are. From version 2.7 on. */
#define KT_SOURCE_IS_STACK (1u << 23)

static inline uint64_t kt_event_head(enum kt_event kind, uint64_t words, uint64_t id, uint64_t upper)
{
    return (uint64_t)kind | words << 8 | id << 16 | upper << 32;
}

enum { KT_REGION_WORDS = 2, KT_WORK_WORDS = 3, KT_DONE_BITS = 20, KT_LEAF_END_BITS = 28 /* of each of their times */ };

static inline uint64_t kt_done_word(uint64_t entry, uint64_t ticks, uint64_t gap)
{
    return (uint64_t)KT_EVENT_DONE | entry << 8 | ticks << 24 | gap << (24 + KT_DONE_BITS);
}

static inline uint64_t kt_leaf_end_word(uint64_t ticks, uint64_t gap)
{
    return (uint64_t)KT_EVENT_LEAF_END | ticks << 8 | gap << (8 + KT_LEAF_END_BITS);
}

/* The file `control` of a process: it has it mapped, and does what whoever writes into it wants. */
struct kt_control {
    char magic[8];   /* KT_CONTROL_MAGIC */
    uint32_t paused; /* not 0: calls are not recorded */
    uint32_t reserved;
    uint64_t epoch;   /* to be increased after a change */
    uint64_t skipped; /* calls of threads that had no stream yet: not recorded as the user wished, */
    uint64_t lost[8]; /* and lost, by enum kt_loss */
};

#define KT_CONTROL_MAGIC "ktctrl1\n"

/*
 * Halves are the 32-bit halves of a call's words: half 2 i is the lower one of word i. Those that changed are stored as
 * they are, one after the other, padded with zeros to whole words. (Versions before 2.2 stored differences.)
 *
 * Differences are stored one after the other, padded with zeros to whole words. A difference is taken modulo 2^64, its
 * sign moved to bit 0 (0, -1, 1, -2, ... become 0, 1, 2, 3, ...). The lowest three bits of the first byte tell how many
 * bytes follow: 0 to 6, and the value is in all other bits, little endian; 7: eight bytes follow, which hold the value.
 */
enum { KT_DIFFERENCE_BYTES = 9 };

static inline uint64_t kt_zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t kt_unzigzag(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

/*
 * In profile mode a process has no streams but profiles, files s<TID>: a head, and cells behind it, up to used_bytes. A
 * cell counts the calls of one shape. Threads that come later go on where those that have ended left off; a thread
 * cell tells what of the counts was theirs. Cells are changed in place: where the process was killed, one of them may
 * have counted a part of its last call.
 */
#define KT_PROFILE_MAGIC "ktprofl\n"

struct kt_profile_head {
    struct kt_chunk
        chunk; /* magic: KT_PROFILE_MAGIC; calls, ended: 0; tid: whose calls are being counted, 0: nobody's */
    uint64_t lost_before[8]; /* calls that threads lost that have ended, in addition to chunk.lost */
    uint64_t skipped_before;
    uint64_t current;          /* place in the file of the cell of the innermost call in progress; 0: none */
    uint64_t last;             /* when the last call ended, in ticks */
    struct kt_anchor later[2]; /* read now and then */
    uint64_t laters;           /* number of the one that was read last, from 1 on; 0: none */
    uint64_t threads;          /* that have made calls in this process; the largest of all profiles counts */
    uint64_t reserved[2];
};

/* Cells of calls. What is in them when there is no room for all shapes stands in overflow cells: calls of an entry. */
enum kt_cell_kind { KT_CELL_SHAPE = 1, KT_CELL_OVERFLOW, KT_CELL_THREAD, KT_CELL_BARE };

/* Outermost calls of a shape have a cell for each place that they come from. */
enum kt_nesting {
    KT_NOT_NESTED,   /* made by the application */
    KT_NESTED,       /* in another call */
    KT_WITHIN_ITSELF /* in a call of the same routine: its time is in the time of that */
};

/* Ticks are durations of calls with both clock readings. */
struct kt_cell {
    uint32_t bytes; /* to the next cell, a multiple of 8 */
    uint16_t entry;
    uint8_t kind;    /* enum kt_cell_kind */
    uint8_t nesting; /* enum kt_nesting */
    uint64_t begun;  /* calls; the rest is about those that returned */
    uint64_t calls;
    uint64_t ticks; /* of all */
    uint64_t least, most;
    uint64_t nests, nests_ticks;   /* of these, calls that others were nested in */
    uint64_t nested, nested_ticks; /* calls nested in these, one level down */
    int64_t info;                  /* of the first call */
    uint64_t start;                /* of the first call, in ticks */
    uint32_t words;                /* of a call, see enum kt_event */
    union {
        uint32_t first_bin; /* SHAPE: of the histogram */
        uint32_t within;    /* BARE, from version 2.9 on: entry of the outermost call, + 1; 0: not known */
    };
    /* SHAPE: KT_BINS counts of calls, by duration; WORDS words of the first call; a kt_cell_inside. BARE: the same
     * without the counts. OVERFLOW: nothing */
};

/*
 * From version 2.2 on, of calls that returned. Insides are recorded of some outermost calls only (enum kt_event). A
 * nested call counts as often as the inside that it is in stands for calls (its weight), in units of 1 / KT_INSIDE_ONE;
 * so do an outermost call whose inside is recorded, and what nests in it one level down.
 */
struct kt_cell_inside {
    uint64_t drawn, drawn_ticks;   /* outermost: calls whose inside was recorded, which took longer by that */
    uint64_t passed;               /* outermost: nested calls of the others, of any depth */
    uint64_t calls, ticks;         /* weighted: these calls, or nested ones */
    uint64_t nested, nested_ticks; /* weighted: calls nested in these, one level down */
};

/* Of a thread that has ended. */
struct kt_thread_cell {
    uint32_t bytes;
    uint16_t entry; /* 0 */
    uint8_t kind;   /* KT_CELL_THREAD */
    uint8_t reserved;
    uint64_t tid;
    uint64_t calls; /* begun */
    uint64_t outermost;
    uint64_t ticks; /* of outermost calls */
};

/*
 * Bins of the histogram: eight to each power of two, bin 8 K + I has the durations from 2^K (1 + I/8) on, shorter ones
 * than 8 ticks count as 8. A cell has KT_BINS of them, from its first_bin on; the last one also has all that is longer.
 */
enum { KT_BINS = 64, KT_OCTAVE_BINS = 8 };

static inline size_t kt_bins_of(const struct kt_cell *cell)
{
    return cell->kind == KT_CELL_SHAPE ? KT_BINS : 0;
}

static inline unsigned kt_bin_of(uint64_t ticks)
{
    unsigned octave = 63 - (unsigned)__builtin_clzll(ticks | KT_OCTAVE_BINS);
    return KT_OCTAVE_BINS * octave + (unsigned)((ticks < KT_OCTAVE_BINS ? KT_OCTAVE_BINS : ticks) >> (octave - 3) & 7);
}

/* Where the bin begins. */
static inline uint64_t kt_bin_ticks(unsigned bin)
{
    return (uint64_t)(KT_OCTAVE_BINS + bin % KT_OCTAVE_BINS) << (bin / KT_OCTAVE_BINS - 3);
}

/*
 * A snapshot (KTRACE_SNAPSHOT): what the operands of a call held before it began. Head, the call's arguments as in its
 * event, OPERANDS descriptions, contents. The magic is written last.
 */
#define KT_SNAPSHOT_MAGIC "ktsnap1\n"

struct kt_snapshot_head {
    char magic[8]; /* KT_SNAPSHOT_MAGIC */
    uint32_t byte_order;
    uint16_t major, minor;
    uint32_t header_bytes; /* where the arguments begin */
    uint32_t tid;
    uint32_t entry;
    uint32_t arg_bytes; /* a multiple of 8 */
    uint32_t operands;
    uint32_t reserved;
    uint64_t call; /* how many calls the thread had begun before it */
};

struct kt_snapshot_operand {
    uint32_t offset; /* of its address in the arguments */
    uint32_t reserved;
    uint64_t address;
    uint64_t asked; /* bytes from there to the end of the operand's array, or as many as were wanted */
    uint64_t bytes; /* of them that were there and are stored */
    uint64_t at;    /* where, in the file; a multiple of 8 */
};

_Static_assert(sizeof(struct kt_snapshot_head) == 48 && sizeof(struct kt_snapshot_operand) == 40, "part of the format");

_Static_assert(sizeof(struct kt_profile_head) == 360 && sizeof(struct kt_cell) == 104 &&
                   sizeof(struct kt_thread_cell) == 40,
               "part of the format");

_Static_assert(KT_LOSS_COUNT <= 8, "kt_chunk.lost holds 8 causes");
_Static_assert(sizeof(struct kt_chunk) == 192 && offsetof(struct kt_chunk, anchor) == 40, "part of the format");

#endif
