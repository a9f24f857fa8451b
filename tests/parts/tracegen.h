/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes synthetic traces for tests, in a temporary directory: one process, any calls, text for arguments. A good
 * trace can then be damaged. Written from FORMAT.md, neither from the shim nor from the reader.
 */
#ifndef KT_TRACEGEN_H
#define KT_TRACEGEN_H

#include "ktrace/format.h"
#include "trace/table/symbol.h"

#include <stdbool.h>

enum { KT_GEN_ENTRIES = 160, KT_GEN_STREAMS = 8, KT_GEN_PATH = 512 };

/* The clock of synthetic traces: 2 ticks a nanosecond, one second from the first anchor to the last. */
enum { KT_GEN_ORIGIN = 1000000, KT_GEN_HZ = 2000000000, KT_GEN_CLOCK_TICKS = 10 };

enum { KT_GEN_DEPTH = 64, KT_GEN_COUNTERS = 8 };

/* A call; ARGS holds a word per parameter of the symbol: a letter, numbers, RE,IM of a complex one, 0x of an address.
 */
struct kt_gen_call {
    uint32_t tid;
    int entry;
    unsigned depth;
    uint64_t start; /* ticks after KT_GEN_ORIGIN */
    uint64_t ticks; /* 0: has not returned */
    const char *args;
};

/* What else there may be to tell of the end of a call. */
struct kt_gen_more {
    bool migrated;   /* ended on processor 3 instead of 1 */
    uint32_t faults; /* page faults and 1; 0: not known */
    unsigned counters;
    uint64_t counter[KT_GEN_COUNTERS];
    uint32_t passed; /* calls that were passed on in it: a PASSED follows; 0: none does */
};

/* A call that is to end. */
struct kt_gen_open {
    struct kt_gen_call call;
    struct kt_gen_more more;
    int64_t info;
    size_t behind; /* its first event */
};

struct kt_gen_context {
    int entry;
    uint64_t word[64];
};

struct kt_gen_stream {
    uint32_t tid;
    unsigned char *bytes;
    size_t size;
    size_t chunk;  /* where the last chunk begins */
    size_t at;     /* where the next event goes */
    uint64_t last; /* ticks: the last end in the chunk, or its anchor */
    uint32_t chunks;
    uint64_t calls, ended, passed;
    uint32_t inside; /* of the next call: what its INSIDE says; 0: it has none */
    struct kt_gen_open open[KT_GEN_DEPTH];
    int opens;
    struct kt_gen_context context[128];
};

struct kt_gen {
    char trace[KT_GEN_PATH];   /* directory of the trace, made by kt_gen_begin */
    char process[KT_GEN_PATH]; /* of the process in it */
    uint32_t pid;
    size_t chunk_bytes; /* of new chunks */
    struct kt_table table;
    struct kt_symbol symbol[KT_GEN_ENTRIES];
    int entries; /* the next id; 0 is never defined, as in real traces */
    struct kt_gen_stream stream[KT_GEN_STREAMS];
    int streams;
    uint64_t calls, passed;
};

/* Makes the directory with the meta file of a process. SPEC: path of the routine table. */
void kt_gen_begin(struct kt_gen *gen, const char *spec, uint32_t pid);

/* Defines a symbol of the only library and returns its id; aborts if there is none. */
int kt_gen_entry(struct kt_gen *gen, const char *routine, enum kt_view view);

/*
 * The end of a call is written when it is time: before the next call of the thread that begins later or is not nested
 * in it, or at the end.
 */
void kt_gen_call(struct kt_gen *gen, const struct kt_gen_call *call);

/* Of the last call of a thread. */
void kt_gen_more(struct kt_gen *gen, uint32_t tid, const struct kt_gen_more *more);

/* The process records what nests in outermost calls as KTRACE_NESTED says, MODE; without this it is of an older
 * version, which records all. */
void kt_gen_nested(const struct kt_gen *gen, const char *mode);

/* The next call of the thread, which is to be an outermost one, has an INSIDE of that weight. */
void kt_gen_inside(struct kt_gen *gen, uint32_t tid, uint32_t weight);

/* Any event, after the ends of all calls. A new chunk, if the thread has one. */
void kt_gen_event(struct kt_gen *gen, uint32_t tid, const uint64_t *word, size_t words);
void kt_gen_next_chunk(struct kt_gen *gen, uint32_t tid);

/* Writes the streams and, if the process is to have ended cleanly, the end file. */
void kt_gen_end(struct kt_gen *gen, bool clean);

/* Removes the directory and frees everything. */
void kt_gen_remove(struct kt_gen *gen);

/* A second process in the same trace: the files of the first, copied under another pid. */
void kt_gen_copy_process(const struct kt_gen *gen, uint32_t pid);

/* Damage, after kt_gen_end. NAME is a file of the process. */
void kt_gen_patch(const struct kt_gen *gen, const char *name, long offset, const void *bytes, size_t count);
void kt_gen_cut(const struct kt_gen *gen, const char *name, long size);
void kt_gen_append(const struct kt_gen *gen, const char *name, const void *bytes, size_t count);
void kt_gen_delete(const struct kt_gen *gen, const char *name);
/* Replaces the first line of a text file that begins with KEY and a tab; LINE NULL: removes it. */
void kt_gen_replace_line(const struct kt_gen *gen, const char *name, const char *key, const char *line);

/* The whole file, to be freed. */
unsigned char *kt_gen_read(const char *directory, const char *name, size_t *size);

#endif
