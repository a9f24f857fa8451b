/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A parallel region of OpenMP as a program has it: libraries that run OpenMP's threads themselves use one in it, and
 * its threads, which wait busily at its end and after it, take the processors from those of other libraries.
 */
#ifndef KT_TEAM_H
#define KT_TEAM_H

#include <stdbool.h>

struct kt_team {
    unsigned threads; /* 0: there is none */
    void (*parallel)(void (*function)(void *), void *data, unsigned threads, unsigned flags);
    int (*number)(void);
};

/* Loads GCC's run-time library for all that is loaded later: to be called before a library that looks for it, as in a
 * program that is linked with it. THREADS of 0, or none of it here: regions have no threads. */
void kt_team_open(unsigned threads, struct kt_team *out);

/* Calls FUNCTION once, on this thread, within a region. */
void kt_team_call(const struct kt_team *team, void (*function)(void *), void *context);

#endif
