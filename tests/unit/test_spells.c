/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces that tell how fast the machine was: what is read, which calls met what, and what they lost. */
#include "model/decomposition/spells.h"
#include "tests/unit/read_back.h"
#include "trace/base/memory.h"
#include "trace/read/readings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TID = 7, US = KT_GEN_HZ / 1000000, ADDITIONS = 1000, LOADS = 10 };

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * fabs(b) + 1e-15))
        fail_msg("%.17g instead of %.17g", a, b);
}

/* What a reading says: nanoseconds of an addition of the chain, of a load; a wide one takes a quarter of the chain's.
 */
struct said {
    uint64_t at; /* us */
    double chain, memory;
    uint64_t processor; /* us; KT_YARD_UNKNOWN: not known */
};

static void add_reading(struct kt_gen *gen, struct said said)
{
    const double ns = KT_GEN_HZ / 1e9;
    uint64_t chain = (uint64_t)(said.chain * ns * ADDITIONS) + KT_GEN_CLOCK_TICKS;
    uint64_t memory = (uint64_t)(said.memory * ns * LOADS) + KT_GEN_CLOCK_TICKS;
    uint64_t word[KT_YARDSTICK_WORDS] = {KT_EVENT_YARDSTICK | KT_YARDSTICK_WORDS << 8 | (uint64_t)LOADS << 16 |
                                             (uint64_t)ADDITIONS << 32,
                                         KT_GEN_ORIGIN + said.at * US,
                                         chain | chain << 32,
                                         memory,
                                         said.processor,
                                         3 | (uint64_t)4 << 32};
    kt_gen_event(gen, TID, word, KT_YARDSTICK_WORDS);
}

static void add_call(struct kt_gen *gen, const char *args, uint64_t at, uint64_t us)
{
    kt_gen_call(gen, &(struct kt_gen_call){TID, DOT, 0, at * US, us * US + KT_GEN_CLOCK_TICKS, args});
}

static const char small[] = "5 0x1000 1 0x2000 1";
static const char large[] = "500 0x1000 1 0x2000 1";

static void test_readings(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_readings readings;
    kt_begin_dots(&gen, PID);
    add_reading(&gen, (struct said){1000, 0.25, 100, 700});
    add_call(&gen, small, 2000, 10);
    add_reading(&gen, (struct said){3000, 1e5, 1e7, KT_YARD_UNKNOWN});
    kt_read_back(&gen, true, &trace);
    kt_readings_load(&trace.process[0], 0, &readings);
    assert_int_equal(readings.count, 2);
    assert_true(readings.reading[0].start == KT_GEN_ORIGIN + 1000 * US);
    assert_near(readings.reading[0].speed.chain, 0.25e-9);
    assert_near(readings.reading[0].speed.wide, 0.0625e-9);
    assert_near(readings.reading[0].speed.memory, 100e-9);
    assert_near(readings.reading[0].processor, 700e-6);
    assert_int_equal(readings.reading[0].taken, 3);
    assert_int_equal(readings.reading[0].given, 4);
    assert_near(readings.reading[1].speed.chain, 1e-8); /* it was interrupted */
    assert_near(readings.reading[1].speed.memory, 2e-6);
    assert_true(isnan(readings.reading[1].processor));
    assert_int_equal(kt_readings_before(&readings, KT_GEN_ORIGIN, 0), 0);
    assert_int_equal(kt_readings_before(&readings, KT_GEN_ORIGIN + 3000 * US - 1, 0), 0);
    assert_int_equal(kt_readings_before(&readings, KT_GEN_ORIGIN + 3000 * US, 0), 1);
    kt_readings_free(&readings);
    assert_int_equal(trace.notes, 0);
    kt_read_done(&trace, &gen);
}

/* An event that is too short ends what can be read. */
static void test_short_event(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    uint64_t word[2] = {KT_EVENT_YARDSTICK | 2 << 8 | 1 << 16 | (uint64_t)1 << 32, KT_GEN_ORIGIN};
    kt_begin_dots(&gen, PID);
    add_call(&gen, small, 1000, 10);
    kt_gen_event(&gen, TID, word, 2);
    kt_read_back(&gen, true, &trace);
    assert_int_equal(trace.notes, 1);
    kt_read_done(&trace, &gen);
}

static const char one_thread[] = "library\t0\tlibblas.so.3\t\t4\t1";
static const char two_threads[] = "library\t0\tlibblas.so.3\t\t4\t2";

struct found {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_shapes shapes;
    struct kt_spells *spells;
    struct kt_recorded_speed speed;
};

/* LIBRARY: its line of the definitions. */
static void find(struct found *f, const char *library)
{
    kt_gen_end(&f->gen, true);
    kt_gen_replace_line(&f->gen, "definitions", "library", library);
    kt_open_fine(&f->gen, &f->trace);
    kt_shapes_collect(&f->trace, KT_OUTERMOST, &f->shapes);
    f->spells = kt_resize(NULL, f->shapes.count, sizeof *f->spells);
    kt_spells_find(&f->trace, &f->shapes, f->spells, &f->speed);
}

static void done(struct found *f)
{
    free(f->spells);
    kt_shapes_free(&f->shapes);
    kt_read_done(&f->trace, &f->gen);
}

/* The processor time of readings that lose nothing. */
static void read_all_along(struct kt_gen *gen, uint64_t at, double chain, double memory)
{
    add_reading(gen, (struct said){at, chain, memory, at});
}

/* The clock drops at a half: calls of the one shape met the faster one, of the other the mean of both, and the slower
 * one. */
static void test_speeds(void **state)
{
    (void)state;
    struct found f;
    struct kt_speed speed;
    kt_begin_dots(&f.gen, PID);
    read_all_along(&f.gen, 1000, 0.25, 100);
    add_call(&f.gen, large, 2000, 1000);
    read_all_along(&f.gen, 4000, 0.25, 100);
    add_call(&f.gen, small, 5000, 100);
    read_all_along(&f.gen, 6000, 0.5, 140);
    add_call(&f.gen, small, 7000, 100);
    find(&f, one_thread);
    assert_int_equal(f.shapes.count, 2);
    assert_true(kt_speed_mean(&f.spells[0].speed, &speed));
    assert_near(speed.chain, 0.25e-9);
    assert_near(speed.memory, 100e-9);
    assert_true(kt_speed_mean(&f.spells[1].speed, &speed));
    assert_near(speed.chain, (0.375e-9 + 0.5e-9) / 2);
    assert_near(speed.memory, (120e-9 + 140e-9) / 2);
    assert_near(f.speed.all.speed.weight, 3);
    assert_near(f.speed.slowest, 2e9);
    assert_near(f.speed.fastest, 4e9);
    assert_near(f.speed.all.lost, 0);
    done(&f);
}

/* Of 30 ms the thread had a processor for 10; calls took 28, so at least 18 were lost in them, in the longest first. */
static void test_lost(void **state)
{
    (void)state;
    struct found f;
    kt_begin_dots(&f.gen, PID);
    add_reading(&f.gen, (struct said){0, 0.25, 100, 0});
    add_call(&f.gen, small, 1000, 12000);
    add_call(&f.gen, large, 13000, 16000);
    add_reading(&f.gen, (struct said){30000, 0.25, 100, 10000});
    add_call(&f.gen, large, 31000, 1000);
    add_reading(&f.gen, (struct said){40000, 0.25, 100, 12000}); /* 8 ms without one, 9 outside of the call */
    add_call(&f.gen, large, 40500, 1000);
    add_reading(&f.gen, (struct said){42000, 0.25, 100, KT_YARD_UNKNOWN});
    find(&f, one_thread);
    assert_near(f.spells[0].lost, 16e-3);
    assert_near(f.spells[0].disturbed, 1);
    assert_near(f.spells[0].seconds, 16e-3);
    assert_near(f.spells[1].lost, 2e-3);
    assert_near(f.speed.all.lost, 18e-3);
    assert_near(f.speed.all.disturbed, 2);
    assert_near(f.speed.all.seconds, 28e-3);
    done(&f);
}

/* Whoever waits for threads of the library has no processor either. */
static void test_several_threads(void **state)
{
    (void)state;
    struct found f;
    kt_begin_dots(&f.gen, PID);
    add_reading(&f.gen, (struct said){0, 0.25, 100, 0});
    add_call(&f.gen, small, 1000, 20000);
    add_reading(&f.gen, (struct said){30000, 0.25, 100, 10000});
    find(&f, two_threads);
    assert_near(f.speed.all.lost, 0);
    done(&f);
}

/* Of older traces, and of those without readings, nothing is known. */
static void test_nothing(void **state)
{
    (void)state;
    struct found f;
    struct kt_speed speed;
    kt_begin_dots(&f.gen, PID);
    add_call(&f.gen, small, 1000, 100);
    find(&f, one_thread);
    assert_false(kt_speed_mean(&f.spells[0].speed, &speed));
    assert_false(kt_speed_mean(&f.speed.all.speed, &speed));
    assert_true(isnan(f.speed.slowest));
    done(&f);
}

static void test_ratio(void **state)
{
    (void)state;
    struct kt_speed a = {0.5e-9, 0.25e-9, 150e-9};
    struct kt_speed b = {0.25e-9, 0.0625e-9, 100e-9};
    struct kt_speed ratio = kt_speed_ratio(&a, &b);
    assert_near(ratio.chain, 2);
    assert_near(ratio.wide, 2);
    assert_near(ratio.memory, 1.5);
    struct kt_speed_sums sums = {0};
    kt_speed_add(&sums, &a, 1);
    kt_speed_add(&sums, &b, 3);
    assert_true(kt_speed_mean(&sums, &ratio));
    assert_near(ratio.chain, 0.3125e-9);
    kt_speed_add(&sums, &(struct kt_speed){NAN, 1, 1}, 1); /* from a damaged store */
    assert_false(kt_speed_mean(&sums, &ratio));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readings), cmocka_unit_test(test_short_event),     cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_lost),     cmocka_unit_test(test_several_threads), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_ratio),
    };
    return cmocka_run_group_tests_name("spells", tests, NULL, NULL);
}
