/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void nothing_is_not_a_number(void **state)
{
    (void)state;
    struct kt_stat stat = kt_stat_of(NULL, 0, KT_BEST_QUARTILE);
    assert_true(isnan(stat.best) && isnan(stat.min) && isnan(stat.median) && isnan(stat.lo) && isnan(stat.hi));
    assert_int_equal(stat.n, 0);
}

static void few_samples_have_their_range(void **state)
{
    (void)state;
    double x[] = {5, 1, 3, 2};
    struct kt_stat stat = kt_stat_of(x, 4, KT_BEST_MEDIAN);
    assert_true(stat.min == 1 && stat.median == 2.5 && stat.best == 2.5 && stat.lo == 1 && stat.hi == 5);
    double one[] = {7};
    stat = kt_stat_of(one, 1, KT_BEST_QUARTILE);
    assert_true(stat.best == 7 && stat.median == 7 && stat.lo == 7 && stat.hi == 7);
}

/* Published ranks (1-based) of the 95 % interval of the median: n = 6: 1, 9: 2, 12: 3, 20: 6, 50: 18, 100: 40. */
static void ranks_are_those_of_the_sign_test(void **state)
{
    (void)state;
    static const size_t known[][2] = {{6, 1}, {9, 2}, {12, 3}, {20, 6}, {50, 18}, {100, 40}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t lo;
        size_t hi;
        kt_median_ranks(known[i][0], &lo, &hi);
        assert_int_equal(lo + 1, known[i][1]);
        assert_int_equal(hi, known[i][0] - 1 - lo);
    }
}

static double coverage(size_t n, size_t lo)
{
    double tail = 0;
    for (size_t k = 0; k <= lo; k++)
        tail += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) - (double)n * log(2));
    return 1 - 2 * tail;
}

static void ranks_cover_enough_but_not_too_much(void **state)
{
    (void)state;
    for (size_t n = 6; n < 5000; n += 1 + n / 50) {
        size_t lo;
        size_t hi;
        kt_median_ranks(n, &lo, &hi);
        assert_true(lo < hi && hi == n - 1 - lo);
        assert_true(coverage(n, lo) >= 0.95 - 1e-9);
        assert_true(n > 1000 || coverage(n, lo + 1) < 0.95);
        assert_true(n <= 1000 || coverage(n, lo) < 0.96);
    }
}

static void quartile_and_median_are_chosen(void **state)
{
    (void)state;
    double x[] = {9, 8, 7, 6, 5, 4, 3};
    assert_true(kt_stat_of(x, 7, KT_BEST_QUARTILE).best == 4);
    assert_true(kt_stat_of(x, 7, KT_BEST_MEDIAN).best == 6);
}

static void context_index_is_a_scale(void **state)
{
    (void)state;
    assert_true(kt_context_index(1, 1, 3) == 0);
    assert_true(kt_context_index(3, 1, 3) == 1);
    assert_true(kt_context_index(5, 1, 3) == 2);
    assert_true(isnan(kt_context_index(1, 1, 1.01)));
    assert_true(isnan(kt_context_index(1, 3, 1)));
    assert_true(isnan(kt_context_index(1, NAN, 1)));
}

static void weighted_quantile_is_by_weight(void **state)
{
    (void)state;
    struct kt_weighted value[] = {{3, 1}, {1, 1}, {2, 6}};
    assert_true(kt_weighted_quantile(value, 3, 0.1) == 1);
    assert_true(kt_weighted_quantile(value, 3, 0.5) == 2);
    assert_true(kt_weighted_quantile(value, 3, 1) == 3);
    assert_true(isnan(kt_weighted_quantile(value, 0, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weighted_quantile_is_by_weight),
        cmocka_unit_test(nothing_is_not_a_number),
        cmocka_unit_test(few_samples_have_their_range),
        cmocka_unit_test(ranks_are_those_of_the_sign_test),
        cmocka_unit_test(ranks_cover_enough_but_not_too_much),
        cmocka_unit_test(quartile_and_median_are_chosen),
        cmocka_unit_test(context_index_is_a_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
