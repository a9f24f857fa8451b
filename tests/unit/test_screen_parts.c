/* SPDX-License-Identifier: BSD-3-Clause */
/* What a bar of the report says of each part: the part, nothing, or a question mark. */
#include "model/report/screen_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct kt_time exactly(double value)
{
    return (struct kt_time){value, value, value};
}

static const struct kt_time nothing = {NAN, NAN, NAN};

/* Of 10 seconds, of a shape that a tracked replay timed: bound 2, library 3, cache 1, all else 4. */
static struct kt_decomposition tracked(void)
{
    return (struct kt_decomposition){.shapes = 1,
                                     .tracked = 1,
                                     .insitu = 10,
                                     .bound = exactly(2),
                                     .library = exactly(3),
                                     .cache = exactly(1),
                                     .residual = exactly(4),
                                     .unsplit = exactly(0),
                                     .contention = nothing,
                                     .machine = nothing};
}

/* A letter for each part, in their order: known, none, cannot tell. */
static const char *signs_of(const struct kt_decomposition *d)
{
    static char text[KT_SCREEN_PARTS + 1];
    static const char letter[] = {[KT_SIGN_KNOWN] = 'k', [KT_SIGN_NONE] = '-', [KT_SIGN_CANNOT_TELL] = 'x'};
    for (int p = 0; p < KT_SCREEN_PARTS; p++)
        text[p] = letter[kt_screen_parts_sign(d, p, 10)];
    return text;
}

static void test_tracked(void **state)
{
    (void)state;
    struct kt_decomposition d = tracked();
    assert_string_equal(signs_of(&d), "kkk--k-");
    d.cache = exactly(0.1);
    assert_string_equal(signs_of(&d), "kk---k-");
    d.cache = (struct kt_time){0.1, -3, 3};
    assert_string_equal(signs_of(&d), "kkx--k-");
}

static void test_not_tracked(void **state)
{
    (void)state;
    struct kt_decomposition d = tracked();
    d.tracked = 0;
    d.cache = d.residual = nothing;
    d.unsplit = exactly(5);
    assert_string_equal(signs_of(&d), "kk----k");
}

/* Bound and library are parts of every call: that one is not known is no reason to leave it out. */
static void test_no_bound(void **state)
{
    (void)state;
    struct kt_decomposition d = tracked();
    d.bound = d.library = nothing;
    assert_string_equal(signs_of(&d), "xxk--k-");
    assert_string_equal(signs_of(&(struct kt_decomposition){.shapes = 0}), "-------");
}

static void test_longer_than_the_calls(void **state)
{
    (void)state;
    struct kt_decomposition d = tracked();
    d.library = exactly(10.8);
    d.residual = exactly(-0.9);
    assert_string_equal(signs_of(&d), "kxk--k-");
    d.library = exactly(14);
    d.residual = exactly(-4);
    assert_string_equal(signs_of(&d), "xxx--x-");
}

/* Each part has a mark, a key and a name of its own. */
static void test_names(void **state)
{
    (void)state;
    for (int p = 0; p < KT_SCREEN_MARKS; p++)
        for (int q = 0; q < p; q++) {
            assert_true(kt_screen_parts_mark[p] != kt_screen_parts_mark[q]);
            assert_string_not_equal(kt_screen_parts_key[p], kt_screen_parts_key[q]);
            assert_string_not_equal(kt_screen_parts_name[p], kt_screen_parts_name[q]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tracked), cmocka_unit_test(test_not_tracked),
                                       cmocka_unit_test(test_no_bound), cmocka_unit_test(test_longer_than_the_calls),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
