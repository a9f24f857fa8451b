/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs that were made up: how often is a change seen where there is none, and how often one that is there. The exact
 * rank test is compared with what counting all arrangements gives.
 */
#include "model/report/diff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SHAPES = 24, CALLS = 400, RUNS = 200 };

static uint64_t state;

/* No test's numbers depend on the tests before it. SEED=N: other numbers. A rate that a test asks for is three standard
 * deviations or more below the true one, so that it holds with nearly all of them. Many bits are set: otherwise the
 * first numbers are nearly 0. */
static int seed(void **unused)
{
    (void)unused;
    const char *asked = getenv("SEED");
    state = UINT64_C(0x9E3779B97F4A7C15) * (asked ? 2 * strtoull(asked, NULL, 10) + 1 : 1);
    return 0;
}

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* --- the test of ranks ------------------------------------------------------------------------------------- */

static int above(unsigned second, int count)
{
    int pairs = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            pairs += (second >> i & 1) && !(second >> j & 1);
    return pairs;
}

/* Of all choices of M places among N + M, the part that has at least as many pairs. */
static double by_counting(int n, int m, int pairs)
{
    int all = 0;
    int such = 0;
    for (unsigned second = 0; second < 1u << (n + m); second++) {
        if (__builtin_popcount(second) != m)
            continue;
        all++;
        such += above(second, n + m) >= pairs;
    }
    return (double)such / all;
}

static void test_ranks_against_counting(void **unused)
{
    (void)unused;
    for (int n = 1; n <= 6; n++)
        for (int m = 1; m <= 6; m++) {
            unsigned second = 0;
            double x[6];
            double y[6];
            int counts[2] = {0, 0};
            while (__builtin_popcount(second) != m)
                second = (unsigned)(uniform() * (1u << (n + m)));
            for (int i = 0; i < n + m; i++)
                if (second >> i & 1)
                    y[counts[1]++] = i;
                else
                    x[counts[0]++] = i;
            assert_true(fabs(kt_rank_above(x, n, y, m, 0) - by_counting(n, m, above(second, n + m))) < 1e-12);
        }
    double low[16];
    double high[16];
    for (int i = 0; i < 16; i++) {
        low[i] = i;
        high[i] = 16 + i;
    }
    assert_true(fabs(kt_rank_above(low, 16, high, 16, 0) * 601080390 - 1) < 1e-6);
}

static void test_ties_count_for_chance(void **unused)
{
    (void)unused;
    const double same[] = {1, 1, 1, 1, 1, 1};
    assert_true(kt_rank_above(same, 6, same, 6, 0) == 1);
}

static void test_shift_and_its_interval(void **unused)
{
    (void)unused;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const double y[] = {11, 12, 13, 14, 15, 16, 17, 18};
    struct kt_rank_shift shift = kt_rank_shift(x, 8, y, 8);
    assert_true(fabs(shift.shift - 10) < 1e-12);
    assert_true(shift.lo < 10 && shift.hi > 10 && shift.lo > 5 && shift.hi < 15);
    shift = kt_rank_shift(x, 2, y, 2); /* one of six arrangements: never as rare as 2.5 % */
    assert_true(isinf(shift.lo) && isinf(shift.hi));
}

static void test_interval_holds_the_shift(void **unused)
{
    (void)unused;
    enum { TIMES = 2000 };
    int held = 0;
    for (int t = 0; t < TIMES; t++) {
        double x[10];
        double y[12];
        for (int i = 0; i < 10; i++)
            x[i] = normal();
        for (int i = 0; i < 12; i++)
            y[i] = normal() + 1;
        struct kt_rank_shift shift = kt_rank_shift(x, 10, y, 12);
        held += shift.lo <= 1 && shift.hi >= 1;
    }
    assert_true(held >= 0.94 * TIMES && held < TIMES);
}

static void test_holm(void **unused)
{
    (void)unused;
    double p[] = {0.04, 0.01, 0.02, 0.5};
    const double expected[] = {0.08, 0.04, 0.06, 0.5};
    kt_holm(p, 4);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(p[i] - expected[i]) < 1e-12);
}

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

/* --- samples in order -------------------------------------------------------------------------------------- */

static void test_samples_stay_in_order(void **unused)
{
    (void)unused;
    double taken[1000];
    struct kt_samples samples = {0};
    assert_int_equal(kt_samples_take(&samples, taken, 1000), 0);
    for (int i = 0; i < 7 * KT_SAMPLES_KEPT; i++) {
        kt_samples_add(&samples, 1 + i);
        if (i == 2 || i == 5000 || i == KT_SAMPLES_KEPT - 1 || i == KT_SAMPLES_KEPT || i == 7 * KT_SAMPLES_KEPT - 1) {
            size_t n = kt_samples_take(&samples, taken, 1000);
            assert_int_equal(n, i < 1000 ? i + 1 : 1000);
            for (size_t t = 0; t < n; t++)
                assert_true(fabs(taken[t] - (1 + (double)t * (i + 1) / (double)n)) <= 1 + 0.003 * i);
        }
    }
    kt_samples_free(&samples);
}

static void test_samples_of_a_histogram(void **unused)
{
    (void)unused;
    double taken[1000];
    struct kt_samples samples = {0};
    kt_samples_spread(&samples, 1, 2, 1000);
    size_t n = kt_samples_take(&samples, taken, 1000);
    double halves[2] = {0, 0};
    assert_int_equal(n, 512);
    for (size_t t = 0; t < n; t++)
        halves[2 * t / n] += taken[t] / ((double)n / 2);
    assert_true(fabs(halves[0] - 1.5) < 0.02 && fabs(halves[1] - 1.5) < 0.02);
    kt_samples_free(&samples);
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

#define DRAWN(test) cmocka_unit_test_setup(test, seed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRAWN(test_ranks_against_counting),
        DRAWN(test_ties_count_for_chance),
        DRAWN(test_shift_and_its_interval),
        DRAWN(test_interval_holds_the_shift),
        DRAWN(test_holm),
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
        DRAWN(test_samples_stay_in_order),
        DRAWN(test_samples_of_a_histogram),
        DRAWN(test_placement_of_short_calls),
        DRAWN(test_fails_above),
        DRAWN(test_interval_decides),
        DRAWN(test_total_with_what_is_new),
        DRAWN(test_total_with_too_few),
        DRAWN(test_same_is_within_the_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
