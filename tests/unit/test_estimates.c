/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Populations of calls that are known in full, and samples drawn from them again and again: the mean of the estimates
 * is the truth, and the intervals hold it about 19 times in 20.
 */
#include "model/summary/estimates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SVD, GEMM, GEMV, ROUTINES };
enum { CALLS = KT_INSIDE_CALLS, SECONDS = KT_INSIDE_SECONDS, SELF = KT_INSIDE_SELF };

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

/* About normal. */
static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

/* --- by hand ------------------------------------------------------------------------------------------------ */

static bool is_near(double found, double expected)
{
    return fabs(found - expected) < 1e-6 * fabs(expected);
}

static struct kt_inside_part part(size_t routine, double calls, double seconds)
{
    return (struct kt_inside_part){
        .routine = routine, .quantity = {calls, seconds, seconds}, .stated = {calls, seconds, seconds}};
}

static void add(struct kt_inside *inside, size_t shape, double weight, double seconds, double gemm)
{
    struct kt_inside_part parts[] = {part(GEMM, 2, gemm), part(SVD, 0, 0)};
    parts[1].quantity[SELF] = parts[1].stated[SELF] = -gemm;
    kt_inside_add(inside, &(struct kt_inside_call){shape, weight, seconds, 2}, parts, 2);
}

static void describe(struct kt_inside *inside, size_t shape, uint64_t calls, double seconds)
{
    kt_inside_describe(inside, shape, SVD, &(struct kt_inside_population){calls, seconds, 2 * (double)calls, false});
}

static void a_question_for_a_workspace_tells_nothing_of_work(void **unused)
{
    (void)unused;
    struct kt_insides found;
    struct kt_inside *inside = kt_inside_new(2);
    add(inside, 0, 1, 10, 4);
    kt_inside_describe(inside, 0, SVD, &(struct kt_inside_population){.idle = true});
    kt_inside_describe(inside, 1, SVD, &(struct kt_inside_population){1, 100, 1000, false});
    kt_inside_finish(inside, ROUTINES, &found);
    assert_true(found.routine[GEMM].of[CALLS].value == 2 && found.routine[GEMM].of[SECONDS].value == 4);
    assert_true(found.outer[0].unknown == 100);
    assert_int_equal(found.outer[0].sampled, 0);
    assert_int_equal(found.outer[0].calls, 1);
    kt_insides_free(&found);
}

static void a_call_that_was_certain_stands_for_itself(void **unused)
{
    (void)unused;
    struct kt_insides found;
    struct kt_inside *inside = kt_inside_new(1);
    add(inside, 0, 1, 10, 4);
    describe(inside, 0, 0, 0);
    kt_inside_finish(inside, ROUTINES, &found);
    const struct kt_estimate *of = found.routine[GEMM].of;
    assert_true(of[CALLS].value == 2 && of[CALLS].lo == 2 && of[CALLS].hi == 2);
    assert_true(of[SECONDS].value == 4 && of[SECONDS].lo == 4 && of[SECONDS].hi == 4);
    assert_true(found.routine[SVD].of[SELF].value == -4);
    assert_int_equal(found.routine[GEMM].sampled, 1);
    assert_int_equal(found.routine[GEMM].calls, 1);
    assert_int_equal(found.outers, 1);
    assert_true(found.routine[GEMV].of[CALLS].value == 0);
    kt_insides_free(&found);
}

/* The first call took three times as long, and is not what the others are like. */
static void drawn_calls_stand_for_the_others(void **unused)
{
    (void)unused;
    struct kt_insides found;
    struct kt_inside *inside = kt_inside_new(1);
    add(inside, 0, 1, 30, 24);
    for (int i = 0; i < 6; i++)
        add(inside, 0, 16, 10, 4 + 0.1 * (i % 2));
    describe(inside, 0, 99, 990);
    kt_inside_finish(inside, ROUTINES, &found);
    const struct kt_estimate *seconds = &found.routine[GEMM].of[SECONDS];
    assert_true(is_near(seconds->value, 24 + 0.405 * 990));
    assert_true(seconds->lo < seconds->value && seconds->hi > seconds->value);
    assert_true(is_near(seconds->hi - seconds->value, seconds->value - seconds->lo));
    assert_true(seconds->hi - seconds->lo < 0.04 * seconds->value);
    assert_true(is_near(found.routine[GEMM].of[CALLS].value, 200));
    assert_true(is_near(found.routine[GEMM].of[CALLS].hi, 200));
    assert_int_equal(found.routine[GEMM].sampled, 7);
    assert_int_equal(found.routine[GEMM].calls, 100);
    assert_int_equal(found.outer[0].drawn, 6);
    kt_insides_free(&found);
}

static void one_call_has_no_interval(void **unused)
{
    (void)unused;
    struct kt_insides found;
    struct kt_inside *inside = kt_inside_new(1);
    add(inside, 0, 100, 10, 4);
    describe(inside, 0, 100, 1000);
    kt_inside_finish(inside, ROUTINES, &found);
    struct kt_estimate alone = kt_estimate_shift(found.routine[GEMM].of[SECONDS], 0);
    assert_true(is_near(alone.value, 400));
    assert_true(isnan(alone.lo) && isnan(alone.hi));
    struct kt_estimate mostly_known = kt_estimate_shift(found.routine[GEMM].of[SECONDS], 1e4);
    assert_true(is_near(mostly_known.lo, 1e4));
    assert_true(is_near(mostly_known.hi, 1e4 + 800));
    kt_insides_free(&found);
}

/* A shape without a sampled call is taken to be like the others of its routine, and a routine without one is not known.
 */
static void shapes_without_a_sample(void **unused)
{
    (void)unused;
    struct kt_insides found;
    struct kt_inside *inside = kt_inside_new(3);
    for (int i = 0; i < 8; i++)
        add(inside, 0, 10, 10 + i % 3, 5);
    describe(inside, 0, 80, 880);
    describe(inside, 1, 10, 1000);
    kt_inside_describe(inside, 2, GEMV, &(struct kt_inside_population){7, 70, 700, false});
    kt_inside_finish(inside, ROUTINES, &found);
    double share = 8 * 5.0 / (10 + 11 + 12 + 10 + 11 + 12 + 10 + 11);
    const struct kt_estimate *seconds = &found.routine[GEMM].of[SECONDS];
    assert_true(is_near(seconds->value, share * 1880));
    assert_true(is_near(seconds->loose, share * 1000));
    assert_true(seconds->hi > seconds->value);
    assert_true(found.routine[SVD].unknown == 0);
    assert_true(found.routine[GEMV].unknown == 70);
    assert_true(isnan(kt_estimate_shift((struct kt_estimate){.loose = found.routine[GEMV].unknown}, 70).lo));
    assert_int_equal(found.outers, 2);
    assert_int_equal(found.outer[1].sampled, 0);
    assert_int_equal(found.outer[1].calls, 7);
    kt_insides_free(&found);
}

/* Better than nothing, but nobody knows how good. */
static void a_certain_call_speaks_where_none_was_drawn(void **unused)
{
    (void)unused;
    struct kt_insides found;
    struct kt_inside *inside = kt_inside_new(2);
    add(inside, 0, 1, 10, 5);
    describe(inside, 0, 9, 90);
    describe(inside, 1, 10, 1000);
    kt_inside_finish(inside, ROUTINES, &found);
    struct kt_estimate seconds = kt_estimate_shift(found.routine[GEMM].of[SECONDS], 0);
    assert_true(is_near(seconds.value, 5 + 45 + 500));
    assert_true(isnan(seconds.lo));
    assert_int_equal(found.outer[0].sampled, 1);
    assert_int_equal(found.outer[0].calls, 20);
    kt_insides_free(&found);
}

/* What recording takes is known in two ways: the interval holds both answers. */
static void both_corrections_are_in_the_interval(void **unused)
{
    (void)unused;
    struct kt_insides found;
    struct kt_inside *inside = kt_inside_new(1);
    for (int i = 0; i < 10; i++) {
        struct kt_inside_part gemm = part(GEMM, 2, 4);
        gemm.stated[SECONDS] = 5;
        kt_inside_add(inside, &(struct kt_inside_call){0, 10, 10, 2}, &gemm, 1);
    }
    describe(inside, 0, 100, 1000);
    kt_inside_finish(inside, ROUTINES, &found);
    assert_true(is_near(found.routine[GEMM].of[SECONDS].lo, 400));
    assert_true(is_near(found.routine[GEMM].of[SECONDS].value, 400));
    assert_true(is_near(found.routine[GEMM].of[SECONDS].hi, 500));
    kt_insides_free(&found);
}

static void quantiles_of_student(void **unused)
{
    (void)unused;
    static const double known[][2] = {{1, 12.706}, {2, 4.303},  {5, 2.571},   {9, 2.262},  {10, 2.228},
                                      {15, 2.131}, {30, 2.042}, {120, 1.980}, {1e9, 1.960}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(fabs(kt_student(known[i][0]) - known[i][1]) < 0.004);
    for (double d = 1; d < 40; d += 0.05)
        assert_true(kt_student(d) > kt_student(d + 0.05));
}

/* --- populations -------------------------------------------------------------------------------------------- */

enum { SHAPES = 3, MOST = 2000 };

/* A call of a population: gemm takes a share of its time that varies. */
struct member {
    size_t shape;
    double seconds, gemm, calls;
};

struct population {
    struct member member[MOST];
    int count;
    double seconds[SHAPES], gemm, calls, nested[SHAPES];
    uint64_t calls_of[SHAPES];
};

static void add_member(struct population *p, size_t shape, double slowness)
{
    static const double length[SHAPES] = {1, 4, 0.2};
    static const double share[SHAPES] = {0.4, 0.6, 0.3};
    struct member *m = &p->member[p->count++];
    double seconds = slowness * length[shape] * exp(0.3 * normal());
    double gemm = seconds * fmin(fmax(share[shape] + 0.08 * normal(), 0.01), 0.99);
    *m = (struct member){shape, seconds, gemm, floor(10 + 5 * uniform())};
    p->seconds[shape] += m->seconds;
    p->nested[shape] += 20;
    p->gemm += m->gemm;
    p->calls += m->calls;
    p->calls_of[shape]++;
}

/* The first call of each shape is three times as slow. */
static void make_population(struct population *p, int count)
{
    static const int shape[] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 2};
    *p = (struct population){.count = 0};
    for (int i = 0; i < count; i++)
        add_member(p, (size_t)shape[i % 10], p->calls_of[shape[i % 10]] ? 1 : 3);
}

static void add_sampled(struct kt_inside *inside, const struct member *m, double weight)
{
    struct kt_inside_part parts[] = {part(GEMM, m->calls, m->gemm), part(SVD, 0, 0)};
    parts[1].quantity[SELF] = parts[1].stated[SELF] = -m->gemm;
    kt_inside_add(inside, &(struct kt_inside_call){m->shape, weight, m->seconds, 20}, parts, 2);
}

/* All but the first call, which is not there by chance. */
static void describe_others(struct kt_inside *inside, const struct population *p)
{
    const struct member *first = &p->member[0];
    for (size_t s = 0; s < SHAPES; s++) {
        bool has_first = s == first->shape;
        struct kt_inside_population others = {p->calls_of[s] - has_first,
                                              p->seconds[s] - (has_first ? first->seconds : 0),
                                              p->nested[s] - (has_first ? 20 : 0), false};
        kt_inside_describe(inside, s, SVD, &others);
    }
}

/* The first call is certain, as of an entry that is called for the first time; the others are drawn, later ones with
 * lower probability. */
static void sample(const struct population *p, double probability, struct kt_insides *out)
{
    struct kt_inside *inside = kt_inside_new(SHAPES);
    add_sampled(inside, &p->member[0], 1);
    for (int i = 1; i < p->count; i++) {
        double of = i < p->count / 2 ? probability : probability / 2;
        if (uniform() < of)
            add_sampled(inside, &p->member[i], 1 / of);
    }
    describe_others(inside, p);
    kt_inside_finish(inside, ROUTINES, out);
}

struct judged {
    double mean[KT_INSIDE_TIMED]; /* of the estimates, over the truth */
    double held[KT_INSIDE_TIMED]; /* part of the intervals that hold it */
};

static void judge(const struct population *p, double probability, struct judged *out)
{
    enum { TIMES = 2000 };
    const double truth[] = {p->calls, p->gemm, p->gemm};
    *out = (struct judged){.mean = {0}};
    for (int i = 0; i < TIMES; i++) {
        struct kt_insides found;
        sample(p, probability, &found);
        for (int q = 0; q < KT_INSIDE_TIMED; q++) {
            struct kt_estimate e = kt_estimate_shift(found.routine[GEMM].of[q], 0);
            out->mean[q] += e.value / truth[q] / TIMES;
            out->held[q] += (e.lo <= truth[q] && truth[q] <= e.hi) / (double)TIMES;
        }
        kt_insides_free(&found);
    }
}

static void expect(int count, double probability, double bias, double least)
{
    static struct population p;
    struct judged judged;
    make_population(&p, count);
    judge(&p, probability, &judged);
    for (int q = 0; q < KT_INSIDE_TIMED; q++) {
        print_message("%d calls, 1 in %.0f, quantity %d: %.4f of the truth, %.3f of the intervals hold it\n", count,
                      1 / probability, q, judged.mean[q], judged.held[q]);
        assert_true(fabs(judged.mean[q] - 1) < bias);
        assert_true(judged.held[q] > least);
    }
}

static void many_calls_are_drawn(void **unused)
{
    (void)unused;
    expect(2000, 0.1, 0.002, 0.93);
}

static void some_calls_are_drawn(void **unused)
{
    (void)unused;
    expect(1000, 0.03, 0.01, 0.91);
}

/* Some ten of 200. */
static void few_calls_are_drawn(void **unused)
{
    (void)unused;
    expect(200, 0.07, 0.02, 0.91);
}

/* Nearly all of them: little is left open. */
static void nearly_all_calls_are_drawn(void **unused)
{
    (void)unused;
    expect(400, 0.9, 0.002, 0.93);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_for_a_workspace_tells_nothing_of_work),
        cmocka_unit_test(a_call_that_was_certain_stands_for_itself),
        cmocka_unit_test(drawn_calls_stand_for_the_others),
        cmocka_unit_test(one_call_has_no_interval),
        cmocka_unit_test(shapes_without_a_sample),
        cmocka_unit_test(a_certain_call_speaks_where_none_was_drawn),
        cmocka_unit_test(both_corrections_are_in_the_interval),
        cmocka_unit_test(quantiles_of_student),
        cmocka_unit_test(many_calls_are_drawn),
        cmocka_unit_test(some_calls_are_drawn),
        cmocka_unit_test(few_calls_are_drawn),
        cmocka_unit_test(nearly_all_calls_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
