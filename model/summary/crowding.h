/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More threads than processors: of the program, which are in calls at the same time, times those that the library uses
 * for each call. They wait for each other then, and no sum of times says why. A container or a batch job may leave a
 * process fewer processors than the library counts.
 */
#ifndef KT_CROWDING_H
#define KT_CROWDING_H

#include "model/summary/summary.h"

struct kt_crowding {
    size_t callers;   /* threads of the program with a part of the time that matters, */
    int each;         /* threads that a library uses for a call, the most of all, */
    int processors;   /* and what they share: as many as the least quota, cpuset or affinity of a process leaves */
    char limit[64];   /* "a quota of 2 of 16 processors"; "": all of the machine's */
    bool is_too_many; /* calls that were made at the same time have more threads than there are processors */
};

/* Of processes on several hosts, or if one of the numbers is not known: nothing is too many. */
struct kt_crowding kt_crowding_find(const struct kt_trace *trace, const struct kt_summary *summary);

/* Threads of the library for which all threads together have a processor each, at least 1. */
int kt_crowding_advised(const struct kt_crowding *crowding);

#endif
