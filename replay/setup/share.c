/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/setup/share.h"

#include "ktrace/launcher.h"
#include "replay/machine/processor.h"
#include "replay/machine/shared_cache.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

enum { MOST = 100000 };

enum kt_status kt_share_parse(const char *text, struct kt_share *out, struct kt_error *error)
{
    char *slash = NULL;
    char *end = NULL;
    unsigned long number = strtoul(text, &slash, 10);
    unsigned long of = *slash == '/' ? strtoul(slash + 1, &end, 10) : 0;
    bool digits = *text >= '0' && *text <= '9' && of && slash[1] >= '0' && slash[1] <= '9' && *end == '\0';
    if (!digits || number < 1 || of > MOST || number > of)
        return kt_fail(error, KT_USAGE, "--shard %s: expected I/N, the I-th of N shares from 1/N to N/N", text);
    *out = (struct kt_share){.number = (unsigned)number, .of = (unsigned)of};
    return KT_OK;
}

void kt_share_find(struct kt_share *share)
{
    const struct kt_launched launched = kt_launched();
    if (share->of || launched.rank < 0 || launched.ranks < 2 || launched.ranks > MOST)
        return;
    *share = (struct kt_share){(unsigned)launched.rank + 1, (unsigned)launched.ranks, true};
}

/* --- who measures what ------------------------------------------------------------------------------------- */

/* Seconds of a visit, roughly: only their proportions count. */
static double cost_of(const struct kt_job *job)
{
    static const double preparing = 1e-3;
    static const double bytes_per_second = 1e9; /* operands are written and flushed */
    return job->refused ? 0 : preparing + job->insitu.median + (double)job->bytes / bytes_per_second;
}

/* All processes must come to the same owners, though times that they read may differ in the last digits, and the order
 * of jobs with them. So costs are in steps of 1 %, and equal ones in the order of the calls. */
struct costly {
    size_t job;
    double cost;
    uint64_t first; /* number of the shape's first call */
};

static struct costly costly_of(const struct kt_jobs *jobs, size_t i)
{
    const struct kt_job *job = &jobs->job[i];
    double cost = cost_of(job);
    double rounded = cost > 0 ? exp(rint(100 * log(cost)) / 100) : 0;
    return (struct costly){i, rounded, job->shape ? job->shape->first.n : i};
}

static int compare_costs(const void *a, const void *b)
{
    const struct costly *x = a;
    const struct costly *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static unsigned least_loaded(const double *load, unsigned shares)
{
    unsigned least = 0;
    for (unsigned i = 1; i < shares; i++)
        least = load[i] < load[least] ? i : least;
    return least;
}

unsigned *kt_share_owners(const struct kt_share *share, const struct kt_jobs *jobs)
{
    if (!share->of)
        return NULL;
    unsigned *owner = kt_resize(NULL, jobs->count, sizeof *owner);
    double *load = kt_resize(NULL, share->of, sizeof *load);
    struct costly *order = kt_resize(NULL, jobs->count, sizeof *order);
    for (unsigned i = 0; i < share->of; i++)
        load[i] = 0;
    for (size_t i = 0; i < jobs->count; i++)
        order[i] = costly_of(jobs, i);
    if (jobs->count)
        qsort(order, jobs->count, sizeof *order, compare_costs);
    for (size_t i = 0; i < jobs->count; i++) {
        unsigned to = least_loaded(load, share->of);
        load[to] += order[i].cost;
        owner[order[i].job] = to + 1;
    }
    free(load);
    free(order);
    return owner;
}

void kt_share_take(const struct kt_share *share, struct kt_jobs *jobs)
{
    unsigned *owner = kt_share_owners(share, jobs);
    size_t kept = 0;
    for (size_t i = 0; owner && i < jobs->count; i++)
        if (owner[i] == share->number)
            jobs->job[kept++] = jobs->job[i];
        else
            free(jobs->job[i].refused);
    jobs->count = owner ? kept : jobs->count;
    free(owner);
}

/* --- one at a time on a cache ------------------------------------------------------------------------------ */

/* Where the system does not tell, all processors may have one in common. */
static struct kt_shared_cache cache_of(int cpu)
{
    struct kt_shared_cache cache;
    if (kt_shared_cache_of(NULL, cpu, &cache))
        return cache;
    cache = (struct kt_shared_cache){.level = 0};
    for (int i = 0; i < CPU_SETSIZE; i++)
        CPU_SET(i, &cache.processors);
    return cache;
}

/* A file for each cache of this machine and user; it stays open, and so locked, until the process ends. */
static int open_lock(const struct kt_shared_cache *cache)
{
    char path[128];
    snprintf(path, sizeof path, "/tmp/ktrace-%u.l%u-of-processor-%d.lock", (unsigned)getuid(), cache->level,
             cache->first);
    return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static bool try_cache(const struct kt_shared_cache *cache)
{
    int file = open_lock(cache);
    if (file < 0)
        return false;
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
        return true;
    close(file);
    return false;
}

/* Another processor whose cache nobody measures on; KT_NO_PROCESSOR: there is none. */
static int find_free(const struct kt_shared_cache *taken)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return KT_NO_PROCESSOR;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || CPU_ISSET(cpu, &taken->processors))
            continue;
        struct kt_shared_cache cache = cache_of(cpu);
        if (try_cache(&cache))
            return cpu;
    }
    return KT_NO_PROCESSOR;
}

static void tell_whom(const struct kt_shared_cache *cache)
{
    if (cache->level)
        kt_notice("waits: another share is measured on the L%u cache of processor %d", cache->level, cache->first);
    else
        kt_notice("waits: another share is measured here, and the system does not tell which processors share a "
                  "cache");
}

static void wait_for(const struct kt_shared_cache *cache)
{
    int file = open_lock(cache);
    if (file >= 0)
        tell_whom(cache);
    if (file < 0 || flock(file, LOCK_EX) != 0)
        kt_notice("does not wait: %s; shares on one cache may disturb each other", strerror(errno));
}

void kt_share_lock(const struct kt_share *share, int *processor)
{
    if (!share->of)
        return;
    struct kt_shared_cache cache = cache_of(kt_processor_choose(*processor));
    if (try_cache(&cache))
        return;
    int other = find_free(&cache);
    if (other == KT_NO_PROCESSOR)
        wait_for(&cache);
    else
        *processor = other;
}
