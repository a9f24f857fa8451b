/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters that a thread has, as files of the kernel: opening, reading and closing them. */
#ifndef KT_COUNTER_FILES_H
#define KT_COUNTER_FILES_H

#include "preload/events.h"
#include "preload/reading.h"

enum { KT_COUNTER_LEVELS = 64, KT_COUNTER_PAGE = 4096 };

/* One event of one thread. */
struct kt_counter {
    _Atomic int file;                                 /* -1: none */
    uint64_t id;                                      /* the kernel's; no other descriptor answers with it */
    const volatile struct perf_event_mmap_page *page; /* NULL: read through the leader's descriptor */
    unsigned leader;                                  /* event whose descriptor reads the group */
    unsigned members;                                 /* of a leader's group, 0: not a leader */
    unsigned place;                                   /* in the group's reading */
};

struct kt_counters {
    struct kt_counters *next; /* all there ever were, for forked children and threads to come */
    _Atomic bool taken;
    unsigned order[KT_MAX_EVENTS]; /* leaders and counters with a page, in the order in which to read before a call */
    unsigned ordered;
    struct kt_counter of[KT_MAX_EVENTS];
    struct kt_reading level[KT_COUNTER_LEVELS][KT_MAX_EVENTS]; /* when the call at that depth began */
};

static inline bool kt_counter_files_has_code(const struct kt_wanted *event)
{
    return !(atomic_load(&event->facts) & (1u << KT_FACT_NO_CODE | 1u << KT_FACT_NO_LIBRARY));
}

/* Opens those of all events that have a code; GROUPED: as many as can be are read together. */
KT_HIDDEN void kt_counter_files_open(struct kt_counters *c, bool grouped);
KT_HIDDEN void kt_counter_files_close(struct kt_counter *counter);

/* Those of a group are not needed any more: it is read in user space. */
KT_HIDDEN void kt_counter_files_leave(struct kt_counters *c, unsigned leader);

/* In a child: none is open. */
KT_HIDDEN void kt_counter_files_forget(void);

/* The program may have closed the descriptor, and another file may have got its number. */
KT_HIDDEN bool kt_counter_files_is_ours(const struct kt_counter *counter);
KT_HIDDEN long kt_counter_files_read(int file, void *out, size_t bytes);

#endif
