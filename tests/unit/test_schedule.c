/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds and stopping rule, with times that are made up; and the ratios of paired times.
 */
#include "replay/ratio.h"
#include "replay/schedule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { ITEMS = 4, LANES = 2 };

/* How the times of an item scatter, and what a visit does besides. */
struct fake {
    struct kt_schedule schedule;
    double scatter[ITEMS];
    double base[ITEMS];
    size_t failing; /* item that cannot be timed, ITEMS: none */
    double slow;    /* seconds that a visit takes */
    unsigned visits, rounds_begun;
    size_t order[10000];
};

static void wait_for(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};
    nanosleep(&t, NULL);
}

static bool visit(void *context, size_t item, size_t lane)
{
    struct fake *f = context;
    f->order[f->visits++] = item;
    if (f->slow > 0)
        wait_for(f->slow);
    if (item == f->failing)
        return false;
    double seconds[2];
    for (int i = 0; i < 2; i++)
        seconds[i] = f->base[item] * (1 + f->scatter[item] * rand() / RAND_MAX) * (double)(lane + 1);
    kt_series_add(&f->schedule.item[item].lane[lane], f->schedule.rounds, seconds, 2);
    return true;
}

static void begin_round(void *context)
{
    ((struct fake *)context)->rounds_begun++;
}

static struct fake *new_fake(void)
{
    static struct fake fake;
    srand(1);
    fake = (struct fake){.failing = ITEMS};
    kt_schedule_make(ITEMS, LANES, &fake.schedule);
    for (size_t i = 0; i < ITEMS; i++) {
        fake.base[i] = 1e-3;
        fake.schedule.item[i].weight = i == 0 ? 95 : 1;
    }
    fake.schedule.budget = 100;
    fake.schedule.label = "test";
    fake.schedule.visit = visit;
    fake.schedule.begin_round = begin_round;
    fake.schedule.context = &fake;
    return &fake;
}

static const struct kt_series *series(const struct fake *f, size_t item)
{
    return &f->schedule.item[item].lane[0];
}

static void test_quiet_items_converge(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    kt_schedule_run(&f->schedule);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(f->schedule.item[i].stop, KT_STOP_CONVERGED);
        assert_int_equal(series(f, i)->visits, 15);
        assert_int_equal(series(f, i)->samples, 30);
    }
    assert_true(f->rounds_begun >= 15);
    kt_schedule_free(&f->schedule);
}

static void test_noisy_items_use_all_rounds(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->scatter[0] = f->scatter[1] = 5;
    kt_schedule_run(&f->schedule);
    assert_int_equal(f->schedule.item[0].stop, KT_STOP_ROUNDS);
    assert_int_equal(series(f, 0)->visits, 60);
    assert_int_equal(f->schedule.item[1].stop, KT_STOP_ROUNDS);
    assert_int_equal(series(f, 1)->visits, 50); /* a minor one waits for the major ones from round 5 to 15 */
    kt_schedule_free(&f->schedule);
}

static void test_long_calls_stop_early(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->base[0] = 1;
    kt_schedule_run(&f->schedule);
    assert_int_equal(f->schedule.item[0].stop, KT_STOP_CONVERGED);
    assert_int_equal(series(f, 0)->visits, 3);
    kt_schedule_free(&f->schedule);
}

static void test_unimportant_items(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->schedule.item[2].once = true;
    f->scatter[2] = 5;
    kt_schedule_run(&f->schedule);
    assert_int_equal(f->schedule.item[2].stop, KT_STOP_ROUNDS);
    assert_int_equal(series(f, 2)->visits, 5);
    kt_schedule_free(&f->schedule);
}

static void test_failures_are_not_visited_again(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->failing = 1;
    kt_schedule_run(&f->schedule);
    unsigned visits = 0;
    for (unsigned i = 0; i < f->visits; i++)
        visits += f->order[i] == 1;
    assert_int_equal(visits, 1);
    assert_int_equal(f->schedule.item[1].stop, KT_STOP_FAILED);
    assert_int_equal(f->schedule.item[0].stop, KT_STOP_CONVERGED);
    kt_schedule_free(&f->schedule);
}

static void test_budget_keeps_three_rounds(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->slow = 1e-3;
    f->schedule.budget = 1e-3;
    kt_schedule_run(&f->schedule);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(f->schedule.item[i].stop, KT_STOP_BUDGET);
        assert_int_equal(series(f, i)->visits, 3);
    }
    assert_true(f->schedule.seconds >= 0.024);
    kt_schedule_free(&f->schedule);
}

static void test_order_is_random_and_repeatable(void **state)
{
    (void)state;
    size_t first[24];
    struct fake *f = new_fake();
    kt_schedule_run(&f->schedule);
    memcpy(first, f->order, sizeof first);
    kt_schedule_free(&f->schedule);
    assert_memory_not_equal(first, first + ITEMS * LANES, ITEMS * LANES * sizeof *first);
    f = new_fake();
    kt_schedule_run(&f->schedule);
    assert_memory_equal(first, f->order, sizeof first);
    kt_schedule_free(&f->schedule);
}

/* --- ratios ------------------------------------------------------------------------------------------------ */

enum { PAIRS = 40 };

/* Times with a common disturbance of up to twice, a ratio, and some scatter of their own. */
struct times {
    double time[PAIRS], base[PAIRS];
    unsigned round[PAIRS];
};

static struct kt_pairs make_pairs(struct times *t, double ratio, double scatter, double weight)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        double common = 1 + (double)rand() / RAND_MAX;
        t->base[i] = common * (1 + scatter * rand() / RAND_MAX);
        t->time[i] = common * ratio * (1 + scatter * rand() / RAND_MAX);
        t->round[i] = i;
    }
    return (struct kt_pairs){t->time, t->base, t->round, PAIRS, weight};
}

static void test_pairs_cancel_common_noise(void **state)
{
    (void)state;
    struct times t;
    srand(2);
    struct kt_pairs pairs = make_pairs(&t, 1.05, 0.02, 1);
    struct kt_ratio ratio = kt_ratio_of(&pairs);
    assert_true(fabs(ratio.value - 1.05) < 0.01);
    assert_true(ratio.lo > 1.03 && ratio.hi < 1.07 && ratio.lo <= ratio.value && ratio.value <= ratio.hi);
}

static void test_total_is_weighted(void **state)
{
    (void)state;
    struct times t[2];
    srand(3);
    struct kt_pairs pairs[] = {make_pairs(&t[0], 2, 0.01, 3), make_pairs(&t[1], 1, 0.01, 1)};
    struct kt_ratio ratio = kt_ratio_of_total(pairs, 2, 1);
    assert_true(fabs(ratio.value - 1.75) < 0.01);
    assert_true(ratio.lo < ratio.value && ratio.value < ratio.hi && ratio.hi - ratio.lo < 0.02);
}

/* Equal libraries are told apart in no more than about one of twenty comparisons. */
static void test_coverage(void **state)
{
    (void)state;
    int wrong = 0;
    srand(4);
    for (int i = 0; i < 200; i++) {
        struct times t[2];
        struct kt_pairs pairs[] = {make_pairs(&t[0], 1, 0.2, 2), make_pairs(&t[1], 1, 0.2, 1)};
        struct kt_ratio ratio = kt_ratio_of_total(pairs, 2, (uint64_t)i);
        wrong += ratio.lo > 1 || ratio.hi < 1;
    }
    assert_in_range(wrong, 0, 24);
}

static void test_no_pairs(void **state)
{
    (void)state;
    struct kt_pairs none = {0};
    assert_true(isnan(kt_ratio_of(&none).value));
    assert_true(isnan(kt_ratio_of_total(&none, 1, 1).value));
    assert_true(isnan(kt_ratio_of_total(NULL, 0, 1).value));
}

/* A call below the resolution of the clock must not make a ratio infinite. */
static void test_zero_times(void **state)
{
    (void)state;
    const double zero[6] = {0};
    const unsigned round[6] = {0, 1, 2, 3, 4, 5};
    struct kt_pairs pairs = {zero, zero, round, 6, 0};
    assert_true(kt_ratio_of(&pairs).value == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet_items_converge),
        cmocka_unit_test(test_noisy_items_use_all_rounds),
        cmocka_unit_test(test_long_calls_stop_early),
        cmocka_unit_test(test_unimportant_items),
        cmocka_unit_test(test_failures_are_not_visited_again),
        cmocka_unit_test(test_budget_keeps_three_rounds),
        cmocka_unit_test(test_order_is_random_and_repeatable),
        cmocka_unit_test(test_pairs_cancel_common_noise),
        cmocka_unit_test(test_total_is_weighted),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_no_pairs),
        cmocka_unit_test(test_zero_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
