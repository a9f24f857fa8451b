/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/loops/stopwatch.h"

#include "ktrace/clock.h"
#include "model/analysis/analysis.h"
#include "model/loops/probe_kernels.h"
#include "trace/base/memory.h"

#include <math.h>
#include <time.h>

enum { CLOCK_PASSES = 80, CLOCK_CYCLES = CLOCK_PASSES * KT_CHAIN_LENGTH };

/* So many that one more or less is half a percent. Some counters have 24 million a second. */
static const double least_ticks = 200;
static double overhead = -1; /* not known yet */

static double ticks_of(void (*work)(void *context), void *context, int times)
{
    if (overhead < 0)
        overhead = (double)kt_clock_cost();
    uint64_t start = kt_clock_start();
    for (int i = 0; i < times; i++)
        work(context);
    return fmax(1, (double)(kt_clock_stop() - start) - overhead);
}

/* Of one run of the work, which is repeated TIMES, or as often as the clock needs. */
static double ticks_in(void (*work)(void *context), void *context, int *times)
{
    double ticks = ticks_of(work, context, *times);
    while (ticks < least_ticks) {
        *times *= 2;
        ticks = ticks_of(work, context, *times);
    }
    return ticks / *times;
}

static void additions(void *context)
{
    (void)context;
    kt_kernel_clock(CLOCK_PASSES);
}

double kt_ticks_per_cycle(void)
{
    static int times = 1;
    return ticks_in(additions, NULL, &times) / CLOCK_CYCLES;
}

struct kt_lap kt_lap(void (*work)(void *context), void *context, int runs)
{
    double cycle = kt_ticks_per_cycle();
    double ticks = INFINITY;
    int times = 1;
    for (int i = 0; i < runs; i++) {
        ticks = fmin(ticks, ticks_in(work, context, &times));
        cycle = fmin(cycle, kt_ticks_per_cycle());
    }
    return (struct kt_lap){ticks, ticks / cycle};
}

double kt_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Both clocks at the same moment: of some tries the one that took least. */
static double moment(double *ticks)
{
    double best = INFINITY;
    double seconds = 0;
    for (int i = 0; i < 20; i++) {
        double start = (double)kt_clock_start();
        double now = kt_seconds_now();
        double stop = (double)kt_clock_stop();
        if (stop - start < best) {
            best = stop - start;
            *ticks = (start + stop) / 2;
            seconds = now;
        }
    }
    return seconds;
}

double kt_ticks_per_second(double seconds)
{
    double from;
    double to;
    double start = moment(&from);
    while (kt_seconds_now() < start + seconds)
        ;
    double end = moment(&to);
    return (to - from) / (end - start);
}

/* The second lowest: the lowest may owe to a clock that was disturbed a little. Of few the lowest. */
static double low(double *value, size_t n)
{
    double lowest = kt_quantile(value, n, 0);
    return n > 3 ? value[1] : lowest;
}

static struct kt_lap best_of(const struct kt_lap *lap, size_t n)
{
    double *clock = kt_resize(NULL, n, sizeof *clock);
    double *cycles = kt_resize(NULL, n, sizeof *cycles);
    struct kt_lap best = {INFINITY, NAN};
    size_t good = 0;
    for (size_t i = 0; i < n; i++) {
        clock[i] = lap[i].ticks / lap[i].cycles;
        best.ticks = fmin(best.ticks, lap[i].ticks);
    }
    double quarter = kt_quantile(clock, n, 0.25);
    double limit = fmax(1.02 * clock[0], quarter);
    for (size_t i = 0; i < n; i++)
        if (lap[i].ticks / lap[i].cycles <= limit)
            cycles[good++] = lap[i].cycles;
    best.cycles = low(cycles, good);
    free(cycles);
    free(clock);
    return best;
}

static void shuffle(size_t *order, size_t n, uint64_t *seed)
{
    for (size_t i = n; i > 1; i--) {
        size_t other = (size_t)(kt_any_number(seed) % i);
        size_t kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

void kt_laps(size_t items, int rounds, double seconds, struct kt_lap (*item)(void *context, size_t i), void *context,
             struct kt_lap *result)
{
    enum { ROUNDS_LEAST = 3 };
    size_t n = (size_t)rounds;
    double end = kt_seconds_now() + seconds;
    struct kt_lap *lap = kt_resize(NULL, items * n, sizeof *lap);
    size_t *order = kt_resize(NULL, items, sizeof *order);
    uint64_t seed = 1;
    size_t round = 0;
    for (size_t i = 0; i < items; i++)
        order[i] = i;
    for (; round < n && (round < ROUNDS_LEAST || kt_seconds_now() < end); round++) {
        shuffle(order, items, &seed);
        for (size_t i = 0; i < items; i++)
            lap[order[i] * n + round] = item(context, order[i]);
    }
    for (size_t i = 0; i < items; i++)
        result[i] = best_of(lap + i * n, round);
    free(order);
    free(lap);
}
