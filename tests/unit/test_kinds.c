/* SPDX-License-Identifier: BSD-3-Clause */
/* Two kinds of calls are told where there are two, by what they have in common, and hardly ever where there is one. */
#include "model/decomposition/kinds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 1024, SHAPES = 200 };

/* --- random numbers ---------------------------------------------------------------------------------------- */

static uint64_t state;

/* Between 0 and 1, neither of them. */
static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 12) + 0.5) * ldexp(1, -52);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double log_normal(void)
{
    return 1e-3 * exp(0.5 * normal());
}

static double wide_log_normal(void)
{
    return 1e-3 * exp(1.5 * normal());
}

/* A call in some takes ten times as long. */
static double with_stragglers(void)
{
    return log_normal() * (uniform() < 0.05 ? 10 : 1);
}

/* The tails of a Cauchy distribution. */
static double heavy(void)
{
    return 1e-3 * exp(0.1 * tan(M_PI * (uniform() - 0.5)));
}

static double even(void)
{
    return 1e-3 * (1 + 9 * uniform());
}

/* A clock with steps of 10 ns. */
static double in_steps(void)
{
    return 1e-8 * floor(40 * exp(0.5 * normal()));
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static struct kt_call_facts call[ROOM];

static void make_call(size_t i, double seconds)
{
    call[i] = (struct kt_call_facts){.seconds = seconds};
    for (int f = 0; f < KT_FACTS; f++)
        call[i].fact[f] = 0;
}

/* So many of the first kind, then so many of the second. */
static void make_two(size_t first, size_t second, double quick, double slow, double noise)
{
    for (size_t i = 0; i < first + second; i++)
        make_call(i, (i < first ? quick : slow) * exp(noise * normal()));
}

static void set_fact(enum kt_fact fact, size_t from, size_t to, double value)
{
    for (size_t i = from; i < to; i++)
        call[i].fact[fact] = value;
}

/* --- the dip ----------------------------------------------------------------------------------------------- */

static void dips_that_are_known(void **unused)
{
    (void)unused;
    const double two[] = {0, 0, 0, 0, 1, 1, 1, 1};
    const double three[] = {0, 0, 0, 0, 0.5, 1, 1, 1, 1};
    double even_ones[100];
    double triangle[100];
    for (int i = 0; i < 100; i++) {
        even_ones[i] = i;
        triangle[i] = i < 50 ? sqrt(i) : 2 * sqrt(50) - sqrt(99 - i);
    }
    assert_true(fabs(kt_dip(two, 8) - 0.25 * sqrt(8)) < 1e-12);
    assert_true(kt_dip(three, 9) > 0.19 * 3 && kt_dip(three, 9) < 0.25 * 3);
    assert_true(fabs(kt_dip(even_ones, 100) - 0.05) < 1e-12); /* half a step: no sample has less */
    assert_true(kt_dip(triangle, 100) < 0.11);
    assert_true(kt_dip(NULL, 0) == 0);
}

/* The limit holds for the distribution with one peak that exceeds it most often. */
static void a_uniform_distribution_seldom_dips(void **unused)
{
    (void)unused;
    static const size_t n[] = {8, 12, 24, 100, 400};
    double x[400];
    int beyond = 0;
    state = 1;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (int round = 0; round < 1000; round++) {
            x[0] = uniform(); /* sums of exponential gaps are in order */
            for (size_t j = 1; j < n[i]; j++)
                x[j] = x[j - 1] - log(uniform());
            beyond += kt_dip(x, n[i]) > 0.6;
        }
    assert_in_range(beyond, 0, 15); /* of 5,000; expected: 5 */
}

/* --- one kind ---------------------------------------------------------------------------------------------- */

/* Of 200 shapes with times of that distribution, in how many are there two kinds? */
static int count_false(double (*seconds)(void), bool with_facts)
{
    static const size_t n[] = {8, 12, 24, 60, 200, 1000};
    int found = 0;
    for (int shape = 0; shape < SHAPES; shape++) {
        size_t calls = n[(size_t)shape % (sizeof n / sizeof *n)];
        for (size_t i = 0; i < calls; i++) {
            make_call(i, seconds());
            for (int f = 0; f < KT_FACTS && with_facts; f++)
                call[i].fact[f] = uniform() < 0.4 ? (f == KT_FACT_FAULTS || f == KT_FACT_DISTANCE ? 1e6 : 1) : 0;
        }
        found += kt_kinds_find(call, calls).found;
    }
    return found;
}

static void one_kind_is_not_two(void **unused)
{
    (void)unused;
    static double (*const times[])(void) = {log_normal, wide_log_normal, with_stragglers, heavy, even, in_steps};
    state = 2;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_in_range(count_false(times[i], false), 0, SHAPES / 100);
        assert_in_range(count_false(times[i], true), 0, SHAPES / 100);
    }
    assert_int_equal(count_false(log_normal, false), 0);
}

static void differences_that_do_not_matter(void **unused)
{
    (void)unused;
    state = 3;
    make_two(12, 12, 1e-3, 1.2e-3, 0.001); /* less than a quarter */
    set_fact(KT_FACT_FAULTS, 12, 24, 1000);
    assert_false(kt_kinds_find(call, 24).found);
    make_two(12, 12, 40e-9, 70e-9, 0.001); /* a few steps of some clocks */
    assert_false(kt_kinds_find(call, 24).found);
    make_two(21, 3, 1e-3, 5e-3, 0.001); /* too few */
    set_fact(KT_FACT_FAULTS, 21, 24, 1000);
    assert_false(kt_kinds_find(call, 24).found);
    make_two(3, 4, 1e-3, 5e-3, 0.001);
    assert_false(kt_kinds_find(call, 7).found);
}

/* --- two kinds --------------------------------------------------------------------------------------------- */

static void expect(size_t n, enum kt_fact by, size_t quick, size_t slow, double ratio)
{
    struct kt_kinds kinds = kt_kinds_find(call, n);
    assert_true(kinds.found);
    assert_int_equal(kinds.by, by);
    assert_int_equal(kinds.kind[0].calls, quick);
    assert_int_equal(kinds.kind[1].calls, slow);
    assert_true(fabs(kinds.kind[1].median / kinds.kind[0].median / ratio - 1) < 0.15);
}

static void told_by_facts(void **unused)
{
    (void)unused;
    static const double much[KT_FACTS] = {7813, 1, 1, 64 << 20};
    state = 4;
    for (int f = 0; f < KT_FACTS; f++) {
        make_two(12, 12, 1e-3, 3e-3, 0.05);
        call[3].seconds = 20e-3; /* a straggler of the quicker kind */
        set_fact((enum kt_fact)f, 12, 24, much[f]);
        expect(24, (enum kt_fact)f, 12, 12, 3);
        struct kt_kinds kinds = kt_kinds_find(call, 24);
        assert_true(kinds.kind[0].fact[f] == 0 && kinds.kind[1].fact[f] == much[f]);
    }
    make_two(20, 4, 1e-3, 3e-3, 0.1); /* so few that the times alone would not tell */
    assert_false(kt_kinds_find(call, 24).found);
    set_fact(KT_FACT_FAULTS, 20, 24, 500);
    expect(24, KT_FACT_FAULTS, 20, 4, 3);
}

/* Without a fact that goes with them. */
static void told_by_times_alone(void **unused)
{
    (void)unused;
    state = 5;
    make_two(12, 12, 1e-3, 3e-3, 0.1);
    expect(24, KT_FACTS, 12, 12, 3);
    for (size_t i = 0; i < 24; i += 2)
        call[i].fact[KT_FACT_FAULTS] = 1000; /* of both */
    expect(24, KT_FACTS, 12, 12, 3);
    set_fact(KT_FACT_FAULTS, 0, 24, 0);
    set_fact(KT_FACT_FAULTS, 0, 12, 1000); /* of the quicker ones */
    expect(24, KT_FACTS, 12, 12, 3);
    make_two(700, 300, 1e-3, 2e-3, 0.05);
    expect(1000, KT_FACTS, 700, 300, 2);
}

/* Calls of which it is not known are in no kind; where these are many, nothing is said of it. */
static void facts_that_are_not_known(void **unused)
{
    (void)unused;
    state = 6;
    make_two(12, 12, 1e-3, 3e-3, 0.1);
    set_fact(KT_FACT_FAULTS, 12, 24, 1000);
    set_fact(KT_FACT_FAULTS, 0, 1, NAN);
    expect(24, KT_FACT_FAULTS, 11, 12, 3);
    set_fact(KT_FACT_FAULTS, 0, 4, NAN);
    expect(24, KT_FACTS, 12, 12, 3);
    set_fact(KT_FACT_FAULTS, 0, 24, NAN);
    assert_true(isnan(kt_kinds_find(call, 24).kind[0].fact[KT_FACT_FAULTS]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dips_that_are_known),     cmocka_unit_test(a_uniform_distribution_seldom_dips),
        cmocka_unit_test(one_kind_is_not_two),     cmocka_unit_test(differences_that_do_not_matter),
        cmocka_unit_test(told_by_facts),           cmocka_unit_test(told_by_times_alone),
        cmocka_unit_test(facts_that_are_not_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
