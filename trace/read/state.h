/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of a whole trace: totals over its processes, the calls that were under way when it ended, and what words
 * there are for calls that are missing.
 */
#ifndef KT_STATE_H
#define KT_STATE_H

#include "trace/read/cursor.h"

struct kt_state {
    uint64_t calls;     /* readable */
    uint64_t completed; /* of those, calls that have returned */
    size_t threads;
    double self_seconds;    /* that recording all calls took */
    bool self_is_clock;     /* of some process only the clock readings are known: it took longer */
    uint64_t migrated;      /* calls that ended on another processor than they began on */
    uint64_t implausible;   /* calls that end before they begin, or that outlast their process: the clock was wrong */
    const char *clock_note; /* why ticks may not measure time; NULL: they do; borrowed */
    uint64_t overflow;      /* calls of profiles that had no room for their shape: they are counted by routine only */
    uint64_t lost[KT_LOSS_COUNT];
    uint64_t skipped;          /* calls that were not recorded, as the user wished */
    uint64_t outermost;        /* of CALLS, those that the program made */
    uint64_t outermost_inside; /* of those, calls in which nested ones are recorded */
    uint64_t passed;           /* nested calls that were passed on and not recorded */
    struct kt_call *in_flight; /* of threads whose last record is of a call that has not returned; outer ones first */
    size_t in_flights;
};

void kt_state_find(const struct kt_trace *trace, struct kt_state *out);
void kt_state_free(struct kt_state *state);

/* One in how many of the program's calls was recorded; 1: all. The most of all processes counts. */
uint64_t kt_state_sample(const struct kt_trace *trace);

/* In which calls nested ones are recorded: of several processes the first counts that has not all. */
enum kt_nested_mode kt_state_nested(const struct kt_trace *trace);
const char *kt_nested_name(enum kt_nested_mode mode);

/* Did the first calls have to make room for the last ones? */
bool kt_state_keeps_last(const struct kt_trace *trace, const struct kt_state *state);

/* "running" if any process is, otherwise "incomplete" if any is, otherwise "complete". */
const char *kt_state_text(const struct kt_trace *trace);

/* A cause of losses by the name that stands in files, and in words. */
const char *kt_loss_name(enum kt_loss cause);
const char *kt_loss_text(enum kt_loss cause);

#endif
