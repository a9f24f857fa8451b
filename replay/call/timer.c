/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/call/timer.h"

#include <math.h>

const char *const kt_timer_names[3] = {[KT_TIMER_WALL] = "wall", [KT_TIMER_CPU] = "cpu", [KT_TIMER_SETS] = "sets"};

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Both clocks at one moment: the shortest of some tries, as an interruption between the readings would part them. */
static void read_both(uint64_t *ticks, uint64_t *ns)
{
    enum { TRIES = 20 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = kt_clock_stop();
        uint64_t now = nanoseconds(CLOCK_MONOTONIC);
        uint64_t took = kt_clock_stop() - before;
        if (took >= least)
            continue;
        least = took;
        *ticks = before + took / 2;
        *ns = now;
    }
}

double kt_timer_tick(void)
{
    enum { LONG_ENOUGH_NS = 20000000 };
    static double tick;
    uint64_t ticks[2];
    uint64_t ns[2];
    if (tick > 0)
        return tick;
    read_both(&ticks[0], &ns[0]);
    while (nanoseconds(CLOCK_MONOTONIC) - ns[0] < LONG_ENOUGH_NS)
        ;
    read_both(&ticks[1], &ns[1]);
    return tick = (double)(ns[1] - ns[0]) * 1e-9 / (double)(ticks[1] - ticks[0]);
}

static uint64_t reading(enum kt_timer_kind kind)
{
    return kind != KT_TIMER_CPU ? kt_clock_stop() : nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

/* What lies between two readings made at once: at least that for a clock whose errors have one sign, usually that for
 * the other. The least difference above 0 shows how far apart the values are that it can have at all. */
static void measure_cost(struct kt_timer *timer)
{
    enum { TRIES = 400 };
    double took[TRIES];
    timer->resolution = 0;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = reading(timer->kind);
        took[i] = (double)(reading(timer->kind) - before) * timer->seconds_per_tick;
        if (took[i] > 0 && (timer->resolution == 0 || took[i] < timer->resolution))
            timer->resolution = took[i];
    }
    struct kt_stat stat = kt_stat_of(took, TRIES, KT_BEST_MEDIAN);
    timer->overhead = timer->kind != KT_TIMER_CPU ? stat.min : stat.median;
    for (int i = 1; i < TRIES; i++) {
        double step = took[i] - took[i - 1];
        if (step > 0.5 * timer->seconds_per_tick && step < timer->resolution)
            timer->resolution = step;
    }
}

void kt_timer_open(enum kt_timer_kind kind, struct kt_timer *out)
{
    *out = (struct kt_timer){.kind = kind, .seconds_per_tick = kind != KT_TIMER_CPU ? kt_timer_tick() : 1e-9};
    measure_cost(out);
    out->origin = reading(kind);
}

double kt_timer_read(const struct kt_timer *timer)
{
    return (double)(int64_t)(reading(timer->kind) - timer->origin) * timer->seconds_per_tick;
}

double kt_timer_between(const struct kt_timer *timer, double before, double after)
{
    double seconds = after - before - timer->overhead;
    return seconds > 0 ? seconds : 0;
}

double kt_timer_least(const struct kt_timer *timer, double relative_error)
{
    double uncertain = timer->resolution > timer->overhead ? timer->resolution : timer->overhead;
    return uncertain / relative_error;
}

int kt_timer_calls(const struct kt_timer *timer, double seconds)
{
    static const double error = 0.02;
    if (timer->kind == KT_TIMER_CPU || !(timer->resolution > 0))
        return 1;
    double steps = timer->resolution / (error * fmax(seconds, 1e-10));
    double calls = steps * steps / 6;
    return calls <= 1 ? 1 : calls < KT_MOST_READINGS ? (int)calls + 1 : KT_MOST_READINGS;
}

/* Of what is at most MOST. */
static double mean_below(const double *value, size_t count, double most)
{
    double sum = 0;
    size_t counted = 0;
    for (size_t i = 0; i < count; i++) {
        sum += value[i] <= most ? value[i] : 0;
        counted += value[i] <= most;
    }
    return sum / (double)counted;
}

double kt_timer_mean(double *seconds, int count, double step)
{
    double median = kt_stat_of(seconds, (size_t)count, KT_BEST_MEDIAN).median;
    double mean = count > 1 ? mean_below(seconds, (size_t)count, median + 8 * step) : *seconds;
    return fmax(mean, step / 2 / sqrt(count));
}

bool kt_timer_fits(enum kt_timer_kind kind, int threads)
{
    return kind != KT_TIMER_CPU || threads == 1;
}

enum kt_best kt_timer_best(enum kt_timer_kind kind)
{
    return kind != KT_TIMER_CPU ? KT_BEST_QUARTILE : KT_BEST_MEDIAN;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void do_nothing(void)
{
    __asm__ volatile("");
}

static void (*volatile nothing)(void) = do_nothing;

static double time_thunk(kt_thunk *thunk, const struct kt_parameters *parameters)
{
    struct kt_returned returned;
    kt_clock_stop();
    uint64_t start = kt_clock_start();
    thunk((void *)nothing, parameters, &returned);
    return (double)(kt_clock_stop() - start);
}

static double time_call(void)
{
    kt_clock_stop();
    uint64_t start = kt_clock_start();
    nothing();
    return (double)(kt_clock_stop() - start);
}

/* Without those that were interrupted. A mean, as a difference may be less than a step of the clock. */
static double mean_of_most(double *ticks, size_t count)
{
    return mean_below(ticks, count, 2 * kt_stat_of(ticks, count, KT_BEST_MEDIAN).median);
}

double kt_timer_thunk(kt_thunk *thunk, const struct kt_parameters *parameters)
{
    enum { TRIES = 401 };
    double by_thunk[TRIES];
    double direct[TRIES];
    for (int i = 0; i < TRIES; i++) {
        by_thunk[i] = time_thunk(thunk, parameters);
        direct[i] = time_call();
    }
    double more = mean_of_most(by_thunk, TRIES) - mean_of_most(direct, TRIES);
    return more > 0 ? more : 0;
}
