/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which shapes are timed where there is no time for each of thousands.
 *
 * Those stand for themselves that take longer than what each one would otherwise stand for. Of the others, ordered by
 * routine and by the time of a call, one is drawn every so many seconds of the time that they took in the program
 * (systematic sampling with probability proportional to size): each of those stands for as many seconds, its routine
 * and calls like its own. To time the heaviest and take the others to be like them is wrong by tens of percent where a
 * sparse solver makes thousands of small calls, in which libraries differ most.
 */
#ifndef KT_DRAW_H
#define KT_DRAW_H

#include <stddef.h>

struct kt_drawable {
    const char *routine;
    double seconds;    /* of all its calls */
    double of_a_call;  /* seconds */
    double stands_for; /* result: as many times its own calls; 1: itself, 0: not drawn */
};

/* At most MOST stand for anything; all do, if there are no more. */
void kt_draw_shapes(struct kt_drawable *shape, size_t shapes, size_t most);

#endif
