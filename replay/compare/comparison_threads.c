/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/comparison_threads.h"

#include "model/tracker/overlap.h"
#include "trace/base/count.h"
#include "trace/read/processors.h"

#include <math.h>
#include <string.h>

/* Processes with calls. */
static size_t callers(const struct kt_trace *trace)
{
    size_t count = 0;
    for (size_t p = 0; p < trace->processes; p++)
        count += trace->process[p].calls > 0;
    return count;
}

void kt_comparison_find_company(struct kt_comparison *c)
{
    struct kt_overlaps overlaps;
    if (c->together > 0)
        return;
    kt_overlaps_find(&c->setup.trace, &c->setup.shapes, &overlaps);
    c->together = overlaps.busy > 0 ? overlaps.all.seconds / overlaps.busy : 1;
    c->threads = overlaps.threads;
    c->busy = callers(&c->setup.trace) == 1 ? overlaps.busy : NAN;
    kt_overlaps_free(&overlaps);
}

bool kt_comparison_in_company(const struct kt_comparison *c)
{
    return c->options.replay.company && !isnan(c->busy) && c->together >= KT_COMPANY_LEAST &&
           kt_comparison_is_any_met(c);
}

double kt_comparison_wall(const struct kt_comparison *c)
{
    const struct kt_setup *setup = &c->setup;
    const struct kt_trace *trace = &setup->trace;
    size_t streams = 0;
    for (size_t p = 0; p < trace->processes; p++)
        streams += trace->process[p].calls ? trace->process[p].streams : 0;
    double seconds = 0;
    for (size_t p = 0; p < trace->processes; p++)
        seconds = fmax(seconds, trace->process[p].seconds);
    bool is_part = streams == 1 || kt_comparison_in_company(c);
    return is_part && kt_setup_has_all(setup) ? seconds : NAN;
}

/* Of the same library, with another number of threads, and by its replays certain to be faster: the fastest; 0: none.
 */
static size_t better_number(const struct kt_comparison *c)
{
    size_t best = 0;
    for (size_t l = 1; l < c->libraries; l++) {
        const struct kt_ratio ratio = c->sum[l].ratio;
        bool is_same = kt_library_same(&c->worker[l].library, &c->worker[0].library);
        if (is_same && kt_ratio_verdict(&ratio) == KT_FASTER && ratio.value < (best ? c->sum[best].ratio.value : 1))
            best = l;
    }
    return best;
}

bool kt_comparison_threads_text(const struct kt_comparison *c, char *out, size_t size)
{
    struct kt_processors here;
    size_t best = c->is_as_recorded && kt_comparison_in_company(c) ? better_number(c) : 0;
    if (!best)
        return false;
    const struct kt_library *recorded = &c->worker[0].library;
    const struct kt_library *better = &c->worker[best].library;
    kt_processors_here(&here);
    snprintf(out, size,
             "%zu threads of the program call %s%s, %.2g at a time, and each call has %s on %s: "
             "%.2g times slower than with %s=%d",
             c->threads, c->routine[0].name, c->routines > 1 ? " and others" : "", c->together,
             KT_COUNT(recorded->threads, "thread"), KT_COUNT(ceil(here.usable), "processor"),
             1 / c->sum[best].ratio.value, kt_library_threads_variable(better), better->threads);
    return true;
}
