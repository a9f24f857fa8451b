/* SPDX-License-Identifier: BSD-3-Clause */
/* The same numbers always give the same words, and the words name the calls, the part and what to try. */
#include "model/decomposition/advice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct kt_time exactly(double seconds)
{
    return (struct kt_time){seconds, seconds, seconds};
}

/* Parts in seconds in the order of enum kt_part; NAN: not known. */
static struct kt_decomposition parts(double bound, double library, double cache, double residual, double unsplit)
{
    return (struct kt_decomposition){.shapes = 1,
                                     .bound = exactly(bound),
                                     .library = exactly(library),
                                     .cache = exactly(cache),
                                     .residual = exactly(residual),
                                     .unsplit = exactly(unsplit),
                                     .cache_most = 0.25};
}

static struct kt_advice_case a_case(const char *routine, const struct kt_decomposition *d)
{
    return (struct kt_advice_case){.routine = routine,
                                   .parts = d,
                                   .seconds = 1,
                                   .shape = "N N 10 10 10",
                                   .heaviest = 0.75,
                                   .calls_total = 0.75,
                                   .calls = 75,
                                   .median = 0.01,
                                   .warm = 0.008,
                                   .bound = 0.002,
                                   .bound_by = "flops",
                                   .flops_known = true};
}

static struct kt_advice one_advice(const struct kt_advice_case *of, bool is_reference)
{
    struct kt_advice advice[KT_MOST_ADVICE];
    assert_int_equal(kt_advice_find(of, 1, 1, is_reference, "app.trace", advice), 1);
    return advice[0];
}

static void assert_says(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("no '%s' in: %s", words, text);
}

static void test_largest_first(void **state)
{
    (void)state;
    struct kt_decomposition a = parts(0.1, 0.3, 0.05, 0.01, 0);
    struct kt_decomposition b = parts(0.2, 0.04, 0.25, 0.05, 0);
    const struct kt_advice_case of[] = {a_case("dgemm", &a), a_case("dgemv", &b)};
    struct kt_advice advice[KT_MOST_ADVICE];
    assert_int_equal(kt_advice_find(of, 2, 1, false, "t", advice), 4);
    assert_string_equal(advice[0].routine, "dgemm");
    assert_int_equal(advice[0].part, KT_PART_LIBRARY);
    assert_int_equal(advice[1].part, KT_PART_CACHE);
    assert_int_equal(advice[2].part, KT_PART_BOUND);
    assert_string_equal(advice[2].routine, "dgemv");
    assert_string_equal(advice[3].routine, "dgemm");
    assert_says(advice[0].text, "300 ms (30.0 % of BLAS time) in dgemm, library, 75.0 % of its time in N N 10 10 10: ");
}

static void test_at_most_five(void **state)
{
    (void)state;
    struct kt_decomposition d[8];
    struct kt_advice_case of[8];
    struct kt_advice advice[KT_MOST_ADVICE];
    for (int i = 0; i < 8; i++) {
        d[i] = parts(0.1 + 0.01 * i, 0, 0, 0, 0);
        of[i] = a_case("dgemm", &d[i]);
    }
    assert_int_equal(kt_advice_find(of, 8, 1, false, "t", advice), KT_MOST_ADVICE);
    assert_true(fabs(advice[0].seconds - 0.17) < 1e-9 && fabs(advice[4].seconds - 0.13) < 1e-9);
}

/* Something is said even if nothing is large, and nothing where nothing is known. */
static void test_small_parts(void **state)
{
    (void)state;
    struct kt_decomposition small = parts(0.01, 0.02, -3, NAN, 0);
    struct kt_decomposition none = parts(NAN, NAN, NAN, NAN, -1);
    struct kt_advice_case of = a_case("dgemm", &small);
    struct kt_advice advice[KT_MOST_ADVICE];
    assert_int_equal(one_advice(&of, false).part, KT_PART_LIBRARY);
    of.parts = &none;
    assert_int_equal(kt_advice_find(&of, 1, 1, false, "t", advice), 0);
    assert_int_equal(kt_advice_find(NULL, 0, 0, false, "t", advice), 0);
}

static void test_bound(void **state)
{
    (void)state;
    struct kt_decomposition d = parts(0.9, 0, 0, 0, 0);
    struct kt_advice_case of = a_case("dgemm", &d);
    assert_says(one_advice(&of, false).text, "lower precision");
    of.bound_by = "memory";
    assert_says(one_advice(&of, false).text, "moving the operands (memory)");
}

static void test_library(void **state)
{
    (void)state;
    struct kt_decomposition d = parts(0, 0.9, 0, 0, 0);
    struct kt_advice_case of = a_case("dgemm", &d);
    assert_says(one_advice(&of, false).text, "4.0 times its bound");
    assert_says(one_advice(&of, false).text, "ktrace compare app.trace");
    assert_says(one_advice(&of, false).text, "ktrace repro --routine dgemm app.trace");
    assert_says(one_advice(&of, true).text, "reference library");
    of.flops_known = false;
    struct kt_advice advice[KT_MOST_ADVICE];
    assert_int_equal(kt_advice_find(&of, 1, 1, false, "t", advice), 0); /* its bound counts bytes only */
    assert_says(one_advice(&of, true).text, "reference library");
    d.library.lo = -0.1;
    d.undivided = 0.9;
    assert_says(one_advice(&of, true).text, "reference library");
    of.warm = 1e-6;
    assert_says(one_advice(&of, false).text, "fewer and larger calls");
}

static void test_parts_within_noise(void **state)
{
    (void)state;
    struct kt_decomposition d = parts(0, 0, 0.4, 0, 0);
    struct kt_advice_case of = a_case("dgemm", &d);
    struct kt_advice advice[KT_MOST_ADVICE];
    d.cache.lo = 0.1;
    assert_int_equal(one_advice(&of, false).part, KT_PART_CACHE);
    d.cache.lo = -0.1;
    assert_int_equal(kt_advice_find(&of, 1, 1, false, "t", advice), 0);
}

/* Where the program was faster than its replays, what they say is doubtful. */
static void test_disturbed_replays(void **state)
{
    (void)state;
    struct kt_decomposition d = parts(0, 0.9, 0, 0, 0);
    struct kt_advice_case of = a_case("dgemm", &d);
    d.insitu = 1;
    d.odd[KT_ODD_INSITU] = 0.4;
    struct kt_advice advice[KT_MOST_ADVICE];
    assert_int_equal(kt_advice_find(&of, 1, 1, false, "t", advice), 1);
    d.odd[KT_ODD_INSITU] = 0.6;
    assert_int_equal(kt_advice_find(&of, 1, 1, false, "t", advice), 0);
}

static void test_context(void **state)
{
    (void)state;
    struct kt_decomposition d = parts(0, 0, 0.9, 0, 0);
    struct kt_advice_case of = a_case("ddot", &d);
    assert_says(one_advice(&of, false).text, "not in the caches");
    d = parts(0, 0, NAN, NAN, 0.9);
    assert_says(one_advice(&of, false).text, "caches explain at most 250 ms");
    assert_says(one_advice(&of, false).text, "--context warm,cold,tracked");
    d.cache_most = NAN;
    assert_null(strstr(one_advice(&of, false).text, "at most"));
    of.contents_made = true;
    assert_says(one_advice(&of, false).text, "KTRACE_SNAPSHOT=1");
}

static void test_residual(void **state)
{
    (void)state;
    struct kt_decomposition d = parts(0, 0, 0, 0.9, 0);
    struct kt_advice_case of = a_case("dgemm", &d);
    assert_says(one_advice(&of, false).text, "all calls take longer");
    of.calls_total = 2;
    assert_says(one_advice(&of, false).text, "some calls take much longer");
    of.contents_made = true;
    assert_says(one_advice(&of, false).text, "KTRACE_SNAPSHOT=1");
    assert_null(strstr(one_advice(&of, false).text, "calls take"));
    of.calls = 2;
    assert_says(one_advice(&of, false).text, "happens only once");
    d.faults = 50000;
    d.fault_seconds = 0.5;
    assert_says(one_advice(&of, false).text, "50,000 page faults, about 10.0 us each");
    d.fault_seconds = 0.4;
    assert_says(one_advice(&of, false).text, "happens only once");
}

/* What the machine explains is nothing to win in the program; where states differ too much, nothing is said. */
static void test_slower_machine(void **state)
{
    (void)state;
    struct kt_decomposition d = parts(0, 0, 0, 0.9, 0);
    struct kt_advice_case of = a_case("dgemm", &d);
    struct kt_advice advice[KT_MOST_ADVICE];
    d.insitu = 1;
    d.machine = (struct kt_time){0.55, 0.53, 0.57};
    assert_says(one_advice(&of, false).text, "machine was slower while the program ran");
    assert_says(one_advice(&of, false).text, "about 550 ms");
    d.machine.lo = 0.46;
    d.machine.hi = 0.58;
    assert_int_equal(kt_advice_find(&of, 1, 1, false, "t", advice), 0);
    d.machine = (struct kt_time){0.4, 0.4, 0.4};
    assert_null(strstr(one_advice(&of, false).text, "machine was slower"));
    d = parts(0, 0, NAN, NAN, 0.9);
    d.insitu = 1;
    d.machine = (struct kt_time){0.55, 0.53, 0.57};
    assert_says(one_advice(&of, false).text, "machine was slower while the program ran");
}

static void test_long_path(void **state)
{
    (void)state;
    static char path[PATH_MAX];
    struct kt_advice advice[KT_MOST_ADVICE];
    struct kt_decomposition d = parts(0, 0.9, 0, 0, 0);
    struct kt_advice_case of = a_case("dgemm", &d);
    memset(path, 'p', sizeof path - 1);
    assert_int_equal(kt_advice_find(&of, 1, 1, false, path, advice), 1);
    assert_says(advice[0].text, "ktrace repro --routine dgemm pppp");
    assert_string_equal(advice[0].text + strlen(advice[0].text) - 3, "pp.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest_first),      cmocka_unit_test(test_at_most_five),
        cmocka_unit_test(test_small_parts),        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_parts_within_noise), cmocka_unit_test(test_library),
        cmocka_unit_test(test_disturbed_replays),  cmocka_unit_test(test_context),
        cmocka_unit_test(test_residual),           cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_slower_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
