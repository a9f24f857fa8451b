/* SPDX-License-Identifier: BSD-3-Clause */
/* What the process records, where, and how much of it. */
#ifndef KT_RECORDER_H
#define KT_RECORDER_H

#include "ktrace/format.h"
#include "preload/attributes.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

enum kt_state {
    KT_STATE_START,    /* the constructor has not run */
    KT_STATE_STARTING, /* it is running, or a call that came before it */
    KT_STATE_OFF,      /* disabled, excluded or failed: calls are passed on */
    KT_STATE_READY,    /* nothing recorded yet */
    KT_STATE_OPEN,     /* the process directory exists */
    KT_STATE_CLOSED,   /* the end file is written */
};

struct kt_recorder {
    _Atomic(enum kt_state) state;
    char directory[PATH_MAX];    /* of the process in the trace */
    _Atomic uint64_t calls;      /* of threads that have ended */
    _Atomic uint64_t skipped;    /* not recorded because the user did not want them to be */
    _Atomic uint64_t passed;     /* nested calls that were passed on in recorded ones */
    _Atomic uint64_t room_ticks; /* that making room for events took */
    _Atomic uint64_t lost[KT_LOSS_COUNT];
};

extern KT_HIDDEN struct kt_recorder kt_recorder;

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

/* Is this thread in a parallel region? Of GCC's OpenMP, if the program was linked with it; NULL: it was not. */
extern KT_HIDDEN int (*_Atomic kt_omp_in_parallel)(void);

#endif
