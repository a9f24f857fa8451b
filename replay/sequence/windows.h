/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls of a thread are played where there is no time for all: windows, spread over the time that the calls took,
 * so that each shape is met as often as its share of the time asks for. In a program of 300,000 short calls and 4,000
 * long ones, in which most of the time goes, windows spread over the calls would hold hardly any of these.
 */
#ifndef KT_WINDOWS_H
#define KT_WINDOWS_H

#include <stddef.h>

/* Calls FIRST to END - 1 of the thread; those before COUNTED warm up. */
struct kt_window {
    size_t first, counted, end;
};

/* How the calls of a thread spent their time, and how long it takes to play them. Zeros: no calls. */
struct kt_course {
    double *until;  /* by block of calls: seconds of all up to its end; owned */
    double *played; /* the same with the gaps between calls that are waited for */
    size_t blocks, block, calls;
};

/* The next call, and the gap before it. */
void kt_course_add(struct kt_course *course, double seconds, double gap);
double kt_course_seconds(const struct kt_course *course);
double kt_course_played(const struct kt_course *course); /* with the gaps */
void kt_course_free(struct kt_course *course);

/* What may be kept: so many calls, and so many seconds of calls in situ and of gaps. */
struct kt_recording_limit {
    size_t calls;
    double seconds;
};

/*
 * Windows that together hold about as much as may be kept (so many calls only if all took about as long), spread over
 * all of the time at random, sorted, not
 * overlapping; and short ones for the places in MUST_HAVE, the first ones first, for half as much time again. One
 * window for all if they may all be kept. Returns how many; *OUT is owned by the caller. A pure function.
 */
size_t kt_windows_choose(const struct kt_course *course, const struct kt_recording_limit *limit,
                         const size_t *must_have, size_t must_haves, struct kt_window **out);

#endif
