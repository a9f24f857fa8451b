/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds and stopping rule, with times that are made up.
 */
#include "replay/measure/schedule.h"

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
    double growth[ITEMS]; /* of the scatter, with each visit */
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
    f->scatter[item] *= 1 + f->growth[item];
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

/* A condition that an item cannot be brought into is not visited and keeps nothing from converging. */
static void test_absent_lanes(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->schedule.item[0].lane[1].absent = true;
    kt_schedule_run(&f->schedule);
    assert_int_equal(f->schedule.item[0].stop, KT_STOP_CONVERGED);
    assert_true(f->schedule.item[0].lane[0].visits > 0);
    assert_int_equal(f->schedule.item[0].lane[1].visits, 0);
    assert_true(f->schedule.item[1].lane[1].visits > 0);
    kt_schedule_free(&f->schedule);
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

/* More samples of noise that stays the same tell nothing new, if they cannot make the interval narrow. */
static void test_steady_noise_stops(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->scatter[0] = f->scatter[1] = 5;
    kt_schedule_run(&f->schedule);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(f->schedule.item[i].stop, KT_STOP_STEADY);
        assert_in_range(series(f, i)->visits, 30, 59);
    }
    assert_int_equal(f->schedule.item[2].stop, KT_STOP_CONVERGED);
    assert_string_equal(kt_stop_text[KT_STOP_STEADY], "noise steady");
    kt_schedule_free(&f->schedule);
}

static void test_growing_noise_uses_all_rounds(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->scatter[0] = f->scatter[1] = 0.1;
    f->growth[0] = f->growth[1] = 0.05;
    kt_schedule_run(&f->schedule);
    assert_int_equal(f->schedule.item[0].stop, KT_STOP_ROUNDS);
    assert_int_equal(series(f, 0)->visits, 60);
    assert_int_equal(f->schedule.item[1].stop, KT_STOP_ROUNDS);
    assert_int_equal(series(f, 1)->visits, 50); /* a minor one waits for the major ones from round 5 to 15 */
    kt_schedule_free(&f->schedule);
}

/* Noise that 60 rounds can average out is no reason to stop before. */
static void test_moderate_noise_goes_on(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->scatter[0] = 0.12;
    kt_schedule_run(&f->schedule);
    assert_int_not_equal(f->schedule.item[0].stop, KT_STOP_STEADY);
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

/* What is known from an earlier replay is not visited, be it a lane or an item. */
static void test_known_lanes_are_not_visited(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->schedule.item[1].lane[0].enough = true;
    f->schedule.item[2].stop = KT_STOP_BUDGET;
    kt_schedule_run(&f->schedule);
    assert_int_equal(f->schedule.item[1].lane[0].visits, 0);
    assert_int_equal(f->schedule.item[1].lane[1].visits, 15);
    assert_int_equal(f->schedule.item[1].stop, KT_STOP_CONVERGED);
    assert_int_equal(f->schedule.item[2].lane[0].visits, 0);
    assert_int_equal(f->schedule.item[2].stop, KT_STOP_BUDGET);
    kt_schedule_free(&f->schedule);
}

/* ... of what takes most of the time, and one of the rest. */
static void test_budget_keeps_three_rounds(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->schedule.item[0].weight = 1e-3;
    f->slow = 1e-3;
    f->schedule.budget = 1e-3;
    kt_schedule_run(&f->schedule);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(f->schedule.item[i].stop, KT_STOP_BUDGET);
        assert_int_equal(series(f, i)->visits, i ? 3 : 1);
    }
    assert_true(f->schedule.seconds >= 0.02);
    kt_schedule_free(&f->schedule);
}

/* Where there is no time for all those that come first get a round, the others none. */
static void test_budget_leaves_out_the_last(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->slow = 1e-3;
    f->schedule.budget = 1e-6;
    f->schedule.least = 2;
    kt_schedule_run(&f->schedule);
    assert_int_equal(f->schedule.reached, 2);
    assert_int_equal(f->order[0], 0);
    assert_int_equal(f->order[LANES], 1);
    assert_int_equal(f->visits, 2 * LANES);
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(f->schedule.item[i].stop, i < 2 ? KT_STOP_BUDGET : KT_STOP_NOT_YET);
    kt_schedule_free(&f->schedule);
}

/* The first round gets half of the budget, those after it the rest. */
static void test_budget_holds_for_equal_items(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    for (size_t i = 0; i < ITEMS; i++)
        f->schedule.item[i].weight = 1;
    f->slow = 1e-3;
    f->schedule.budget = (LANES + 1) * 2 * f->slow; /* a second item is begun in its first half, and ends behind it */
    f->schedule.least = 1;
    kt_schedule_run(&f->schedule);
    assert_in_range(f->schedule.reached, 1, 2);
    assert_in_range(f->visits, LANES, 3 * LANES);
    assert_true(f->schedule.reached == 1 || series(f, 0)->visits >= series(f, 1)->visits);
    assert_int_equal(series(f, 2)->visits, 0);
    kt_schedule_free(&f->schedule);
}

/* What is known costs nothing, and so is not left out. */
static void test_known_items_are_not_left_out(void **state)
{
    (void)state;
    struct fake *f = new_fake();
    f->slow = 1e-3;
    f->schedule.budget = 1e-6;
    f->schedule.least = 1;
    f->schedule.item[1].stop = KT_STOP_CONVERGED;
    kt_schedule_run(&f->schedule);
    assert_int_equal(f->schedule.reached, 2);
    assert_int_equal(f->schedule.item[1].stop, KT_STOP_CONVERGED);
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

static void test_shortened(void **state)
{
    (void)state;
    struct kt_series series = {0};
    const double one = 1;
    const double four = 4;
    kt_series_add(&series, 0, &one, 1);
    kt_series_add(&series, 1, &four, 1);
    kt_series_shorten(&series, 2, 0.25);
    assert_true(series.visit[0] == 0.25 && series.visit[1] == 2 && series.sample[1] == 2);
    kt_series_forget(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortened),
        cmocka_unit_test(test_absent_lanes),
        cmocka_unit_test(test_quiet_items_converge),
        cmocka_unit_test(test_steady_noise_stops),
        cmocka_unit_test(test_growing_noise_uses_all_rounds),
        cmocka_unit_test(test_moderate_noise_goes_on),
        cmocka_unit_test(test_long_calls_stop_early),
        cmocka_unit_test(test_unimportant_items),
        cmocka_unit_test(test_failures_are_not_visited_again),
        cmocka_unit_test(test_known_lanes_are_not_visited),
        cmocka_unit_test(test_budget_keeps_three_rounds),
        cmocka_unit_test(test_budget_leaves_out_the_last),
        cmocka_unit_test(test_budget_holds_for_equal_items),
        cmocka_unit_test(test_known_items_are_not_left_out),
        cmocka_unit_test(test_order_is_random_and_repeatable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
