/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of things as words. */
#include "trace/base/count.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void numbers_are_grouped(void **state)
{
    (void)state;
    char text[16];
    assert_string_equal(kt_count_text(999, text), "999");
    assert_string_equal(kt_count_text(-1234567, text), "-1,234,567");
    assert_string_equal(kt_count_text(1e11, text), "1e+11");
    assert_string_equal(kt_count_text(NAN, text), "n/a");
}

static void nouns_follow_their_number(void **state)
{
    static const struct {
        double count;
        const char *noun, *text;
    } cases[] = {{0, "call", "0 calls"},      {1, "call", "1 call"},
                 {2, "call", "2 calls"},      {12345, "nested call", "12,345 nested calls"},
                 {1, "process", "1 process"}, {3, "other process", "3 other processes"},
                 {1, "library", "1 library"}, {2, "library", "2 libraries"},
                 {2, "day", "2 days"},        {2, "index", "2 indexes"},
                 {1.5, "pair", "2 pairs"},    {NAN, "call", "n/a calls"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(KT_COUNT(cases[i].count, cases[i].noun), cases[i].text);
}

static void long_nouns_are_cut(void **state)
{
    char noun[200];
    (void)state;
    memset(noun, 'x', sizeof noun - 1);
    noun[sizeof noun - 1] = '\0';
    assert_int_equal(strlen(KT_COUNT(2, noun)), KT_COUNT_BYTES - 1);
}

static void several_counts_in_one_line_do_not_share_memory(void **state)
{
    const char *first = KT_COUNT(1, "thread");
    const char *second = KT_COUNT(2, "thread");
    (void)state;
    assert_string_equal(first, "1 thread");
    assert_string_equal(second, "2 threads");
}

static void verbs_follow_the_number(void **state)
{
    (void)state;
    assert_string_equal(kt_count_word(1, "is", "are"), "is");
    assert_string_equal(kt_count_word(0, "is", "are"), "are");
    assert_string_equal(kt_count_word(2, "is", "are"), "are");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_grouped), cmocka_unit_test(nouns_follow_their_number),
        cmocka_unit_test(long_nouns_are_cut), cmocka_unit_test(several_counts_in_one_line_do_not_share_memory),
        cmocka_unit_test(verbs_follow_the_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
