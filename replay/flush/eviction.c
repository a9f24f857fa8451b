/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/flush/eviction.h"

#include "ktrace/clock.h"
#include "replay/machine/cache.h"
#include "replay/machine/caches.h"
#include "replay/flush/crew.h"
#include "replay/machine/pages.h"
#include "trace/base/random.h"
#include "trace/base/memory.h"

#include <errno.h>
#include <stdio.h>

/* --- the rule ---------------------------------------------------------------------------------------------- */

enum { MOST_SIZES = 12, FLAT = 2 };
static const double as_well = 0.93;

/* The largest time, but one that is hardly larger than an earlier one does not count as a rise. */
static int last_rise(const double *time, int n)
{
    int at = 0;
    for (int i = 1; i < n; i++)
        if (time[i] * as_well > time[at])
            at = i;
    return at;
}

bool kt_sweep_is_flat(const double *time, int n)
{
    return n - 1 - last_rise(time, n) >= FLAT;
}

int kt_sweep_choose(const double *time, int n)
{
    double most = 0;
    int chosen = 0;
    for (int i = 0; i < n; i++)
        most = time[i] > most ? time[i] : most;
    while (time[chosen] < as_well * most)
        chosen++;
    return chosen;
}

const char *kt_sweep_doubt(const struct kt_sweep *sweep, bool is_last, bool is_virtual)
{
    if (sweep->bytes == 0)
        return "not calibrated";
    if (sweep->evicted < 1.3 * sweep->resident)
        return "what is in it stays there";
    if (is_last && sweep->evicted < 0.85 * sweep->flushed)
        return "less leaves it than by flushing";
    if (!is_last && sweep->evicted > 0.8 * sweep->flushed)
        return "what leaves it is as far as memory";
    if (is_last && is_virtual)
        return "a virtual machine does not have it for itself";
    return "";
}

/* --- loads that are timed ---------------------------------------------------------------------------------- */

/* Lines in random order, each holding the address of the next: neither order nor distance can be guessed. */
struct chain {
    unsigned char *area;
    uint64_t bytes;
    void **first;
    size_t links;
};

enum { SPACING = 256, MOST_CHAIN = 4 << 20 };

static void link_lines(struct chain *chain, uint64_t line)
{
    uint64_t state = 1;
    size_t *order = kt_resize(NULL, chain->links, sizeof *order);
    void ***at = kt_resize(NULL, chain->links, sizeof *at);
    for (size_t i = 0; i < chain->links; i++) {
        size_t j = kt_random(&state) % (i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < chain->links; i++)
        at[i] = (void **)(chain->area + order[i] * SPACING + kt_random(&state) % (SPACING / line) * line);
    for (size_t i = 0; i < chain->links; i++)
        *at[i] = at[(i + 1) % chain->links];
    chain->first = at[0];
    free(order);
    free(at);
}

static bool make_chain(const struct kt_caches *caches, unsigned cache, struct chain *out)
{
    uint64_t bytes = caches->cache[cache].bytes / 2;
    uint64_t line = caches->line < SPACING ? caches->line : SPACING;
    *out = (struct chain){.bytes = bytes < MOST_CHAIN ? bytes : MOST_CHAIN};
    out->links = out->bytes / SPACING;
    out->area = out->links ? kt_pages_map(out->bytes, KT_PAGES_HUGE) : NULL;
    if (!out->area)
        return false;
    link_lines(out, line);
    return true;
}

/* Ticks of one load. */
static double walk(const struct chain *chain)
{
    void **at = chain->first;
    uint64_t start = kt_clock_start();
    for (size_t i = 0; i < chain->links; i++)
        at = *(void **volatile *)at;
    return (double)(kt_clock_stop() - start) / (double)chain->links;
}

/* --- calibration ------------------------------------------------------------------------------------------- */

enum before { READ, SWEPT, FLUSHED };

static void read_area(const unsigned char *area, uint64_t bytes)
{
    kt_lines_touch((uint64_t)area, (uint64_t)area + bytes);
}

/* Ticks of a load after what is said was done: the lower quartile, as others on the machine only evict more. */
static double time_loads(const struct chain *chain, enum before before, const unsigned char *area, uint64_t bytes)
{
    enum { TRIES = 9 };
    double time[TRIES] = {0};
    for (int i = 0; i < TRIES; i++) {
        walk(chain);
        walk(chain);
        if (before == SWEPT)
            read_area(area, bytes);
        if (before == FLUSHED) {
            kt_lines_flush((uint64_t)chain->area, (uint64_t)chain->area + chain->bytes);
            kt_lines_flushed();
        }
        double ticks = walk(chain);
        int at = i;
        for (; at > 0 && time[at - 1] > ticks; at--)
            time[at] = time[at - 1];
        time[at] = ticks;
    }
    return time[TRIES / 4];
}

/* Four times what it holds is enough for any way of replacing lines. What is read must not empty the next cache, too,
 * nor the TLB. */
static uint64_t most_to_read(const struct kt_caches *caches, unsigned cache, uint64_t limit)
{
    uint64_t bytes = caches->cache[cache].bytes;
    uint64_t most = 4 * bytes;
    if (cache + 1 < caches->count && most > caches->cache[cache + 1].bytes / 2)
        most = caches->cache[cache + 1].bytes / 2;
    most = most > bytes ? most : bytes;
    return most < limit ? most : limit;
}

/* Grows what is read by half. The area is touched as far as it is needed: first touches are slow. */
static void grow(const struct chain *chain, unsigned char *area, uint64_t first, uint64_t most, struct kt_sweep *out)
{
    double time[MOST_SIZES] = {0};
    uint64_t size[MOST_SIZES];
    uint64_t touched = 0;
    int n = 0;
    for (uint64_t bytes = first; n < MOST_SIZES && bytes <= most && !kt_sweep_is_flat(time, n); bytes += bytes / 2) {
        for (; touched < bytes; touched += 4096)
            area[touched] = 1;
        size[n] = bytes;
        time[n++] = time_loads(chain, SWEPT, area, bytes);
    }
    if (n == 0)
        return;
    int chosen = kt_sweep_choose(time, n);
    out->bytes = size[chosen];
    out->evicted = time[chosen];
}

static void calibrate(const struct kt_caches *caches, unsigned cache, uint64_t limit, struct kt_sweep *out)
{
    struct chain chain;
    uint64_t wanted = most_to_read(caches, cache, UINT64_MAX);
    uint64_t most = most_to_read(caches, cache, limit);
    uint64_t first = caches->cache[cache].bytes < most ? caches->cache[cache].bytes : most;
    unsigned char *area = kt_pages_map(most, KT_PAGES_HUGE);
    *out = (struct kt_sweep){0};
    if (area && make_chain(caches, cache, &chain)) {
        out->resident = time_loads(&chain, READ, NULL, 0);
        out->flushed = time_loads(&chain, FLUSHED, NULL, 0);
        grow(&chain, area, first, most, out);
        kt_pages_unmap(chain.area, chain.bytes);
    }
    kt_pages_unmap(area, most);
    snprintf(out->doubt, sizeof out->doubt, "%s",
             kt_sweep_doubt(out, cache + 1 == caches->count, kt_machine_is_virtual()));
    if (most < wanted && *out->doubt)
        snprintf(out->doubt, sizeof out->doubt, "there is memory for reading %.1f MB only", (double)most / 1e6);
}

/* A cache that others share may be theirs for a moment. */
static void calibrate_with_patience(const struct kt_caches *caches, unsigned cache, uint64_t limit,
                                    struct kt_sweep *out)
{
    int tries = cache + 1 < caches->count ? 3 : 1;
    do
        calibrate(caches, cache, limit, out);
    while (*out->doubt && --tries > 0);
}

void kt_hierarchy_calibrate(unsigned evicted, uint64_t limit, struct kt_hierarchy *hierarchy)
{
    for (unsigned i = 0; i < hierarchy->caches.count; i++)
        if (evicted >> i & 1)
            calibrate_with_patience(&hierarchy->caches, i, limit, &hierarchy->sweep[i]);
}

/* Reads ever more until loads take as long as if half of the lines were in memory. */
static uint64_t find_usable(const struct chain *chain, unsigned char *area, uint64_t first, uint64_t most)
{
    uint64_t usable = 0;
    uint64_t touched = 0;
    double flushed = time_loads(chain, FLUSHED, NULL, 0);
    double near = 0;
    for (uint64_t bytes = first; bytes <= most; bytes += bytes / 4) {
        for (; touched < bytes; touched += 4096)
            area[touched] = 1;
        double ticks = time_loads(chain, SWEPT, area, bytes);
        near = near > 0 ? near : ticks;
        if (ticks > (near + flushed) / 2 || near > 0.7 * flushed)
            return usable;
        usable = bytes;
    }
    return most;
}

static bool is_sound_sweep(const struct kt_sweep *sweep)
{
    static const uint64_t most = UINT64_C(1) << 36;
    return sweep->bytes <= most && memchr(sweep->doubt, '\0', sizeof sweep->doubt);
}

bool kt_hierarchy_is_sound(const struct kt_hierarchy *h, const struct kt_caches *caches)
{
    bool sound = h->caches.count == caches->count && h->caches.line == caches->line && h->probed <= caches->count;
    for (unsigned i = 0; i < KT_MAX_CACHES; i++)
        sound = sound && is_sound_sweep(&h->sweep[i]);
    for (unsigned i = 0; i < caches->count && sound; i++)
        sound = h->caches.cache[i].shared == caches->cache[i].shared && h->caches.cache[i].bytes > 0;
    return sound;
}

/* The most of some tries, as others only take from it. */
uint64_t kt_hierarchy_usable(const struct kt_hierarchy *hierarchy, uint64_t limit)
{
    enum { TRIES = 3 };
    const struct kt_caches *caches = &hierarchy->caches;
    struct chain chain;
    if (caches->count < 2)
        return caches->cache[0].bytes;
    unsigned last = caches->count - 1;
    uint64_t inner = caches->cache[last - 1].bytes;
    uint64_t most = caches->cache[last].bytes < limit ? caches->cache[last].bytes : limit;
    uint64_t usable = most;
    unsigned char *area = kt_pages_map(most, KT_PAGES_HUGE);
    if (area && make_chain(caches, last - 1, &chain)) {
        usable = 0;
        for (int i = 0; i < TRIES; i++) {
            uint64_t found = find_usable(&chain, area, 2 * inner, most);
            usable = found > usable ? found : usable;
        }
        kt_pages_unmap(chain.area, chain.bytes);
    }
    kt_pages_unmap(area, most);
    return usable > inner ? usable : inner;
}

/* --- evicting ---------------------------------------------------------------------------------------------- */

enum kt_status kt_sweeper_open(const struct kt_hierarchy *hierarchy, struct kt_crew *crew, struct kt_sweeper *out,
                               struct kt_error *error)
{
    *out = (struct kt_sweeper){.hierarchy = hierarchy, .crew = crew};
    for (unsigned i = 0; i < hierarchy->caches.count; i++)
        out->bytes = hierarchy->sweep[i].bytes > out->bytes ? hierarchy->sweep[i].bytes : out->bytes;
    if (out->bytes == 0)
        return KT_OK;
    out->area = kt_pages_map(out->bytes, KT_PAGES_HUGE);
    if (!out->area)
        return kt_fail(error, KT_SYSTEM, "cannot map %llu bytes to empty caches with: %s",
                       (unsigned long long)out->bytes, strerror(errno));
    for (uint64_t at = 0; at < out->bytes; at += 4096)
        out->area[at] = 1; /* pages that were never written are all one page */
    return KT_OK;
}

void kt_sweeper_close(struct kt_sweeper *sweeper)
{
    kt_pages_unmap(sweeper->area, sweeper->bytes);
    *sweeper = (struct kt_sweeper){0};
}

struct reading {
    const unsigned char *area;
    uint64_t bytes;
};

static void read_all(void *argument)
{
    const struct reading *reading = argument;
    read_area(reading->area, reading->bytes);
}

void kt_sweeper_evict(const struct kt_sweeper *sweeper, unsigned cache)
{
    struct reading reading = {sweeper->area, sweeper->hierarchy->sweep[cache].bytes};
    kt_crew_run(sweeper->crew, read_all, &reading);
}
