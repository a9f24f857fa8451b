/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the traced process has once: slow paths, its directory in the trace, definitions, totals.
 */
#ifndef KT_PROCESS_H
#define KT_PROCESS_H

#include "preload/shim.h"

#include <limits.h>

enum kt_state {
    KT_STATE_START,    /* the constructor has not run */
    KT_STATE_STARTING, /* it is running, or a call that came before it */
    KT_STATE_OFF,      /* disabled, excluded or failed: calls are passed on */
    KT_STATE_READY,    /* nothing recorded yet */
    KT_STATE_OPEN,     /* the process directory exists */
    KT_STATE_CLOSED,   /* the end file is written */
};

struct kt_process_info {
    _Atomic(enum kt_state) state;
    char directory[PATH_MAX];    /* of the process in the trace */
    _Atomic uint64_t calls;      /* of threads that have ended */
    _Atomic uint64_t skipped;    /* not recorded because the user did not want them to be */
    _Atomic uint64_t passed;     /* nested calls that were passed on in recorded ones */
    _Atomic uint64_t room_ticks; /* that making room for events took */
    _Atomic uint64_t lost[KT_LOSS_COUNT];
};

extern KT_HIDDEN struct kt_process_info kt_process;

/*
 * Slow paths run one at a time, and neither a signal nor a cancellation leaves them: the lock would stay held. False
 * if this thread already is on one (a library that is asked what it is makes a call), or if it cannot be waited for:
 * the caller then does without.
 */
KT_HIDDEN bool kt_slow_begin(void);
KT_HIDDEN void kt_slow_end(void);

/* The same without the lock, for what concerns this thread alone. */
KT_HIDDEN bool kt_quiet_begin(void);
KT_HIDDEN void kt_quiet_end(void);

/*
 * Lets other threads pass while this one waits for somebody else's lock. The dynamic linker's is one: it is held while
 * constructors run, which may make calls and so wait for us. What slow paths share may be different afterwards.
 */
KT_HIDDEN void kt_slow_pause(void);
KT_HIDDEN void kt_slow_resume(void);

/* In a child that no handler told of its birth: starts afresh. */
KT_HIDDEN void kt_process_adopt(void);

/* Reads the options and decides whether to record. The constructor does this, or a call that comes before it. */
KT_HIDDEN void kt_process_start(void);

/* Makes the directory and its meta file on first use; true if the process can record. Within a slow path. */
KT_HIDDEN bool kt_process_open(void);

/* A path in a directory, cut off if it is too long; in the process directory. */
KT_HIDDEN void kt_path_in(const char *directory, char out[PATH_MAX], const char *name, uint64_t number,
                          unsigned suffix);
KT_HIDDEN void kt_process_path(char out[PATH_MAX], const char *name, uint64_t number, unsigned suffix);

/* Adds a line to the definitions. Within a slow path. */
KT_HIDDEN void kt_define(const char *text, size_t length);

/*
 * preload/gate.c: calls that this thread makes in between are no calls of the program: those by which libraries are
 * asked what they are, and what nests in them.
 */
KT_HIDDEN void kt_silence_begin(void);
KT_HIDDEN void kt_silence_end(void);

extern KT_HIDDEN uint64_t kt_interval; /* preload/gate.c: one in how many calls is recorded, if KT_EXTRA_SAMPLE */

/* preload/streams.c: threads as a whole. */
struct kt_totals {
    uint64_t calls, skipped, passed, room_ticks;
    uint64_t lost[KT_LOSS_COUNT];
};
KT_HIDDEN struct kt_totals kt_threads_totals(void);
KT_HIDDEN void kt_threads_save(void); /* what they have committed to memory that is no file's; within a slow path */
KT_HIDDEN void kt_thread_close(void);
KT_HIDDEN void kt_threads_forget(void);
KT_HIDDEN bool kt_threads_init(void);

#endif
