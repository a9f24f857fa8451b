/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decomposition from pairs: on a machine with two states that runs and replays meet alike it is that of a calm one,
 * and what pairs do not show is not told.
 */
#include "model/decomposition/paired.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAIRS = 12 };

/* Of one call: bound 2, library 3, cache 1, all else 2, and in the mean 2 more. */
static const double truth[KT_PAIRED_TIMES] = {
    [KT_PAIRED_INSITU] = 10,  [KT_PAIRED_MEDIAN] = 8,        [KT_PAIRED_PLAYED] = 10,
    [KT_PAIRED_WARM] = 5,     [KT_PAIRED_COLD] = 9,          [KT_PAIRED_TRACKED] = 6.4,
    [KT_PAIRED_SEQUENCE] = 8, [KT_PAIRED_PLAYED_MEDIAN] = 8, [KT_PAIRED_SEQUENCE_MEDIAN] = 6};

struct shape {
    double time[KT_PAIRED_TIMES][PAIRS];
    struct kt_paired_shape shape;
};

static double noise(double part)
{
    return 1 + part * (2.0 * rand() / RAND_MAX - 1);
}

/* STATE: how much slower the machine is in half of the pairs; SCATTER: of each time by itself. */
static void make(struct shape *s, double calls, double state, double scatter)
{
    s->shape = (struct kt_paired_shape){.calls = calls, .bound = 2};
    for (int t = 0; t < KT_PAIRED_TIMES; t++)
        s->shape.time[t] = s->time[t];
    for (int k = 0; k < PAIRS; k++)
        for (int t = 0; t < KT_PAIRED_TIMES; t++)
            s->time[t][k] = truth[t] * (k % 2 ? state : 1) * noise(scatter);
    kt_paired_choose_context(&s->shape, PAIRS);
}

static struct kt_paired_sum sum_of(struct shape *s)
{
    const struct kt_paired_shape *one = &s->shape;
    return kt_paired_sum(&one, 1, PAIRS);
}

static void is_near(double expected, double found, double within)
{
    if (!(fabs(expected - found) <= within))
        fail_msg("expected %g, found %g", expected, found);
}

static double total(const struct kt_paired_sum *sum)
{
    double all = 0;
    for (int p = 0; p < KT_PAIRED_PARTS; p++)
        all += isnan(sum->part[p].value) ? 0 : sum->part[p].value;
    return all;
}

/* Of a sum of so many pairs that has this part. */
static enum kt_paired_sign sign_of(struct kt_time part, size_t pairs)
{
    struct kt_paired_sum sum = {.pairs = pairs, .part[KT_PAIRED_LIBRARY] = part};
    return kt_paired_sign(&sum, KT_PAIRED_LIBRARY);
}

static void test_calm(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 3, 1, 0);
    struct kt_paired_sum sum = sum_of(&s);
    is_near(30, sum.seconds, 1e-9);
    is_near(0.2, sum.part[KT_PAIRED_BOUND].value, 1e-9);
    is_near(0.3, sum.part[KT_PAIRED_LIBRARY].value, 1e-9);
    is_near(0.1, sum.part[KT_PAIRED_CACHE].value, 1e-9);
    is_near(0.2, sum.part[KT_PAIRED_RESIDUAL].value, 1e-9);
    is_near(0.2, sum.part[KT_PAIRED_UNEVEN].value, 1e-9);
    is_near(0.8, sum.tracked.value, 1e-9);
    is_near(0.8, sum.sequence.value, 1e-9);
    assert_int_equal(PAIRS, sum.pairs);
}

/* A bound stays what it is while all else takes longer: it is a smaller part then, and the library's a larger one. */
static void test_two_states(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 3, 1.4, 0.02);
    struct kt_paired_sum sum = sum_of(&s);
    is_near(1, total(&sum), 1e-9);
    is_near(0.1, sum.part[KT_PAIRED_CACHE].value, 0.02);
    is_near(0.2, sum.part[KT_PAIRED_RESIDUAL].value, 0.02);
    is_near(0.2, sum.part[KT_PAIRED_UNEVEN].value, 0.02);
    is_near(0.5, sum.part[KT_PAIRED_BOUND].value + sum.part[KT_PAIRED_LIBRARY].value, 0.02);
    is_near(0.8, sum.sequence.value, 0.02);
    assert_true(sum.part[KT_PAIRED_RESIDUAL].lo > 0.15 && sum.part[KT_PAIRED_RESIDUAL].hi < 0.25);
    assert_int_equal(KT_SIGN_KNOWN, kt_paired_sign(&sum, KT_PAIRED_RESIDUAL));
}

/* States that the two halves of a pair do not share. */
static void test_apart(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 3, 1, 0);
    for (int k = 0; k < PAIRS; k++)
        s.time[KT_PAIRED_SEQUENCE_MEDIAN][k] = k % 2 ? 5 : 11;
    kt_paired_choose_context(&s.shape, PAIRS);
    struct kt_paired_sum sum = sum_of(&s);
    assert_int_equal(KT_SIGN_CANNOT_TELL, kt_paired_sign(&sum, KT_PAIRED_RESIDUAL));
    assert_int_equal(KT_PAIRED_PARTS, kt_paired_dominant(&sum));
}

static void test_few_pairs(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 3, 1, 0);
    const struct kt_paired_shape *one = &s.shape;
    struct kt_paired_sum sum = kt_paired_sum(&one, 1, KT_PAIRED_LEAST - 1);
    is_near(0.3, sum.part[KT_PAIRED_LIBRARY].value, 1e-9);
    assert_int_equal(KT_SIGN_CANNOT_TELL, kt_paired_sign(&sum, KT_PAIRED_LIBRARY));
}

static void test_signs(void **state)
{
    (void)state;
    const struct kt_time none = {0.001, -0.01, 0.015};
    const struct kt_time less = {-0.1, -0.12, -0.06};
    const struct kt_time both = {0.1, -0.01, 0.2};
    const struct kt_time wide = {0.5, 0.2, 0.7};
    const struct kt_time more = {1.3, 1.2, 1.4};
    const struct kt_time all = {1.05, 0.95, 1.15};
    assert_int_equal(KT_SIGN_NONE, sign_of(none, PAIRS));
    assert_int_equal(KT_SIGN_KNOWN, sign_of(less, PAIRS));
    assert_int_equal(KT_SIGN_KNOWN, sign_of(both, PAIRS));
    assert_int_equal(KT_SIGN_CANNOT_TELL, sign_of(both, KT_PAIRED_LEAST - 1));
    assert_int_equal(KT_SIGN_CANNOT_TELL, sign_of(wide, PAIRS));
    assert_int_equal(KT_SIGN_CANNOT_TELL, sign_of(more, PAIRS));
    assert_int_equal(KT_SIGN_KNOWN, sign_of(all, PAIRS));
}

/* What is faster in the program's context than with operands in cache was not as warm as it gets. */
static void test_faster_than_warm(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 1, 1, 0);
    for (int k = 0; k < PAIRS; k++)
        s.time[KT_PAIRED_WARM][k] = 7;
    struct kt_paired_sum sum = sum_of(&s);
    is_near(0, sum.part[KT_PAIRED_CACHE].value, 1e-9);
    is_near(0.4, sum.part[KT_PAIRED_LIBRARY].value, 1e-9);
    is_near(1, total(&sum), 1e-9);
}

/* Heavier shapes count for more; those without pairs for nothing. */
static void test_weights(void **state)
{
    (void)state;
    struct shape a, b, c;
    make(&a, 3, 1, 0);
    make(&b, 1, 1, 0);
    make(&c, 1, 1, 0);
    for (int k = 0; k < PAIRS; k++) {
        b.time[KT_PAIRED_SEQUENCE_MEDIAN][k] = 8;
        c.time[KT_PAIRED_WARM][k] = NAN;
    }
    kt_paired_choose_context(&b.shape, PAIRS);
    const struct kt_paired_shape *all[] = {&a.shape, &b.shape, &c.shape};
    struct kt_paired_sum sum = kt_paired_sum(all, 3, PAIRS);
    is_near(40, sum.seconds, 1e-9);
    is_near(10, sum.missing, 1e-9);
    is_near(0.15, sum.part[KT_PAIRED_RESIDUAL].value, 1e-9);
}

static void test_tracked_where_not_played(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 1, 1, 0);
    for (int k = 0; k < PAIRS; k++)
        s.time[KT_PAIRED_SEQUENCE_MEDIAN][k] = s.time[KT_PAIRED_SEQUENCE][k] = NAN;
    kt_paired_choose_context(&s.shape, PAIRS);
    struct kt_paired_sum sum = sum_of(&s);
    is_near(0.14, sum.part[KT_PAIRED_CACHE].value, 1e-9);
    assert_true(isnan(sum.sequence.value));
}

static void forget(struct shape *s, enum kt_paired_time time)
{
    for (int k = 0; k < PAIRS; k++)
        s->time[time][k] = NAN;
}

/* Runs of which the played calls are not known, as those of a profile, do not take from a shape what tracked tells. */
static void test_tracked_where_runs_are_not_known(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 1, 1, 0);
    forget(&s, KT_PAIRED_PLAYED_MEDIAN);
    kt_paired_choose_context(&s.shape, PAIRS);
    struct kt_paired_sum sum = sum_of(&s);
    is_near(0.14, sum.part[KT_PAIRED_CACHE].value, 1e-9);
    is_near(0.16, sum.part[KT_PAIRED_RESIDUAL].value, 1e-9);
    assert_int_equal(PAIRS, sum.pairs);
}

/* No replay had operands where they were: pairs still tell the bound, the library, what is uneven, and the rest whole.
 */
static void make_profile(struct shape *s, double calls)
{
    make(s, calls, 1, 0);
    forget(s, KT_PAIRED_TRACKED);
    forget(s, KT_PAIRED_SEQUENCE_MEDIAN);
    kt_paired_choose_context(&s->shape, PAIRS);
}

static void test_profile(void **state)
{
    (void)state;
    struct shape s;
    make_profile(&s, 3);
    struct kt_paired_sum sum = sum_of(&s);
    assert_int_equal(PAIRS, sum.pairs);
    is_near(0, sum.missing, 1e-9);
    is_near(30, sum.unsplit, 1e-9);
    is_near(0.2, sum.part[KT_PAIRED_BOUND].value, 1e-9);
    is_near(0.3, sum.part[KT_PAIRED_LIBRARY].value, 1e-9);
    is_near(0.3, sum.part[KT_PAIRED_UNSPLIT].value, 1e-9);
    is_near(0.2, sum.part[KT_PAIRED_UNEVEN].value, 1e-9);
    is_near(1, total(&sum), 1e-9);
    assert_int_equal(KT_SIGN_KNOWN, kt_paired_sign(&sum, KT_PAIRED_LIBRARY));
    assert_int_equal(KT_SIGN_KNOWN, kt_paired_sign(&sum, KT_PAIRED_UNSPLIT));
    assert_int_equal(KT_SIGN_CANNOT_TELL, kt_paired_sign(&sum, KT_PAIRED_CACHE));
    assert_int_equal(KT_SIGN_CANNOT_TELL, kt_paired_sign(&sum, KT_PAIRED_RESIDUAL));
}

static void test_some_in_context(void **state)
{
    (void)state;
    struct shape a, b;
    make(&a, 3, 1, 0);
    make_profile(&b, 1);
    const struct kt_paired_shape *both[] = {&a.shape, &b.shape};
    struct kt_paired_sum sum = kt_paired_sum(both, 2, PAIRS);
    is_near(10, sum.unsplit, 1e-9);
    is_near(0.075, sum.part[KT_PAIRED_CACHE].value, 1e-9);
    is_near(0.15, sum.part[KT_PAIRED_RESIDUAL].value, 1e-9);
    is_near(0.075, sum.part[KT_PAIRED_UNSPLIT].value, 1e-9);
    is_near(1, total(&sum), 1e-9);
    sum = sum_of(&a);
    assert_int_equal(KT_SIGN_NONE, kt_paired_sign(&sum, KT_PAIRED_UNSPLIT));
}

/* Where only bytes are counted, hardware and library are not told; the rest is as ever, and so is a larger sum. */
static void test_uncounted(void **state)
{
    (void)state;
    struct shape a, b;
    make(&a, 3, 1, 0);
    make(&b, 60, 1, 0);
    a.shape.uncounted = true;
    struct kt_paired_sum sum = sum_of(&a);
    is_near(0.3, sum.undivided, 1e-9);
    is_near(1, total(&sum), 1e-9);
    assert_int_equal(KT_SIGN_CANNOT_TELL, kt_paired_sign(&sum, KT_PAIRED_BOUND));
    assert_int_equal(KT_SIGN_CANNOT_TELL, kt_paired_sign(&sum, KT_PAIRED_LIBRARY));
    assert_int_equal(KT_SIGN_KNOWN, kt_paired_sign(&sum, KT_PAIRED_CACHE));
    assert_int_equal(KT_PAIRED_PARTS, kt_paired_dominant(&sum));
    const struct kt_paired_shape *both[] = {&a.shape, &b.shape};
    sum = kt_paired_sum(both, 2, PAIRS);
    is_near(0.3 / 21, sum.undivided, 1e-9);
    is_near(0.3 - 0.3 / 21, sum.part[KT_PAIRED_LIBRARY].lo, 1e-9);
    assert_int_equal(KT_SIGN_KNOWN, kt_paired_sign(&sum, KT_PAIRED_LIBRARY));
}

/* A replay that certainly took longer than the program: a library would need more than there is. */
static void test_slower(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 1, 1, 0);
    for (int k = 0; k < PAIRS; k++) {
        s.time[KT_PAIRED_WARM][k] = 9;
        s.time[KT_PAIRED_SEQUENCE_MEDIAN][k] = 10;
    }
    kt_paired_choose_context(&s.shape, PAIRS);
    struct kt_paired_sum sum = sum_of(&s);
    is_near(-0.2, sum.beyond.value, 1e-9);
    assert_true(kt_paired_is_slower(&sum));
    assert_int_equal(KT_SIGN_CANNOT_TELL, kt_paired_sign(&sum, KT_PAIRED_LIBRARY));
    assert_int_equal(KT_SIGN_KNOWN, kt_paired_sign(&sum, KT_PAIRED_UNEVEN));
    assert_int_equal(KT_PAIRED_PARTS, kt_paired_dominant(&sum));
    for (int k = 0; k < PAIRS; k++)
        s.time[KT_PAIRED_SEQUENCE_MEDIAN][k] = k % 3 ? 9.5 : 7;
    kt_paired_choose_context(&s.shape, PAIRS);
    sum = sum_of(&s);
    assert_true(sum.beyond.value < -0.1 && sum.beyond.hi >= 0);
    assert_false(kt_paired_is_slower(&sum));
}

/* Parts add up to 1 whatever the times are, and a part that dominates may be known less well than to be told. */
static void test_noisy(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 1, 1, 0.6);
    struct kt_paired_sum sum = sum_of(&s);
    is_near(1, total(&sum), 1e-9);
    for (int p = 0; p < KT_PAIRED_PARTS; p++)
        sum.part[p] = (struct kt_time){0.1, -0.1, 0.3};
    sum.part[KT_PAIRED_LIBRARY] = (struct kt_time){0.8, 0.5, 1.1};
    sum.beyond = sum.part[KT_PAIRED_RESIDUAL];
    assert_int_equal(KT_PAIRED_LIBRARY, kt_paired_dominant(&sum));
    assert_int_equal(KT_SIGN_CANNOT_TELL, kt_paired_sign(&sum, KT_PAIRED_LIBRARY));
}

static void test_dominant(void **state)
{
    (void)state;
    struct shape s;
    make(&s, 1, 1, 0);
    struct kt_paired_sum sum = sum_of(&s);
    assert_int_equal(KT_PAIRED_LIBRARY, kt_paired_dominant(&sum));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calm),
        cmocka_unit_test(test_two_states),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_few_pairs),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_faster_than_warm),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_tracked_where_not_played),
        cmocka_unit_test(test_dominant),
        cmocka_unit_test(test_noisy),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_some_in_context),
        cmocka_unit_test(test_uncounted),
        cmocka_unit_test(test_slower),
        cmocka_unit_test(test_tracked_where_runs_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
