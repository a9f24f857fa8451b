/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of a whole trace: totals over its processes, the calls that were under way when it ended, and what words
 * there are for calls that are missing.
 */
#ifndef KT_STATE_H
#define KT_STATE_H

#include "trace/cursor.h"

struct kt_state {
    uint64_t calls;     /* readable */
    uint64_t completed; /* of those, calls that have returned */
    size_t threads;
    double clock_seconds; /* that the clock readings of all records took */
    uint64_t lost[KT_LOSS_COUNT];
    struct kt_call *in_flight; /* of threads whose last record is of a call that has not returned; outer ones first */
    size_t in_flights;
};

void kt_state_find(const struct kt_trace *trace, struct kt_state *out);
void kt_state_free(struct kt_state *state);

/* "running" if any process is, otherwise "incomplete" if any is, otherwise "complete". */
const char *kt_state_text(const struct kt_trace *trace);

/* A cause of losses by the name that stands in files, and in words. */
const char *kt_loss_name(enum kt_loss cause);
const char *kt_loss_text(enum kt_loss cause);

#endif
