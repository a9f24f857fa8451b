/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs that were made up: how often is a change seen where there is none, and how often one that is there.
 */
#include "model/report/diff.h"
#include "tests/unit/drawn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SHAPES = 24, CALLS = 400, RUNS = 200 };

/* --- whole runs -------------------------------------------------------------------------------------------- */

/* A run as it is on a shared machine: slower as a whole, with slow spells that all shapes meet, outliers, and shapes
 * that differ by 1 % for no reason. */
struct machine {
    double as_a_whole;
    double spell[CALLS];
};

static struct machine draw_machine(void)
{
    struct machine m = {.as_a_whole = exp(0.1 * normal())};
    double slow = 0;
    for (int i = 0; i < CALLS; i++) {
        if (uniform() < 0.02)
            slow = uniform() < 0.3 ? 0.2 * uniform() : 0;
        m.spell[i] = slow;
    }
    return m;
}

static void draw_side(struct kt_diff_side *side, double seconds, const struct machine *m)
{
    struct kt_samples samples = {0};
    double total = 0;
    double of_its_own = exp(0.01 * normal());
    for (int i = 0; i < CALLS; i++) {
        double outlier = uniform() < 0.01 ? 3 * uniform() : 0;
        double time = seconds * m->as_a_whole * of_its_own * (1 + m->spell[i] + outlier) * exp(0.03 * normal());
        kt_samples_add(&samples, time);
        total += time;
    }
    kt_diff_fill(side, &samples, CALLS, total);
    kt_samples_free(&samples);
}

static double seconds_of(int shape)
{
    return 1e-6 * pow(1.3, shape);
}

static const char *routine_of(uint64_t shape)
{
    static const char *const name[] = {"dgemm", "dgemv", "ddot", "dsyrk"};
    return name[shape % 4];
}

/* SLOWED: that shape takes FACTOR times as long in the second run; -1: none. */
static void draw_runs(struct kt_diff *diff, int slowed, double factor)
{
    *diff = (struct kt_diff){.drift_out = true, .shape = calloc(SHAPES, sizeof *diff->shape), .shapes = SHAPES};
    for (int run = 0; run < 2; run++) {
        struct machine m = draw_machine();
        for (int i = 0; i < SHAPES; i++) {
            diff->shape[i].first.n = (uint64_t)i;
            diff->shape[i].routine = routine_of(i);
            draw_side(&diff->shape[i].side[run], seconds_of(i) * (run == 1 && i == slowed ? factor : 1), &m);
            diff->total[run] += diff->shape[i].side[run].total;
        }
    }
    kt_diff_judge(diff, &kt_diff_usual);
}

static void test_same_program_twice(void **unused)
{
    (void)unused;
    int alarms = 0;
    for (int r = 0; r < RUNS; r++) {
        struct kt_diff diff;
        draw_runs(&diff, -1, 1);
        assert_true(diff.tested >= SHAPES / 2);
        assert_true(fabs(log(diff.drift)) < 0.6);
        alarms += diff.changed > 0;
        kt_diff_free(&diff);
    }
    assert_in_range(alarms, 0, RUNS / 20);
}

static void slow_down(struct kt_diff_shape *s, double factor)
{
    for (int b = 0; b < KT_DIFF_BLOCKS; b++)
        s->side[1].block[b] += log(factor);
    s->side[1].stat.median *= factor;
}

static struct kt_diff_shape *shape_number(struct kt_diff *diff, uint64_t n)
{
    size_t i = 0;
    while (diff->shape[i].first.n != n)
        i++;
    return &diff->shape[i];
}

static bool is_changed_alone(const struct kt_diff *diff, uint64_t n)
{
    return diff->changed == 1 && diff->shape[0].first.n == n && diff->shape[0].change == KT_SLOWER;
}

/* In the second run the machine is in another state, which doubles the time of five shapes in six: no shape changed.
 * Nor does it hide what did. */
static void test_some_shapes_do_not_drift(void **unused)
{
    (void)unused;
    enum { SLOWED = 20 };
    int right[2] = {0};
    for (int r = 0; r < RUNS; r++)
        for (int slowed = 0; slowed < 2; slowed++) {
            struct kt_diff diff;
            draw_runs(&diff, -1, 1);
            for (int i = 0; i < SHAPES; i++)
                slow_down(&diff.shape[i], diff.shape[i].first.n % 6 ? 2 : 1);
            if (slowed)
                slow_down(shape_number(&diff, SLOWED), 1.3);
            kt_diff_judge(&diff, &kt_diff_usual);
            assert_true(diff.drift > 1);
            right[slowed] += slowed ? is_changed_alone(&diff, SLOWED) : !diff.changed;
            kt_diff_free(&diff);
        }
    assert_in_range(right[0], RUNS * 92 / 100, RUNS);
    assert_in_range(right[1], RUNS * 92 / 100, RUNS);
}

static void slow_down_dgemm(struct kt_diff *diff, double factor)
{
    for (int i = 0; i < SHAPES; i++)
        if (!strcmp(diff->shape[i].routine, "dgemm"))
            slow_down(&diff->shape[i], factor);
}

/* Common factors of routines, by how much they are off at most. */
static double routines_off(const struct kt_diff *diff, double of_dgemm)
{
    double most = 0;
    for (size_t i = 0; i < diff->routines; i++) {
        double expected = strcmp(diff->routine[i].name, "dgemm") ? 1 : of_dgemm;
        most = fmax(most, fabs(diff->routine[i].drift / diff->drift / expected - 1));
    }
    return most;
}

/* A machine that changed by more is the cause of any change up to that, as far as anybody can tell. */
static bool is_steady(const struct kt_diff *diff)
{
    return fabs(log(diff->drift)) < 0.25;
}

/* A neighbour on the core slows the shapes of one routine alone: told of the routine, and no change of its shapes,
 * however slow the machine is as a whole. Nor does it hide what changed besides. */
static void test_one_routine_drifts(void **unused)
{
    (void)unused;
    enum { SLOWED = 20 };
    int alarms = 0;
    int near = 0;
    int found = 0;
    int steady = 0;
    for (int r = 0; r < RUNS; r++) {
        struct kt_diff diff;
        draw_runs(&diff, -1, 1);
        slow_down_dgemm(&diff, 1.25);
        kt_diff_judge(&diff, &kt_diff_usual);
        alarms += diff.changed > 0;
        near += routines_off(&diff, 1.25) < 0.03;
        slow_down(shape_number(&diff, SLOWED), 1.3);
        kt_diff_judge(&diff, &kt_diff_usual);
        steady += is_steady(&diff);
        found += is_steady(&diff) && shape_number(&diff, SLOWED)->change == KT_SLOWER;
        kt_diff_free(&diff);
    }
    assert_in_range(alarms, 0, RUNS / 20);
    assert_in_range(near, RUNS * 95 / 100, RUNS);
    assert_in_range(found, steady * 95 / 100, steady);
}

/* Where libraries differ, what the shapes of a routine have in common is a change of them. */
static void test_one_routine_of_another_library(void **unused)
{
    (void)unused;
    int found = 0;
    for (int r = 0; r < RUNS; r++) {
        struct kt_diff diff;
        draw_runs(&diff, -1, 1);
        slow_down_dgemm(&diff, 4);
        diff.drift_out = false;
        kt_diff_judge(&diff, &kt_diff_usual);
        bool all = true;
        for (int i = 0; i < SHAPES; i++)
            all &=
                strcmp(diff.shape[i].routine, "dgemm") || isnan(diff.shape[i].p) || diff.shape[i].change == KT_SLOWER;
        found += all;
        kt_diff_free(&diff);
    }
    assert_in_range(found, RUNS * 95 / 100, RUNS);
}

/* Where code and data lie takes nanoseconds of the shortest calls: by 7 % slower is a change in 100 us, none in 1.3. */
static void test_placement_of_short_calls(void **unused)
{
    (void)unused;
    enum { SHORT = 1, LONG = 18 };
    int named[2] = {0};
    for (int r = 0; r < RUNS; r++) {
        for (int is_long = 0; is_long < 2; is_long++) {
            struct kt_diff diff;
            uint64_t slowed = is_long ? LONG : SHORT;
            draw_runs(&diff, -1, 1);
            for (int i = 0; i < SHAPES; i++)
                if (diff.shape[i].first.n == slowed)
                    slow_down(&diff.shape[i], 1.07);
            kt_diff_judge(&diff, &kt_diff_usual);
            for (int i = 0; i < SHAPES; i++)
                named[is_long] += diff.shape[i].first.n == slowed && diff.shape[i].change == KT_SLOWER;
            kt_diff_free(&diff);
        }
    }
    assert_in_range(named[0], 0, RUNS / 20);
    assert_in_range(named[1], RUNS / 2, RUNS);
}

/* How often the change is named, in per cent at least, and with it a wrong one, in 5 at most. */
static void check_slowed(double factor, enum kt_change change, int named_at_least)
{
    int steady = 0;
    int named = 0;
    int near = 0;
    int others = 0;
    for (int r = 0; r < RUNS; r++) {
        struct kt_diff diff;
        int slowed = 12 + r % 12;
        draw_runs(&diff, slowed, factor);
        bool found = diff.changed && diff.shape[0].first.n == (uint64_t)slowed && diff.shape[0].change == change;
        assert_true(!found || diff.shape[0].p <= 0.05);
        steady += is_steady(&diff);
        named += is_steady(&diff) && found;
        near += is_steady(&diff) && found && fabs(diff.shape[0].ratio / diff.drift / factor - 1) < 0.06;
        others += diff.changed > (size_t)found;
        kt_diff_free(&diff);
    }
    assert_in_range(steady, RUNS * 80 / 100, RUNS);
    assert_in_range(named, steady * named_at_least / 100, steady);
    assert_in_range(near, named * 95 / 100, named);
    assert_in_range(others, 0, RUNS / 20);
}

static void test_one_shape_slower(void **unused)
{
    (void)unused;
    check_slowed(1.10, KT_SLOWER, 90);
    check_slowed(1.12, KT_SLOWER, 95);
}

static void test_one_shape_faster(void **unused)
{
    (void)unused;
    check_slowed(1 / 1.12, KT_FASTER, 95);
}

/* Where libraries differ, what is common to all is the library. */
static void test_everything_slower(void **unused)
{
    (void)unused;
    struct kt_diff diff;
    draw_runs(&diff, -1, 1);
    for (int i = 0; i < SHAPES; i++)
        slow_down(&diff.shape[i], exp(1));
    kt_diff_judge(&diff, &kt_diff_usual);
    assert_true(diff.changed <= 1 && diff.drift > 1.5);
    diff.drift_out = false;
    kt_diff_judge(&diff, &kt_diff_usual);
    assert_int_equal(diff.changed, diff.tested);
    assert_int_equal(diff.shape[0].change, KT_SLOWER);
    kt_diff_free(&diff);
}

/* Two libraries: shapes differ by anything between a third and four times, each for its own reasons. */
static void test_shapes_that_differ_in_all_ways(void **unused)
{
    (void)unused;
    struct kt_diff diff;
    draw_runs(&diff, -1, 1);
    diff.drift_out = false;
    for (int i = 0; i < SHAPES; i++)
        slow_down(&diff.shape[i], exp(log(0.3) + (log(4) - log(0.3)) * uniform()));
    kt_diff_judge(&diff, &kt_diff_usual);
    assert_true(expm1(diff.margin) < 0.031);
    for (int i = 0; i < SHAPES; i++) {
        const struct kt_diff_shape *s = &diff.shape[i];
        double ratio = s->side[1].stat.median / s->side[0].stat.median;
        assert_true(isnan(s->p) || fabs(s->ratio / ratio - 1) < 1e-9);
        assert_true(isnan(s->p) || (s->lo <= s->ratio && s->ratio <= s->hi));
        if (!isnan(s->p) && fabs(log(ratio)) > log(1.5))
            assert_int_equal(s->change, ratio > 1 ? KT_SLOWER : KT_FASTER);
    }
    kt_diff_free(&diff);
}

/* However much the shapes of one library differ, twice as long is a change. */
static void test_twice_as_long_is_never_the_same(void **unused)
{
    (void)unused;
    static const double factor[] = {2, 1, 0.5};
    int held = 0;
    int steady = 0;
    for (int r = 0; r < RUNS; r++) {
        struct kt_diff diff;
        draw_runs(&diff, -1, 1);
        for (int i = 0; i < SHAPES; i++)
            slow_down(&diff.shape[i], factor[i % 3]);
        kt_diff_judge(&diff, &kt_diff_usual);
        bool all = true;
        for (int i = 0; i < SHAPES; i++) {
            double ratio = diff.shape[i].ratio / diff.drift;
            if (!isnan(diff.shape[i].p) && fabs(log(ratio)) > log(1.8))
                all &= diff.shape[i].change == (ratio > 1 ? KT_SLOWER : KT_FASTER);
        }
        steady += is_steady(&diff);
        held += is_steady(&diff) && all;
        kt_diff_free(&diff);
    }
    assert_in_range(steady, RUNS / 2, RUNS);
    assert_in_range(held, steady * 95 / 100, steady);
}

/* "same" is what the interval allows; what it does not allow is no "same". */
static void test_same_is_within_the_margin(void **unused)
{
    (void)unused;
    int number[KT_CHANGES] = {0};
    for (int r = 0; r < RUNS; r++) {
        struct kt_diff diff;
        draw_runs(&diff, -1, 1);
        for (int i = 0; i < SHAPES; i++) {
            const struct kt_diff_shape *s = &diff.shape[i];
            double least = log(s->lo / diff.drift);
            double most = log(s->hi / diff.drift);
            number[s->change]++;
            if (s->change == KT_SAME)
                assert_true(least >= -diff.margin - 1e-12 && most <= diff.margin + 1e-12);
            if (s->change == KT_UNSURE)
                assert_true(least < -diff.margin || most > diff.margin);
        }
        kt_diff_free(&diff);
    }
    assert_true(number[KT_SAME] > 0 && number[KT_UNSURE] > 0);
}

static void test_new_vanished_few_small(void **unused)
{
    (void)unused;
    struct kt_diff diff = {.shape = calloc(5, sizeof *diff.shape), .shapes = 5, .total = {10, 10}};
    struct kt_samples few = {0};
    for (int i = 0; i < 5; i++)
        kt_samples_add(&few, 1e-3 * (i + 1));
    for (int i = 0; i < 5; i++)
        diff.shape[i].first.n = (uint64_t)i, diff.shape[i].routine = routine_of(i);
    kt_diff_fill(&diff.shape[0].side[1], &few, 5, 1);
    kt_diff_fill(&diff.shape[1].side[0], &few, 5, 2);
    for (int run = 0; run < 2; run++) {
        kt_diff_fill(&diff.shape[2].side[run], &few, 5, 3);
        kt_diff_fill(&diff.shape[3].side[run], &few, 5, 0.001);
        kt_diff_fill(&diff.shape[4].side[run], &few, 5, 3);
    }
    diff.shape[4].side[1].subtracted = 0.1; /* of the time, for recording what nests in the calls */
    kt_samples_free(&few);
    kt_diff_judge(&diff, &kt_diff_usual);
    assert_int_equal(diff.changed, 2);
    assert_int_equal(diff.tested, 0);
    for (size_t i = 0; i < 5; i++) {
        static const enum kt_change expected[] = {KT_APPEARED, KT_VANISHED, KT_TOO_FEW, KT_SMALL, KT_UNLIKE};
        assert_int_equal(diff.shape[i].change, expected[diff.shape[i].first.n]);
    }
    assert_true(isnan(diff.drift));
    kt_diff_free(&diff);
}

/* --- what fails --------------------------------------------------------------------------------------------- */

enum { HEAVIEST = SHAPES - 1, FAILS_SLOWED = 18 };

static bool is_total_above(const struct kt_diff *diff, double above)
{
    return kt_diff_is_above(diff, &diff->all, above);
}

static void test_fails_above(void **unused)
{
    (void)unused;
    int equal = 0;
    int slower = 0;
    int steady = 0;
    for (int r = 0; r < RUNS; r++) {
        struct kt_diff diff;
        draw_runs(&diff, -1, 1);
        equal += kt_diff_fails(&diff, 0.05);
        kt_diff_free(&diff);
        draw_runs(&diff, FAILS_SLOWED, 1.2);
        steady += is_steady(&diff);
        slower += is_steady(&diff) && kt_diff_fails(&diff, 0.05);
        equal += kt_diff_fails(&diff, 0.25);
        kt_diff_free(&diff);
        draw_runs(&diff, FAILS_SLOWED, 1 / 1.2);
        equal += kt_diff_fails(&diff, 0.05);
        kt_diff_free(&diff);
    }
    assert_in_range(equal, 0, 3 * RUNS / 20);
    assert_in_range(slower, steady * 95 / 100, steady);
}

/* A shape that is slower, but of which the interval begins below the limit, passes. */
static void test_interval_decides(void **unused)
{
    (void)unused;
    struct kt_diff diff = {0};
    do {
        kt_diff_free(&diff);
        draw_runs(&diff, FAILS_SLOWED, 1.2);
    } while (!is_steady(&diff));
    struct kt_diff_shape *s = shape_number(&diff, FAILS_SLOWED);
    assert_int_equal(s->change, KT_SLOWER);
    s->shift_lo = 1.04 * diff.drift;
    assert_true(!kt_diff_is_above(&diff, s, 0.05) && kt_diff_is_above(&diff, s, 0.03));
    kt_diff_free(&diff);
}

/* The heaviest shape, 0.23 of the time, is new: no shape is slower, the total is, by a factor of 1.3. */
static void test_total_with_what_is_new(void **unused)
{
    (void)unused;
    int steady = 0;
    int right = 0;
    for (int r = 0; r < RUNS; r++) {
        struct kt_diff diff;
        draw_runs(&diff, -1, 1);
        struct kt_diff_shape *s = shape_number(&diff, HEAVIEST);
        diff.total[0] -= s->side[0].total;
        s->side[0] = (struct kt_diff_side){0};
        kt_diff_judge(&diff, &kt_diff_usual);
        assert_int_equal(shape_number(&diff, HEAVIEST)->change, KT_APPEARED);
        steady += is_steady(&diff);
        right += is_steady(&diff) && fabs(diff.all.ratio / diff.drift / 1.3 - 1) < 0.06 && kt_diff_fails(&diff, 0.05) &&
                 is_total_above(&diff, 0.05) && !is_total_above(&diff, 0.4);
        kt_diff_free(&diff);
    }
    assert_in_range(right, steady * 95 / 100, steady);
}

/* Too few calls to tell: that these took three times as long is no change of the total; that there are MORE of them,
 * three times as many, is. */
static void draw_too_few(struct kt_diff *diff, bool more)
{
    draw_runs(diff, -1, 1);
    struct kt_diff_shape *s = shape_number(diff, HEAVIEST);
    for (int run = 0; run < 2; run++)
        s->side[run].blocks = 2;
    s->side[1].total *= 3;
    s->side[1].calls *= more ? 3 : 1;
    kt_diff_judge(diff, &kt_diff_usual);
}

static void test_total_with_too_few(void **unused)
{
    (void)unused;
    int fails[2] = {0};
    int steady[2] = {0};
    for (int r = 0; r < RUNS; r++)
        for (int more = 0; more < 2; more++) {
            struct kt_diff diff;
            draw_too_few(&diff, more);
            assert_int_equal(shape_number(&diff, HEAVIEST)->change, KT_TOO_FEW);
            steady[more] += is_steady(&diff);
            fails[more] += is_steady(&diff) && kt_diff_fails(&diff, 0.15);
            kt_diff_free(&diff);
        }
    assert_in_range(fails[0], 0, RUNS / 20);
    assert_in_range(fails[1], steady[1] * 95 / 100, steady[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRAWN(test_same_program_twice),
        DRAWN(test_some_shapes_do_not_drift),
        DRAWN(test_one_routine_drifts),
        DRAWN(test_one_routine_of_another_library),
        DRAWN(test_one_shape_slower),
        DRAWN(test_one_shape_faster),
        DRAWN(test_everything_slower),
        DRAWN(test_shapes_that_differ_in_all_ways),
        DRAWN(test_twice_as_long_is_never_the_same),
        DRAWN(test_new_vanished_few_small),
        DRAWN(test_placement_of_short_calls),
        DRAWN(test_fails_above),
        DRAWN(test_interval_decides),
        DRAWN(test_total_with_what_is_new),
        DRAWN(test_total_with_too_few),
        DRAWN(test_same_is_within_the_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
