/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plays recorded calls in their order, in a process of its own, and times each: a call finds in the caches what the
 * calls before it left there. What the tool and that process share is in a board, which outlives a library that
 * crashes.
 */
#ifndef KT_PLAY_H
#define KT_PLAY_H

#include "replay/sequence/board.h"
#include "replay/sequence/space.h"
#include "replay/call/library.h"
#include "replay/sequence/recorded.h"
#include "replay/setup/setup.h"

/* A request: those calls of a pass, which begins with call 0 and goes on where the turn before ended. */
struct kt_request {
    struct kt_window calls;
    bool is_trial;   /* results are looked at, and times mean nothing */
    bool is_warming; /* times do not count, so nobody waits between calls */
    bool is_alone;   /* the calls of one seat after those of the other, though they have company */
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

/* The process: sends a struct kt_pass when it is ready, and one for each struct kt_request that comes. */
void kt_play_serve(const void *play, int socket);

#endif
