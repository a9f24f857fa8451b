/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/tracked_traffic.h"

#include "model/tracker/line_runs.h"
#include "model/tracker/placements.h"
#include "replay/machine/caches.h"
#include "trace/base/memory.h"

#include <limits.h>
#include <math.h>

/* By how many processors. A third cache is shared even where the system says otherwise, as in virtual machines. */
static unsigned shared_by(const struct kt_caches *claimed, unsigned level)
{
    unsigned shared = level < claimed->count ? claimed->cache[level].shared : 1;
    return level < 2 ? shared : UINT_MAX;
}

struct kt_caches kt_tracked_caches(const struct kt_roofs *roofs)
{
    struct kt_caches caches = {.line = UINT64_C(1) << roofs->line_shift};
    struct kt_caches claimed = {0};
    if (roofs->is_own)
        kt_caches_read(NULL, &claimed);
    for (unsigned i = 0; i < roofs->levels && i < KT_MAX_CACHES; i++)
        caches.cache[caches.count++] =
            (struct kt_cache){.bytes = (uint64_t)roofs->level_bytes[i], .shared = shared_by(&claimed, i)};
    return caches;
}

/* Of the operands that are read or written. */
static double bytes_of(const struct kt_call *call, const struct kt_placements_of_shape *placed, unsigned memory,
                       unsigned shift)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_values_decode(symbol, call->args, &values);
    int count = kt_operands(symbol, &values, call->entry->int_bytes, operand);
    double sum = placed->count ? 0 : NAN;
    for (int i = 0; i < count; i++) {
        if ((operand[i].access & KT_READ_WRITE) == 0 || operand[i].lo == operand[i].hi)
            continue;
        if (!kt_lines_are_sane(&operand[i]))
            return NAN;
        double bytes = ldexp((double)kt_lines_of(&operand[i], shift), (int)shift);
        for (unsigned p = 0; p < placed->count; p++)
            sum += placed->placement[p].weight * bytes * (double)placed->placement[p].share[i][memory];
    }
    return sum;
}

double *kt_tracked_traffic(const struct kt_trace *trace, const struct kt_shapes *shapes, const struct kt_roofs *roofs)
{
    struct kt_error ignored = {0};
    const struct kt_caches caches = kt_tracked_caches(roofs);
    struct kt_placements_of_shape *placed = kt_resize(NULL, shapes->count, sizeof *placed);
    double *bytes = NULL;
    if (kt_placements_of_trace(trace, KT_OUTERMOST, shapes, &caches, placed, &ignored) == KT_OK) {
        bytes = kt_resize(NULL, shapes->count, sizeof *bytes);
        for (size_t i = 0; i < shapes->count; i++)
            bytes[i] = bytes_of(&shapes->shape[i].first, &placed[i], caches.count, roofs->line_shift);
    }
    free(placed);
    return bytes;
}
