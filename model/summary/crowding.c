/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/crowding.h"

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

/* One thread for each call is what the program wants. Calls that took longer together than the longest process were
 * made at the same time. */
struct kt_crowding kt_crowding_find(const struct kt_trace *trace, const struct kt_summary *summary)
{
    struct kt_crowding out = {.callers = count_callers(summary)};
    const char *processors = is_one_host(trace) ? kt_meta(&trace->process[0], "cpus") : NULL;
    out.processors = processors ? atoi(processors) : 0;
    for (size_t p = 0; p < trace->processes; p++)
        out.each = most_threads(&trace->process[p]) > out.each ? most_threads(&trace->process[p]) : out.each;
    out.is_too_many = out.processors > 0 && out.each > 1 && out.callers > 1 &&
                      summary->seconds_blas > summary->seconds - summary->seconds_before &&
                      out.callers * (size_t)out.each > (size_t)out.processors;
    return out;
}
