/* SPDX-License-Identifier: BSD-3-Clause */
/* What sentences say of a part adds up the places that tell it, and no others. */
#include "model/report/known_part.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void is_near(double expected, double found)
{
    if (!(fabs(expected - found) <= 1e-12))
        fail_msg("expected %g, found %g", expected, found);
}

/* The heaviest place does not tell its library part, which would be longer than its calls: only the others are added.
 */
static void test_unknown_adds_nothing(void **state)
{
    (void)state;
    char text[KT_UNKNOWN_TEXT];
    const struct kt_time longer = {1.4, 1.3, 1.5};
    const struct kt_time half = {0.5, 0.4, 0.7};
    const struct kt_time most = {0.9, 0.8, 1};
    struct kt_known_part known = kt_known_part_begin();
    assert_true(known.most == SIZE_MAX);
    kt_known_part_add(&known, 0, 0.5, &longer, false);
    kt_known_part_add(&known, 1, 0.3, &half, true);
    kt_known_part_add(&known, 2, 0.1, &most, true);
    is_near(0.24, known.share.value);
    is_near(0.2, known.share.lo);
    is_near(0.31, known.share.hi);
    is_near(0.5, known.unknown);
    assert_int_equal(1, known.most);
    assert_true(kt_known_part_is_worth_words(&known));
    assert_string_equal("; 50 % unknown", kt_known_part_unknown(&known, text));
}

static void test_nothing_known(void **state)
{
    (void)state;
    char text[KT_UNKNOWN_TEXT];
    const struct kt_time nothing = {NAN, NAN, NAN};
    struct kt_known_part known = kt_known_part_begin();
    assert_string_equal("", kt_known_part_unknown(&known, text));
    kt_known_part_add(&known, 0, 1, &nothing, false);
    assert_true(known.most == SIZE_MAX);
    assert_false(kt_known_part_is_worth_words(&known));
    assert_string_equal("; 100 % unknown", kt_known_part_unknown(&known, text));
}

static bool is_worth(double value, double lo, double hi)
{
    struct kt_known_part known = kt_known_part_begin();
    const struct kt_time part = {value, lo, hi};
    kt_known_part_add(&known, 0, 1, &part, true);
    return kt_known_part_is_worth_words(&known);
}

static void test_worth_words(void **state)
{
    (void)state;
    assert_true(is_worth(0.3, 0.2, 0.4));
    assert_false(is_worth(0.09, 0.08, 0.1));
    assert_false(is_worth(0.2, 0.01, 0.3));
    assert_false(is_worth(0.5, 0.1, 0.6));
    assert_true(is_worth(1, 0.9, 1.1));
    assert_false(is_worth(1.01, 0.95, 1.1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unknown_adds_nothing),
                                       cmocka_unit_test(test_nothing_known), cmocka_unit_test(test_worth_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
