/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts on pages of one screen: with their interval where that is seen, and a question mark where it is too wide. */
#include "model/report/part_words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char *text_of(double value, double lo, double hi)
{
    static char text[32];
    const struct kt_time part = {value, lo, hi};
    size_t length = kt_part_words('=', &part, kt_decomposition_is_told(&part), text, sizeof text);
    assert_int_equal(length, strlen(text));
    return text;
}

static void test_part(void **state)
{
    (void)state;
    assert_string_equal(text_of(0.624, 0.612, 0.63), " =62%");
    assert_string_equal(text_of(0.62, 0.5, 0.66), " =62+-12%");
    assert_string_equal(text_of(0.05, -0.1, 0.2), " =5+-15%");
    assert_string_equal(text_of(-0.08, -0.09, -0.07), " =-8%");
    assert_string_equal(text_of(0.4, 0.1, 0.6), " =?");
    assert_string_equal(text_of(0.4, 0.4, NAN), " =?");
    assert_string_equal(text_of(NAN, NAN, NAN), " =?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
