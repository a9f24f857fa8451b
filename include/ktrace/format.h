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
 *     end           totals, text; only there after a clean end
 *
 * Text files hold lines of fields separated by tabs; backslash, tab, newline and bytes outside printable
 * ASCII are written \xHH. Binary files are little endian; every structure below is 8-byte aligned.
 *
 * Words. A call is one call of a BLAS or LAPACK routine through a symbol. A record is what is stored of it.
 * An entry is a symbol as bound to one library: records name the entry. An operand is an array argument.
 * Ticks are what the clock counts (meta: clock, anchors). A shape is what calls with equal sizes, options
 * and leading dimensions share; operands may lie anywhere.
 */
#ifndef KTRACE_FORMAT_H
#define KTRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* A change of any structure or of the meaning of a field bumps the major version; readers refuse others.
 * New lines and new fields at the end of a line of the text files bump the minor version; readers ignore them. */
#define KT_FORMAT_MAJOR 1
#define KT_FORMAT_MINOR 1

#define KT_CHUNK_MAGIC "ktchunk\n"
#define KT_BYTE_ORDER  0x01020304u

/* Why calls are missing from a stream. Columns: name, text in reports. */
#define KT_LOSSES(X)                                               \
    X(SPACE, "no space left for the trace")                        \
    X(ERROR, "the trace could not be written")                     \
    X(SIGNAL, "called by a signal handler while ktrace was busy")  \
    X(ENTRIES, "more symbols and libraries than a trace can name") \
    X(EXIT, "called after the trace was closed")

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

/* Head of a chunk. Records follow at once and end at the first with length 0 or at the end of the chunk. */
struct kt_chunk {
    char magic[8];         /* KT_CHUNK_MAGIC */
    uint32_t byte_order;   /* KT_BYTE_ORDER as the writer stores it */
    uint16_t major, minor; /* KT_FORMAT_MAJOR, KT_FORMAT_MINOR */
    uint32_t header_bytes; /* sizeof (struct kt_chunk): where the records begin */
    uint32_t index;        /* 0 for the first chunk of the stream */
    uint64_t chunk_bytes;  /* with this head; the next chunk begins behind it */
    uint32_t pid, tid;
    struct kt_anchor anchor; /* when the chunk was begun */
    uint64_t lost[8];        /* calls lost by this thread up to here, by enum kt_loss */
    uint64_t reserved[8];    /* 0 */
};

/* A call. The arguments follow, packed as trace/symbol.h lays them out from the entry's description. */
struct kt_record {
    uint16_t words;  /* length in 8-byte words, this head included; stored last: not 0 = committed */
    uint16_t entry;  /* which symbol of which library: an entry line in definitions */
    uint16_t depth;  /* calls that this call is nested in; the records of those that were recorded precede it */
    uint16_t cpu;    /* where the call ended, low 12 bits of the kernel's number */
    uint64_t start;  /* ticks */
    uint64_t ticks;  /* duration; 0 = has not returned */
    uint64_t caller; /* return address */
};

_Static_assert(KT_LOSS_COUNT <= 8, "kt_chunk.lost holds 8 causes");
_Static_assert(sizeof(struct kt_chunk) == 192 && offsetof(struct kt_chunk, anchor) == 40, "part of the format");
_Static_assert(sizeof(struct kt_record) == 32 && offsetof(struct kt_record, caller) == 24, "part of the format");

#endif
