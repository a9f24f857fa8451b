/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of the processor and the kernel, by call: KTRACE_EVENTS names events as libpfm4 spells them, and every call
 * tells how far each counter of its thread went between its begin and its end (preload/counters.c).
 *
 * Events are a wish. libpfm4 is looked for only if there are any, an event that has a code may not exist on this
 * machine, and a thread may not get its counters or lose them. Whatever is not counted is "n/a" with the reason, never
 * 0, and nothing here keeps a call from being made or recorded.
 */
#ifndef KT_EVENTS_H
#define KT_EVENTS_H

#include "preload/shim.h"

#include <linux/perf_event.h>

enum { KT_MAX_EVENTS = 8 };

/*
 * What is found out about an event while the process runs. Columns: name, what it means (KT_GAP: calls without a count;
 * KT_MISS: there never is one in a thread), the errno of perf_event_open that says so (0: none does), text. An errno
 * that is not here is OTHER.
 */
#define KT_FACTS(X)                                                                                                   \
    X(COUNTED, KT_GOOD, 0, "")                                                                                        \
    X(USER_ONLY, KT_NOTE, 0, "user mode only, as this user may not count in the kernel (perf_event_paranoid)")        \
    X(SCALED, KT_SCALE, 0, "scaled: the hardware was shared, so it counted a part of the time")                       \
    X(NO_LIBRARY, KT_MISS, 0, "libpfm.so.4 is not there: install libpfm4")                                            \
    X(NO_CODE, KT_MISS, 0, "libpfm4: ") /* what it says follows */                                                    \
    X(NO_COUNTER, KT_MISS, ENOENT, "this machine or its kernel has no such counter")                                  \
    X(NO_DEVICE, KT_MISS, ENODEV, "this machine's counters cannot do this")                                           \
    X(NOT_SUPPORTED, KT_MISS, EOPNOTSUPP, "this machine's counters do not support this")                              \
    X(NOT_ALLOWED, KT_MISS, EACCES, "this user may not count it (/proc/sys/kernel/perf_event_paranoid)")              \
    X(FORBIDDEN, KT_MISS, EPERM, "perf_event_open is forbidden here, perhaps by the container")                       \
    X(NO_CALL, KT_MISS, ENOSYS, "the kernel has no perf_event_open")                                                  \
    X(NOT_VALID, KT_MISS, EINVAL, "the kernel does not know this code")                                               \
    X(BUSY, KT_MISS, EBUSY, "somebody else has the counters to himself")                                              \
    X(ALL_IN_USE, KT_MISS, ENOSPC, "no counter is free")                                                              \
    X(PROCESS_FILES, KT_MISS, EMFILE, "the process has no file descriptor left (ulimit -n)")                          \
    X(SYSTEM_FILES, KT_MISS, ENFILE, "the system has no file descriptor left")                                        \
    X(NO_MEMORY, KT_MISS, ENOMEM, "out of memory")                                                                    \
    X(OTHER, KT_MISS, 0, "perf_event_open failed with errno ") /* the number follows */                               \
    X(TOO_MANY_FILES, KT_MISS, 0, "a quarter of the process's file descriptors (ulimit -n) is all counters may take") \
    X(KERNEL_ONLY, KT_MISS, 0,                                                                                        \
      "it happens in the kernel, and user mode was asked for or is all that this user may count")                     \
    X(CLOSED, KT_GAP, 0, "closed by the program")                                                                     \
    X(STARVED, KT_GAP, 0, "others had the hardware during the whole call")                                            \
    X(LATE, KT_GAP, 0, "the counters were not there when the call began")                                             \
    X(ENDED, KT_GAP, 0, "called after the thread's end")                                                              \
    X(TOO_DEEP, KT_GAP, 0, "calls nested deeper than 64 levels")

enum kt_fact {
#define KT_FACT_ENUM(name, meaning, error, text) KT_FACT_##name,
    KT_FACTS(KT_FACT_ENUM)
#undef KT_FACT_ENUM
};

enum { KT_WHY = 64 };

struct kt_wanted {
    char name[96];               /* as the user spells it */
    struct perf_event_attr code; /* if there is one */
    _Atomic uint32_t facts;      /* 1 << of what is known */
    uint32_t told;               /* those that the definitions tell */
    int error;                   /* of OTHER */
    char why[KT_WHY];            /* of NO_CODE */
    uint64_t empty;              /* what two readings with nothing in between differ by */
};

extern KT_HIDDEN struct kt_wanted kt_wanted[KT_MAX_EVENTS];
extern KT_HIDDEN unsigned kt_event_count; /* 0: none is wanted. Fixed after the start of the process */

/* At the start of the process, within no lock: reads KTRACE_EVENTS and has libpfm4 find the codes. */
KT_HIDDEN void kt_events_start(void);

/*
 * Hands LINE a line of the definitions for every event of which more is known than was told before. Within a slow path.
 * What becomes known on the way of a call is told at once, so this only is for what was known before the first.
 */
KT_HIDDEN void kt_events_describe(void (*line)(const char *text, size_t length));

/* For preload/counters.c: the fact, which is told if it is new; and the fact that an errno stands for. */
KT_HIDDEN void kt_events_found(struct kt_wanted *event, enum kt_fact fact);
KT_HIDDEN KT_COLD void kt_events_failed(struct kt_wanted *event, int error);

#endif
