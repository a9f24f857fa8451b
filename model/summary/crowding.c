/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/crowding.h"

#include "trace/read/processors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double worth_words = 0.01; /* of BLAS time */

static size_t count_callers(const struct kt_summary *summary)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->threads.count; i++)
        count += summary->threads.sum[i].seconds > worth_words * summary->seconds_blas;
    return count;
}

static int most_threads(const struct kt_process *process)
{
    int most = 0;
    for (size_t i = 0; i < process->objects; i++)
        if (process->object[i].is_library && process->object[i].threads > most)
            most = process->object[i].threads;
    return most;
}

static bool is_one_host(const struct kt_trace *trace)
{
    const char *first = trace->processes ? kt_meta(&trace->process[0], "host") : NULL;
    for (size_t i = 0; first && i < trace->processes; i++) {
        const char *host = kt_meta(&trace->process[i], "host");
        if (!host || strcmp(host, first) != 0)
            return false;
    }
    return first != NULL;
}

/* What is left to the process that has least. */
static void find_processors(const struct kt_trace *trace, struct kt_crowding *out)
{
    struct kt_processors least = {0};
    for (size_t p = 0; p < trace->processes; p++) {
        struct kt_processors one;
        kt_processors_recorded(&trace->process[p], &one);
        if (one.usable > 0 && (least.usable <= 0 || one.usable < least.usable))
            least = one;
    }
    out->processors = (int)ceil(least.usable);
    kt_processors_text(&least, out->limit, sizeof out->limit);
}

/* One thread for each call is what the program wants. Calls that took longer together than the longest process were
 * made at the same time; others are one thread's at a time. */
struct kt_crowding kt_crowding_find(const struct kt_trace *trace, const struct kt_summary *summary)
{
    struct kt_crowding out = {.callers = count_callers(summary)};
    bool at_once = summary->seconds_blas > summary->seconds - summary->seconds_before;
    if (is_one_host(trace))
        find_processors(trace, &out);
    for (size_t p = 0; p < trace->processes; p++)
        out.each = most_threads(&trace->process[p]) > out.each ? most_threads(&trace->process[p]) : out.each;
    if (!at_once)
        out.callers = out.callers > 0;
    bool is_theirs = out.callers > 1 || *out.limit; /* or else it is what the user asked for */
    out.is_too_many =
        is_theirs && out.processors > 0 && out.each > 1 && out.callers * (size_t)out.each > (size_t)out.processors;
    return out;
}

int kt_crowding_advised(const struct kt_crowding *crowding)
{
    int each = crowding->callers ? crowding->processors / (int)crowding->callers : crowding->processors;
    return each > 1 ? each : 1;
}
