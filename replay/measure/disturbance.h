/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened to a thread while a call was timed that is none of the call's doing. Disturbed samples are counted; one
 * that others of the machine disturbed is left out where there is an undisturbed one of the same visit.
 */
#ifndef KT_DISTURBANCE_H
#define KT_DISTURBANCE_H

#include "trace/base/speed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns: name, key in JSON. */
#define KT_DISTURBANCES(X)                                                         \
    X(SWITCH, "switched")     /* the kernel ran something else on the processor */ \
    X(FAULT, "faulted")       /* pages were mapped, or read from disk */           \
    X(MOVED, "moved")         /* the thread went to another processor */           \
    X(CLOCK, "clock changed") /* the core's clock changed by more than 3 % */

enum kt_disturbance {
#define KT_DISTURBANCE_ENUM(name, key) KT_DISTURBED_##name,
    KT_DISTURBANCES(KT_DISTURBANCE_ENUM)
#undef KT_DISTURBANCE_ENUM
        KT_DISTURBANCE_KINDS
};

extern const char *const kt_disturbance_key[KT_DISTURBANCE_KINDS];

/* The state of the thread at one moment. */
struct kt_witness {
    long switches; /* involuntary, so far */
    long faults;   /* minor and major, so far */
    unsigned cpu;
    double rate; /* cycles of the core per tick; NAN: not known */
};

/* Of some samples: how many there were, how many were disturbed at all, and by what. */
struct kt_disturbances {
    size_t samples, disturbed, left_out;
    size_t by[KT_DISTURBANCE_KINDS];
    double hertz;               /* sum over the samples of the core's clock; NAN: not known */
    struct kt_speed_sums speed; /* of the visits: what the yardsticks said right before them */
};

/* Takes about 2 us and a system call, which leaves traces in the caches: before a context is brought about, and after
 * the clock was read. */
void kt_witness_take(struct kt_witness *out);

/* Bit 1 << KT_DISTURBED_X is set if that happened in between. A pure function. */
unsigned kt_witness_compare(const struct kt_witness *before, const struct kt_witness *after);

/* Counts a sample between the two; returns the bits of kt_witness_compare(). */
unsigned kt_disturbances_add(struct kt_disturbances *disturbances, const struct kt_witness *before,
                             const struct kt_witness *after);

/* Reads the yardsticks, once for each visit. */
void kt_disturbances_read_speed(struct kt_disturbances *disturbances);

/* How many of the samples met another process, or moved to another processor. Faults may be of the call's own doing. */
size_t kt_disturbances_foreign(const struct kt_disturbances *disturbances);
void kt_disturbances_merge(struct kt_disturbances *into, const struct kt_disturbances *from);

/* The core's clock in Hz, mean over the samples; NAN: not known, or no samples. */
double kt_disturbances_clock(const struct kt_disturbances *disturbances);

#endif
