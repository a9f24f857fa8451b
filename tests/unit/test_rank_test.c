/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exact rank test beside what counting all arrangements gives.
 */
#include "model/report/rank_test.h"
#include "tests/unit/drawn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRAWN(test_ranks_against_counting),
        DRAWN(test_ties_count_for_chance),
        DRAWN(test_shift_and_its_interval),
        DRAWN(test_interval_holds_the_shift),
        DRAWN(test_holm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
