/* SPDX-License-Identifier: BSD-3-Clause */
/* What each correction of a comparison does to its times (replay/compare/corrections.h), and how they are named. */
#include "replay/compare/corrected.h"
#include "replay/compare/sequences.h"
#include "tests/unit/compared_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Calls that stand out are moved towards the mean call, as far as the program's times say, and not beyond it. */
static void test_correction(void **state)
{
    (void)state;
    assert_true(kt_compared_scene_near(kt_corrected_windows(4, 1, 4), 0.25)); /* slow in both */
    assert_true(kt_compared_scene_near(kt_corrected_windows(4, 1, 1), 1));    /* something disturbed the program */
    assert_true(kt_compared_scene_near(kt_corrected_windows(4, 1, 2), 0.5));
    assert_true(kt_compared_scene_near(kt_corrected_windows(4, 1, 8), 0.25));
    assert_true(kt_compared_scene_near(kt_corrected_cold(1, 4), 3));
    assert_true(kt_corrected_cold(1, 1.4) == 0 && kt_corrected_cold(1, 0.2) == 0);
    assert_true(kt_compared_scene_near(kt_corrected_windows(1, 4, 1), 4));
    assert_true(kt_compared_scene_near(kt_corrected_windows(1, 4, 4), 1));
    assert_true(kt_compared_scene_near(kt_corrected_windows(1, 4, 2), 2));
    assert_true(kt_compared_scene_near(kt_corrected_windows(2, 3, 2), 1.5));
    assert_true(kt_compared_scene_near(kt_corrected_windows(2, 3, 3), 1));
    assert_true(kt_compared_scene_near(kt_corrected_windows(2, 3, 2.5), 1.2));
    assert_true(kt_sequences_stand_for(2, 3) && kt_sequences_stand_for(4, 1) && !kt_sequences_stand_for(1, 4));
    assert_true(kt_sequences_stand_for(NAN, 1)); /* no call counts: it is found otherwise */
    assert_true(kt_compared_scene_near(kt_corrected_windows(3, 3, 5), 1));
}

/* Shapes that keep pace, and one whose calls waited for something that no library changes. */
static void test_what_calls_waited(void **state)
{
    (void)state;
    struct kt_compared_scene s;
    kt_compared_scene_recorded(&s, (const double[]){0.01, 0.02, 0.001}, (const double[]){1.1, 1.1, 3.1});
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(s.c.pace, 1.1) && kt_compared_scene_near(s.c.waited, 2));
    assert_true(kt_compared_scene_near(kt_comparison_blas(&s.c, 0), 5.3) &&
                kt_compared_scene_near(kt_comparison_blas(&s.c, 1), 8.6));
    assert_true(kt_compared_scene_near(kt_comparison_multiple(&s.c, 1).value, 8.6 / 5.3));
    assert_true(kt_compared_scene_near(kt_comparison_blas(&s.c, 2), 2.33));
    kt_compared_scene_close(&s);
}

/* Of three shapes all calls meet page faults, which are known to take FAULT: they are no pace. */
static void check_page_faults(double fault, double pace, double waited)
{
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    s.c.is_as_recorded = true;
    s.c.fault = fault;
    for (int i = 0; i < SHAPES; i++) {
        kt_compared_scene_time(&s, i, 0, 0.01);
        kt_compared_scene_time(&s, i, 1, 0.02);
        s.shape[i].total = 1.4;
        s.shape[i].faults = 4e4;
        s.job[i].insitu.median = 0.014;
    }
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(s.c.pace, pace) && fabs(s.c.waited - waited) < 1e-6);
    assert_true(kt_compared_scene_near(kt_comparison_multiple(&s.c, 1).value, (2 * (4.2 - waited) + waited) / 4.2));
    assert_true(kt_compared_scene_near(s.c.ratio_without[KT_CORRECT_FAULTS][1].value, 2));
    kt_compared_scene_close(&s);
}

static void test_page_faults_are_no_pace(void **state)
{
    (void)state;
    check_page_faults(1e-5, 1, 1.2);
    check_page_faults(NAN, 1.4, 0);
}

/* Seven of twelve rounds are slow for one library, so the median of pairs is that of a slow one: the sums are not. And
 * a library that always takes so much longer. */
static void test_slow_spells_of_one_library(void **state)
{
    (void)state;
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    for (int i = 0; i < SHAPES; i++) {
        kt_compared_scene_time(&s, i, 0, 0.01);
        kt_compared_scene_time(&s, i, 2, 0.017);
        for (unsigned v = 0; v < VISITS; v++) {
            double sample = 0.01 * (1 + 0.001 * (v % 3)) * (v * 5 % VISITS < 7 ? 1.7 : 1);
            kt_series_add(&s.c.schedule.item[i].lane[1], v, &sample, 1);
        }
    }
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(s.c.sum[1].ratio.value, 1.7) && s.c.sum[1].ratio.lo < 1);
    assert_true(kt_compared_scene_near(kt_comparison_multiple(&s.c, 1).value, 1));
    assert_true(kt_compared_scene_near(s.c.ratio_without[KT_CORRECT_SCATTER][1].value, 1.7));
    assert_true(kt_compared_scene_near(kt_comparison_multiple(&s.c, 2).value, 1.7));
    kt_compared_scene_close(&s);
}

/* Of three shapes whose calls replay in 10 ms, and take 100 ms in the program, or MEDIAN and only in the mean 100 ms.
 */
static void check_slow_program(double median, double pace, double waited)
{
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    s.c.is_as_recorded = true;
    for (int i = 0; i < SHAPES; i++) {
        kt_compared_scene_time(&s, i, 0, 0.01);
        s.shape[i].total = 10;
        s.job[i].insitu.median = median;
    }
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(s.c.pace, pace) && fabs(s.c.waited - waited) < 0.5);
    assert_false(kt_comparison_is_contended(&s.c));
    s.c.worker[1].library.threads = 2;
    assert_true(kt_comparison_is_contended(&s.c) == (pace > 1));
    kt_compared_scene_close(&s);
}

static void test_slow_program(void **state)
{
    (void)state;
    check_slow_program(0.1, 1.5, 25.5); /* no clock is ten times lower */
    check_slow_program(0.01, 10, 0);    /* but calls can be disturbed as much, on any library */
    check_slow_program(0.04, 3.75, 18.75);
}

/* Threads of the program held up those of the recorded library: others do not know that. */
static void check_contention(bool has_team, double pace, double contention, double other)
{
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    s.c.is_as_recorded = true;
    s.c.has_team = has_team;
    s.c.worker[0].library.threads = 2;
    for (int i = 0; i < SHAPES; i++) {
        kt_compared_scene_time(&s, i, 0, 0.01);
        kt_compared_scene_time(&s, i, 1, 0.02);
        s.shape[i].total = 10;
        s.job[i].insitu.median = 0.01;
    }
    kt_comparison_sum_up(&s.c);
    assert_true(kt_comparison_is_contended(&s.c));
    assert_true(kt_compared_scene_near(s.c.pace, pace) && fabs(s.c.contention - contention) < 1e-6);
    assert_true(kt_compared_scene_near(kt_comparison_blas(&s.c, 0), 30) &&
                kt_compared_scene_near(kt_comparison_blas(&s.c, 1), other));
    assert_true(kt_compared_scene_near(kt_comparison_multiple(&s.c, 0).value, 1));
    assert_true(kt_compared_scene_near(kt_comparison_multiple(&s.c, 1).value, other / 30));
    kt_compared_scene_close(&s);
}

static void test_contention(void **state)
{
    (void)state;
    check_contention(false, 10, 0, 60);
    check_contention(true, 1, 27, 6);
}

/* Each library has its own; of the recorded one it is a part of what was recorded, and no pace. */
static void test_first_calls(void **state)
{
    (void)state;
    struct kt_compared_scene s;
    kt_compared_scene_recorded(&s, (const double[]){0.01, 0.02, 0.01}, (const double[]){1.1, 1, 1});
    s.c.first[0] = 0.1;
    s.c.first[1] = 0.5;
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(s.c.pace, 1) && s.c.waited >= 0 && s.c.waited < 1e-6);
    assert_true(kt_compared_scene_near(kt_comparison_blas(&s.c, 0), 3.1) &&
                kt_compared_scene_near(kt_comparison_blas(&s.c, 1), 6.5));
    assert_true(kt_compared_scene_near(kt_comparison_blas(&s.c, 2), 3));
    assert_true(kt_compared_scene_near(kt_comparison_multiple(&s.c, 1).value, 6.5 / 3.1));
    assert_true(kt_compared_scene_near(s.c.ratio_without[KT_CORRECT_FIRST][1].value, 2));
    s.c.options.without = 1u << KT_CORRECT_FIRST;
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(kt_comparison_blas(&s.c, 0), 3.1) &&
                kt_compared_scene_near(kt_comparison_blas(&s.c, 1), 6.1));
    kt_compared_scene_close(&s);
}

/* Two shapes are played in windows. Calls of the first took 40 ms in them, others 10 ms; those of the second are read
 * from memory in the replay: 30 ms in place of 10. The third has the replay's pace. */
static void test_windows(void **state)
{
    (void)state;
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    const double time[SHAPES] = {0.04, 0.03, 0.01};
    const struct kt_windowed windowed[SHAPES] = {{0.04, 0.01}, {0.01, 0.01}, {0.01, 0.01}};
    for (int i = 0; i < SHAPES; i++) {
        kt_compared_scene_time(&s, i, 0, time[i]);
        kt_compared_scene_time(&s, i, 1, 2 * time[i]);
        s.c.met[i] = true;
        s.c.windowed[i] = windowed[i];
    }
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(kt_comparison_blas(&s.c, 0), 3) &&
                kt_compared_scene_near(kt_comparison_blas(&s.c, 1), 2 + 4 + 2));
    assert_true(kt_compared_scene_near(s.c.ratio_without[KT_CORRECT_COLD][1].value, 2));
    assert_true(kt_compared_scene_near(s.c.ratio_without[KT_CORRECT_WINDOWS][1].value, (8 + 4 + 2) / 6.0));
    assert_true(
        kt_compared_scene_near(kt_series_visits(&s.c.schedule.item[0].lane[0]).median, 0.04)); /* as it was measured */
    assert_true(kt_compared_scene_near(kt_series_visits(&s.c.schedule.item[1].lane[1]).median, 0.06));
    kt_compared_scene_close(&s);
}

/* A third of each visit to one library is disturbed, and takes four times as long. */
static void test_disturbed(void **state)
{
    (void)state;
    struct kt_compared_scene s;
    kt_compared_scene_open(&s);
    for (int i = 0; i < SHAPES; i++) {
        kt_compared_scene_time(&s, i, 0, 0.01);
        for (unsigned v = 0; v < VISITS; v++) {
            const double sample[] = {0.01 + 1e-6 * v, 0.04, 0.04};
            kt_series_add(&s.c.schedule.item[i].lane[1], v, sample, 1);
            kt_series_leave_out(&s.c.schedule.item[i].lane[1], sample, 1, 3);
        }
    }
    kt_comparison_sum_up(&s.c);
    assert_true(kt_compared_scene_near(kt_comparison_multiple(&s.c, 1).value, 1));
    assert_true(kt_compared_scene_near(s.c.ratio_without[KT_CORRECT_DISTURBED][1].value, 4));
    kt_compared_scene_close(&s);
}

static enum kt_status take_corrections(const char *list, unsigned *out)
{
    struct kt_error error = {0};
    const struct kt_verb_option option = {.name = "without"};
    *out = 0;
    return kt_corrections_take(&option, list, out, &error);
}

static void test_names_of_corrections(void **state)
{
    (void)state;
    unsigned without;
    assert_int_equal(take_corrections("pace,scatter", &without), KT_OK);
    assert_int_equal(without, 1u << KT_CORRECT_PACE | 1u << KT_CORRECT_SCATTER);
    assert_int_equal(take_corrections("all", &without), KT_OK);
    assert_int_equal(without, (1u << KT_CORRECTION_KINDS) - 1);
    assert_int_equal(take_corrections("pace,", &without), KT_USAGE);
    assert_int_equal(take_corrections("haste", &without), KT_USAGE);
}

/* The lower quartile, if there are three processes, and nothing where first calls are faster. */
static void test_first_of_processes(void **state)
{
    (void)state;
    double less[] = {3, 1, 2, 9, -1};
    struct kt_series series = {.visit = less, .visits = 2};
    assert_true(kt_sequences_first(&series) == 0);
    series.visits = 5;
    assert_true(kt_compared_scene_near(kt_sequences_first(&series), 1));
    double faster[] = {-3, -1, 2};
    series = (struct kt_series){.visit = faster, .visits = 3};
    assert_true(kt_sequences_first(&series) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_correction),
        cmocka_unit_test(test_what_calls_waited),
        cmocka_unit_test(test_page_faults_are_no_pace),
        cmocka_unit_test(test_slow_spells_of_one_library),
        cmocka_unit_test(test_slow_program),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_first_calls),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_disturbed),
        cmocka_unit_test(test_names_of_corrections),
        cmocka_unit_test(test_first_of_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
