/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays recorded calls in their order, in a process of its own, and times each: a call finds in the caches what the
 * calls before it left there. What the tool and that process share is in a board, which outlives a library that
 * crashes.
 */
#ifndef KT_PLAY_H
#define KT_PLAY_H

#include "replay/sequence/space.h"
#include "replay/call/library.h"
#include "replay/sequence/recorded.h"
#include "replay/setup/setup.h"

/* What the trial showed about a call. */
enum kt_play_part {
    KT_PLAYED,
    KT_REFILLED, /* what it reads has to be filled again just before: earlier results are no fit input for it */
    KT_STRANGE,  /* that did not help: its results are replaced */
};

/* A request: those calls of a pass, which begins with call 0 and goes on where the turn before ended. */
struct kt_request {
    struct kt_window calls;
    bool is_trial;   /* results are looked at, and times mean nothing */
    bool is_warming; /* times do not count, so nobody waits between calls */
};

/* Why a shape is not played. */
enum kt_absence {
    KT_PRESENT,
    KT_MISSING,
    KT_WRONG_INFO,
    KT_CRASHED,
    KT_NO_THUNK,
    KT_OTHER_INTEGERS,
    KT_IMPOSSIBLE,
    KT_TOO_LARGE,
    KT_NOT_ASKED
};

/* A call's time of a pass that does not count: it was left out, warms up, or ended with another info. */
#define KT_NOT_TIMED (-1.0f)

struct kt_board {
    volatile uint64_t at;    /* the call in progress */
    volatile bool is_inside; /* a call, rather than between two */
    float *seconds;          /* by call, of the last pass */
    unsigned char *part;     /* by call: enum kt_play_part */
    unsigned char *absent;   /* by shape: enum kt_absence */
};

/* What a process says after it was started and after each turn. */
struct kt_pass {
    bool usable;
    enum kt_space_kind space;
    uint64_t denormal, overflowed; /* calls that met such numbers */
    char text[512];                /* not usable: why */
};

/* Of code that KT_GAPS_CODE executes: as much as first-level caches hold. A program's own code, which is between its
 * calls, takes the place of a library's; of more of it libraries with much code suffered more than in the programs
 * (doc/design/compare.md, "Calls in sequence"). */
enum { KT_GAP_CODE_PAGES = 8 };

struct kt_play {
    const struct kt_recording *recording;
    const struct kt_ranges *ranges;
    const struct kt_library *library;
    size_t shapes;
    enum kt_gaps gaps;
    struct kt_board *board;
    int processor; /* that it is played on, if the library has one thread */
};

/* Shared memory for so many calls and shapes, all zeros. NULL: there is none. */
struct kt_board *kt_board_new(size_t calls, size_t shapes);
void kt_board_free(struct kt_board *board, size_t calls, size_t shapes);

/* The process: sends a struct kt_pass when it is ready, and one for each struct kt_request that comes. */
void kt_play_serve(const void *play, int socket);

#endif
