/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of several threads that ran at the same time, as they are played at the same time again: each thread's calls
 * in their order on a thread of its own, a seat, with as much time between them as the program left, while calls of the
 * others go on. Time in which no call of the process is under way is cut to the longest gap: it is nobody's company.
 */
#ifndef KT_COMPANY_H
#define KT_COMPANY_H

#include "trace/read/cursor.h"

/* More threads at once are not played. */
enum { KT_COMPANY_MOST = 64 };

/* Calls at a time, of those that are under way when any is: fewer are no company. */
#define KT_COMPANY_LEAST 1.1

/* Who sits where. Zeros: nobody. */
struct kt_company {
    struct {
        uint32_t tid;
        uint64_t end; /* of its last call, in ticks without what is cut */
    } seat[KT_COMPANY_MOST];
    unsigned seats;
    uint64_t until;  /* ticks: when the last of all calls so far ends */
    uint64_t cut;    /* ticks */
    uint64_t window; /* when it began, without what is cut */
    bool any;
};

/* A call's place among the others. */
struct kt_seated {
    unsigned seat;
    double gap;  /* seconds behind the end of its thread's last call, if that ended in the window, or behind its begin:
                    who was in a call then is in one at once */
    double idle; /* seconds before it in which no call was under way, at most LONGEST */
};

/* The next call in the order of time. OPENS: a window begins with it. */
struct kt_seated kt_company_seat(struct kt_company *company, const struct kt_call *call, bool opens, double longest);

#endif
