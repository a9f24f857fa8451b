/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks, and what disturbs them.
 */
#include "replay/machine/clockrate.h"
#include "replay/measure/disturbance.h"
#include "replay/call/timer.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/timing.h"

/* --- timers ------------------------------------------------------------------------------------------------ */

static void spin(double seconds)
{
    struct timespec begin;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) * 1e-9 < seconds);
}

static void test_wall_time_is_that_of_the_system(void **state)
{
    (void)state;
    judges_times();
    struct kt_timer timer;
    double least = INFINITY;
    kt_timer_open(KT_TIMER_WALL, &timer);
    for (int i = 0; i < 20; i++) {
        double before = kt_timer_read(&timer);
        spin(2e-3);
        least = fmin(least, kt_timer_between(&timer, before, kt_timer_read(&timer)));
    }
    assert_true(least > 1.998e-3 && least < 2.02e-3);
}

static void test_cpu_time_leaves_out_sleep(void **state)
{
    (void)state;
    judges_times();
    struct kt_timer cpu;
    struct kt_timer wall;
    kt_timer_open(KT_TIMER_CPU, &cpu);
    kt_timer_open(KT_TIMER_WALL, &wall);
    double before = kt_timer_read(&cpu);
    double start = kt_timer_read(&wall);
    usleep(30000);
    assert_true(kt_timer_read(&wall) - start > 0.03);
    assert_true(kt_timer_read(&cpu) - before < 0.01);
    before = kt_timer_read(&cpu);
    spin(0.02);
    double busy = kt_timer_read(&cpu) - before;
    assert_true(busy > 1e-3 && busy < 0.022); /* less than wall time where others run too */
}

static double median_of_nothing(const struct kt_timer *timer)
{
    enum { TRIES = 101 };
    double took[TRIES];
    for (int i = 0; i < TRIES; i++) {
        double before = kt_timer_read(timer);
        took[i] = kt_timer_between(timer, before, kt_timer_read(timer));
        assert_true(took[i] >= 0);
    }
    return kt_stat_of(took, TRIES, KT_BEST_MEDIAN).median;
}

/* What readings cost is removed: nothing takes no time, within what the timer resolves. The overhead is measured just
 * before: the median of many such pairs is not that of a moment. */
static void test_nothing_takes_no_time(void **state)
{
    enum { PAIRS = 31 };
    (void)state;
    judges_times();
    for (int kind = KT_TIMER_WALL; kind <= KT_TIMER_CPU; kind++) {
        double of_overhead[PAIRS];
        for (int i = 0; i < PAIRS; i++) {
            struct kt_timer timer;
            kt_timer_open((enum kt_timer_kind)kind, &timer);
            assert_true(timer.overhead > 0 && timer.overhead < 1e-4);
            assert_true(timer.resolution > 0 && timer.resolution <= timer.overhead);
            of_overhead[i] = median_of_nothing(&timer) / timer.overhead;
        }
        assert_true(kt_stat_of(of_overhead, PAIRS, KT_BEST_MEDIAN).median < 1.01); /* rounding */
    }
}

/* Seconds are exact to the tick, also when the counter of the processor has run for years. */
static void test_no_rounding(void **state)
{
    (void)state;
    struct kt_timer timer;
    kt_timer_open(KT_TIMER_WALL, &timer);
    assert_true(kt_timer_read(&timer) < 1); /* counts from when it was opened */
    timer.origin += UINT64_C(1) << 40;      /* the future: differences have a sign */
    assert_true(kt_timer_read(&timer) < 0);
}

static void test_policy(void **state)
{
    (void)state;
    struct kt_timer timer = {.overhead = 2e-8, .resolution = 1e-6};
    assert_true(kt_timer_fits(KT_TIMER_WALL, 1) && kt_timer_fits(KT_TIMER_WALL, 8));
    assert_true(kt_timer_fits(KT_TIMER_CPU, 1) && !kt_timer_fits(KT_TIMER_CPU, 2));
    assert_int_equal(kt_timer_best(KT_TIMER_CPU), KT_BEST_MEDIAN);
    assert_int_not_equal(kt_timer_best(KT_TIMER_WALL), KT_BEST_MEDIAN);
    assert_true(fabs(kt_timer_least(&timer, 0.01) - 1e-4) < 1e-12);
}

typedef void plain(void);

static void light_thunk(void *function, const struct kt_parameters *parameters, struct kt_returned *out)
{
    (void)parameters, (void)out;
    ((plain *)function)();
}

static void heavy_thunk(void *function, const struct kt_parameters *parameters, struct kt_returned *out)
{
    (void)parameters, (void)out;
    for (volatile int i = 0; i < 1000; i++)
        ;
    ((plain *)function)();
}

/* A thunk costs what it does besides the call. */
static void test_cost_of_a_thunk(void **state)
{
    (void)state;
    judges_times();
    const struct kt_parameters none = {0};
    double light = INFINITY;
    double heavy = INFINITY;
    for (int i = 0; i < 20; i++) {
        light = fmin(light, kt_timer_thunk(light_thunk, &none));
        heavy = fmin(heavy, kt_timer_thunk(heavy_thunk, &none));
    }
    assert_true(light >= 0 && light * kt_timer_tick() < 2e-8);
    assert_true(heavy > 10 * light && heavy * kt_timer_tick() > 1e-7);
}

/* --- rate of the core -------------------------------------------------------------------------------------- */

/* A turn is 16 cycles: of a clock of 3 GHz without and with steps, of 25 MHz, of 1 MHz. */
static void test_slow_clocks_need_long_chains(void **state)
{
    (void)state;
    assert_int_equal(kt_clockrate_turns(16, 20), 64);
    assert_int_equal(kt_clockrate_turns(16, 50), 256); /* 2,500 ticks: a step of 25 is one percent */
    double slow = 16 / 3e9 * 25e6;
    int turns = kt_clockrate_turns(slow, 1);
    assert_true(turns * slow >= 200 && turns * slow < 400);
    assert_int_equal(kt_clockrate_turns(16 / 3e9 * 1e6, 1), 0);
}

#if defined(__x86_64__) || defined(__aarch64__)
#if defined(__x86_64__)
#define MULTIPLY "imul %1, %0\n\t"
#else
#define MULTIPLY "mul %0, %0, %1\n\t"
#endif
enum { MULTIPLICATIONS = 4 * 4096 };

/* Ticks of a multiplication that waits for the one before. */
static double time_multiplications(void)
{
    uint64_t product = 3;
    uint64_t factor = 3;
    uint64_t start = kt_clock_stop();
    for (int i = 0; i < MULTIPLICATIONS / 4; i++)
        __asm__ volatile(MULTIPLY MULTIPLY MULTIPLY MULTIPLY : "+r"(product) : "r"(factor) : "cc");
    return (double)(kt_clock_stop() - start) / MULTIPLICATIONS;
}

/* Multiplications take three or four cycles on all cores of today, and additions one, which the clock's rate rests on.
 * Another thread of the core takes turns from additions (2.7 was seen); a core that folds them would have 6 and more.
 */
static void test_an_addition_takes_a_cycle(void **state)
{
    (void)state;
    judges_times();
    enum { TRIES = 20 };
    double multiply = INFINITY;
    double rate = 0;
    for (int i = 0; i < TRIES; i++) {
        rate = fmax(rate, kt_clockrate());
        multiply = fmin(multiply, time_multiplications());
    }
    assert_true(multiply * rate > 2 && multiply * rate < 4.5);
}

static void test_rates_agree(void **state)
{
    (void)state;
    judges_times();
    enum { TRIES = 201 };
    double rate[TRIES];
    for (int i = 0; i < TRIES; i++)
        rate[i] = kt_clockrate();
    struct kt_stat stat = kt_stat_of(rate, TRIES, KT_BEST_MEDIAN);
    double hertz = stat.median / kt_timer_tick();
    assert_true(hertz > 0.3e9 && hertz < 8e9);
    assert_true(rate[TRIES * 3 / 4] < 1.5 * rate[TRIES / 4]); /* sorted now */
}
#else
static void test_an_addition_takes_a_cycle(void **state)
{
    (void)state;
    assert_true(isnan(kt_clockrate()));
}

static void test_rates_agree(void **state)
{
    (void)state;
    assert_true(!kt_clockrate_jumped(NAN, NAN));
}
#endif

static void test_cycles(void **state)
{
    (void)state;
    assert_true(kt_clockrate_cycles(1000, 1.5, 1.7) == 1600);
    assert_true(!kt_clockrate_jumped(1.5, 1.53));
    assert_true(kt_clockrate_jumped(1.5, 1.6) && kt_clockrate_jumped(1.6, 1.5));
    assert_true(!kt_clockrate_jumped(NAN, 1.5)); /* not known is no jump */
}

/* --- disturbances ------------------------------------------------------------------------------------------ */

static void test_bits(void **state)
{
    (void)state;
    const struct kt_witness before = {.switches = 3, .faults = 10, .cpu = 1, .rate = 1.6};
    struct kt_witness after = before;
    assert_int_equal(kt_witness_compare(&before, &after), 0);
    after.switches++;
    assert_int_equal(kt_witness_compare(&before, &after), 1 << KT_DISTURBED_SWITCH);
    after = before;
    after.faults += 2;
    after.cpu = 0;
    assert_int_equal(kt_witness_compare(&before, &after), 1 << KT_DISTURBED_FAULT | 1 << KT_DISTURBED_MOVED);
    after = before;
    after.rate = 1.1;
    assert_int_equal(kt_witness_compare(&before, &after), 1 << KT_DISTURBED_CLOCK);
}

static void test_counting(void **state)
{
    (void)state;
    struct kt_disturbances d = {0};
    struct kt_disturbances sum = {0};
    const struct kt_witness before = {.switches = 3, .rate = 1};
    assert_true(isnan(kt_disturbances_clock(&d)));
    struct kt_witness after = before;
    assert_int_equal(kt_disturbances_add(&d, &before, &after), 0);
    after.rate = 2;
    assert_int_equal(kt_disturbances_add(&d, &before, &after), 1 << KT_DISTURBED_CLOCK);
    after.switches++;
    kt_disturbances_add(&d, &before, &after);
    assert_true(fabs(kt_disturbances_clock(&d) * kt_timer_tick() - (1 + 1.5 + 1.5) / 3) < 1e-9);
    kt_disturbances_merge(&sum, &d);
    kt_disturbances_merge(&sum, &d);
    assert_true(sum.samples == 6 && sum.disturbed == 4 && sum.by[KT_DISTURBED_CLOCK] == 4);
    assert_true(kt_disturbances_clock(&sum) == kt_disturbances_clock(&d));
    assert_int_equal(d.samples, 3);
    assert_int_equal(d.disturbed, 2);
    assert_int_equal(d.by[KT_DISTURBED_SWITCH], 1);
    assert_int_equal(d.by[KT_DISTURBED_CLOCK], 2);
    assert_int_equal(d.by[KT_DISTURBED_FAULT], 0);
    for (int i = 0; i < KT_DISTURBANCE_KINDS; i++)
        assert_non_null(kt_disturbance_key[i]);
}

static void test_page_faults_are_seen(void **state)
{
    (void)state;
    struct kt_witness before;
    struct kt_witness after;
    volatile char *fresh = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(fresh, MAP_FAILED);
    kt_witness_take(&before);
    kt_witness_take(&before); /* code and stack are there now */
    fresh[0] = 1;
    kt_witness_take(&after);
    assert_true(kt_witness_compare(&before, &after) & 1 << KT_DISTURBED_FAULT);
    kt_witness_take(&before);
    fresh[0] = 2;
    kt_witness_take(&after);
    assert_false(kt_witness_compare(&before, &after) & 1 << KT_DISTURBED_FAULT);
    munmap((void *)fresh, 1 << 16);
}

static void test_migrations_are_seen(void **state)
{
    (void)state;
    struct kt_witness before;
    struct kt_witness after;
    cpu_set_t all;
    cpu_set_t one;
    sched_getaffinity(0, sizeof all, &all);
    if (CPU_COUNT(&all) < 2)
        skip();
    kt_witness_take(&before);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all) || cpu == before.cpu)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        break;
    }
    kt_witness_take(&after);
    sched_setaffinity(0, sizeof all, &all);
    assert_true(kt_witness_compare(&before, &after) & 1 << KT_DISTURBED_MOVED);
}

/* --- a clock that moves in steps -------------------------------------------------------------------------- */

/* What a clock with steps of 10 ns says of SECONDS, begun at any moment; one call in fifty is interrupted. */
static double reading_of(double seconds)
{
    static const double step = 1e-8;
    double begin = step * rand() / RAND_MAX;
    double interrupted = rand() % 50 ? 0 : 3e-6;
    return step * (floor((begin + seconds + interrupted) / step) - floor(begin / step));
}

static void test_means_of_short_calls(void **state)
{
    (void)state;
    const struct kt_timer timer = {.kind = KT_TIMER_WALL, .resolution = 1e-8};
    for (double seconds = 7e-9; seconds < 2e-7; seconds *= 1.37) {
        double of_many = 0;
        for (int i = 0; i < 40; i++) {
            double reading[KT_MOST_READINGS];
            int calls = kt_timer_calls(&timer, seconds);
            for (int j = 0; j < calls; j++)
                reading[j] = reading_of(seconds);
            of_many += kt_timer_mean(reading, calls, timer.resolution) / 40;
        }
        assert_true(fabs(of_many / seconds - 1) < 0.03);
    }
}

static void test_how_many_readings(void **state)
{
    (void)state;
    struct kt_timer timer = {.kind = KT_TIMER_WALL, .resolution = 1e-8};
    assert_int_equal(kt_timer_calls(&timer, 1e-6), 1);
    assert_int_equal(kt_timer_calls(&timer, 1e-7), 5);
    assert_int_equal(kt_timer_calls(&timer, 0), KT_MOST_READINGS);
    timer.resolution = 5e-10; /* a counter without steps */
    assert_int_equal(kt_timer_calls(&timer, 2e-8), 1);
    timer.kind = KT_TIMER_CPU;
    assert_int_equal(kt_timer_calls(&timer, 0), 1);
    double nothing[] = {0, 0, 0, 0};
    assert_true(kt_timer_mean(nothing, 4, 1e-8) == 2.5e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall_time_is_that_of_the_system),
        cmocka_unit_test(test_cpu_time_leaves_out_sleep),
        cmocka_unit_test(test_nothing_takes_no_time),
        cmocka_unit_test(test_no_rounding),
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_cost_of_a_thunk),
        cmocka_unit_test(test_slow_clocks_need_long_chains),
        cmocka_unit_test(test_an_addition_takes_a_cycle),
        cmocka_unit_test(test_rates_agree),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_counting),
        cmocka_unit_test(test_page_faults_are_seen),
        cmocka_unit_test(test_migrations_are_seen),
        cmocka_unit_test(test_means_of_short_calls),
        cmocka_unit_test(test_how_many_readings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
