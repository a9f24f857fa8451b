/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of libraries as text: what the lines mean, and what means nothing. What a map does is in
 * tests/compare/run_map.sh. */
#include "ktrace/library_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct kt_map map;

static bool parse(const char *text)
{
    static char copy[KT_MAP_BYTES];
    snprintf(copy, sizeof copy, "%s", text);
    return kt_map_parse(&map, copy);
}

static void test_lines(void **state)
{
    (void)state;
    assert_true(parse("# head\n\n  library a /x#1/liba.so,/x/lapack.so  # two files\nthreads 3\r\n"
                      "dgemm -> a\ndgemv n=5 -> own"));
    assert_int_equal(map.libraries, 1);
    assert_string_equal(map.library[0].name, "a");
    assert_string_equal(map.library[0].files, "/x#1/liba.so,/x/lapack.so");
    assert_int_equal(map.threads, 3);
    assert_int_equal(map.rules, 2);
    assert_string_equal(map.rule[0].routine, "dgemm");
    assert_int_equal(map.rule[0].library, 0);
    assert_int_equal(map.rule[0].conditions, 0);
    assert_int_equal(map.rule[1].library, KT_MAP_OWN);
    assert_int_equal(map.rule[1].line, 6);
}

static void test_as_many_libraries_as_there_is_room_for(void **state)
{
    (void)state;
    char text[4096] = "";
    for (int i = 0; i < KT_MAP_LIBRARIES; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "library lib%d /x/lib%d.so\n", i, i);
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "dgemm -> lib%d\n", KT_MAP_LIBRARIES - 1);
    assert_true(parse(text));
    assert_int_equal(map.rule[0].library, KT_MAP_LIBRARIES - 1);
    snprintf(text + length, sizeof text - length, "library more /x/more.so\ndgemm -> more\n");
    assert_false(parse(text));
}

static void expect(const struct kt_map_condition *c, const char *names, char letter, int64_t low, int64_t high)
{
    char text[32] = "";
    for (int i = 0; i < c->factors; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "*" : "", c->factor[i]);
    assert_string_equal(text, names);
    assert_int_equal(c->letter, letter);
    assert_true(letter || (c->low == low && c->high == high));
}

static void test_conditions(void **state)
{
    (void)state;
    assert_true(parse("dgemm m=7 n=5..9 k=..3 m*n=20.. m*n*k=0..9223372036854775807 transa=T -> own"));
    const struct kt_map_condition *c = map.rule[0].condition;
    assert_int_equal(map.rule[0].conditions, 6);
    expect(&c[0], "m", 0, 7, 7);
    expect(&c[1], "n", 0, 5, 9);
    expect(&c[2], "k", 0, 0, 3);
    expect(&c[3], "m*n", 0, 20, INT64_MAX);
    expect(&c[4], "m*n*k", 0, 0, INT64_MAX);
    expect(&c[5], "transa", 'T', 0, 0);
}

/* Sizes, options and products, alone and beside each other; of two lines the first can hold, the second cannot. */
static void test_what_can_hold(void **state)
{
    static const char *const line[][2] = {
        {"dgemm m=5..9 m=9 -> own", "dgemm m=5..9 m=10 -> own"},
        {"dgemm m=5 n=6 -> own", "dgemm m=5 n=6 m=6 -> own"},
        {"dgemm transa=N transb=T transa=N -> own", "dgemm transa=N transb=T transa=T -> own"},
        {"dgemm m*n=..9 n*m=9.. -> own", "dgemm m*n=..9 n*m=10.. -> own"},
        {"dgemm m*m=..9 m*n=10.. -> own", "dgemm m*m*n=..9 m*n*m=10.. -> own"},
        {"dgemm m=20.. n=20.. m*n=..400 -> own", "dgemm m=20.. n=20.. m*n=..399 -> own"},
        {"dgemm m=..20 n=..20 m*n=400.. -> own", "dgemm m=..20 n=..20 m*n=401.. -> own"},
        {"dgemm m=..20 m*n=401.. -> own", "dgemm m=..0 m*n=401.. -> own"},
        {"dgemm m=10.. m=..20 m*m*m=8000 -> own", "dgemm m=10.. m=..20 m*m*m=8001 -> own"},
        {"dgemm m=4000000000.. n=4000000000.. m*n=..9223372036854775807 -> own",
         "dgemm m=4000000000.. n=4000000000.. m*n=..9223372036854775806 -> own"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        assert_true(parse(line[i][0]));
        assert_false(parse(line[i][1]));
        assert_non_null(strstr(map.why, "line 1: can never hold: "));
    }
}

static void test_nonsense(void **state)
{
    static const char *const line[] = {"dgemm",
                                       "dgemm ->",
                                       "dgemm -> nobody",
                                       "dgemm -> own own",
                                       "dgemm m -> own",
                                       "dgemm m= -> own",
                                       "dgemm =5 -> own",
                                       "dgemm m=.. -> own",
                                       "dgemm m=5..4 -> own",
                                       "dgemm m=-1 -> own",
                                       "dgemm m=5x -> own",
                                       "dgemm m*n*k*l=5 -> own",
                                       "dgemm m*=5 -> own",
                                       "dgemm averylongname=5 -> own",
                                       "dgemm m*n=T -> own",
                                       "dgemm m=9223372036854775808 -> own",
                                       "library a",
                                       "library",
                                       "threads",
                                       "threads x",
                                       "threads 5000",
                                       "routineofmuchtoolonganame -> own",
                                       "",
                                       "# only this",
                                       "library a /x"};
    (void)state;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        if (parse(line[i]))
            fail_msg("taken: %s", line[i]);
        assert_int_not_equal(*map.why, '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines), cmocka_unit_test(test_as_many_libraries_as_there_is_room_for),
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_what_can_hold), cmocka_unit_test(test_nonsense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
