/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a comparison makes of its samples, and what verifying makes of its runs: sums, ratios, who is best, the best of
 * each, shapes that a library does not run. And the options.
 */
#include "replay/compare/verify.h"
#include "tests/unit/compared_scene.h"
#include "trace/base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* --- options ----------------------------------------------------------------------------------------------- */

static void test_thread_counts(void **state)
{
    (void)state;
    int list[KT_MOST_LANES];
    size_t count;
    struct kt_error error = {0};
    assert_int_equal(kt_thread_counts_parse("1,4,1,16", list, &count, &error), KT_OK);
    assert_int_equal(count, 3);
    assert_int_equal(list[0], 1);
    assert_int_equal(list[2], 16);
    static const char *const wrong[] = {"",  "0",  "-1", "1,",  ",1",          "1,,2",
                                        "a", "1a", " 1", "1;2", "99999999999", "1.5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(kt_thread_counts_parse(wrong[i], list, &count, &error), KT_USAGE);
    assert_int_equal(kt_thread_counts_parse("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", list, &count, &error),
                     KT_USAGE);
}

/* Words separated by blanks, which are changed; at most 15. */
static enum kt_status parse(char *line, struct kt_compare_options *out)
{
    char *argv[16] = {(char *)"compare"};
    int argc = 1;
    struct kt_error error = {0};
    for (char *word; (word = strsep(&line, " "));)
        argv[argc++] = word;
    *out = (struct kt_compare_options){0};
    return kt_compare_options_parse(argc, argv, out, &error);
}

static void test_options(void **state)
{
    (void)state;
    struct kt_compare_options o;
    char plain[] = "--blas a trace --blas b --threads 2 --lapack c --plot p.svg";
    assert_int_equal(parse(plain, &o), KT_OK);
    assert_string_equal(o.replay.trace, "trace");
    assert_int_equal(o.replay.libraries, 2);
    assert_string_equal(o.lapack, "c");
    assert_int_equal(o.thread[0], 2);
    assert_null(o.command);
    char verified[] = "--verify --blas a --runs 3 -- program --blas -- x";
    assert_int_equal(parse(verified, &o), KT_OK);
    assert_null(o.replay.trace);
    assert_int_equal(o.runs, 3);
    assert_string_equal(o.command[0], "program");
    assert_string_equal(o.command[2], "--");
    char with_trace[] = "--verify trace --blas a -- program";
    assert_int_equal(parse(with_trace, &o), KT_OK);
    assert_string_equal(o.replay.trace, "trace");
    assert_int_equal(o.runs, 6);
    char alone[] = "trace"; /* all libraries that are installed */
    assert_int_equal(parse(alone, &o), KT_OK);
    assert_int_equal(o.replay.libraries, 0);
    static const char *const wrong[] = {"--blas a",
                                        "--blas a --runs 3 trace",
                                        "--blas a --without haste trace",
                                        "--blas a --check only --plot p.svg trace",
                                        "--blas a --plot p.csv trace",
                                        "--blas a --check only --context warm trace",
                                        "--blas a --verify trace",
                                        "--blas a trace -- program",
                                        "--blas a --verify --",
                                        "--blas a --verify --runs 0 -- program",
                                        "--blas a one two",
                                        "--blas a trace --context warm,cold"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *copy = kt_copy(wrong[i]);
        assert_int_equal(parse(copy, &o), KT_USAGE);
        free(copy);
    }
}

/* --- sums -------------------------------------------------------------------------------------------------- */

/* Library 1 is twice as fast in dgemm, twice as slow in dgesv; library 2 lacks dgesv and is like the baseline. */
static void test_sums(void **state)
{
    (void)state;
    static const double times[SHAPES][LIBRARIES] = {{0.01, 0.005, 0.01}, {0.01, 0.005, 0.01}, {0.01, 0.02, 0}};
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    kt_compared_scene_times(&s, times);
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(s.c.sum[0].seconds, 3) && kt_compared_scene_near(s.c.sum[1].seconds, 3) &&
                kt_compared_scene_near(s.c.sum[2].seconds, 2));
    assert_true(kt_compared_scene_near(s.c.sum[1].ratio.value, 1) && kt_compared_scene_near(s.c.sum[2].ratio.value, 1));
    assert_true(s.c.sum[1].lo <= s.c.sum[1].seconds && s.c.sum[1].seconds <= s.c.sum[1].hi);
    assert_int_equal(s.c.sum[2].failed, 1);
    assert_true(kt_compared_scene_near(s.c.sum[2].lacking, 1) &&
                kt_compared_scene_near(kt_comparison_blas(&s.c, 2), 3));
    assert_true(kt_compared_scene_near(kt_comparison_multiple(&s.c, 2).value, 1));
    assert_true(kt_compared_scene_near(kt_comparison_application(&s.c, 1), 10));
    assert_int_equal(s.c.routines, 2);
    assert_string_equal(s.c.routine[0].name, "dgemm");
    assert_int_equal(s.c.routine[0].best, 1);
    assert_true(s.c.routine[0].is_certain);
    assert_int_equal(s.c.routine[1].best, 0);
    assert_true(kt_compared_scene_near(s.c.mix.seconds, 2)); /* dgemm on library 1, dgesv on another one */
    assert_string_equal(kt_comparison_failure(&s.c, 2, 2), "has no such routine");
    assert_null(kt_comparison_failure(&s.c, 2, 1));
    kt_compared_scene_close(&s);
}

/* Six pairs of seven say that library 2 is slower, and one that it is not: the interval of the median holds all. */
static void test_best_of_a_shape(void **state)
{
    (void)state;
    static const double times[SHAPES][LIBRARIES] = {{0.01, 0.005, 0.01}, {0.01, 0.02, 0.01}, {0.01, 0.02, 0.02}};
    struct kt_compared_scene s;
    bool is_certain;
    kt_compared_scene_open(&s);
    kt_compared_scene_times(&s, times);
    struct kt_series *series = &s.c.schedule.item[1].lane[2];
    series->visits = 7;
    for (size_t v = 0; v < series->visits; v++)
        series->visit[v] = v == 3 ? 0.0099 : 0.011;
    kt_comparison_sum_up(&s.c);
    assert_int_equal(kt_comparison_shape_best(&s.c, 0, &is_certain), 1);
    assert_true(is_certain);
    assert_int_equal(kt_comparison_shape_best(&s.c, 1, &is_certain), 0);
    assert_int_equal(kt_ratio_verdict(&kt_comparison_cell(&s.c, 1, 2)->ratio), KT_CANNOT_TELL);
    assert_false(is_certain);
    assert_int_equal(kt_comparison_shape_best(&s.c, 2, &is_certain), 0);
    assert_true(is_certain);
    kt_compared_scene_close(&s);
}

/* Over all shapes, whatever the routines are asked; and where a library does not run all, by the multiples. */
static void test_who_is_told_apart(void **state)
{
    (void)state;
    static const double times[SHAPES][LIBRARIES] = {{0.01, 0.02, 0.01}, {0.01, 0.01, 0.01}, {0.01, 0.01, 0}};
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    kt_compared_scene_times(&s, times);
    kt_comparison_sum_up(&s.c);
    assert_int_equal(s.c.mix.library, 0);
    assert_true(s.c.mix.is_apart[1]);
    assert_false(s.c.mix.is_apart[2]);
    kt_compared_scene_close(&s);
}

/* What the baseline cannot run counts for none. */
static void test_baseline_fails(void **state)
{
    (void)state;
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    for (int i = 0; i < SHAPES; i++)
        for (int l = 0; l < LIBRARIES; l++)
            if (i || l)
                kt_compared_scene_time(&s, i, l, 0.01 * (l + 1));
    s.failure[0][0] = (char *)"crashed";
    s.broken[0][0] = true;
    kt_comparison_sum_up(&s.c);
    assert_false(kt_comparison_counts(&s.c, 0));
    assert_true(kt_compared_scene_near(s.c.sum[0].seconds, 2) && kt_compared_scene_near(s.c.sum[1].seconds, 4));
    assert_true(kt_compared_scene_near(kt_comparison_blas(&s.c, 1), 6)); /* it is taken to change as the others */
    assert_true(kt_compared_scene_near(s.c.sum[2].ratio.value, 3));
    assert_true(kt_comparison_found_defect(&s.c));
    assert_string_equal(kt_comparison_verdict(&s.c, 0), "baseline");
    assert_string_equal(kt_comparison_verdict(&s.c, 1), "slower");
    kt_compared_scene_close(&s);
}

/* Pairs are visits of one round, also if one lane has missed some. */
static void test_pairs_by_round(void **state)
{
    (void)state;
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    for (int i = 0; i < SHAPES; i++) {
        for (unsigned v = 0; v < VISITS; v++) {
            double drift = 1 + v;
            double sample[] = {0.01 * drift, 0.02 * drift};
            kt_series_add(&s.c.schedule.item[i].lane[0], v, &sample[0], 1);
            if (v >= 3)
                kt_series_add(&s.c.schedule.item[i].lane[1], v, &sample[1], 1);
        }
        kt_compared_scene_time(&s, i, 2, 0.01);
    }
    kt_comparison_sum_up(&s.c);
    const struct kt_compared *cell = kt_comparison_cell(&s.c, 0, 1);
    assert_int_equal(cell->ratio.n, VISITS - 3);
    assert_true(kt_compared_scene_near(cell->ratio.value, 2) && kt_compared_scene_near(cell->ratio.hi, 2));
    assert_true(isnan(cell->residual) && !cell->wrong);
    kt_compared_scene_close(&s);
}

/* The program is in calls for 4 s, then in two at a time. Of these 8 s 3 were compared, which library 1 halves. */
static void test_wall_time_of_some_calls_of_two_threads(void **state)
{
    (void)state;
    struct kt_compared_scene s;
    kt_compared_scene_recorded(&s, (const double[]){0.01, 0.005, 0.01}, (const double[]){1, 1, 1});
    s.process.streams = 2;
    s.c.options.replay.company = true;
    s.c.together = 2;
    s.c.busy = 4;
    for (int i = 0; i < SHAPES; i++)
        s.c.met[i] = true;
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(kt_comparison_application(&s.c, 0), 10));
    assert_true(kt_compared_scene_near(10 - kt_comparison_application(&s.c, 1), 0.75));
    kt_compared_scene_close(&s);
}

static void test_no_wall_time_of_two_threads(void **state)
{
    (void)state;
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    s.process.streams = 2;
    for (int i = 0; i < SHAPES; i++)
        for (int l = 0; l < LIBRARIES; l++)
            kt_compared_scene_time(&s, i, l, 0.01);
    kt_comparison_sum_up(&s.c);
    assert_true(isnan(kt_comparison_application(&s.c, 1)) && kt_compared_scene_near(kt_comparison_blas(&s.c, 1), 3));
    assert_string_equal(kt_comparison_verdict(&s.c, 1), "no difference");
    kt_compared_scene_close(&s);
}

/* --- verifying --------------------------------------------------------------------------------------------- */

static void test_verify(void **state)
{
    (void)state;
    double blas[3][6] = {{1, 2, 1, 2, 1, 2}, {2, 4, 2, 4, 2, 4}, {1.5, NAN, 1.5, NAN, 1.5, 3}};
    double wall[6] = {1, 1, 1, 1, 1, 1};
    double predicted[] = {1, 2.1, 1.5};
    struct kt_verify v = {.lanes = 3, .runs = 6};
    for (int l = 0; l < 3; l++) {
        v.lane[l].blas = blas[l];
        v.lane[l].typical = blas[l];
        v.lane[l].wall = v.lane[l].cpu = wall;
    }
    kt_verify_sum_up(&v, predicted);
    assert_true(kt_compared_scene_near(v.lane[1].ratio.value, 2) && kt_compared_scene_near(v.lane[1].ratio.lo, 2) &&
                kt_compared_scene_near(v.lane[1].ratio.hi, 2));
    assert_true(fabs(v.lane[1].error - 0.05) < 1e-9 && fabs(v.lane[1].error_typical - 0.05) < 1e-9);
    assert_int_equal(v.lane[2].time.n, 4);
    assert_true(kt_compared_scene_near(v.lane[2].ratio.value, 1.5));
    assert_true(v.is_ordered);
    double other_way[] = {1, 0.5, 1.5};
    double apart[6] = {9, 9, 9, 9, 9, 9};
    v.lane[1].blas = apart;
    kt_verify_sum_up(&v, other_way);
    assert_false(v.is_ordered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thread_counts),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_best_of_a_shape),
        cmocka_unit_test(test_who_is_told_apart),
        cmocka_unit_test(test_baseline_fails),
        cmocka_unit_test(test_pairs_by_round),
        cmocka_unit_test(test_no_wall_time_of_two_threads),
        cmocka_unit_test(test_wall_time_of_some_calls_of_two_threads),
        cmocka_unit_test(test_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
