/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The prediction of what a full trace costs, on runs whose cost is easily told.
 */
#include "model/report/score.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A run of 10 s of one process with one thread: 10,000 calls of dgemm of 0.9 ms and 990,000 of dcopy of 100 ns. */
struct run {
    struct kt_pair option;
    struct kt_process process;
    struct kt_trace trace;
    struct kt_sum routine[2];
    struct kt_sum thread;
    struct kt_summary summary;
};

static void make_run(struct run *run)
{
    *run = (struct run){
        .option = {"option", "SAMPLE\t1"},
        .process = {.metas = 1,
                    .start = 0,
                    .seconds = 10,
                    .tick_hz = 1e9,
                    .self_ticks = 50,
                    .calls = 1000000,
                    .event_bytes = 30000000},
        .routine = {{.routine = "dgemm", .calls = 10000, .seconds_self = 9},
                    {.routine = "dcopy", .calls = 990000, .seconds_self = 0.099}},
        .thread = {.calls = 1000000},
    };
    run->process.meta = &run->option;
    run->thread.process = &run->process;
    run->trace = (struct kt_trace){.process = &run->process, .processes = 1};
    run->summary = (struct kt_summary){.calls = 1000000,
                                       .first = &run->process,
                                       .seconds = 10,
                                       .routines = {run->routine, 2},
                                       .threads = {&run->thread, 1}};
}

static struct kt_score score_of(const struct run *run, double overhead, double bytes_per_hour)
{
    struct kt_score score;
    const struct kt_score_limits limits = {overhead, bytes_per_hour};
    kt_score_make(&run->trace, &run->summary, &limits, &score);
    return score;
}

static void assert_near(double expected, double found)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g expected, %.17g found", expected, found);
}

/* 10^6 calls at 50 ns took 0.05 s of the 10: the program alone takes 9.95. */
static void test_cost_of_a_full_trace(void **state)
{
    (void)state;
    struct run run;
    make_run(&run);
    struct kt_score score = score_of(&run, 0.01, 1e12);
    assert_near(100000, score.full.calls_per_second);
    assert_near(30, score.bytes_per_call);
    assert_near(3e6, score.full.bytes_per_second);
    assert_near(50e-9, score.seconds_per_call);
    assert_near(0.05 / 9.95, score.full.overhead);
    assert_int_equal(score.setting, KT_SETTING_FULL);
    kt_score_free(&score);
}

static void test_routines_by_number_of_calls(void **state)
{
    (void)state;
    struct run run;
    make_run(&run);
    struct kt_score score = score_of(&run, 0.01, 1e12);
    assert_int_equal(score.routines, 2);
    assert_string_equal(score.routine[0].name, "dcopy");
    assert_near(0.99, score.routine[0].share);
    assert_near(1e-7, score.routine[0].seconds_call);
    assert_near(9 / 9.099, score.routine[1].share_time);
    kt_score_free(&score);
}

static void test_a_filter_of_the_routines_that_take_the_time(void **state)
{
    (void)state;
    struct run run;
    make_run(&run);
    struct kt_score score = score_of(&run, 0.001, 1e12);
    assert_string_equal(score.filter, "dgemm");
    assert_near(9 / 9.099, score.filtered_time);
    assert_near(0.01 * 0.05 / 9.95, score.filtered.overhead);
    assert_near(3e4, score.filtered.bytes_per_second);
    assert_int_equal(score.setting, KT_SETTING_FILTER);
    kt_score_free(&score);
}

static void test_a_filter_names_what_is_left_out_where_that_is_shorter(void **state)
{
    (void)state;
    struct kt_sum routine[] = {{.routine = "dgemm", .calls = 4000, .seconds_self = 3},
                               {.routine = "dgetrf", .calls = 3000, .seconds_self = 3},
                               {.routine = "dsyevd", .calls = 3000, .seconds_self = 3},
                               {.routine = "dcopy", .calls = 990000, .seconds_self = 0.099}};
    struct run run;
    make_run(&run);
    run.summary.routines = (struct kt_sums){routine, 4};
    struct kt_score score = score_of(&run, 0.001, 1e12);
    assert_string_equal(score.filter, "!dcopy");
    assert_near(9 / 9.099, score.filtered_time);
    assert_near(0.01 * 0.05 / 9.95, score.filtered.overhead);
    kt_score_free(&score);
}

static void test_no_filter_where_it_saves_little(void **state)
{
    (void)state;
    struct run run;
    make_run(&run);
    run.routine[1].seconds_self = 9;
    struct kt_score score = score_of(&run, 0.001, 1e12);
    assert_null(score.filter);
    assert_int_equal(score.setting, KT_SETTING_SAMPLE);
    assert_near(6, score.sample_advised); /* 0.5 % to 0.1 % */
    kt_score_free(&score);
}

static void test_a_profile_where_only_the_size_is_too_much(void **state)
{
    (void)state;
    struct run run;
    make_run(&run);
    run.routine[1].seconds_self = 9;
    struct kt_score score = score_of(&run, 0.01, 1e9);
    assert_int_equal(score.setting, KT_SETTING_PROFILE);
    kt_score_free(&score);
    score = score_of(&run, 0.01, 3600 * 3e6);
    assert_int_equal(score.setting, KT_SETTING_FULL);
    kt_score_free(&score);
}

static void test_a_sample_stands_for_all_calls(void **state)
{
    (void)state;
    struct run run;
    make_run(&run);
    run.option.value = "SAMPLE\t100";
    struct kt_score score = score_of(&run, 0.01, 1e12);
    assert_near(100e6, score.full.calls);
    assert_near(10e6, score.full.calls_per_second);
    assert_near(100 * 0.05 / 9.95, score.full.overhead);
    assert_near(99e6, score.routine[0].calls);
    kt_score_free(&score);
}

/* Sums instead of calls, from a recorder that did not measure itself. */
static void test_what_is_not_known_is_not_made_up(void **state)
{
    (void)state;
    struct run run;
    make_run(&run);
    run.process.self_ticks = 0;
    run.process.event_bytes = 0;
    struct kt_score score = score_of(&run, 0.01, 1e9);
    assert_true(isnan(score.seconds_per_call) && isnan(score.full.overhead));
    assert_true(isnan(score.bytes_per_call) && isnan(score.full.bytes_per_second));
    assert_int_equal(score.setting, KT_SETTING_FULL);
    kt_score_free(&score);
}

/* The slower of two processes that run one after the other decides; rates are over the time of both. */
static void test_several_processes(void **state)
{
    (void)state;
    struct run run;
    make_run(&run);
    struct kt_process two[2] = {run.process, run.process};
    two[1].start = 10;
    two[1].self_ticks = 100;
    struct kt_sum threads[2] = {{.process = &two[0], .calls = 1000000}, {.process = &two[1], .calls = 1000000}};
    run.trace = (struct kt_trace){.process = two, .processes = 2};
    run.summary.threads = (struct kt_sums){threads, 2};
    run.summary.calls = 2000000;
    struct kt_score score = score_of(&run, 0.01, 1e12);
    assert_near(20, score.seconds);
    assert_near(100000, score.full.calls_per_second);
    assert_near(75e-9, score.seconds_per_call);
    assert_near(0.1 / 9.9, score.full.overhead);
    kt_score_free(&score);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost_of_a_full_trace),
        cmocka_unit_test(test_routines_by_number_of_calls),
        cmocka_unit_test(test_a_filter_of_the_routines_that_take_the_time),
        cmocka_unit_test(test_a_filter_names_what_is_left_out_where_that_is_shorter),
        cmocka_unit_test(test_no_filter_where_it_saves_little),
        cmocka_unit_test(test_a_profile_where_only_the_size_is_too_much),
        cmocka_unit_test(test_a_sample_stands_for_all_calls),
        cmocka_unit_test(test_what_is_not_known_is_not_made_up),
        cmocka_unit_test(test_several_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
