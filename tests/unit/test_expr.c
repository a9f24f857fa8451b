/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions: what they evaluate to, and that every malformed one gives an error that says what was expected.
 */
#include "trace/table/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Arguments of the routine that the expressions are about: three sizes and two options. */
static const char *const names[] = {"m", "n", "k", "side", "uplo"};
static const double values[] = {7, 3, 0, 'L', ' '};

static int find(const void *context, const char *name, size_t length, int *is_option)
{
    (void)context;
    for (int i = 0; i < 5; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], name, length)) {
            *is_option = i >= 3;
            return i;
        }
    return -1;
}

static const struct kt_scope scope = {find, NULL};

static enum kt_status parse(const char *text, struct kt_expr *out, struct kt_error *error, const char **end)
{
    *end = text;
    *error = (struct kt_error){0};
    return kt_expr_parse(end, &scope, out, error);
}

static double value_of(const char *text, int line)
{
    struct kt_expr expr;
    struct kt_error error;
    const char *end;
    if (parse(text, &expr, &error, &end) != KT_OK || *end)
        fail_msg("line %d: '%s': %s, stopped at '%s'", line, text, error.text, end);
    double value = kt_expr_eval(&expr, values);
    kt_expr_free(&expr);
    return value;
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
        int line;
    } cases[] = {
        {"0", 0, __LINE__},
        {"m", 7, __LINE__},
        {"m<=7", 1, __LINE__},
        {"m<=n+3", 0, __LINE__},
        {"m>=7&&n>=4", 0, __LINE__},
        {"n+4>=m", 1, __LINE__},
        {"m-n-1", 3, __LINE__}, /* left to right */
        {"m/2/2", 1.75, __LINE__},
        {"1+2*n", 7, __LINE__},
        {"(1+2)*n", 9, __LINE__},
        {"-n+1", -2, __LINE__},
        {"2*-n", -6, __LINE__},
        {"m/k", 0, __LINE__}, /* nothing to divide among */
        {"min(m,n)", 3, __LINE__},
        {"max(1,max(m,n*3))", 9, __LINE__},
        {"levels(25)", 1, __LINE__},
        {"levels(100)", 3, __LINE__},
        {"div(m,n)", 2, __LINE__},
        {"div(-m,n)", -3, __LINE__},
        {"div(m,k)", 0, __LINE__},
        {"lg(m)", 3, __LINE__},
        {"lg(8)", 3, __LINE__},
        {"lg(1)", 0, __LINE__},
        {"m>n", 1, __LINE__},
        {"m<n", 0, __LINE__},
        {"m=7", 1, __LINE__},
        {"side=L?m:n", 7, __LINE__},
        {"side=RX?m:n", 3, __LINE__},
        {"side=LR?m:n", 7, __LINE__},
        {"uplo=UL?m:n", 3, __LINE__},   /* no letter at all */
        {"m>n?m>8?1:2:3", 2, __LINE__}, /* nested on both sides */
        {"m<n?1:n<m?2:3", 2, __LINE__},
        {"side=R||m>n&&n>k", 1, __LINE__}, /* && binds tighter */
        {"(side=R||m>n)&&k>n", 0, __LINE__},
        {"n>0?n-1:0", 2, __LINE__},
        {"m*n*n/6+n*n/2+n/3", 16, __LINE__},
        {"2147483647*2147483647", 2147483647.0 * 2147483647.0, __LINE__},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (value_of(cases[i].text, cases[i].line) != cases[i].value)
            fail_msg("line %d: '%s' is %g, expected %g", cases[i].line, cases[i].text,
                     value_of(cases[i].text, cases[i].line), cases[i].value);
}

static void check_error(const char *text, const char *expected, int line)
{
    struct kt_expr expr;
    struct kt_error error;
    const char *end;
    if (parse(text, &expr, &error, &end) != KT_BAD_INPUT || !strstr(error.text, expected))
        fail_msg("line %d: '%.60s': '%s', expected '%s'", line, text, error.text, expected);
    assert_null(expr.op);
    assert_int_equal(expr.count, 0);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *error;
        int line;
    } cases[] = {
        {"", "expected a number", __LINE__},
        {"*", "expected a number", __LINE__},
        {"1+", "expected a number", __LINE__},
        {"-", "expected a number", __LINE__},
        {"n?", "expected a number", __LINE__},
        {"n?1", "expected ':'", __LINE__},
        {"n?1:", "expected a number", __LINE__},
        {"(n", "expected ')'", __LINE__},
        {"()", "expected a number", __LINE__},
        {"min(n)", "expected ','", __LINE__},
        {"min(n,m", "expected ')'", __LINE__},
        {"min(n,m,k)", "expected ')'", __LINE__},
        {"levels()", "expected a number", __LINE__},
        {"min", "'min' is not an argument", __LINE__},
        {"lda", "'lda' is not an argument", __LINE__},
        {"nn", "'nn' is not an argument", __LINE__},
        {"side", "expected '='", __LINE__},
        {"side=", "expected option letters", __LINE__},
        {"side=l", "expected option letters", __LINE__},
        {"m=side", "expected '='", __LINE__},
        {"\xff", "expected a number", __LINE__},
        {"%s%n", "expected a number", __LINE__},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_error(cases[i].text, cases[i].error, cases[i].line);
}

/* TIMES times A, then B, then TIMES times C. */
static char *repeated(const char *a, const char *b, const char *c, size_t times)
{
    char *text = malloc((strlen(a) + strlen(c)) * times + strlen(b) + 1);
    assert_non_null(text);
    char *at = text;
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, a);
    at = stpcpy(at, b);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, c);
    return text;
}

static void test_deep_nesting_is_refused(void **state)
{
    (void)state;
    static const char *const around[][2] = {{"(", ")"},      {"n?n:", ""},     {"1+(", ")"},
                                            {"max(1,", ")"}, {"levels(", ")"}, {"n<n?(", "):0"}};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        char *text = repeated(around[i][0], "n", around[i][1], 100000);
        check_error(text, "nests too deeply", __LINE__);
        free(text);
    }
}

static void test_long_expressions_need_no_stack(void **state)
{
    (void)state;
    char *text = repeated("n+", "n", "", 2000);
    assert_true(value_of(text, __LINE__) == 3 * 2001.0);
    free(text);
}

static void test_parsing_stops_behind_the_expression(void **state)
{
    (void)state;
    struct kt_expr expr;
    struct kt_error error;
    const char *end;
    assert_int_equal(parse("m,n;lda]", &expr, &error, &end), KT_OK);
    assert_string_equal(end, ",n;lda]");
    kt_expr_free(&expr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_deep_nesting_is_refused),
        cmocka_unit_test(test_long_expressions_need_no_stack),
        cmocka_unit_test(test_parsing_stops_behind_the_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
