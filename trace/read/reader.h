/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a trace. Everything in the files is checked before it is believed: a damaged trace yields an error or fewer
 * calls and a note, never a crash.
 */
#ifndef KT_READER_H
#define KT_READER_H

#include "ktrace/format.h"
#include "trace/files/files.h"
#include "trace/table/operand.h"

/* A loaded file of the traced process. */
struct kt_object {
    uint64_t lo, hi; /* addresses */
    uint64_t bias;   /* address in memory - address in the file */
    char *path;
    char *build_id;  /* hexadecimal, or "" */
    bool is_library; /* calls were bound to it; the rest is only known then */
    char *soname;
    char *file;    /* where it really is, if path goes through links; "" if not known */
    char *version; /* what the library says of itself, or "" */
    int int_bytes; /* 4: LP64, 8: ILP64 */
    int threads;   /* it would use; 0: not known */
};

/* A symbol bound to a library: what records name. */
struct kt_entry {
    struct kt_symbol symbol;
    const struct kt_object *library; /* never NULL */
    size_t int_bytes;                /* of this name's integers, 4 or 8: a library can offer names of both widths */
    bool compiled; /* calls were recorded by a compiled wrapper; false: by the trampoline, or not known */
};

struct kt_stream; /* one thread's calls; private to the reader */

/* What is counted around each call, or should be. */
struct kt_counter {
    char *name;     /* as the user spelled it */
    char *status;   /* counted, scaled, partly, n/a or unused; a later version may say more */
    char *reason;   /* why it did not count all the time and all there was, or "" */
    char *code;     /* what the kernel was asked for, or "" */
    uint64_t empty; /* what reading it adds to the count of every call */
};

/* In which of the program's calls those nested in them are recorded (KTRACE_NESTED). */
enum kt_nested_mode {
    KT_NESTED_ALL,    /* in all; also of traces from before 2.2 */
    KT_NESTED_SAMPLE, /* in those that were drawn */
    KT_NESTED_NONE
};

/* A line of a program's source that makes calls. */
struct kt_source_line {
    char *function, *file; /* FILE: NULL if the id was never defined */
    int line;              /* 0: not known; a function of R may have neither this nor a file */
    bool is_r;             /* of an R program; else of a Python program */
    uint32_t parent;       /* the line that the function was called from; 0: not told (KTRACE_STACKS=paths) */
};

/* Key and value of a line of the meta or end file; values with several fields keep their tabs. */
struct kt_pair {
    char *key;
    char *value;
};

struct kt_process {
    size_t number;                /* in the trace: 0, 1, ... */
    char *path;                   /* of its directory, which may be in a packed trace */
    const struct kt_files *files; /* of the trace it is in */
    uint32_t pid;
    struct kt_pair *meta; /* of the meta file; see FORMAT.md for the keys */
    size_t metas;
    struct kt_object *object; /* index = id in the trace */
    size_t objects;
    struct kt_entry *entry; /* index = id in the trace; symbol.routine is NULL for ids never defined */
    size_t entries;
    struct kt_counter *counter; /* index = place among the counts of a call */
    size_t counters;
    char **region_name; /* index = id in the trace */
    size_t region_names;
    struct kt_source_line *source; /* index = id in the trace */
    size_t sources;
    struct kt_stack *stack; /* trace/read/stacks.h; index = id in the trace */
    size_t stacks;
    struct kt_regions *regions; /* that its threads were in (trace/read/regions.h); owned */
    struct kt_stream *stream;
    size_t streams;
    size_t events;     /* streams of events: the first ones; the others are profiles */
    unsigned workload; /* processes that it stands for, if it is one of a workload (ktrace distill); else 0 */
    bool complete;     /* ended cleanly */
    bool running;      /* still running on this machine */
    bool paused;       /* while it runs: its calls are passed on, and not recorded */
    enum kt_nested_mode nested_mode;
    uint64_t lost[KT_LOSS_COUNT];
    uint64_t snapshots_missing;       /* that could not be taken (trace/shape/snapshots.h) */
    uint64_t skipped;                 /* calls that were not recorded, as the user wished */
    uint64_t passed;                  /* nested calls that were passed on and not recorded (KTRACE_NESTED) */
    uint64_t calls;                   /* readable */
    uint64_t event_bytes;             /* that they take in the streams */
    uint64_t first_ticks, last_ticks; /* from the start to the end, or to the last sign of life */
    uint64_t longest_ticks;           /* that a call can take: a second more than that; 0: not known */
    double start;        /* of its recording: seconds after the trace's first one, on one clock (trace/read/origin.h) */
    double tick_hz;      /* ticks per second */
    bool tick_hz_known;  /* from the anchors or from others of that clock; otherwise a guess */
    double tick_seconds; /* 1 / tick_hz */
    double clock_ticks;  /* what the two clock readings of a record contribute to its duration */
    double self_ticks;   /* what recording a call took on average, these readings included; 0: not measured */
    double price[KT_PRICE_COUNT]; /* ticks: of what that is the average; 0: not measured */
    double before;                /* seconds that the program had run when its recording began; 0: not known */
    double seconds;               /* from the begin of the program to its end, or to the last sign of life */
};

struct kt_trace {
    char *path;    /* as named; of several the first */
    size_t traces; /* directories that hold processes: more than one if a whole job was named */
    struct kt_process *process;
    size_t processes;
    uint64_t bytes;               /* of its files, unpacked */
    struct kt_files **files;      /* one of each trace that was opened */
    struct kt_families *families; /* the routines the entries name, from the trace itself (trace/read/families.h) */
    void *met;                    /* while it is opened: a tree of the processes by what tells them apart */
    size_t opened;
    char **note; /* what was damaged and how much of it could be read */
    size_t notes;
};

/*
 * PATH: a trace directory, a process directory in one, a directory of several traces, those of a job, or a packed
 * trace. KT_BAD_INPUT with one clear cause if there is nothing to read; a trace that ended abnormally is not an error.
 * OUT is to be closed also after an error.
 */
enum kt_status kt_trace_open(const char *path, struct kt_trace *out, struct kt_error *error);

/* Several of them as one; at least one. A process that is met again, in a copy, is left out. */
enum kt_status kt_trace_open_all(char *const *path, size_t paths, struct kt_trace *out, struct kt_error *error);
/* Files in memory as a trace; FILES is closed with it. */
enum kt_status kt_trace_open_files(struct kt_files *files, const char *path, struct kt_trace *out,
                                   struct kt_error *error);
void kt_trace_close(struct kt_trace *trace);

/* Adds a note. Only the first are kept: a few tell what happened. */
void kt_trace_note(struct kt_trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Was the trace made by ktrace distill? */
bool kt_is_workload(const struct kt_trace *trace);

/* NULL if the process's meta file has no such key. */
const char *kt_meta(const struct kt_process *process, const char *key);

/* What a KTRACE_ variable was, without that prefix; NULL: the meta file does not say. */
const char *kt_process_option(const struct kt_process *process, const char *name);

/* What it was, without that prefix, in the first process that had not FALLBACK; FALLBACK if none had not. */
const char *kt_trace_option(const struct kt_trace *trace, const char *name, const char *fallback);

/* The name of a region that a definition has, or one that stands for it. */
const char *kt_region_name(const struct kt_process *process, uint32_t id);

static inline bool kt_source_has_line(const struct kt_source_line *source)
{
    return *source->file || source->line;
}

/* NULL: not known. */
const struct kt_source_line *kt_source_line(const struct kt_process *process, uint32_t id);

/* The object that holds ADDRESS, or NULL. */
const struct kt_object *kt_object_at(const struct kt_process *process, uint64_t address);

#endif
