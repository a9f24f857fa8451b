/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks, operations and peaks. Each operation is timed as 1 to KT_STREAMS_MAX chains side by side: one chain tells the
 * latency, the best of them the throughput, and the number up to which a further chain costs nothing how many
 * operations are in flight (paper 003, 3.3).
 */
#include "model/probe/probe.h"
#include "model/loops/probe_kernels.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>

enum { CYCLES = 12000 }; /* of a sample: longer than a reading of the clock, shorter than most disturbances are apart */

/* --- clocks --------------------------------------------------------------------------------------------------------
 */

void kt_probe_clocks(struct kt_probe *probe)
{
    enum { SAMPLES = 400 };
    double ticks[SAMPLES];
    probe->ticks_per_second = kt_ticks_per_second(0.05);
    for (int i = 0; i < SAMPLES; i++) {
        ticks[i] = kt_ticks_per_cycle();
        kt_ticks_per_second(0.2e-3); /* busy for a while: the samples are to cover more than a moment */
    }
    probe->ticks_per_cycle = kt_quantile(ticks, SAMPLES, 0.25);
    double hz = probe->ticks_per_second / probe->ticks_per_cycle;
    json_object_set_new(probe->answer, "tsc_hz", kt_json_number(probe->ticks_per_second));
    json_object_set_new(probe->answer, "core_hz", kt_json_number(hz));
    json_object_set_new(probe->answer, "core_hz_range",
                        json_pack("[f,f]", probe->ticks_per_second / ticks[SAMPLES - SAMPLES / 20],
                                  probe->ticks_per_second / ticks[SAMPLES / 100]));
    json_object_set_new(probe->answer, "core_hz_confidence",
                        kt_json_number(fmax(0, 1 - 4 * (ticks[SAMPLES / 2] / probe->ticks_per_cycle - 1))));
}

/* --- operations -------------------------------------------------------------------------------------------- */

struct chains {
    const struct kt_probe_kernel *kernel;
    int streams;
    uint64_t passes;
    double *cost; /* where the result goes */
};

static void run_chains(void *context)
{
    const struct chains *c = context;
    c->kernel->run(c->passes, c->streams);
}

static struct kt_lap lap_of(void *context, size_t item)
{
    struct chains *c = (struct chains *)context + item;
    /* Wide units wake up within some 10 us, and run at a fraction of their rate before. */
    for (int i = 0; i < (c->kernel->lanes > 4 ? 8 : 1); i++)
        run_chains(c);
    return kt_lap(run_chains, c, 3);
}

/* So many passes that a sample takes about CYCLES. */
static void choose_passes(struct chains *c)
{
    c->passes = 4;
    run_chains(c);
    double cycles = kt_lap(run_chains, c, 2).cycles;
    c->passes = (uint64_t)fmax(4, 4 * CYCLES / cycles);
}

struct operation {
    const struct kt_probe_kernel *kernel;
    double cost[KT_STREAMS_MAX + 1]; /* cycles of one step of all chains; index 0 is not used */
    double latency, throughput;      /* cycles; operations per cycle */
    int in_flight;
    bool at_least; /* there may be more in flight than there are chains */
};

/* The last number of chains that costs no more than one. The next would cost 1/n more, so half of that is the limit. */
static void evaluate(struct operation *op)
{
    op->latency = op->cost[1];
    op->throughput = 0;
    int most = kt_kernel_streams(op->kernel);
    for (int s = 1; s <= most; s++)
        op->throughput = fmax(op->throughput, s / op->cost[s]);
    op->in_flight = 1;
    while (op->in_flight < most && op->cost[op->in_flight + 1] <= op->latency * (1 + 0.45 / (op->in_flight + 1)))
        op->in_flight++;
    op->at_least = op->in_flight == most;
}

static size_t choose_kernels(struct operation *operation)
{
    size_t count = 0;
    for (size_t i = 0; i < kt_kernel_count; i++)
        if (kt_kernel_present(&kt_kernels[i]))
            operation[count++] = (struct operation){.kernel = &kt_kernels[i]};
    return count;
}

static void measure(struct operation *operation, size_t count, int rounds, double seconds)
{
    struct chains *chains = kt_resize(NULL, count * KT_STREAMS_MAX, sizeof *chains);
    struct kt_lap *lap = kt_resize(NULL, count * KT_STREAMS_MAX, sizeof *lap);
    size_t items = 0;
    for (size_t i = 0; i < count; i++)
        for (int streams = 1; streams <= kt_kernel_streams(operation[i].kernel); streams++) {
            chains[items] = (struct chains){operation[i].kernel, streams, 0, &operation[i].cost[streams]};
            choose_passes(&chains[items++]);
        }
    kt_laps(items, rounds, seconds, lap_of, chains, lap);
    for (size_t i = 0; i < items; i++)
        *chains[i].cost = lap[i].cycles / ((double)chains[i].passes * (KT_CHAIN_LENGTH / chains[i].streams));
    for (size_t i = 0; i < count; i++)
        evaluate(&operation[i]);
    free(lap);
    free(chains);
}

static char *type_name(const struct kt_probe_kernel *k, char *out, size_t size)
{
    snprintf(out, size, k->lanes > 1 ? "%s x%d" : "%s", k->type, k->lanes);
    return out;
}

static json_t *operations_json(const struct operation *operation, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct operation *op = &operation[i];
        char type[32];
        if (!strcmp(op->kernel->operation, "balance"))
            continue;
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:i, s:f, s:f, s:i, s:b}", "name", op->kernel->operation, "type",
                                        type_name(op->kernel, type, sizeof type), "lanes", op->kernel->lanes,
                                        "latency_cycles", op->latency, "throughput_per_cycle", op->throughput,
                                        "in_flight", op->in_flight, "in_flight_at_least", op->at_least));
    }
    return array;
}

static const struct operation *find(const struct operation *operation, size_t count, const char *name,
                                    const struct kt_probe_kernel *like)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(operation[i].kernel->operation, name) && !strcmp(operation[i].kernel->type, like->type) &&
            operation[i].kernel->lanes == like->lanes)
            return &operation[i];
    return NULL;
}

/* X-Ray (section 3) asks whether a fused operation is as fast as a multiplication. One made of two would take the time
 * of both, half a cycle being what a measurement may be off: additions that take two cycles leave no more between. */
static bool is_fused(const struct operation *operation, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(operation[i].kernel->operation, "fma") != 0 || strcmp(operation[i].kernel->type, "double") != 0)
            continue;
        const struct operation *mul = find(operation, count, "mul", operation[i].kernel);
        const struct operation *add = find(operation, count, "add", operation[i].kernel);
        return mul && add && operation[i].latency < mul->latency + add->latency - 0.5 &&
               operation[i].throughput > 0.75 * mul->throughput;
    }
    return false;
}

static json_t *peaks_json(const struct operation *operation, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct kt_probe_kernel *k = operation[i].kernel;
        char type[32];
        char name[64];
        if (k->flops == 0 || !strcmp(k->operation, "div"))
            continue;
        snprintf(name, sizeof name, "%s %s", k->operation, type_name(k, type, sizeof type));
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:b}", "name", name, "operation", k->operation,
                                        "type", k->type, "lanes", k->lanes, "cores", 1, "flops_per_cycle",
                                        operation[i].throughput * k->flops, "at_least", operation[i].at_least));
    }
    return array;
}

static void add_curves(struct kt_probe *probe, const struct operation *operation, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double x[KT_STREAMS_MAX];
        int most = kt_kernel_streams(operation[i].kernel);
        double step = operation[i].in_flight;
        char type[32];
        char name[64];
        for (int s = 0; s < most; s++)
            x[s] = s + 1;
        snprintf(name, sizeof name, "%s %s", operation[i].kernel->operation,
                 type_name(operation[i].kernel, type, sizeof type));
        kt_probe_curve(probe, name, "chains", "cycles", x, operation[i].cost + 1, (size_t)most, &step, 1);
    }
}

void kt_probe_operations(struct kt_probe *probe)
{
    struct operation *operation = kt_resize(NULL, kt_kernel_count, sizeof *operation);
    size_t count = choose_kernels(operation);
    measure(operation, count, probe->quick ? 30 : 100, probe->quick ? 1 : 4);
    json_object_set_new(probe->answer, "operations", operations_json(operation, count));
    json_object_set_new(probe->answer, "fma", json_boolean(is_fused(operation, count)));
    json_object_set_new(probe->answer, "peak", peaks_json(operation, count));
    add_curves(probe, operation, count);
    free(operation);
}
