/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages and the TLB (paper 003, 3.2). What a load costs more because its page's translation is not at hand is the
 * difference of two chains with equally many cache lines: one with a line in each page, a different one in each, and
 * one with all lines side by side.
 */
#include "model/probe/probe.h"
#include "model/analysis/probe_steps.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum {
    MIB = 1 << 20,
    LINE = 64,
    FEWEST = 8,
    MOST = 8192,
    OCTAVE = 6,
    POINTS_MAX = 80,
    BLOCK = 64 << 10,
    FIRST_DISTANCE = 512,
    DISTANCES = 7, /* to 32 KiB */
    MEMORY = 128 * MIB,
};

/* --- entries ----------------------------------------------------------------------------------------------- */

struct tlb {
    struct kt_probe_memory *memory;
    size_t page;
    double pages[POINTS_MAX];
};

static struct kt_lap lap_of(void *context, size_t item)
{
    struct tlb *tlb = context;
    size_t count = (size_t)tlb->pages[item / 2];
    bool dense = item % 2;
    struct kt_pattern pattern = {.stride = dense ? LINE : tlb->page + LINE, .count = count, .width = 1};
    return kt_probe_chase(tlb->memory, &pattern);
}

static size_t choose_counts(struct tlb *tlb)
{
    size_t n = 0;
    for (int i = 0; n < POINTS_MAX; i++) {
        double count = floor(FEWEST * exp2((double)i / OCTAVE));
        if (count > MOST || count * (double)(tlb->page + LINE) > (double)tlb->memory->bytes)
            break;
        if (n == 0 || tlb->pages[n - 1] != count)
            tlb->pages[n++] = count;
    }
    return n;
}

/* Costs of a load that is in the first cache, plus what the translation adds: levels, like those of caches. Both chains
 * cost more the longer they are, whatever disturbances make of it. PAGED: the cost with a page for each line. */
static void measure_tlb(struct kt_probe *probe, struct tlb *tlb, size_t n, double *paged, double *y)
{
    struct kt_lap lap[2 * POINTS_MAX];
    double dense[POINTS_MAX];
    kt_laps(2 * n, 60, 5, lap_of, tlb, lap);
    for (size_t i = 0; i < n; i++) {
        paged[i] = lap[2 * i].cycles;
        dense[i] = lap[2 * i + 1].cycles;
    }
    kt_enforce_monotone(paged, n);
    kt_enforce_monotone(dense, n);
    for (size_t i = 0; i < n; i++)
        y[i] = probe->latency + fmax(0, paged[i] - dense[i]);
}

/* The number of pages from which on a load costs more than LIMIT, between two numbers. */
static double refine(struct tlb *tlb, double low, double high, double limit)
{
    enum { SAMPLES = 40 };
    while (high - low > 1 + low / 200) {
        double middle = floor((low + high) / 2);
        struct kt_pattern pattern = {.stride = tlb->page + LINE, .count = (size_t)middle, .width = 1};
        double cost = INFINITY;
        for (int i = 0; i < SAMPLES && cost > limit; i++)
            cost = fmin(cost, kt_probe_chase(tlb->memory, &pattern).cycles);
        if (cost > limit)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* The end of a level: the last number of pages before a quarter of the rise to the next one. */
static double end_of(struct tlb *tlb, const double *paged, const double *y, const struct kt_segment *level)
{
    double limit = level[0].y + 0.25 * (level[1].y - level[0].y);
    size_t i = level[1].first;
    while (i > level[0].first + 1 && y[i - 1] > limit)
        i--;
    return refine(tlb, tlb->pages[i - 1], tlb->pages[i], paged[i - 1] + fmax(limit - y[i - 1], 1));
}

/* As many lines as the first cache has: a load that misses it waits for its translation, one that hits does not, so the
 * cost of translations rises there, too. */
static bool is_end_of_cache(const struct kt_probe *probe, double pages)
{
    return probe->first > 0 && fabs(log(pages * LINE / probe->first)) < 0.2;
}

static void find_entries(struct kt_probe *probe, struct tlb *tlb)
{
    struct kt_segment level[POINTS_MAX];
    double y[POINTS_MAX];
    double paged[POINTS_MAX];
    double step[POINTS_MAX];
    size_t n = choose_counts(tlb);
    measure_tlb(probe, tlb, n, paged, y);
    size_t levels = kt_levels(y, n, 0.03, 3, 1.4, level);
    json_t *array = json_array();
    size_t found = 0;
    for (size_t k = 0; k + 1 < levels; k++) {
        double confidence = exp(-2 * fmax(0, log(tlb->pages[level[k + 1].first] / tlb->pages[level[k].last]) - 0.3));
        char name[32];
        double entries = end_of(tlb, paged, y, &level[k]);
        if (is_end_of_cache(probe, entries))
            continue;
        step[found++] = entries;
        snprintf(name, sizeof name, "TLB entries of level %zu", found);
        if (confidence < 0.4)
            kt_probe_not_determined(probe, name, "the cost of translations rises gradually from %.0f pages on",
                                    entries);
        json_array_append_new(array, json_pack("{s:i, s:o, s:f, s:f}", "level", (int)found, "entries",
                                               confidence < 0.4 ? json_null() : json_integer((json_int_t)entries),
                                               "miss_cycles", level[k + 1].y - level[k].y, "confidence", confidence));
    }
    if (levels < 2)
        kt_probe_not_determined(probe, "TLB entries", "loads cost no more with a page each, up to %.0f pages",
                                tlb->pages[n - 1]);
    json_object_set_new(probe->answer, "tlb", array);
    kt_probe_curve(probe, "TLB", "pages", "cycles per load", tlb->pages, y, n, step, found);
}

/* --- size ------------------------------------------------------------------------------------------------- */

static void *place(const struct kt_probe_memory *memory, size_t distance, size_t i)
{
    size_t base = i / 2 * BLOCK;
    return memory->base + base + i / 2 * LINE % FIRST_DISTANCE + (i % 2 ? 0 : distance);
}

/* Pairs of addresses, one in each block, in random order; of a pair the upper one first: the next page might be fetched
 * ahead. */
static void *build(struct kt_probe_memory *memory, size_t distance, size_t pairs)
{
    size_t *order = kt_resize(NULL, pairs, sizeof *order);
    for (size_t i = 0; i < pairs; i++) {
        size_t other = kt_any_number(&memory->seed) % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    void *first = place(memory, distance, 2 * order[0]);
    for (size_t i = 0; i < pairs; i++) {
        void *lower = place(memory, distance, 2 * order[i] + 1);
        *(void **)place(memory, distance, 2 * order[i]) = lower;
        *(void **)lower = place(memory, distance, 2 * order[i + 1 < pairs ? i + 1 : 0]);
    }
    free(order);
    return first;
}

struct sweep {
    void *from;
    size_t loads;
};

static void walk(void *context)
{
    struct sweep *s = context;
    s->from = kt_probe_walk(s->from, s->loads);
    __asm__ volatile("" : "+r"(s->from));
}

static struct kt_lap lap_of_distance(void *context, size_t item)
{
    struct kt_probe_memory *memory = context;
    size_t pairs = memory->bytes / BLOCK;
    struct sweep s = {build(memory, (size_t)FIRST_DISTANCE << item, pairs), 2 * pairs};
    walk(&s);
    struct kt_lap lap = kt_lap(walk, &s, 3);
    return (struct kt_lap){lap.ticks / (double)s.loads, lap.cycles / (double)s.loads};
}

static void find_size(struct kt_probe *probe, struct kt_probe_memory *memory)
{
    struct kt_lap lap[DISTANCES];
    double x[DISTANCES];
    double y[DISTANCES];
    double confidence = 0;
    kt_laps(DISTANCES, 300, 3, lap_of_distance, memory, lap);
    for (size_t i = 0; i < DISTANCES; i++) {
        x[i] = (double)((size_t)FIRST_DISTANCE << i);
        y[i] = lap[i].cycles;
    }
    size_t step_at = kt_page_step(y, DISTANCES, &confidence);
    size_t measured = step_at ? (size_t)FIRST_DISTANCE << step_at : 0;
    size_t joined;
    size_t page = kt_page_of(measured, (size_t)sysconf(_SC_PAGESIZE), &joined);
    double step = (double)measured;
    json_object_set_new(probe->answer, "page_joined_bytes", joined ? json_integer((json_int_t)joined) : json_null());
    json_object_set_new(probe->answer, "page_bytes", page ? json_integer((json_int_t)page) : json_null());
    json_object_set_new(probe->answer, "page_confidence", kt_json_number(page ? confidence : 0));
    if (!page)
        kt_probe_not_determined(probe, "page size",
                                "no distance was found at which a pair of loads needs two translations");
    kt_probe_curve(probe, "page", "distance", "cycles per load", x, y, DISTANCES, &step, page ? 1 : 0);
}

/* --- what is no cache ---------------------------------------------------------------------------------------- */

static double number_of(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

/* What was said of that level is not true, and of those behind it of another one. */
static void forget_level(struct kt_probe *probe, size_t level)
{
    json_t *reasons = json_object_get(probe->answer, "not_determined");
    for (size_t i = json_array_size(reasons); i-- > 0;) {
        char what[16] = "";
        char renamed[48];
        size_t of = 0;
        json_t *reason = json_array_get(reasons, i);
        if (sscanf(json_string_value(json_object_get(reason, "what")), "%15s of cache level %zu", what, &of) != 2)
            continue;
        snprintf(renamed, sizeof renamed, "%s of cache level %zu", what, of - 1);
        if (of == level)
            json_array_remove(reasons, i);
        else if (of > level)
            json_object_set_new(reason, "what", json_string(renamed));
    }
}

/* The entry that reaches as far as that size; 0: none. */
static double entries_that_reach(const struct kt_probe *probe, double bytes)
{
    size_t i;
    json_t *tlb;
    double page = (double)sysconf(_SC_PAGESIZE);
    json_array_foreach(json_object_get(probe->answer, "tlb"), i, tlb)
    {
        if (kt_is_tlb_reach(bytes, number_of(tlb, "entries"), page))
            return number_of(tlb, "entries");
    }
    return 0;
}

/* Where the curve was not taken on huge pages, it rises also where translations no longer fit. */
void kt_probe_drop_reaches(struct kt_probe *probe)
{
    json_t *caches = json_object_get(probe->answer, "caches");
    const json_t *memory = json_object_get(probe->answer, "memory");
    if (number_of(memory, "huge_bytes") >= number_of(memory, "span_bytes"))
        return;
    for (size_t i = json_array_size(caches); i-- > 2;) {
        const json_t *cache = json_array_get(caches, i);
        const json_t *between = json_object_get(cache, "bytes_between");
        char what[32];
        double bytes = number_of(cache, "bytes");
        if (!(bytes > 0))
            bytes = sqrt(json_number_value(json_array_get(between, 0)) * json_number_value(json_array_get(between, 1)));
        double entries = entries_that_reach(probe, bytes);
        if (entries == 0)
            continue;
        forget_level(probe, i + 1);
        json_array_remove(caches, i);
        for (size_t k = i; k < json_array_size(caches); k++)
            json_object_set_new(json_array_get(caches, k), "level", json_integer((json_int_t)k + 1));
        snprintf(what, sizeof what, "cache level %zu", i + 1);
        kt_probe_not_determined(probe, what,
                                "latency rises at %.2f MiB, which is as far as %.0f entries of the TLB reach: no cache",
                                bytes / MIB, entries);
    }
}

void kt_probe_pages(struct kt_probe *probe)
{
    struct kt_probe_memory memory;
    json_object_set_new(probe->answer, "page_bytes", json_null());
    json_object_set_new(probe->answer, "tlb", json_array());
    if (!kt_probe_memory_open((size_t)MEMORY, false, &memory)) {
        kt_probe_not_determined(probe, "page size", "there is not even 1 MiB of free memory");
        return;
    }
    struct tlb tlb = {.memory = &memory, .page = (size_t)sysconf(_SC_PAGESIZE)};
    find_entries(probe, &tlb);
    if (memory.bytes >= (size_t)MEMORY)
        find_size(probe, &memory);
    else
        kt_probe_not_determined(probe, "page size", "only %zu MiB are free, which a TLB may cover", memory.bytes / MIB);
    kt_probe_memory_close(&memory);
    kt_probe_drop_reaches(probe);
}
