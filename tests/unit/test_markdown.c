/* SPDX-License-Identifier: BSD-3-Clause */
/* Names from a trace in Markdown: nothing in them is a mark, and what a reader sees is the name. */
#include "trace/print/markdown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *text, const char *expected)
{
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    kt_markdown_code(file, text);
    fclose(file);
    assert_string_equal(out, expected);
    free(out);
}

static void test_names(void **unused)
{
    (void)unused;
    check("dgemm N 48x48x48", "<code>dgemm N 48x48x48</code>");
    check("solver.py:12 __init__", "<code>solver&#46;py&#58;12 &#95;&#95;init&#95;&#95;</code>");
    check("", "<code></code>");
}

static void test_marks_become_references(void **unused)
{
    (void)unused;
    check("a|b`c\\|", "<code>a&#124;b&#96;c&#92;&#124;</code>");
    check("</code><b>&amp;", "<code>&#60;/code&#62;&#60;b&#62;&#38;amp&#59;</code>");
    check("@all #1 ![x](y)", "<code>&#64;all &#35;1 &#33;&#91;x&#93;&#40;y&#41;</code>");
    /* Of all others none is left that Markdown knows, but in the references. */
    for (int c = '!'; c < 0x7f; c++) {
        char text[2] = {(char)c, '\0'};
        char *out = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&out, &size);
        kt_markdown_code(file, text);
        fclose(file);
        out[strlen(out) - strlen("</code>")] = '\0';
        assert_null(strpbrk(out + strlen("<code>"), "|`*_~[]()<>\\!$\"'@:.-+{}"));
        free(out);
    }
}

static void test_lines_stay_one(void **unused)
{
    (void)unused;
    check("a\n\n| b\r\033[1m\x7f", "<code>a??&#124; b??&#91;1m?</code>");
}

static void test_only_utf8(void **unused)
{
    (void)unused;
    check("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "<code>\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80</code>");
    check("\xff \xc3", "<code>? ?</code>");
    check("\xed\xa0\x80.", "<code>?"
                           "?"
                           "?&#46;</code>");
    check("\xc0\xaf", "<code>?"
                      "?</code>"); /* not two of them and <, a trigraph */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_marks_become_references),
        cmocka_unit_test(test_lines_stay_one),
        cmocka_unit_test(test_only_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
