/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which shapes are timed where there is no time for all: what they stand for, and what is estimated from them.
 */
#include "replay/compare/draw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SHAPES = 3000, MOST = 100 };

/* Few heavy shapes and many light ones, of two routines; seconds fall with the number. */
static void make_shapes(struct kt_drawable *shape)
{
    for (int i = 0; i < SHAPES; i++)
        shape[i] = (struct kt_drawable){
            .routine = i % 3 ? "dgemm" : "dsyrk", .seconds = 1.0 / (1 + i), .of_a_call = 1e-3 / (1 + i)};
}

static void test_all_where_there_is_room(void **state)
{
    (void)state;
    struct kt_drawable shape[SHAPES];
    make_shapes(shape);
    kt_draw_shapes(shape, SHAPES, SHAPES);
    for (int i = 0; i < SHAPES; i++)
        assert_true(shape[i].stands_for == 1);
    kt_draw_shapes(NULL, 0, 5);
}

static void test_they_stand_for_all(void **state)
{
    (void)state;
    struct kt_drawable shape[SHAPES];
    double all = 0;
    double drawn = 0;
    int count = 0;
    make_shapes(shape);
    kt_draw_shapes(shape, SHAPES, MOST);
    for (int i = 0; i < SHAPES; i++) {
        all += shape[i].seconds;
        drawn += shape[i].stands_for * shape[i].seconds;
        count += shape[i].stands_for > 0;
        assert_true(shape[i].stands_for == 0 || shape[i].stands_for >= 1);
    }
    assert_true(count <= MOST && count >= MOST - 2);
    assert_true(fabs(drawn / all - 1) < 0.01);
    for (int i = 0; i < 10; i++)
        assert_true(shape[i].stands_for == 1);
}

/* A library that is slower the shorter the calls are, twice as much for one routine: what the heaviest alone tell is
 * far off. */
static double slowness(const struct kt_drawable *shape)
{
    double small = 1 + 0.5 * log(1e-3 / shape->of_a_call);
    return shape->routine[1] == 's' ? 2 * small : small;
}

static void test_estimates(void **state)
{
    (void)state;
    struct kt_drawable shape[SHAPES];
    double all = 0;
    double slow = 0;
    double estimate = 0;
    double heavy = 0;
    double slow_heavy = 0;
    make_shapes(shape);
    kt_draw_shapes(shape, SHAPES, MOST);
    for (int i = 0; i < SHAPES; i++) {
        all += shape[i].seconds;
        slow += shape[i].seconds * slowness(&shape[i]);
        estimate += shape[i].stands_for * shape[i].seconds * slowness(&shape[i]);
        heavy += i < MOST ? shape[i].seconds : 0;
        slow_heavy += i < MOST ? shape[i].seconds * slowness(&shape[i]) : 0;
    }
    assert_true(fabs(estimate / slow - 1) < 0.01);
    assert_true(fabs(slow_heavy / heavy / (slow / all) - 1) > 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_where_there_is_room),
        cmocka_unit_test(test_they_stand_for_all),
        cmocka_unit_test(test_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
