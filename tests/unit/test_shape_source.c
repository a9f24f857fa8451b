/* SPDX-License-Identifier: BSD-3-Clause */
/* The line of a shape in words: one line where its calls are from there, and others if they are from several. */
#include "trace/command/shape_source.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const struct kt_place line = {.file = "/home/me/work.py", .line = 9, .function = "main", .object = "python"};
static const struct kt_place object = {.function = "solve", .object = "/home/me/work"};

static const char *text_of(const struct kt_place *place, double share)
{
    static char text[64];
    struct kt_shape_source source = {place, share};
    kt_shape_source_text(&source, text, sizeof text);
    return text;
}

static void test_text(void **state)
{
    (void)state;
    assert_string_equal(text_of(&line, 1), "work.py:9 main");
    assert_string_equal(text_of(&line, 0.97), "work.py:9 main");
    assert_string_equal(text_of(&line, 0.5), "work.py:9 and others");
    assert_string_equal(text_of(&line, NAN), "work.py:9 main");
    assert_string_equal(text_of(&object, 0.5), "solve in work");
    assert_string_equal(text_of(NULL, NAN), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
