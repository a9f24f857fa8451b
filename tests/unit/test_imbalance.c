/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How ranks share time, from sums by process.
 */
#include "model/summary/imbalance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char rank_key[] = "rank";
static char number[][2] = {"0", "1", "2"};
static struct kt_pair meta[] = {{rank_key, number[0]}, {rank_key, number[1]}, {rank_key, number[2]}};

/* Ranks 0, 1 and 2; the last one is two processes; and a process without a rank. */
static struct kt_process process[] = {{.pid = 1, .meta = &meta[2], .metas = 1},
                                      {.pid = 2, .meta = &meta[0], .metas = 1},
                                      {.pid = 3},
                                      {.pid = 4, .meta = &meta[1], .metas = 1},
                                      {.pid = 5, .meta = &meta[2], .metas = 1}};
static const struct kt_trace trace = {.process = process, .processes = 5};

static struct kt_sum part(const char *routine, int of, double seconds)
{
    return (struct kt_sum){.routine = routine, .process = &process[of], .calls = 1, .calls_top = 1, .seconds = seconds};
}

static void test_shares(void **state)
{
    (void)state;
    struct kt_imbalance imbalance;
    struct kt_sum processes[] = {part(NULL, 0, 1), part(NULL, 1, 2), part(NULL, 2, 100), part(NULL, 3, 0),
                                 part(NULL, 4, 3)};
    struct kt_sum parts[] = {part("even", 0, 1), part("odd", 4, 3), part("even", 3, 1), part("odd", 2, 50),
                             part("even", 1, 1)};
    struct kt_summary summary = {.processes = {processes, 5}, .parts = {parts, 5}};
    kt_imbalance_find(&trace, &summary, &imbalance);
    assert_int_equal(imbalance.ranks.count, 3);
    assert_true(imbalance.time[2].seconds_blas == 4);
    assert_int_equal(imbalance.time[2].calls, 2);
    assert_true(imbalance.all.max == 4 && imbalance.all.min == 0 && imbalance.all.mean == 2);
    assert_int_equal(imbalance.all.max_rank, 2);
    assert_int_equal(imbalance.all.min_rank, 1);
    assert_true(kt_balance_ratio(&imbalance.all) == 2);
    assert_int_equal(imbalance.routines, 2);
    assert_string_equal(imbalance.routine[0].routine, "odd");
    assert_true(kt_balance_ratio(&imbalance.routine[0]) == 3);
    assert_true(kt_balance_ratio(&imbalance.routine[1]) == 1);
    kt_imbalance_free(&imbalance);
}

static void test_no_time_has_no_imbalance(void **state)
{
    (void)state;
    struct kt_imbalance imbalance;
    struct kt_summary summary = {0};
    kt_imbalance_find(&trace, &summary, &imbalance);
    assert_int_equal(imbalance.ranks.count, 3);
    assert_true(isnan(kt_balance_ratio(&imbalance.all)));
    kt_imbalance_free(&imbalance);
}

static void test_no_ranks(void **state)
{
    (void)state;
    struct kt_imbalance imbalance;
    struct kt_summary summary = {0};
    const struct kt_trace plain = {.process = &process[2], .processes = 1};
    kt_imbalance_find(&plain, &summary, &imbalance);
    assert_int_equal(imbalance.ranks.count, 0);
    assert_int_equal(imbalance.routines, 0);
    kt_imbalance_free(&imbalance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_no_time_has_no_imbalance),
        cmocka_unit_test(test_no_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
