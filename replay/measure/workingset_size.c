/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How large working sets have to be in all. A last cache that others use holds much less than the system says, and
 * filling four times what it says takes long. Several sizes may take equally long because all are in that cache, so
 * only those beyond it end the search.
 */
#include "replay/measure/workingset.h"

#include "trace/base/stats.h"

enum { FIRST = 4 << 20, INTERVALS = 9 };

/* Growing twice without taking this much longer: nothing is displaced that was not before. */
static const double longer = 1.03;

static double time_of(struct kt_workingset *set)
{
    double seconds[INTERVALS];
    for (int i = 0; i < INTERVALS; i++)
        seconds[i] = kt_workingset_time(set);
    return kt_stat_of(seconds, INTERVALS, KT_BEST_QUARTILE).best;
}

struct kt_workingset *kt_workingset_grow(const struct kt_job *job, void *function, size_t int_bytes,
                                         const struct kt_data_pool *pool, struct kt_workingset_options *options,
                                         struct kt_error *error)
{
    uint64_t most = options->flush_bytes ? options->flush_bytes : kt_workingset_flush();
    struct kt_workingset *set = NULL;
    double best = 0;
    int idle = 0; /* steps beyond the caches that made no difference */
    for (uint64_t bytes = FIRST < most ? FIRST : most; bytes <= most && idle < 2; bytes *= 2) {
        struct kt_workingset_options larger = *options;
        larger.flush_bytes = bytes;
        struct kt_workingset *next = kt_workingset_open(job, function, int_bytes, pool, &larger, error);
        if (!next)
            break;
        double seconds = time_of(next);
        bool counts = !set || seconds > longer * best;
        idle = counts ? 0 : idle + (bytes > kt_workingset_cache());
        kt_workingset_close(counts ? set : next);
        if (!counts)
            continue;
        set = next;
        best = seconds;
        options->flush_bytes = bytes;
    }
    return set;
}
