/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tool and the process that plays calls share: it outlives a library that crashes. */
#ifndef KT_BOARD_H
#define KT_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the trial showed about a call. */
enum kt_play_part {
    KT_PLAYED,
    KT_REFILLED, /* what it reads has to be filled again just before: earlier results are no fit input for it */
    KT_STRANGE,  /* that did not help: its results are replaced */
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
    float *seconds;                 /* by call, of the last pass */
    unsigned char *part;            /* by call: enum kt_play_part */
    volatile unsigned char *inside; /* by call: 1 while it is made */
    unsigned char *absent;          /* by shape: enum kt_absence */
};

/* Shared memory for so many calls and shapes, all zeros. NULL: there is none. */
struct kt_board *kt_board_new(size_t calls, size_t shapes);
void kt_board_free(struct kt_board *board, size_t calls, size_t shapes);

#endif
