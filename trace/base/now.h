/* SPDX-License-Identifier: BSD-3-Clause */
/* For deadlines and for how long something took; calls are timed with the clock of records (ktrace/clock.h). */
#ifndef KT_NOW_H
#define KT_NOW_H

#include <time.h>

/* Seconds of a clock that never goes back; from when is not known. */
static inline double kt_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds since 1970. */
static inline double kt_date(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
