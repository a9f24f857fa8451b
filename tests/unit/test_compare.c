/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a comparison makes of its samples, and what verifying makes of its runs: sums, ratios, who is best, the best of
 * each, shapes that a library does not run. And the options.
 */
#include "replay/compare/comparison.h"
#include "replay/compare/corrected.h"
#include "replay/compare/sequences.h"
#include "replay/compare/verify.h"
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

enum { SHAPES = 3, LIBRARIES = 3, VISITS = 12 };

/* Three shapes of two routines, on three libraries. */
struct scene {
    struct kt_routine routine[2];
    struct kt_entry entry[2];
    struct kt_shape_group shape[SHAPES];
    struct kt_job job[SHAPES];
    char *failure[LIBRARIES][SHAPES];
    bool broken[LIBRARIES][SHAPES];
    const struct kt_context *context[SHAPES];
    struct kt_stream *stream;
    struct kt_process process;
    struct kt_comparison c;
};

static void add_visits(struct kt_series *series, double seconds, unsigned from)
{
    for (unsigned v = from; v < VISITS; v++) {
        double sample = seconds * (1 + 0.001 * ((v * 7) % 5));
        kt_series_add(series, v, &sample, 1);
    }
}

static void open_scene(struct scene *s)
{
    *s = (struct scene){.routine = {{.name = "dgemm"}, {.name = "dgesv"}}};
    s->process = (struct kt_process){.calls = 1, .streams = 1, .events = 1, .seconds = 10};
    s->c.setup.trace = (struct kt_trace){.process = &s->process, .processes = 1};
    s->c.setup.jobs = (struct kt_jobs){.job = s->job, .count = SHAPES};
    s->c.together = 1; /* one call at a time: nobody looks for others in the trace */
    s->c.busy = NAN;
    s->c.libraries = LIBRARIES;
    s->c.stands_for = kt_resize(NULL, SHAPES, sizeof *s->c.stands_for);
    s->c.met = kt_resize(NULL, SHAPES, sizeof *s->c.met);
    s->c.first = kt_resize(NULL, SHAPES * LIBRARIES, sizeof *s->c.first);
    s->c.windowed = kt_resize(NULL, SHAPES, sizeof *s->c.windowed);
    for (int i = 0; i < SHAPES; i++) {
        s->c.windowed[i] = (struct kt_windowed){NAN, NAN};
        s->entry[i / 2].symbol.routine = &s->routine[i / 2];
        s->shape[i] = (struct kt_shape_group){.calls = 100, .total = 1};
        s->shape[i].first.entry = &s->entry[i / 2];
        s->job[i].shape = &s->shape[i];
        s->c.stands_for[i] = 1;
        s->c.met[i] = false;
        for (int l = 0; l < LIBRARIES; l++)
            s->c.first[i * LIBRARIES + l] = 0;
    }
    for (int l = 0; l < LIBRARIES; l++) {
        s->c.worker[l].failure = s->failure[l];
        s->c.worker[l].broken = s->broken[l];
    }
    kt_schedule_make(SHAPES, LIBRARIES, &s->c.schedule);
}

static void set_time(struct scene *s, int shape, int library, double seconds)
{
    add_visits(&s->c.schedule.item[shape].lane[library], seconds, 0);
}

/* By shape and library; 0: the library has not got the routine. */
static void set_times(struct scene *s, const double (*seconds)[LIBRARIES])
{
    for (int i = 0; i < SHAPES; i++)
        for (int l = 0; l < LIBRARIES; l++)
            if (seconds[i][l] > 0)
                set_time(s, i, l, seconds[i][l]);
            else {
                s->failure[l][i] = (char *)"has no such routine";
                s->c.schedule.item[i].lane[l].absent = true;
            }
}

/* A call takes as long on a library whatever its shape is; the calls of a shape took so long in the program. */
static void open_recorded(struct scene *s, const double call[LIBRARIES], const double total[SHAPES])
{
    open_scene(s);
    s->c.is_as_recorded = true;
    for (int i = 0; i < SHAPES; i++) {
        for (int l = 0; l < LIBRARIES; l++)
            set_time(s, i, l, call[l]);
        s->shape[i].total = total[i];
        s->job[i].insitu.median = total[i] / 100;
    }
}

static void close_scene(struct scene *s)
{
    kt_comparison_free(&s->c);
    kt_schedule_free(&s->c.schedule);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 0.02 * fabs(b);
}

/* Calls that stand out are moved towards the mean call, as far as the program's times say, and not beyond it. */
static void test_correction(void **state)
{
    (void)state;
    assert_true(near(kt_corrected_windows(4, 1, 4), 0.25)); /* slow in both */
    assert_true(near(kt_corrected_windows(4, 1, 1), 1));    /* something disturbed the program */
    assert_true(near(kt_corrected_windows(4, 1, 2), 0.5));
    assert_true(near(kt_corrected_windows(4, 1, 8), 0.25));
    assert_true(near(kt_corrected_cold(1, 4), 3));
    assert_true(kt_corrected_cold(1, 1.4) == 0 && kt_corrected_cold(1, 0.2) == 0);
    assert_true(near(kt_corrected_windows(1, 4, 1), 4));
    assert_true(near(kt_corrected_windows(1, 4, 4), 1));
    assert_true(near(kt_corrected_windows(1, 4, 2), 2));
    assert_true(near(kt_corrected_windows(2, 3, 2), 1.5));
    assert_true(near(kt_corrected_windows(2, 3, 3), 1));
    assert_true(near(kt_corrected_windows(2, 3, 2.5), 1.2));
    assert_true(kt_sequences_stand_for(2, 3) && kt_sequences_stand_for(4, 1) && !kt_sequences_stand_for(1, 4));
    assert_true(kt_sequences_stand_for(NAN, 1)); /* no call counts: it is found otherwise */
    assert_true(near(kt_corrected_windows(3, 3, 5), 1));
}

/* Library 1 is twice as fast in dgemm, twice as slow in dgesv; library 2 lacks dgesv and is like the baseline. */
static void test_sums(void **state)
{
    (void)state;
    static const double times[SHAPES][LIBRARIES] = {{0.01, 0.005, 0.01}, {0.01, 0.005, 0.01}, {0.01, 0.02, 0}};
    struct scene s;
    open_scene(&s);
    set_times(&s, times);
    kt_comparison_sum_up(&s.c);
    assert_true(near(s.c.sum[0].seconds, 3) && near(s.c.sum[1].seconds, 3) && near(s.c.sum[2].seconds, 2));
    assert_true(near(s.c.sum[1].ratio.value, 1) && near(s.c.sum[2].ratio.value, 1));
    assert_true(s.c.sum[1].lo <= s.c.sum[1].seconds && s.c.sum[1].seconds <= s.c.sum[1].hi);
    assert_int_equal(s.c.sum[2].failed, 1);
    assert_true(near(s.c.sum[2].lacking, 1) && near(kt_comparison_blas(&s.c, 2), 3));
    assert_true(near(kt_comparison_multiple(&s.c, 2).value, 1));
    assert_true(near(kt_comparison_application(&s.c, 1), 10));
    assert_int_equal(s.c.routines, 2);
    assert_string_equal(s.c.routine[0].name, "dgemm");
    assert_int_equal(s.c.routine[0].best, 1);
    assert_true(s.c.routine[0].is_certain);
    assert_int_equal(s.c.routine[1].best, 0);
    assert_true(near(s.c.mix.seconds, 2)); /* dgemm on library 1, dgesv on another one */
    assert_string_equal(kt_comparison_failure(&s.c, 2, 2), "has no such routine");
    assert_null(kt_comparison_failure(&s.c, 2, 1));
    close_scene(&s);
}

/* Six pairs of seven say that library 2 is slower, and one that it is not: the interval of the median holds all. */
static void test_best_of_a_shape(void **state)
{
    (void)state;
    static const double times[SHAPES][LIBRARIES] = {{0.01, 0.005, 0.01}, {0.01, 0.02, 0.01}, {0.01, 0.02, 0.02}};
    struct scene s;
    bool is_certain;
    open_scene(&s);
    set_times(&s, times);
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
    close_scene(&s);
}

/* Over all shapes, whatever the routines are asked; and where a library does not run all, by the multiples. */
static void test_who_is_told_apart(void **state)
{
    (void)state;
    static const double times[SHAPES][LIBRARIES] = {{0.01, 0.02, 0.01}, {0.01, 0.01, 0.01}, {0.01, 0.01, 0}};
    struct scene s;
    open_scene(&s);
    set_times(&s, times);
    kt_comparison_sum_up(&s.c);
    assert_int_equal(s.c.mix.library, 0);
    assert_true(s.c.mix.is_apart[1]);
    assert_false(s.c.mix.is_apart[2]);
    close_scene(&s);
}

/* Shapes that keep pace, and one whose calls waited for something that no library changes. */
static void test_what_calls_waited(void **state)
{
    (void)state;
    struct scene s;
    open_recorded(&s, (const double[]){0.01, 0.02, 0.001}, (const double[]){1.1, 1.1, 3.1});
    kt_comparison_sum_up(&s.c);
    assert_true(near(s.c.pace, 1.1) && near(s.c.waited, 2));
    assert_true(near(kt_comparison_blas(&s.c, 0), 5.3) && near(kt_comparison_blas(&s.c, 1), 8.6));
    assert_true(near(kt_comparison_multiple(&s.c, 1).value, 8.6 / 5.3));
    assert_true(near(kt_comparison_blas(&s.c, 2), 2.33));
    close_scene(&s);
}

/* Each library has its own; of the recorded one it is a part of what was recorded, and no pace. */
static void test_first_calls(void **state)
{
    (void)state;
    struct scene s;
    open_recorded(&s, (const double[]){0.01, 0.02, 0.01}, (const double[]){1.1, 1, 1});
    s.c.first[0] = 0.1;
    s.c.first[1] = 0.5;
    kt_comparison_sum_up(&s.c);
    assert_true(near(s.c.pace, 1) && s.c.waited >= 0 && s.c.waited < 1e-6);
    assert_true(near(kt_comparison_blas(&s.c, 0), 3.1) && near(kt_comparison_blas(&s.c, 1), 6.5));
    assert_true(near(kt_comparison_blas(&s.c, 2), 3));
    assert_true(near(kt_comparison_multiple(&s.c, 1).value, 6.5 / 3.1));
    assert_true(near(s.c.ratio_without[KT_CORRECT_FIRST][1].value, 2));
    s.c.options.without = 1u << KT_CORRECT_FIRST;
    kt_comparison_sum_up(&s.c);
    assert_true(near(kt_comparison_blas(&s.c, 0), 3.1) && near(kt_comparison_blas(&s.c, 1), 6.1));
    close_scene(&s);
}

/* Two shapes are played in windows. Calls of the first took 40 ms in them, others 10 ms; those of the second are read
 * from memory in the replay: 30 ms in place of 10. The third has the replay's pace. */
static void test_windows(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    const double time[SHAPES] = {0.04, 0.03, 0.01};
    const struct kt_windowed windowed[SHAPES] = {{0.04, 0.01}, {0.01, 0.01}, {0.01, 0.01}};
    for (int i = 0; i < SHAPES; i++) {
        set_time(&s, i, 0, time[i]);
        set_time(&s, i, 1, 2 * time[i]);
        s.c.met[i] = true;
        s.c.windowed[i] = windowed[i];
    }
    kt_comparison_sum_up(&s.c);
    assert_true(near(kt_comparison_blas(&s.c, 0), 3) && near(kt_comparison_blas(&s.c, 1), 2 + 4 + 2));
    assert_true(near(s.c.ratio_without[KT_CORRECT_COLD][1].value, 2));
    assert_true(near(s.c.ratio_without[KT_CORRECT_WINDOWS][1].value, (8 + 4 + 2) / 6.0));
    assert_true(near(kt_series_visits(&s.c.schedule.item[0].lane[0]).median, 0.04)); /* as it was measured */
    assert_true(near(kt_series_visits(&s.c.schedule.item[1].lane[1]).median, 0.06));
    close_scene(&s);
}

/* A third of each visit to one library is disturbed, and takes four times as long. */
static void test_disturbed(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    for (int i = 0; i < SHAPES; i++) {
        set_time(&s, i, 0, 0.01);
        for (unsigned v = 0; v < VISITS; v++) {
            const double sample[] = {0.01 + 1e-6 * v, 0.04, 0.04};
            kt_series_add(&s.c.schedule.item[i].lane[1], v, sample, 1);
            kt_series_leave_out(&s.c.schedule.item[i].lane[1], sample, 1, 3);
        }
    }
    kt_comparison_sum_up(&s.c);
    assert_true(near(kt_comparison_multiple(&s.c, 1).value, 1));
    assert_true(near(s.c.ratio_without[KT_CORRECT_DISTURBED][1].value, 4));
    close_scene(&s);
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
    assert_true(near(kt_sequences_first(&series), 1));
    double faster[] = {-3, -1, 2};
    series = (struct kt_series){.visit = faster, .visits = 3};
    assert_true(kt_sequences_first(&series) == 0);
}

/* Seven of twelve rounds are slow for one library, so the median of pairs is that of a slow one: the sums are not. And
 * a library that always takes so much longer. */
static void test_slow_spells_of_one_library(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    for (int i = 0; i < SHAPES; i++) {
        set_time(&s, i, 0, 0.01);
        set_time(&s, i, 2, 0.017);
        for (unsigned v = 0; v < VISITS; v++) {
            double sample = 0.01 * (1 + 0.001 * (v % 3)) * (v * 5 % VISITS < 7 ? 1.7 : 1);
            kt_series_add(&s.c.schedule.item[i].lane[1], v, &sample, 1);
        }
    }
    kt_comparison_sum_up(&s.c);
    assert_true(near(s.c.sum[1].ratio.value, 1.7) && s.c.sum[1].ratio.lo < 1);
    assert_true(near(kt_comparison_multiple(&s.c, 1).value, 1));
    assert_true(near(s.c.ratio_without[KT_CORRECT_SCATTER][1].value, 1.7));
    assert_true(near(kt_comparison_multiple(&s.c, 2).value, 1.7));
    close_scene(&s);
}

/* Of three shapes all calls meet page faults, which are known to take FAULT: they are no pace. */
static void check_page_faults(double fault, double pace, double waited)
{
    struct scene s;
    open_scene(&s);
    s.c.is_as_recorded = true;
    s.c.fault = fault;
    for (int i = 0; i < SHAPES; i++) {
        set_time(&s, i, 0, 0.01);
        set_time(&s, i, 1, 0.02);
        s.shape[i].total = 1.4;
        s.shape[i].faults = 4e4;
        s.job[i].insitu.median = 0.014;
    }
    kt_comparison_sum_up(&s.c);
    assert_true(near(s.c.pace, pace) && fabs(s.c.waited - waited) < 1e-6);
    assert_true(near(kt_comparison_multiple(&s.c, 1).value, (2 * (4.2 - waited) + waited) / 4.2));
    assert_true(near(s.c.ratio_without[KT_CORRECT_FAULTS][1].value, 2));
    close_scene(&s);
}

static void test_page_faults_are_no_pace(void **state)
{
    (void)state;
    check_page_faults(1e-5, 1, 1.2);
    check_page_faults(NAN, 1.4, 0);
}

/* Of three shapes whose calls replay in 10 ms, and take 100 ms in the program, or MEDIAN and only in the mean 100 ms.
 */
static void check_slow_program(double median, double pace, double waited)
{
    struct scene s;
    open_scene(&s);
    s.c.is_as_recorded = true;
    for (int i = 0; i < SHAPES; i++) {
        set_time(&s, i, 0, 0.01);
        s.shape[i].total = 10;
        s.job[i].insitu.median = median;
    }
    kt_comparison_sum_up(&s.c);
    assert_true(near(s.c.pace, pace) && fabs(s.c.waited - waited) < 0.5);
    assert_false(kt_comparison_is_contended(&s.c));
    s.c.worker[1].library.threads = 2;
    assert_true(kt_comparison_is_contended(&s.c) == (pace > 1));
    close_scene(&s);
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
    struct scene s;
    open_scene(&s);
    s.c.is_as_recorded = true;
    s.c.has_team = has_team;
    s.c.worker[0].library.threads = 2;
    for (int i = 0; i < SHAPES; i++) {
        set_time(&s, i, 0, 0.01);
        set_time(&s, i, 1, 0.02);
        s.shape[i].total = 10;
        s.job[i].insitu.median = 0.01;
    }
    kt_comparison_sum_up(&s.c);
    assert_true(kt_comparison_is_contended(&s.c));
    assert_true(near(s.c.pace, pace) && fabs(s.c.contention - contention) < 1e-6);
    assert_true(near(kt_comparison_blas(&s.c, 0), 30) && near(kt_comparison_blas(&s.c, 1), other));
    assert_true(near(kt_comparison_multiple(&s.c, 0).value, 1));
    assert_true(near(kt_comparison_multiple(&s.c, 1).value, other / 30));
    close_scene(&s);
}

static void test_contention(void **state)
{
    (void)state;
    check_contention(false, 10, 0, 60);
    check_contention(true, 1, 27, 6);
}

/* What the baseline cannot run counts for none. */
static void test_baseline_fails(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    for (int i = 0; i < SHAPES; i++)
        for (int l = 0; l < LIBRARIES; l++)
            if (i || l)
                set_time(&s, i, l, 0.01 * (l + 1));
    s.failure[0][0] = (char *)"crashed";
    s.broken[0][0] = true;
    kt_comparison_sum_up(&s.c);
    assert_false(kt_comparison_counts(&s.c, 0));
    assert_true(near(s.c.sum[0].seconds, 2) && near(s.c.sum[1].seconds, 4));
    assert_true(near(kt_comparison_blas(&s.c, 1), 6)); /* it is taken to change as the others */
    assert_true(near(s.c.sum[2].ratio.value, 3));
    assert_true(kt_comparison_found_defect(&s.c));
    assert_string_equal(kt_comparison_verdict(&s.c, 0), "baseline");
    assert_string_equal(kt_comparison_verdict(&s.c, 1), "slower");
    close_scene(&s);
}

/* Pairs are visits of one round, also if one lane has missed some. */
static void test_pairs_by_round(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    for (int i = 0; i < SHAPES; i++) {
        for (unsigned v = 0; v < VISITS; v++) {
            double drift = 1 + v;
            double sample[] = {0.01 * drift, 0.02 * drift};
            kt_series_add(&s.c.schedule.item[i].lane[0], v, &sample[0], 1);
            if (v >= 3)
                kt_series_add(&s.c.schedule.item[i].lane[1], v, &sample[1], 1);
        }
        set_time(&s, i, 2, 0.01);
    }
    kt_comparison_sum_up(&s.c);
    const struct kt_compared *cell = kt_comparison_cell(&s.c, 0, 1);
    assert_int_equal(cell->ratio.n, VISITS - 3);
    assert_true(near(cell->ratio.value, 2) && near(cell->ratio.hi, 2));
    assert_true(isnan(cell->residual) && !cell->wrong);
    close_scene(&s);
}

static void test_no_wall_time_of_two_threads(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    s.process.streams = 2;
    for (int i = 0; i < SHAPES; i++)
        for (int l = 0; l < LIBRARIES; l++)
            set_time(&s, i, l, 0.01);
    kt_comparison_sum_up(&s.c);
    assert_true(isnan(kt_comparison_application(&s.c, 1)) && near(kt_comparison_blas(&s.c, 1), 3));
    assert_string_equal(kt_comparison_verdict(&s.c, 1), "no difference");
    close_scene(&s);
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
    assert_true(near(v.lane[1].ratio.value, 2) && near(v.lane[1].ratio.lo, 2) && near(v.lane[1].ratio.hi, 2));
    assert_true(fabs(v.lane[1].error - 0.05) < 1e-9 && fabs(v.lane[1].error_typical - 0.05) < 1e-9);
    assert_int_equal(v.lane[2].time.n, 4);
    assert_true(near(v.lane[2].ratio.value, 1.5));
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
        cmocka_unit_test(test_correction),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_best_of_a_shape),
        cmocka_unit_test(test_who_is_told_apart),
        cmocka_unit_test(test_what_calls_waited),
        cmocka_unit_test(test_page_faults_are_no_pace),
        cmocka_unit_test(test_slow_spells_of_one_library),
        cmocka_unit_test(test_slow_program),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_baseline_fails),
        cmocka_unit_test(test_first_calls),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_disturbed),
        cmocka_unit_test(test_names_of_corrections),
        cmocka_unit_test(test_first_of_processes),
        cmocka_unit_test(test_pairs_by_round),
        cmocka_unit_test(test_no_wall_time_of_two_threads),
        cmocka_unit_test(test_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
