/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the histogram says of many samples is compared with what sorting all of them says.
 */
#include "trace/base/samples.h"

#include "trace/base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { MANY = 3 * KT_SAMPLES_KEPT + 1 };

static double draw(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (double)(*random >> 11) * 0x1p-53;
}

/* Three decades with a long tail. */
static double *make_samples(size_t n)
{
    uint64_t random = 0x9e3779b97f4a7c15u;
    double *x = kt_resize(NULL, n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = 20e-9 * pow(1000, draw(&random)) / (1.01 - draw(&random));
    return x;
}

static struct kt_stat stat_of(const double *x, size_t n, enum kt_best best)
{
    struct kt_samples samples = {0};
    for (size_t i = 0; i < n; i++)
        kt_samples_add(&samples, x[i]);
    assert_int_equal(samples.n, n);
    assert_true(!samples.kept == (n > KT_SAMPLES_KEPT));
    struct kt_stat stat = kt_samples_stat(&samples, best);
    kt_samples_free(&samples);
    return stat;
}

static void assert_within(double value, double exact, double part)
{
    if (!(fabs(value - exact) <= part * exact))
        fail_msg("%.17g is not within %g of %.17g", value, part, exact);
}

static void none_are_not_a_number(void **state)
{
    (void)state;
    struct kt_samples samples = {0};
    struct kt_stat stat = kt_samples_stat(&samples, KT_BEST_MEDIAN);
    assert_true(isnan(stat.best) && isnan(stat.min) && isnan(stat.median) && stat.n == 0);
}

static void few_are_exact(void **state)
{
    (void)state;
    static const size_t count[] = {1, 2, 7, 1000, KT_SAMPLES_KEPT};
    double *x = make_samples(KT_SAMPLES_KEPT);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        struct kt_stat stat = stat_of(x, count[i], KT_BEST_QUARTILE);
        double *sorted = make_samples(count[i]);
        struct kt_stat exact = kt_stat_of(sorted, count[i], KT_BEST_QUARTILE);
        assert_true(stat.best == exact.best && stat.min == exact.min && stat.median == exact.median);
        assert_true(stat.lo == exact.lo && stat.hi == exact.hi && stat.resolution == 0);
        free(sorted);
    }
    free(x);
}

static void many_are_as_good_as_their_bins(void **state)
{
    (void)state;
    static const size_t count[] = {KT_SAMPLES_KEPT + 1, MANY - 1, MANY};
    double *x = make_samples(MANY);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        struct kt_stat stat = stat_of(x, count[i], KT_BEST_QUARTILE);
        double *sorted = make_samples(count[i]);
        struct kt_stat exact = kt_stat_of(sorted, count[i], KT_BEST_QUARTILE);
        assert_true(stat.resolution == 1.0 / 128 && stat.n == count[i]);
        assert_true(stat.min == exact.min);
        assert_within(stat.best, exact.best, stat.resolution);
        assert_within(stat.median, exact.median, stat.resolution);
        assert_within(stat.lo, exact.lo, stat.resolution);
        assert_within(stat.hi, exact.hi, stat.resolution);
        free(sorted);
    }
    free(x);
}

/* A clock that ticks in steps wider than a bin. */
static void short_times_stay_exact(void **state)
{
    (void)state;
    static const double tick = 1 / 2.6e9;
    uint64_t random = 42;
    double *x = kt_resize(NULL, MANY, sizeof *x);
    for (size_t i = 0; i < MANY; i++)
        x[i] = tick * floor(30 + 60 * draw(&random));
    struct kt_stat stat = stat_of(x, MANY, KT_BEST_MEDIAN);
    struct kt_stat exact = kt_stat_of(x, MANY, KT_BEST_MEDIAN);
    assert_within(stat.median, exact.median, 1e-9);
    assert_within(stat.lo, exact.lo, 1e-9);
    assert_within(stat.hi, exact.hi, 1e-9);
    free(x);
}

static void extremes_are_counted(void **state)
{
    (void)state;
    static const double extreme[] = {0, 5e-324, 1e-300, 0x1p-40, 1e-3, 0x1p24, 1e300, INFINITY};
    enum { KINDS = sizeof extreme / sizeof *extreme };
    double *x = kt_resize(NULL, MANY, sizeof *x);
    for (size_t i = 0; i < MANY; i++)
        x[i] = extreme[i % KINDS];
    struct kt_samples samples = {0};
    for (size_t i = 0; i < MANY; i++)
        kt_samples_add(&samples, x[i]);
    struct kt_stat stat = kt_samples_stat(&samples, KT_BEST_MEDIAN);
    assert_true(samples.least == 0 && samples.most == INFINITY && samples.n == MANY);
    assert_true(stat.min == 0 && stat.lo <= 0x1p-40);
    assert_within(stat.hi, 1e-3, 1e-9);
    kt_samples_free(&samples);
    free(x);
}

static void they_stay_in_order(void **unused)
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

static void a_histogram_gives_some(void **unused)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_are_not_a_number),          cmocka_unit_test(few_are_exact),
        cmocka_unit_test(many_are_as_good_as_their_bins), cmocka_unit_test(short_times_stay_exact),
        cmocka_unit_test(extremes_are_counted),           cmocka_unit_test(they_stay_in_order),
        cmocka_unit_test(a_histogram_gives_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
