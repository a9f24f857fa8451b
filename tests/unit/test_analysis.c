/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/analysis/analysis.h"
#include "model/analysis/locality.h"
#include "tests/unit/blackjack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void monotone_is_the_least_of_what_follows(void **state)
{
    (void)state;
    double y[] = {5, 3, 4, 9, 7, 8};
    const double expected[] = {3, 3, 4, 7, 7, 8};
    kt_enforce_monotone(y, 6);
    for (int i = 0; i < 6; i++)
        assert_true(y[i] == expected[i]);
    kt_enforce_monotone(y, 1);
    kt_enforce_monotone(y, 0);
    assert_true(y[0] == 3);
}

static void first_step_is_the_first_above_the_mean(void **state)
{
    (void)state;
    const double y[] = {1, 1.01, 1.02, 2, 3, 3.1};
    assert_int_equal(kt_blackjack_first_step(y, 6), 2);
    const double constant[] = {4, 4, 4};
    assert_int_equal(kt_blackjack_first_step(constant, 3), 3);
    const double falling[] = {4, 3, 2};
    assert_int_equal(kt_blackjack_first_step(falling, 3), 3);
    assert_int_equal(kt_blackjack_first_step(y, 1), 1);
    assert_int_equal(kt_blackjack_first_step(y, 0), 0);
    const double two[] = {1, 2};
    assert_int_equal(kt_blackjack_first_step(two, 2), 0);
}

static void biggest_steps_and_ties(void **state)
{
    (void)state;
    const double y[] = {1, 2, 2, 4, 5};
    assert_int_equal(kt_biggest_relative_step(y, 5), 0); /* twice doubled: the first */
    assert_int_equal(kt_blackjack_scaled_step(y, 5), 3); /* 4 both times: the last */
    const double constant[] = {3, 3, 3, 3};
    assert_int_equal(kt_biggest_relative_step(constant, 4), 4);
    assert_int_equal(kt_blackjack_scaled_step(constant, 4), 4);
    assert_int_equal(kt_biggest_relative_step(y, 1), 1);
    assert_int_equal(kt_blackjack_scaled_step(y, 1), 1);
}

static void clusters_are_the_levels(void **state)
{
    (void)state;
    const double y[] = {4, 4.1, 12, 4.2, 13, 200, 12.5, 12.2};
    size_t cluster[8];
    assert_int_equal(kt_blackjack_cluster(y, 8, cluster), 3);
    const size_t expected[] = {1, 1, 0, 1, 0, 2, 0, 0};
    for (int i = 0; i < 8; i++)
        assert_int_equal(cluster[i], expected[i]);
}

/* The extent may be 25 % of the average that the cluster had before, and no more. */
static void a_cluster_ends_beyond_a_quarter(void **state)
{
    (void)state;
    size_t cluster[3];
    const double exact[] = {4, 5};
    assert_int_equal(kt_blackjack_cluster(exact, 2, cluster), 1);
    /* From 5.0001 the distance is less than a quarter of it, too; from 4 it is more. Grown from 5.5 neither fits. */
    const double above[] = {4, 5.5};
    assert_int_equal(kt_blackjack_cluster(above, 2, cluster), 2);
    assert_int_equal(cluster[0], 0); /* equally large: the smaller value */
    assert_int_equal(cluster[1], 1);
    const double middle[] = {3, 4, 5};
    assert_int_equal(kt_blackjack_cluster(middle, 3, cluster), 2);
    assert_int_equal(cluster[1], cluster[0]); /* equally near: the smaller candidate */
    assert_int_equal(cluster[2], 1);
}

static void clusters_of_one_none_and_equals(void **state)
{
    (void)state;
    size_t cluster[4];
    const double y[] = {7, 7, 7, 7};
    assert_int_equal(kt_blackjack_cluster(y, 0, cluster), 0);
    assert_int_equal(kt_blackjack_cluster(y, 1, cluster), 1);
    assert_int_equal(cluster[0], 0);
    assert_int_equal(kt_blackjack_cluster(y, 4, cluster), 1);
}

static void quantiles_are_interpolated(void **state)
{
    (void)state;
    double y[] = {4, 1, 3, 2, 5};
    assert_true(kt_quantile(y, 5, 0) == 1 && kt_quantile(y, 5, 1) == 5 && kt_quantile(y, 5, 0.25) == 2);
    double pair[] = {2, 1};
    assert_true(kt_quantile(pair, 2, 0.5) == 1.5);
    assert_true(isnan(kt_quantile(pair, 0, 0.5)));
}

static void segments_of_constant_and_short_curves(void **state)
{
    (void)state;
    struct kt_segment s[32];
    double y[32];
    for (int i = 0; i < 32; i++)
        y[i] = 6;
    assert_int_equal(kt_segments(y, 32, 0, s), 1);
    assert_true(s[0].level && s[0].first == 0 && s[0].last == 31 && fabs(s[0].y - 6) < 1e-9);
    assert_int_equal(kt_segments(y, 1, 0, s), 1);
    assert_int_equal(kt_segments(y, 0, 0, s), 0);
    assert_int_equal(kt_levels(y, 1, 0, 3, 1.5, s), 0);
    assert_int_equal(kt_levels(y, 32, 0, 3, 1.5, s), 1);
}

/* Two levels and a ramp between them: the levels end where they end. */
static void levels_and_the_ramp_between(void **state)
{
    (void)state;
    struct kt_segment s[40];
    double y[40];
    for (int i = 0; i < 40; i++)
        y[i] = (i < 15 ? 4 : i < 20 ? 4 * exp(0.2 * (i - 14)) : 14) * (1 + 0.004 * (i % 3 - 1));
    assert_int_equal(kt_levels(y, 40, 0.01, 3, 1.5, s), 2);
    assert_true(s[0].last >= 13 && s[0].last <= 15 && s[1].first >= 19 && s[1].first <= 20);
    assert_true(fabs(s[0].y - 4) < 0.1 && fabs(s[1].y - 14) < 0.3);
}

/* A curve with a spike and a trend after the step: the mean of increases is misled, the segmentation is not. */
static void segmentation_sees_the_step_that_a_mean_misses(void **state)
{
    (void)state;
    static const double y[] = {1.00, 1.02, 0.99, 1.35, 1.01, 1.00, 0.98, 1.01, 2.00, 2.02,
                               1.98, 2.01, 2.00, 1.99, 2.03, 2.00, 1.98, 2.01, 2.00, 2.02};
    struct kt_segment s[20];
    assert_true(kt_blackjack_first_step(y, 20) == 2);
    assert_int_equal(kt_levels(y, 20, 0.02, 3, 1.5, s), 2);
    assert_int_equal(s[1].first, 8);
}

static void noise_does_not_see_steps(void **state)
{
    (void)state;
    double y[60];
    for (int i = 0; i < 60; i++)
        y[i] = i < 30 ? 4 : 40;
    assert_true(kt_noise_of(y, 60) == 0);
    for (int i = 0; i < 60; i++)
        y[i] *= 1 + 0.02 * sin(12.9898 * i * i);
    double noise = kt_noise_of(y, 60);
    assert_true(noise > 0.007 && noise < 0.03);
    assert_true(kt_noise_of(y, 3) == 0);
}

/* Two sockets of two cores: fast within, slow between. */
static void localities_are_cliques(void **state)
{
    (void)state;
    const double rate[] = {0, 9, 4, 4, 9, 0, 4, 4, 4, 4, 0, 9, 4, 4, 9, 0};
    size_t group[] = {0, 0, 0, 0};
    assert_int_equal(kt_locality_refine(rate, 4, 0.7, group), 2);
    assert_true(group[0] == group[1] && group[2] == group[3] && group[0] != group[2]);
    const double even[] = {0, 5, 5, 5, 5, 0, 5, 5, 5, 5, 0, 5, 5, 5, 5, 0};
    assert_int_equal(kt_locality_refine(even, 4, 0.7, group), 2); /* refines, never unites */
    size_t one[] = {0};
    assert_int_equal(kt_locality_refine(rate, 1, 0.7, one), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotone_is_the_least_of_what_follows),
        cmocka_unit_test(first_step_is_the_first_above_the_mean),
        cmocka_unit_test(biggest_steps_and_ties),
        cmocka_unit_test(clusters_are_the_levels),
        cmocka_unit_test(a_cluster_ends_beyond_a_quarter),
        cmocka_unit_test(clusters_of_one_none_and_equals),
        cmocka_unit_test(quantiles_are_interpolated),
        cmocka_unit_test(segments_of_constant_and_short_curves),
        cmocka_unit_test(levels_and_the_ramp_between),
        cmocka_unit_test(segmentation_sees_the_step_that_a_mean_misses),
        cmocka_unit_test(noise_does_not_see_steps),
        cmocka_unit_test(localities_are_cliques),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
