/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/probe/congruent.h"
#include "model/probe/probe.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MIB = 1 << 20, PAGES_MAX = 4096, SEARCH_SECONDS = 6, MOST_MIB = 2048 /* whose chain takes seconds to build */ };

static double chase(void *machine, const struct kt_pattern *pattern)
{
    return kt_probe_chase(machine, pattern).cycles;
}

static bool enough(void *machine)
{
    return kt_seconds_now() > ((struct kt_probe_memory *)machine)->until;
}

/* Searches have as much time as the curve had. */
static bool late(void *machine)
{
    return kt_seconds_now() > ((struct kt_probe_memory *)machine)->until + SEARCH_SECONDS;
}

static void progress(void *machine, double done, double total)
{
    (void)machine;
    kt_progress("caches", done, total);
}

static bool is_guest(void)
{
    char line[8192];
    bool guest = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !guest && fgets(line, sizeof line, file))
        guest = !strncmp(line, "flags", 5) && strstr(line, " hypervisor");
    if (file)
        fclose(file);
    return guest;
}

/* A level that only looks like a cache is refused with the reason: better no size than a wrong one. */
static const char *doubt(const struct kt_measured_hierarchy *h, size_t k, const struct kt_probe_memory *memory)
{
    const struct kt_measured_cache *cache = &h->cache[k];
    double next = k + 1 < h->levels ? (double)h->curve.x[h->level[k + 1].first] : INFINITY;
    if (k == 0 && !cache->ways)
        return "its end and sets of lines do not agree: others use it at the same time";
    if (k == 1 && cache->ways && cache->confidence > 0.4)
        return NULL;
    if (cache->confidence < (k && cache->low > 0 ? 0.75 : 0.4))
        return "its end is spread, as pages are scattered in physical memory or others use it at the same time";
    if (k >= 2 && is_guest())
        return "a virtual machine shares it with others that cannot be seen: its share is what they leave of it";
    if (k >= 2 && cache->bytes < 3 * cache[-1].bytes)
        return "it is hardly larger than the level before: others use it at the same time";
    if (k >= 2 && next > 3 * cache->bytes)
        return "latency rises gradually over more than a factor of 3, as that of a cache does which is shared";
    if (k == 1 && memory->huge < memory->bytes && next > 3 * cache->bytes)
        return "pages are scattered in physical memory, which blurs its end, and there are no huge pages";
    return NULL;
}

enum { SIZES = 16, LINE = 64 };

struct second {
    struct kt_chaser chaser;
    double noise; /* relative deviation of a sample */
    double least; /* cost of a load from it */
    double more;  /* a quarter of the way to the next level */
    size_t page;
    double cost[SIZES]; /* of a load, by the logarithm of how many pages there are; 0: not measured yet */
};

/* Of loads that miss the first level but not the second, nor more translations than N pages do: of other lines, of
 * which few are at the same place of their pages. */
static double cost_of_pages(struct second *s, size_t n)
{
    size_t size = (size_t)log2((double)n);
    double *cost = &s->cost[size < SIZES ? size : SIZES - 1];
    struct kt_pattern pattern = {.stride = s->page + 3 * LINE, .count = n, .width = 1};
    if (*cost > 0)
        return *cost;
    *cost = INFINITY;
    for (int i = 0; i < s->chaser.patience; i++)
        *cost = fmin(*cost, chase(s->chaser.machine, &pattern));
    return *cost = fmax(*cost, s->least);
}

static bool overflows(void *machine, const uint32_t *page, size_t n)
{
    struct second *s = machine;
    struct kt_pattern pattern = {.stride = s->page, .count = n, .width = 1, .stop = page};
    if (late(s->chaser.machine))
        return false;
    double cost = cost_of_pages(s, n);
    return kt_costs_more(&s->chaser, &pattern, cost, s->more / cost, s->noise);
}

/* Ways and size of the second level, which others make look smaller, from sets of congruent lines. The curve has to
 * agree about the size: a cache that holds none of the first level's lines seems to have the ways of both. Returns why
 * they were not found, or NULL. */
static const char *find_second(const struct kt_chaser *chaser, const struct kt_probe_memory *memory,
                               struct kt_measured_hierarchy *h)
{
    struct kt_congruent found;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct kt_measured_cache *c = &h->cache[1];
    if (h->caches < 2 || h->levels < 3)
        return "it could not be told from the level after it";
    struct second s = {*chaser, h->curve.noise, c->latency, 0.25 * (h->level[2].y - c->latency), page, {0}};
    s.chaser.patience = 40;
    struct kt_pages_walker walker = {overflows, &s, memory->bytes / page, page, (size_t)(1.5 * c->bytes) / page, 1};
    walker.pages = walker.pages < PAGES_MAX ? walker.pages : PAGES_MAX;
    if (walker.most > walker.pages)
        return "there is too little memory to look for lines that fall into one set";
    kt_congruent_find(&walker, &found);
    double low = c->low > 0 ? c->low : 0.9 * c->bytes;
    if (late(s.chaser.machine))
        return "the search took too long: other programs run, too";
    if (found.overflows == 0)
        return "lines at the same place of their pages all fit: a hash of the physical address, which a program does "
               "not "
               "know, selects the set";
    if (!found.ways)
        return "sets of congruent lines were found, but not equally large ones: others use the cache at the same time";
    if (found.bytes < 0.8 * low || found.bytes > 1.5 * fmax(c->high, c->bytes))
        return "sets of congruent lines disagree with the size: its sets may be selected by a hash of the address";
    c->ways = found.ways;
    c->bytes = found.bytes;
    c->confidence = found.confidence;
    c->low = c->high = 0;
    return NULL;
}

static json_t *cache_json(struct kt_probe *probe, const struct kt_measured_hierarchy *h, size_t k, const char *why)
{
    const struct kt_measured_cache *c = &h->cache[k];
    json_t *object = json_pack("{s:i, s:o, s:o, s:f, s:f}", "level", (int)k + 1, "bytes",
                               why ? json_null() : json_integer((json_int_t)c->bytes), "ways",
                               c->ways ? json_integer(c->ways) : json_null(), "latency_cycles", c->latency,
                               "latency_ns", 1e9 * c->latency * probe->ticks_per_cycle / probe->ticks_per_second);
    json_object_set_new(object, "effective_bytes", json_integer((json_int_t)c->effective));
    if (c->low > 0)
        json_object_set_new(object, "bytes_between", json_pack("[I,I]", (json_int_t)c->low, (json_int_t)c->high));
    json_object_set_new(object, "confidence", kt_json_number(c->confidence));
    return object;
}

/* NO_WAYS: why the second level has none. */
static void add_caches(struct kt_probe *probe, const struct kt_measured_hierarchy *h,
                       const struct kt_probe_memory *memory, const char *no_ways)
{
    json_t *array = json_array();
    for (size_t k = 0; k < h->caches; k++) {
        const char *why = doubt(h, k, memory);
        char name[32];
        json_array_append_new(array, cache_json(probe, h, k, why));
        snprintf(name, sizeof name, "size of cache level %zu", k + 1);
        if (why && h->cache[k].low > 0)
            kt_probe_not_determined(probe, name, "between %.0f and %.0f KiB: %s", h->cache[k].low / 1024,
                                    h->cache[k].high / 1024, why);
        else if (why)
            kt_probe_not_determined(probe, name, "%s", why);
        snprintf(name, sizeof name, "ways of cache level %zu", k + 1);
        if (!h->cache[k].ways)
            kt_probe_not_determined(probe, name, "%s",
                                    k == 0   ? "compact sequences gave no answer that agrees with the size"
                                    : k == 1 ? no_ways
                                             : "not looked for: sets are found up to the second level");
    }
    json_object_set_new(probe->answer, "caches", array);
}

/* A chain of all there is, where the curve ends in what may be a cache. */
static double chase_all(struct kt_probe_memory *memory)
{
    enum { SAMPLES = 5 };
    struct kt_pattern all = {.stride = LINE, .count = memory->bytes / LINE, .width = 1};
    double least = INFINITY;
    double end = kt_seconds_now() + 2;
    for (int i = 0; i < SAMPLES && (i == 0 || kt_seconds_now() < end); i++)
        least = fmin(least, chase(memory, &all));
    return least;
}

/* WANTED: bytes of which caches hold but a small part. */
static void add_memory(struct kt_probe *probe, const struct kt_measured_hierarchy *h, struct kt_probe_memory *memory,
                       size_t limit, size_t wanted)
{
    double latency = NAN;
    if (memory->bytes < wanted)
        kt_probe_not_determined(probe, "latency of memory", KT_PROBE_NO_SPAN, wanted / MIB);
    else if (memory->bytes > limit)
        latency = chase_all(memory);
    else if (isnan(latency = h->memory_latency))
        kt_probe_not_determined(probe, "latency of memory", "its level does not stand out from that of the caches");
    json_object_set_new(probe->answer, "memory",
                        json_pack("{s:o, s:o, s:I, s:I}", "latency_cycles", kt_json_number(latency), "latency_ns",
                                  kt_json_number(1e9 * latency * probe->ticks_per_cycle / probe->ticks_per_second),
                                  "span_bytes", (json_int_t)memory->bytes, "huge_bytes", (json_int_t)memory->huge));
}

static void add_curve(struct kt_probe *probe, const struct kt_measured_hierarchy *h)
{
    double *x = kt_resize(NULL, h->curve.n, sizeof *x);
    double step[KT_LEVELS_MAX];
    for (size_t i = 0; i < h->curve.n; i++)
        x[i] = (double)h->curve.x[i];
    for (size_t k = 0; k < h->caches; k++)
        step[k] = h->cache[k].bytes;
    kt_probe_curve(probe, "latency", "bytes", "cycles per load", x, h->curve.y, h->curve.n, step, h->caches);
    free(x);
}

static void keep(struct kt_probe *probe, const struct kt_measured_hierarchy *h)
{
    probe->first = h->caches > 0 ? h->cache[0].bytes : 0;
    probe->second = h->caches > 1 ? h->cache[1].bytes : 0;
    probe->last = h->caches ? h->cache[h->caches - 1].bytes : 0;
    probe->latency = h->caches ? h->cache[0].latency : 4;
}

void kt_probe_caches(struct kt_probe *probe)
{
    struct kt_probe_memory memory;
    struct kt_measured_hierarchy h;
    size_t limit = (probe->quick ? 32 : 128) * (size_t)MIB;
    size_t wanted = kt_probe_memory_span(limit, 1);
    if (!kt_probe_memory_open(wanted / MIB <= MOST_MIB ? wanted : limit, true, &memory)) {
        kt_probe_not_determined(probe, "caches", "there is not even 1 MiB of free memory");
        json_object_set_new(probe->answer, "caches", json_array());
        return;
    }
    limit = memory.bytes < limit ? memory.bytes : limit;
    struct kt_chaser chaser = {.chase = chase, .machine = &memory, .limit = limit, .progress = progress};
    chaser.rounds = probe->quick ? 9 : 21;
    chaser.rounds_max = chaser.rounds;
    chaser.octave = 8;
    chaser.slow_bytes = probe->quick ? MIB / 4 : 2 * MIB;
    chaser.search_bytes = MIB / 4;
    chaser.quantile = 0; /* disturbances only add */
    chaser.patience = 60;
    chaser.tolerance = 0.12;
    chaser.enough = enough;
    chaser.late = late;
    memory.until = kt_seconds_now() + (probe->quick ? 2 : 9);
    chaser.compact = 0.4;
    chaser.scattered = true;
    chaser.ratio = 1.5;
    kt_hierarchy_find(&chaser, &h);
    const char *no_ways = find_second(&chaser, &memory, &h);
    kt_progress_end();
    json_object_set_new(probe->answer, "line_bytes", h.line ? json_integer((json_int_t)h.line) : json_null());
    json_object_set_new(probe->answer, "line_confidence", kt_json_number(h.line_confidence));
    if (!h.line)
        kt_probe_not_determined(probe, "line",
                                "no stride was found at which addresses fall into one set of the first cache");
    add_caches(probe, &h, &memory, no_ways);
    add_memory(probe, &h, &memory, limit, wanted);
    add_curve(probe, &h);
    keep(probe, &h);
    kt_hierarchy_free(&h);
    kt_probe_memory_close(&memory);
}
