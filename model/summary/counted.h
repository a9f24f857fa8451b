/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters summed up by routine. As with time, calls nested in a call of the same routine are in that call's count and
 * are not added again. Processes may have had different counters: they are joined by name.
 */
#ifndef KT_COUNTED_H
#define KT_COUNTED_H

#include "trace/read/cursor.h"

/* What one counter says of one routine. */
struct kt_counted_sum {
    uint64_t calls;   /* that were counted, those nested in a call of the same routine left out */
    uint64_t missing; /* calls without a count, likewise */
    double total;
};

struct kt_counted_routine {
    const char *routine;        /* borrowed from the trace */
    struct kt_counted_sum *sum; /* of each counter */
};

struct kt_counted {
    const char **counter; /* names; borrowed from the trace */
    size_t counters;
    struct kt_counted_routine *routine; /* in the order in which they were first called */
    size_t routines;
};

/* No counter, no work. OUT is to be freed. */
void kt_counted_collect(const struct kt_trace *trace, struct kt_counted *out);
void kt_counted_free(struct kt_counted *counted);

/* NULL if that routine was never called. */
const struct kt_counted_routine *kt_counted_find(const struct kt_counted *counted, const char *routine);

#endif
