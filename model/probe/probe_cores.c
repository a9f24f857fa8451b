/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cores: what pairs of them exchange (paper 003, 3.1.4), whether they are alike, and what all of them reach
 * together.
 */
#include "model/analysis/locality.h"
#include "model/probe/probe.h"
#include "model/loops/probe_kernels.h"
#include "model/loops/probe_streams.h"
#include "model/loops/probe_team.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>

enum { LINE = 64, MIB = 1 << 20 };

/* --- pairs of cores ---------------------------------------------------------------------------------------- */

struct exchange {
    _Alignas(LINE) atomic_int turn;
    _Alignas(LINE) unsigned char *block;
    size_t bytes;
    atomic_int seat;
    double until;
    double least; /* seconds of a round: the block went to the other and came back */
};

static void increment(struct exchange *e)
{
    for (size_t i = 0; i < e->bytes; i += LINE)
        ++*(volatile unsigned *)(e->block + i);
}

/* Both members increment every line of the block by turns, until the first one has had enough. The least round counts:
 * in others, one of the two had to wait for a processor. */
static void exchange(void *context)
{
    enum { DONE = -2, ROUNDS = 2000 };
    struct exchange *e = context;
    int seat = e->seat++;
    double last = kt_seconds_now();
    for (int round = 0;; round++) {
        for (unsigned spins = 0; e->turn >= 0 && e->turn % 2 != seat; spins++)
            if (spins > 10000)
                sched_yield();
        double now = kt_seconds_now();
        if (seat == 0 && round > 1)
            e->least = fmin(e->least, now - last);
        last = now;
        if (e->turn < 0 || (seat == 0 && (round == ROUNDS || (round > 3 && now > e->until)))) {
            e->turn = DONE;
            return;
        }
        increment(e);
        e->turn++;
    }
}

static double rate_of(struct exchange *e, int a, int b, double seconds)
{
    struct kt_probe_team team = {.work = exchange, .context = e, .members = 2, .cpu = (const int[]){a, b}};
    e->turn = 0;
    e->seat = 0;
    e->least = INFINITY;
    e->until = kt_seconds_now() + seconds;
    bool done = !isnan(kt_team_run(&team));
    double rate = 2 * (double)e->bytes / e->least;
    /* Slower than any memory, and as long as a time slot: the two never ran at the same time. */
    return done && (e->least < 0.3e-3 || rate > 1e9) ? rate : NAN;
}

static json_t *groups_json(const size_t *group, const int *cpu, size_t cpus, size_t groups)
{
    json_t *array = json_array();
    for (size_t g = 0; g < groups; g++) {
        json_t *members = json_array();
        for (size_t i = 0; i < cpus; i++)
            if (group[i] == g)
                json_array_append_new(members, json_integer(cpu[i]));
        json_array_append_new(array, members);
    }
    return array;
}

/* From large blocks to small ones, each refining the cliques of the one before. */
static void find_sharing(struct kt_probe *probe, const int *cpu, size_t cpus)
{
    enum { LARGEST = 16 << 20, PAIRS_CPUS = 16 };
    size_t n = cpus < PAIRS_CPUS ? cpus : PAIRS_CPUS;
    size_t group[PAIRS_CPUS] = {0};
    double rate[PAIRS_CPUS * PAIRS_CPUS] = {0};
    struct exchange e = {.block = aligned_alloc(LINE, LARGEST)};
    json_t *array = json_array();
    json_object_set_new(probe->answer, "sharing", array);
    if (!e.block) {
        kt_probe_not_determined(probe, "sharing of caches", "there are not even 16 MiB of free memory");
        return;
    }
    memset(e.block, 0, LARGEST);
    for (e.bytes = LARGEST; e.bytes >= 4096; e.bytes /= 8) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                rate[i * n + j] = rate[j * n + i] = rate_of(&e, cpu[i], cpu[j], 0.6 / (double)(n * n));
        size_t groups = kt_locality_refine(rate, n, 0.7, group);
        json_t *rates = json_array();
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                json_array_append_new(rates, json_pack("{s:[i,i], s:o}", "cpus", cpu[j], cpu[i], "bytes_per_second",
                                                       kt_json_number(rate[i * n + j])));
        json_array_append_new(array, json_pack("{s:I, s:o, s:o}", "block_bytes", (json_int_t)e.bytes, "groups",
                                               groups_json(group, cpu, n, groups), "pairs", rates));
    }
    free(e.block);
}

/* --- all cores --------------------------------------------------------------------------------------------- */

struct peak {
    const struct kt_probe_kernel *kernel;
    uint64_t passes;
};

static void compute(void *context)
{
    const struct peak *p = context;
    p->kernel->run(p->passes, KT_STREAMS_MAX);
}

/* Flops per second of a kernel on all processors at once; 0: threads cannot be pinned. */
static double rate_of_kernel(const struct kt_probe_kernel *kernel, const int *cpu, size_t cpus)
{
    enum { PASSES = 60000, ROUNDS = 12 };
    struct peak p = {kernel, PASSES};
    struct kt_probe_team team = {.work = compute, .context = &p, .cpu = cpu, .members = (int)cpus};
    double flops = (double)p.passes * kt_kernel_operations(KT_STREAMS_MAX) * kernel->flops * (double)cpus;
    double best = 0;
    for (int i = 0; i < ROUNDS; i++)
        best = fmax(best, flops / kt_team_run(&team));
    return best;
}

/* The best kernel on all processors at once; cycles by the clock of one core busy with nothing else. */
static void add_peak(struct kt_probe *probe, const int *cpu, size_t cpus)
{
    const struct kt_probe_kernel *best = NULL;
    double most = 0;
    char name[64];
    for (const struct kt_probe_kernel *k = kt_kernels; k < kt_kernels + kt_kernel_count; k++) {
        if (k->flops == 0 || strcmp(k->type, "double") != 0 || !strcmp(k->operation, "div") || !kt_kernel_present(k))
            continue;
        double rate = rate_of_kernel(k, cpu, cpus);
        best = rate > most ? k : best;
        most = fmax(most, rate);
    }
    if (!best) {
        kt_probe_not_determined(probe, "peak of all cores", "threads cannot be pinned to processors");
        return;
    }
    snprintf(name, sizeof name, "%s double x%d all cores", best->operation, best->lanes);
    json_array_append_new(json_object_get(probe->answer, "peak"),
                          json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:f}", "name", name, "operation", best->operation,
                                    "type", "double", "lanes", best->lanes, "cores", (int)cpus, "flops_per_cycle",
                                    most / probe->ticks_per_second * probe->ticks_per_cycle, "flops_per_second", most));
}

/* Arrays of one member, in memory: three of them, at most. */
struct share {
    const struct kt_stream_loop *loop;
    double *base;
    size_t doubles; /* of an array */
};

static void stream(void *context)
{
    const struct share *s = context;
    double *b = s->loop->arrays > 1 ? s->base + s->doubles : s->base;
    double *c = s->loop->arrays > 2 ? b + s->doubles : b;
    s->loop->run(s->base, b, c, s->doubles, 1);
}

/* The best of all widths of registers. Bytes per second; NAN: threads cannot be pinned. */
static double stream_rate(const char *operation, struct kt_probe_team *team, struct share *share, size_t bytes)
{
    double best = NAN;
    double end = kt_seconds_now() + 1;
    for (size_t i = 0; i < kt_stream_loop_count; i++) {
        const struct kt_stream_loop *loop = &kt_stream_loops[i];
        size_t doubles = kt_stream_doubles((double)bytes / 8 / loop->arrays);
        if (!kt_stream_loop_present(loop) || strcmp(loop->operation, operation) != 0)
            continue;
        for (int m = 0; m < team->members; m++) {
            share[m].loop = loop;
            share[m].doubles = doubles;
        }
        double moved = 8.0 * (double)doubles * loop->arrays * team->members;
        for (int round = 0; round < 6 && (round < 2 || kt_seconds_now() < end); round++)
            best = fmax(best, moved / kt_team_run(team));
    }
    return best;
}

/* Each member touches its share itself, so that it is in the memory next to it. */
static void touch(void *context)
{
    struct share *s = context;
    memset(s->base, 1, s->doubles * sizeof *s->base);
}

static void add_rates(struct kt_probe *probe, struct kt_probe_team *team, struct share *share, size_t bytes)
{
    static const char *const operations[] = {"load", "store", "nt_store", "copy", "triad"};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        double rate = stream_rate(operations[i], team, share, bytes);
        char name[64];
        snprintf(name, sizeof name, "memory %s all cores", operations[i]);
        if (isfinite(rate))
            json_array_append_new(json_object_get(probe->answer, "bandwidth"),
                                  json_pack("{s:s, s:s, s:s, s:f, s:f, s:i}", "name", name, "level", "memory",
                                            "operation", operations[i], "bytes_per_cycle",
                                            rate / probe->ticks_per_second * probe->ticks_per_cycle, "bytes_per_second",
                                            rate, "cores", team->members));
        else if (i == 0)
            kt_probe_not_determined(probe, "bandwidth of all cores", "threads cannot be pinned to processors");
    }
}

/* Memory is shared by all cores: what one of them gets is not what all get. */
static void add_bandwidth(struct kt_probe *probe, const int *cpu, size_t cpus)
{
    enum { LEAST = 16 * MIB, ENOUGH = 64 * MIB, ALL = 1 << 30, PIECE = 8 * MIB }; /* LEAST to PIECE: of each */
    struct kt_probe_memory memory;
    size_t each = cpus * ENOUGH <= ALL ? ENOUGH : cpus * LEAST >= ALL ? LEAST : ALL / cpus;
    size_t wanted = kt_probe_memory_span(each * cpus, cpus);
    size_t least = kt_probe_memory_span(LEAST * cpus, cpus);
    size_t rounding = PIECE * cpus;
    bool opened = kt_probe_memory_reserve((wanted + rounding - 1) / rounding * rounding, true, &memory);
    if (!opened || memory.bytes < least) {
        kt_probe_not_determined(probe, "bandwidth of all cores", KT_PROBE_NO_SPAN, least / MIB);
        if (opened)
            kt_probe_memory_close(&memory);
        return;
    }
    struct share *share = kt_resize(NULL, cpus, sizeof *share);
    struct kt_probe_team team = {
        .work = touch, .context = share, .each = sizeof *share, .members = (int)cpus, .cpu = cpu};
    size_t bytes = memory.bytes / cpus / PIECE * PIECE;
    for (size_t i = 0; i < cpus; i++)
        share[i] = (struct share){.base = (double *)(void *)(memory.base + i * bytes), .doubles = bytes / 8};
    kt_team_run(&team);
    team.work = stream;
    add_rates(probe, &team, share, bytes);
    free(share);
    kt_probe_memory_close(&memory);
}

/* --- each core ----------------------------------------------------------------------------------------------- */

struct visit {
    double cycle;  /* seconds of a dependent addition; the least */
    double second; /* cycles of a load that misses the first cache */
    struct kt_probe_memory *memory;
    size_t bytes;
    double ticks_per_second;
};

/* Thread of one core: its clock, and the latency of its second cache. */
static void visit(void *context)
{
    enum { SAMPLES = 60 };
    struct visit *v = context;
    struct kt_pattern pattern = {.stride = LINE, .count = v->bytes / LINE, .width = 1};
    v->cycle = v->second = INFINITY;
    v->memory->cycle = 0; /* of the core before */
    for (int i = 0; i < SAMPLES; i++) {
        struct kt_lap lap = kt_probe_chase(v->memory, &pattern);
        v->cycle = fmin(v->cycle, kt_ticks_per_cycle() / v->ticks_per_second);
        v->second = fmin(v->second, lap.cycles);
    }
}

/* Two kinds of cores, or one that is slower than the others, show in either. */
static void compare_cores(struct kt_probe *probe, const int *cpu, size_t cpus)
{
    struct kt_probe_memory memory;
    json_t *array = json_array();
    double low[2] = {INFINITY, INFINITY};
    double high[2] = {0, 0};
    if (!kt_probe_memory_open((size_t)(4 * MIB), true, &memory))
        return;
    for (size_t i = 0; i < cpus; i++) {
        struct visit v = {.memory = &memory,
                          .bytes = (size_t)fmax(2 * probe->first, 65536),
                          .ticks_per_second = probe->ticks_per_second};
        struct kt_probe_team team = {.work = visit, .context = &v, .members = 1, .cpu = &cpu[i]};
        if (isnan(kt_team_run(&team)))
            continue;
        json_array_append_new(array, json_pack("{s:i, s:f, s:f}", "cpu", cpu[i], "core_hz", 1 / v.cycle,
                                               "second_cache_cycles", v.second));
        low[0] = fmin(low[0], 1 / v.cycle);
        high[0] = fmax(high[0], 1 / v.cycle);
        low[1] = fmin(low[1], v.second);
        high[1] = fmax(high[1], v.second);
    }
    kt_probe_memory_close(&memory);
    bool any = json_array_size(array) > 0;
    json_object_set_new(probe->answer, "cores", array);
    json_object_set_new(probe->answer, "cores_alike",
                        any ? json_boolean(high[0] < 1.15 * low[0] && high[1] < 1.15 * low[1]) : json_null());
    if (!any)
        kt_probe_not_determined(probe, "asymmetry of cores", "threads cannot be pinned to processors");
}

void kt_probe_cores(struct kt_probe *probe)
{
    int cpu[KT_CPUS_MAX];
    size_t cpus = kt_cpus_allowed(cpu);
    find_sharing(probe, cpu, cpus);
    compare_cores(probe, cpu, cpus);
    add_peak(probe, cpu, cpus);
    add_bandwidth(probe, cpu, cpus);
}
