/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More threads than processors: of the program, which are in calls at the same time, times those that the library uses
 * for each call. They wait for each other then, and no sum of times says why.
 */
#ifndef KT_CROWDING_H
#define KT_CROWDING_H

#include "model/summary/summary.h"

struct kt_crowding {
    size_t callers;   /* threads of the program with a part of the time that matters, */
    int each;         /* threads that a library uses for a call, the most of all, */
    int processors;   /* and what they share */
    bool is_too_many; /* some calls were made at the same time, and all together are more than the processors */
};

/* Of processes on several hosts, or if one of the numbers is not known: nothing is too many. */
struct kt_crowding kt_crowding_find(const struct kt_trace *trace, const struct kt_summary *summary);

#endif
