/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/parts/tracegen.h"
#include "trace/command/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SPEC "trace/routines"

static void expect_dump(json_t *json, const char *text)
{
    char *dump = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(dump, text);
    free(dump);
    json_decref(json);
}

static void what_is_no_number_is_null(void **state)
{
    (void)state;
    expect_dump(kt_json_number(0.5), "0.5");
    expect_dump(kt_json_number(NAN), "null");
    expect_dump(kt_json_number(-INFINITY), "null");
    expect_dump(kt_json_count(5e6), "5000000");
    expect_dump(kt_json_count(3e22), "null");
    expect_dump(kt_json_count(-1), "null");
    expect_dump(kt_json_count(NAN), "null");
}

static void any_bytes_are_text(void **state)
{
    (void)state;
    expect_dump(kt_json_text("a\xc3\xa4"), "\"a\xc3\xa4\"");
    expect_dump(kt_json_text("a\xe4\n"), "\"a\xc3\xa4\\n\"");
    expect_dump(kt_json_text("\xff\xc3"), "\"\xc3\xbf\xc3\x83\"");
}

static void any_bytes_are_keys(void **state)
{
    (void)state;
    json_t *object = json_object();
    kt_json_set_named(object, "a\xe4\n", json_integer(1));
    expect_dump(object, "{\"a\xc3\xa4?\":1}");
    expect_dump(kt_json_text_or_null(NULL), "null");
    expect_dump(kt_json_text_or_null(""), "null");
}

static void statistics_have_all_keys(void **state)
{
    (void)state;
    double x[] = {2, 1};
    struct kt_stat stat = kt_stat_of(x, 2, KT_BEST_QUARTILE);
    expect_dump(kt_json_stat(&stat), "{\"best\":1.0,\"min\":1.0,\"median\":1.5,\"lo\":1.0,\"hi\":2.0,\"n\":2}");
    stat.resolution = 0.125; /* only told where it matters */
    expect_dump(kt_json_stat(&stat),
                "{\"best\":1.0,\"min\":1.0,\"median\":1.5,\"lo\":1.0,\"hi\":2.0,\"n\":2,\"resolution\":0.125}");
    stat = kt_stat_of(NULL, 0, KT_BEST_QUARTILE);
    expect_dump(kt_json_stat(&stat), "{\"best\":null,\"min\":null,\"median\":null,\"lo\":null,\"hi\":null,\"n\":0}");
}

static void args_are(const char *routine, enum kt_view view, const char *args, bool addresses, const char *expected)
{
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_error error = {0};
    struct kt_cursor cursor;
    struct kt_call call;
    kt_gen_begin(&gen, SPEC, 42);
    int entry = kt_gen_entry(&gen, routine, view);
    kt_gen_call(&gen, &(struct kt_gen_call){7, entry, 0, 100, 100, args});
    kt_gen_end(&gen, true);
    assert_int_equal(kt_trace_open(gen.trace, &trace, &error), KT_OK);
    kt_cursor_begin(&trace, &cursor);
    assert_true(kt_cursor_next(&cursor, &call));
    expect_dump(kt_json_args(&call, addresses), expected);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void arguments_have_the_names_of_the_interface(void **state)
{
    (void)state;
    args_are("dgemm", KT_FORTRAN, "n T 2 3 4 1.5 0x1000 2 0x2000 3 0 0x3000 2", false,
             "{\"transa\":\"n\",\"transb\":\"T\",\"m\":2,\"n\":3,\"k\":4,\"alpha\":1.5,\"lda\":2,\"ldb\":3,"
             "\"beta\":0.0,\"ldc\":2}");
    args_are("dgemm", KT_CBLAS, "102 111 112 2 3 4 1.5 0x1000 2 0x2000 3 0 0x3000 2", true,
             "{\"layout\":102,\"TransA\":111,\"TransB\":112,\"M\":2,\"N\":3,\"K\":4,\"alpha\":1.5,\"A\":\"0x1000\","
             "\"lda\":2,\"B\":\"0x2000\",\"ldb\":3,\"beta\":0.0,\"C\":\"0x3000\",\"ldc\":2}");
}

static void complex_scalars_are_pairs(void **state)
{
    (void)state;
    args_are("zaxpy", KT_FORTRAN, "3 1.5,-2 0x1000 1 0x2000 -1", true,
             "{\"n\":3,\"alpha\":[1.5,-2.0],\"x\":\"0x1000\",\"incx\":1,\"y\":\"0x2000\",\"incy\":-1}");
}

static void info_is_no_argument_and_results_are_addresses(void **state)
{
    (void)state;
    args_are("dgesv", KT_FORTRAN, "3 1 0x1000 3 0x2000 0x3000 3 2", false, "{\"n\":3,\"nrhs\":1,\"lda\":3,\"ldb\":3}");
    args_are("zdotc", KT_CBLAS, "3 0x1000 1 0x2000 1 0x7fff0000", true,
             "{\"N\":3,\"X\":\"0x1000\",\"incX\":1,\"Y\":\"0x2000\",\"incY\":1,\"dotc\":\"0x7fff0000\"}");
}

static void large_integers_stay_exact(void **state)
{
    (void)state;
    args_are("ddot", KT_FORTRAN, "9007199254740993 0x1 -9223372036854775808 0xffffffffffffffff 1", true,
             "{\"n\":9007199254740993,\"x\":\"0x1\",\"incx\":-9223372036854775808,"
             "\"y\":\"0xffffffffffffffff\",\"incy\":1}");
}

static void strange_letters_survive(void **state)
{
    (void)state;
    args_are("dgemm", KT_FORTRAN, "\xe4 \" 2 3 4 nan 0x0 2 0x0 3 inf 0x0 2", false,
             "{\"transa\":\"\xc3\xa4\",\"transb\":\"\\\"\",\"m\":2,\"n\":3,\"k\":4,\"alpha\":null,\"lda\":2,"
             "\"ldb\":3,\"beta\":null,\"ldc\":2}");
}

static void files_are_saved_and_loaded(void **state)
{
    (void)state;
    char directory[] = "/tmp/ktrace-json-XXXXXX";
    char path[100];
    struct kt_error error = {0};
    json_t *loaded;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/file", directory);
    assert_int_equal(kt_json_load(path, &loaded, &error), KT_BAD_INPUT);
    assert_non_null(strstr(error.text, "No such file"));
    error = (struct kt_error){0};
    assert_int_equal(kt_json_save(json_pack("{s:i}", "n", 3), path, &error), KT_OK);
    assert_int_equal(kt_json_load(path, &loaded, &error), KT_OK);
    expect_dump(loaded, "{\"n\":3}");
    assert_int_equal(truncate(path, 5), 0);
    assert_int_equal(kt_json_load(path, &loaded, &error), KT_BAD_INPUT);
    assert_non_null(strstr(error.text, "not JSON"));
    assert_null(loaded);
    unlink(path);
    assert_int_equal(rmdir(directory), 0); /* nothing was left behind */
}

static void saving_fails_with_one_error(void **state)
{
    (void)state;
    struct kt_error error = {0};
    assert_int_equal(kt_json_save(json_object(), "/nonexistent/file", &error), KT_SYSTEM);
    assert_non_null(strstr(error.text, "/nonexistent/file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(any_bytes_are_text),
        cmocka_unit_test(any_bytes_are_keys),
        cmocka_unit_test(statistics_have_all_keys),
        cmocka_unit_test(arguments_have_the_names_of_the_interface),
        cmocka_unit_test(complex_scalars_are_pairs),
        cmocka_unit_test(info_is_no_argument_and_results_are_addresses),
        cmocka_unit_test(large_integers_stay_exact),
        cmocka_unit_test(strange_letters_survive),
        cmocka_unit_test(files_are_saved_and_loaded),
        cmocka_unit_test(saving_fails_with_one_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
