/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a trace. Everything in the files is checked before it is believed: a damaged trace yields an error or fewer
 * calls and a note, never a crash.
 */
#ifndef KT_READER_H
#define KT_READER_H

#include "ktrace/format.h"
#include "trace/operand.h"

/* A loaded file of the traced process. */
struct kt_object {
    uint64_t lo, hi; /* addresses */
    uint64_t bias;   /* address in memory - address in the file */
    char *path;
    char *build_id;  /* hexadecimal, or "" */
    bool is_library; /* calls were bound to it; the rest is only known then */
    char *soname;
    char *version; /* what the library says of itself, or "" */
    int int_bytes; /* 4: LP64, 8: ILP64 */
    int threads;   /* it would use; 0: not known */
};

/* A symbol bound to a library: what records name. */
struct kt_entry {
    struct kt_symbol symbol;
    const struct kt_object *library; /* never NULL */
    int int_bytes;                   /* of this name's integers: a library can offer names of both widths */
};

struct kt_stream; /* one thread's calls; private to the reader */

/* Key and value of a line of the meta or end file; values with several fields keep their tabs. */
struct kt_pair {
    char *key;
    char *value;
};

struct kt_process {
    char *path; /* of its directory */
    uint32_t pid;
    struct kt_pair *meta; /* of the meta file; see FORMAT.md for the keys */
    size_t metas;
    struct kt_object *object; /* index = id in the trace */
    size_t objects;
    struct kt_entry *entry; /* index = id in the trace; symbol.routine is NULL for ids never defined */
    size_t entries;
    struct kt_table table; /* the routines the entries name, from the trace itself */
    struct kt_stream *stream;
    size_t streams;
    bool complete; /* ended cleanly */
    bool running;  /* still running on this machine */
    uint64_t lost[KT_LOSS_COUNT];
    double tick_hz;     /* ticks per second, from the anchors */
    double clock_ticks; /* what the two clock readings of a record contribute to its duration */
    double seconds;     /* from start to end, or to the last sign of life */
};

struct kt_trace {
    char *path;
    struct kt_process *process;
    size_t processes;
    uint64_t bytes; /* of its files on disk */
    char **note;    /* what was damaged and how much of it could be read */
    size_t notes;
};

/*
 * PATH: a trace directory, or a process directory in one. KT_BAD_INPUT with one clear cause if there is nothing
 * to read; a trace that ended abnormally is not an error. OUT is to be closed also after an error.
 */
enum kt_status kt_trace_open(const char *path, struct kt_trace *out, struct kt_error *error);
void kt_trace_close(struct kt_trace *trace);

/* Adds a note. Only the first are kept: a few tell what happened. */
void kt_trace_note(struct kt_trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* NULL if the process's meta file has no such key. */
const char *kt_meta(const struct kt_process *process, const char *key);

/* The object that holds ADDRESS, or NULL. */
const struct kt_object *kt_object_at(const struct kt_process *process, uint64_t address);

#endif
