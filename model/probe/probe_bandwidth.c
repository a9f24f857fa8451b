/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bandwidth of each level: for every operation the best of all widths of registers and of 1, 2 and 4 streams (roofline
 * practice: a ceiling is what the best code reaches), with arrays that together fill half of the level.
 */
#include "model/probe/probe.h"
#include "model/loops/probe_streams.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

enum { MIB = 1 << 20, PARTS_MAX = 4, MEMORY_BYTES = 128 * MIB, MOST_MIB = 2048, CHAINS = 16, LINE = 64 };

struct stream {
    const struct kt_stream_loop *loop;
    int parts;
    double *base;
    size_t doubles; /* of each array */
    int passes;
};

static void run_stream(void *context)
{
    const struct stream *s = context;
    double *b = s->loop->arrays > 1 ? s->base + s->doubles : s->base;
    double *c = s->loop->arrays > 2 ? b + s->doubles : b;
    for (int i = 0; i < s->passes; i++)
        s->loop->run(s->base, b, c, s->doubles, s->parts);
}

static struct kt_lap lap_of(void *context, size_t item)
{
    struct stream *s = (struct stream *)context + item;
    run_stream(s); /* brings the arrays where they belong */
    return kt_lap(run_stream, s, s->doubles < MIB / 8 ? 3 : 1);
}

/* Streams of one level; those that bypass the caches make sense in memory only. */
static size_t choose(struct stream *out, double *base, double bytes, bool memory)
{
    size_t count = 0;
    for (size_t i = 0; i < kt_stream_loop_count; i++) {
        const struct kt_stream_loop *loop = &kt_stream_loops[i];
        if (!kt_stream_loop_present(loop) || (!memory && !strcmp(loop->operation, "nt_store")))
            continue;
        size_t doubles = kt_stream_doubles(bytes / 8 / loop->arrays);
        for (int parts = 1; doubles && parts <= PARTS_MAX; parts *= memory ? 4 : 2)
            out[count++] = (struct stream){loop, parts, base, doubles, (int)fmax(1, 200e3 / bytes)};
    }
    return count;
}

static void add_best(struct kt_probe *probe, const char *level, const char *operation, const struct stream *stream,
                     const struct kt_lap *lap, size_t count)
{
    double per_cycle = 0;
    double per_tick = 0;
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        const struct stream *s = &stream[i];
        double bytes = 8.0 * (double)s->doubles * s->loop->arrays * s->passes;
        if (strcmp(s->loop->operation, operation) != 0)
            continue;
        if (bytes / lap[i].cycles > per_cycle)
            best = i;
        per_cycle = fmax(per_cycle, bytes / lap[i].cycles);
        per_tick = fmax(per_tick, bytes / lap[i].ticks);
    }
    if (best == count)
        return;
    char name[64];
    snprintf(name, sizeof name, "%s %s", level, operation);
    json_array_append_new(json_object_get(probe->answer, "bandwidth"),
                          json_pack("{s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:i}", "name", name, "level", level,
                                    "operation", operation, "bytes_per_cycle", per_cycle, "bytes_per_second",
                                    per_tick * probe->ticks_per_second, "bits", stream[best].loop->bits, "streams",
                                    stream[best].parts, "cores", 1));
}

static void measure_level(struct kt_probe *probe, const char *level, double *base, double bytes, int rounds)
{
    static const char *const operations[] = {"load", "store", "nt_store", "copy", "triad"};
    struct stream *stream = kt_resize(NULL, kt_stream_loop_count * 3, sizeof *stream);
    struct kt_lap *lap = kt_resize(NULL, kt_stream_loop_count * 3, sizeof *lap);
    size_t count = choose(stream, base, bytes, !strcmp(level, "memory"));
    kt_laps(count, rounds, probe->quick ? 0.5 : 3, lap_of, stream, lap);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        add_best(probe, level, operations[i], stream, lap, count);
    free(lap);
    free(stream);
}

/* --- random loads ----------------------------------------------------------------------------------------------------
 */

struct chains {
    void *from[CHAINS];
    size_t loads;
};

static void walk_chains(void *context)
{
    struct chains *c = context;
    for (size_t i = 0; i < c->loads; i++)
        for (int k = 0; k < CHAINS; k++)
            c->from[k] = *(void *volatile *)c->from[k];
}

/* Independent chains: as many loads under way as the core can have. */
static void measure_random(struct kt_probe *probe, struct kt_probe_memory *memory)
{
    struct kt_pattern all = {.stride = LINE, .count = memory->bytes / LINE, .width = 1};
    struct chains c = {.loads = 20000};
    kt_probe_chase(memory, &all);
    uint64_t seed = 1;
    for (int k = 0; k < CHAINS; k++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        c.from[k] = memory->base + (seed >> 20) % all.count * LINE;
    }
    struct kt_lap best = {INFINITY, INFINITY};
    for (int i = 0; i < 12; i++) {
        struct kt_lap lap = kt_lap(walk_chains, &c, 1);
        best = (struct kt_lap){fmin(best.ticks, lap.ticks), fmin(best.cycles, lap.cycles)};
    }
    double bytes = (double)c.loads * CHAINS * LINE;
    json_array_append_new(json_object_get(probe->answer, "bandwidth"),
                          json_pack("{s:s, s:s, s:s, s:f, s:f, s:i}", "name", "memory random", "level", "memory",
                                    "operation", "random", "bytes_per_cycle", bytes / best.cycles, "bytes_per_second",
                                    bytes / best.ticks * probe->ticks_per_second, "cores", 1));
}

void kt_probe_bandwidth(struct kt_probe *probe)
{
    struct kt_probe_memory memory;
    size_t least = probe->quick ? MEMORY_BYTES / 2 : MEMORY_BYTES;
    size_t wanted = kt_probe_memory_span(least, 1);
    json_object_set_new(probe->answer, "bandwidth", json_array());
    if (!kt_probe_memory_open(wanted / MIB <= MOST_MIB ? wanted : least, true, &memory)) {
        kt_probe_not_determined(probe, "bandwidth", "there is not even 1 MiB of free memory");
        return;
    }
    double *base = (void *)memory.base;
    int rounds = probe->quick ? 6 : 20;
    if (probe->first > 0)
        measure_level(probe, "L1", base, probe->first / 2, 3 * rounds);
    if (probe->second > 0)
        measure_level(probe, "L2", base, fmin(probe->second / 2, (double)memory.bytes), 4 * rounds);
    if (probe->second > 0 && probe->last > 2 * probe->second && probe->last < (double)memory.bytes / 4)
        measure_level(probe, "L3", base, probe->last / 2, 2 * rounds);
    if (memory.bytes >= wanted) {
        measure_level(probe, "memory", base, (double)memory.bytes, probe->quick ? 3 : 12);
        measure_random(probe, &memory);
    } else
        kt_probe_not_determined(probe, "bandwidth of memory", KT_PROBE_NO_SPAN, wanted / MIB);
    kt_probe_memory_close(&memory);
}
