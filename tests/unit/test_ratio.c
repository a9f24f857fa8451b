/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ratios of paired times: what they say of calls that take equally long, and of calls that do not, under simulated
 * noise.
 */
#include "replay/compare/ratio.h"
#include "replay/compare/ratio_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- pairs  ------------------------------------------------------------------------------------------------ */

enum { PAIRS = 40, MOST_PAIRS = 104 };

/* Times with a common disturbance of up to twice, a ratio, and some scatter of their own. */
struct times {
    double time[PAIRS], base[PAIRS];
    unsigned round[PAIRS];
};

static struct kt_pairs make_pairs(struct times *t, double ratio, double scatter, double weight)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        double common = 1 + (double)rand() / RAND_MAX;
        t->base[i] = common * (1 + scatter * rand() / RAND_MAX);
        t->time[i] = common * ratio * (1 + scatter * rand() / RAND_MAX);
        t->round[i] = i;
    }
    return (struct kt_pairs){t->time, t->base, t->round, PAIRS, weight, 0};
}

static void test_pairs_cancel_common_noise(void **state)
{
    (void)state;
    struct times t;
    srand(2);
    struct kt_pairs pairs = make_pairs(&t, 1.05, 0.02, 1);
    struct kt_ratio ratio = kt_ratio_of(&pairs);
    assert_true(fabs(ratio.value - 1.05) < 0.01);
    assert_true(ratio.lo > 1.03 && ratio.hi < 1.07 && ratio.lo <= ratio.value && ratio.value <= ratio.hi);
}

/* Ratios to the baseline decide first; of the baseline itself there is none that says anything. */
static void test_apart(void **state)
{
    (void)state;
    const struct kt_ratio faster = {.value = 0.5, .lo = 0.4, .hi = 0.6, .n = 20};
    const struct kt_ratio slower = {.value = 1.5, .lo = 1.4, .hi = 1.6, .n = 20};
    const struct kt_ratio unsure = {.value = 0.98, .lo = 0.7, .hi = 1.3, .n = 20};
    const struct kt_ratio baseline = {.value = 1, .lo = 1, .hi = 1};
    const struct kt_ratio none = {.value = NAN, .lo = NAN, .hi = NAN};
    assert_true(kt_ratio_is_apart(&slower, &unsure, &unsure)); /* the table says "slower" */
    assert_true(kt_ratio_is_apart(&slower, &baseline, NULL));
    assert_false(kt_ratio_is_apart(&unsure, &baseline, NULL));
    assert_true(kt_ratio_is_apart(&baseline, &faster, NULL));
    assert_false(kt_ratio_is_apart(&baseline, &unsure, NULL));
    assert_true(kt_ratio_is_apart(&unsure, &faster, &slower));
    assert_false(kt_ratio_is_apart(&faster, &faster, &unsure));
    assert_true(kt_ratio_is_apart(&none, &faster, NULL));
}

static void test_total_is_weighted(void **state)
{
    (void)state;
    struct times t[2];
    srand(3);
    struct kt_pairs pairs[] = {make_pairs(&t[0], 2, 0.01, 3), make_pairs(&t[1], 1, 0.01, 1)};
    struct kt_ratio ratio = kt_ratio_of_total(pairs, 2, 1);
    assert_true(fabs(ratio.value - 1.75) < 0.01);
    assert_true(ratio.lo < ratio.value && ratio.value < ratio.hi && ratio.hi - ratio.lo < 0.02);
}

/* Equal libraries, so many pairs of each of two shapes: how many of 400 comparisons tell them apart. */
static int count_alarms(size_t rounds)
{
    int wrong = 0;
    for (int i = 0; i < 400; i++) {
        struct times t[2];
        struct kt_pairs pairs[] = {make_pairs(&t[0], 1, 0.2, 2), make_pairs(&t[1], 1, 0.2, 1)};
        pairs[0].n = pairs[1].n = rounds;
        struct kt_ratio ratio = kt_ratio_of_total(pairs, 2, (uint64_t)i);
        wrong += ratio.lo > 1 || ratio.hi < 1;
    }
    return wrong;
}

/* No more than one of twenty. */
static void test_coverage(void **state)
{
    (void)state;
    srand(4);
    assert_in_range(count_alarms(PAIRS), 0, 20);
    assert_in_range(count_alarms(6), 0, 20);
}

/* Shapes that were drawn from others: which ones is a part of what is not known. */
static void test_drawn_shapes(void **state)
{
    (void)state;
    struct times t[3];
    srand(5);
    struct kt_pairs pairs[] = {make_pairs(&t[0], 2, 0.01, 1), make_pairs(&t[1], 1, 0.01, 1),
                               make_pairs(&t[2], 1, 0.01, 2)};
    struct kt_ratio fixed = kt_ratio_of_total(pairs, 3, 1);
    pairs[0].stratum = pairs[1].stratum = 7;
    struct kt_ratio drawn = kt_ratio_of_total(pairs, 3, 1);
    assert_true(fabs(drawn.value - fixed.value) < 1e-12);
    assert_true(fixed.hi - fixed.lo < 0.02);
    assert_true(drawn.lo < 1.02 && drawn.hi > 1.48);
    pairs[1].stratum = 8;
    struct kt_ratio alone = kt_ratio_of_total(pairs, 3, 1);
    assert_true(alone.lo == fixed.lo && alone.hi == fixed.hi);
}

static void test_no_pairs(void **state)
{
    (void)state;
    struct kt_pairs none = {0};
    assert_true(isnan(kt_ratio_of(&none).value));
    assert_true(isnan(kt_ratio_of_total(&none, 1, 1).value));
    assert_true(isnan(kt_ratio_of_total(NULL, 0, 1).value));
}

/* A call below the resolution of the clock must not make a ratio infinite. */
static void test_mean_is_geometric(void **state)
{
    (void)state;
    const struct kt_ratio two[] = {{2, 1, 8, 9}, {8, 8, 8, 7}};
    struct kt_ratio mean = kt_ratio_mean(two, 2);
    assert_float_equal(mean.value, 4, 1e-12);
    assert_float_equal(mean.lo, 4 / sqrt(2), 1e-12); /* half as far as one of the two is known */
    assert_float_equal(mean.hi, 8, 1e-12);
    assert_int_equal(mean.n, 7);
    /* Four that are known alike: half the distance of each. */
    const struct kt_ratio four[] = {{1, 0.25, 16, 6}, {1, 0.25, 16, 6}, {1, 0.25, 16, 6}, {1, 0.25, 16, 6}};
    mean = kt_ratio_mean(four, 4);
    assert_float_equal(mean.lo, 0.5, 1e-12);
    assert_float_equal(mean.hi, 4, 1e-12);
    assert_true(isnan(kt_ratio_mean(NULL, 0).value));
}

static void test_zero_times(void **state)
{
    (void)state;
    const double zero[6] = {0};
    const unsigned round[6] = {0, 1, 2, 3, 4, 5};
    struct kt_pairs pairs = {zero, zero, round, 6, 0, 0};
    assert_true(kt_ratio_of(&pairs).value == 1);
}

/* --- verdicts ---------------------------------------------------------------------------------------------- */

static void test_verdicts(void **state)
{
    (void)state;
    static const struct {
        struct kt_ratio ratio;
        enum kt_verdict verdict;
    } row[] = {
        {{0.9, 0.8, 0.99, 20}, KT_FASTER},          {{1.1, 1.001, 1.2, 20}, KT_SLOWER},
        {{1.0, 0.985, 1.015, 20}, KT_SAME},         {{1.0, 0.9, 1.1, 20}, KT_CANNOT_TELL},
        {{1.015, 0.999, 1.03, 20}, KT_CANNOT_TELL}, {{1.1, 1.05, 1.2, 5}, KT_CANNOT_TELL},
        {{1.1, 1.05, 1.2, 6}, KT_SLOWER},           {{NAN, NAN, NAN, 0}, KT_CANNOT_TELL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(kt_ratio_verdict(&row[i].ratio), row[i].verdict);
    assert_string_equal(kt_verdict_text[KT_CANNOT_TELL], "cannot tell");
}

/* A difference of 2 % or less is none, however certain. */
static void test_claims(void **state)
{
    (void)state;
    static const struct {
        struct kt_ratio ratio;
        enum kt_verdict verdict;
    } row[] = {
        {{0.97, 0.96, 0.999, 20}, KT_FASTER},      {{1.03, 1.001, 1.2, 20}, KT_SLOWER},
        {{0.985, 0.981, 0.99, 20}, KT_SAME},       {{0.985, 0.97, 0.99, 20}, KT_CANNOT_TELL},
        {{1.015, 1.01, 1.05, 20}, KT_CANNOT_TELL}, {{0.9, 0.8, 1.1, 20}, KT_CANNOT_TELL},
        {{0.5, 0.4, 0.6, 5}, KT_CANNOT_TELL},      {{NAN, NAN, NAN, 0}, KT_CANNOT_TELL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(kt_ratio_claim(&row[i].ratio), row[i].verdict);
}

/* --- simulated machine ------------------------------------------------------------------------------------- */

/*
 * A machine that drifts, whose clock has two levels between which it changes every some dozens of calls, also between
 * the halves of a pair, with scatter of its own for each call, and interruptions of any length that hit one call in
 * ten: what was seen on virtual machines. Without the changes of level two calls in a row differ by one percent on
 * average, as real ones did.
 */
struct machine {
    double drift; /* logarithm of how much slower it has become */
    double level; /* of the clock */
    double scatter, interrupted;
};

static double uniform(void)
{
    return (rand() + 0.5) / (RAND_MAX + 1.0);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double simulate(struct machine *m, double seconds)
{
    m->drift += 0.002 * normal();
    if (uniform() < 0.02)
        m->level = m->level > 1 ? 1 : 1.12;
    double time = seconds * m->level * exp(m->drift + m->scatter * normal());
    bool hit = uniform() < m->interrupted;
    return hit ? time + 0.01 * seconds * pow(uniform(), -1 / 1.2) : time; /* its mean is six times its least */
}

/* The interval from so many pairs, each in random order, of calls that take A and B seconds. */
static struct kt_ratio measure(struct machine *m, double a, double b, size_t n)
{
    double time[MOST_PAIRS];
    double base[MOST_PAIRS];
    for (size_t i = 0; i < n; i++) {
        bool first = uniform() < 0.5;
        if (first)
            time[i] = simulate(m, a);
        base[i] = simulate(m, b);
        if (!first)
            time[i] = simulate(m, a);
    }
    return kt_ratio_of(&(struct kt_pairs){.time = time, .base = base, .n = n});
}

static bool differ(const struct kt_ratio *ratio)
{
    enum kt_verdict verdict = kt_ratio_verdict(ratio);
    return verdict == KT_FASTER || verdict == KT_SLOWER;
}

/* At most 5 % of comparisons of a call with itself find a difference, whatever their size. */
static void test_a_against_a(void **state)
{
    (void)state;
    static const size_t sizes[] = {3, 6, 9, 20, 52, 104};
    srand(5);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        enum { TRIALS = 1000 };
        struct machine m = {.level = 1, .scatter = 0.007, .interrupted = 0.1};
        unsigned different = 0;
        for (int t = 0; t < TRIALS; t++) {
            struct kt_ratio ratio = measure(&m, 7e-3, 7e-3, sizes[i]);
            different += differ(&ratio);
        }
        print_message("A against A, %zu pairs: %.1f %% called different\n", sizes[i], 100.0 * different / TRIALS);
        assert_true(different <= TRIALS / 20);
    }
}

/* One percent of a call of 7 ms is found in nine of ten comparisons with 104 pairs, and called slower. */
static void test_one_percent_is_found(void **state)
{
    (void)state;
    enum { TRIALS = 1000, ROUNDS = 104 };
    struct machine m = {.level = 1, .scatter = 0.007, .interrupted = 0.1};
    unsigned found = 0;
    double width = 0;
    srand(6);
    for (int t = 0; t < TRIALS; t++) {
        struct kt_ratio ratio = measure(&m, 7e-3 * 1.01, 7e-3, ROUNDS);
        found += kt_ratio_verdict(&ratio) == KT_SLOWER;
        width += (ratio.hi - ratio.lo) / 2 / TRIALS;
    }
    print_message("1 %% in %d pairs: found in %.1f %%, intervals of +- %.2f %%\n", ROUNDS, 100.0 * found / TRIALS,
                  100 * width);
    assert_true(found >= TRIALS * 9 / 10);
    assert_true(width > 0.002); /* the machine is no quieter than real ones */
}

/* Where the noise is ten times larger, "cannot tell" is the answer, not "no difference". */
static void test_noise_is_no_equality(void **state)
{
    (void)state;
    enum { TRIALS = 200 };
    struct machine m = {.level = 1, .scatter = 0.1, .interrupted = 0.3};
    unsigned same = 0;
    srand(7);
    for (int t = 0; t < TRIALS; t++) {
        struct kt_ratio ratio = measure(&m, 7e-3 * 1.03, 7e-3, 20);
        same += kt_ratio_verdict(&ratio) == KT_SAME;
    }
    assert_true(same <= TRIALS / 20);
}

/* An interval of less than a hundredth keeps its digits. */
static void test_text(void **state)
{
    (void)state;
    char text[KT_RATIO_TEXT];
    assert_string_equal(kt_ratio_text(&(struct kt_ratio){0.0042, 0.0031, 0.0104, 6}, text), "0.0042 (0.0031 to 0.010)");
    assert_string_equal(kt_ratio_interval_text(&(struct kt_ratio){1.34, 1.27, 1.52, 6}, text), "1.27 to 1.52");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_cancel_common_noise),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_total_is_weighted),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_drawn_shapes),
        cmocka_unit_test(test_no_pairs),
        cmocka_unit_test(test_mean_is_geometric),
        cmocka_unit_test(test_zero_times),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_a_against_a),
        cmocka_unit_test(test_one_percent_is_found),
        cmocka_unit_test(test_noise_is_no_equality),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
