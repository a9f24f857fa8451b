/* SPDX-License-Identifier: BSD-3-Clause */
/* What libraries are called beside each other: so much of their paths as tells them apart. */
#include "trace/print/library_label.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void the_last_parts_that_differ(void **state)
{
    (void)state;
    static const char *const path[] = {"/a/x/lib.so", "/a/y/lib.so", "/b/y/lib.so",
                                       "/a/other.so", "lib.so",      "/a/x/lib.so"};
    static const char *const name[] = {"x/lib.so", "a/y/lib.so", "b/y/lib.so", "other.so", "lib.so", "x/lib.so"};
    char out[64];
    for (size_t i = 0; i < 6; i++) {
        kt_path_distinct(path, 6, i, out, sizeof out);
        assert_string_equal(out, name[i]);
    }
    kt_path_distinct(path, 1, 0, out, sizeof out);
    assert_string_equal(out, "lib.so");
}

/* Slashes at the end are none of its parts; what is too long ends as it does; it steers no terminal. */
static void odd_paths(void **state)
{
    (void)state;
    static const char *const path[] = {"run1/t", "run2/t/", "/somewhere/0123456789.so", "t\033[m", ""};
    char out[12];
    kt_path_distinct(path, 5, 1, out, sizeof out);
    assert_string_equal(out, "run2/t");
    kt_path_distinct(path, 5, 2, out, sizeof out);
    assert_string_equal(out, "..456789.so");
    kt_path_distinct(path, 5, 3, out, sizeof out);
    assert_string_equal(out, "t?[m");
    kt_path_distinct(path, 5, 4, out, sizeof out);
    assert_string_equal(out, "");
    static const char *const build[] = {"/opt/new-build/lib.so", "/opt/old-build/lib.so"};
    kt_path_distinct(build, 2, 1, out, sizeof out); /* its begin tells it apart */
    assert_string_equal(out, "old-build..");
}

static void names_that_are_known(void **state)
{
    (void)state;
    static const char *const file[] = {"openblas", "/nowhere/one/libblas.so.3", "/nowhere/two/libblas.so.3"};
    char label[3][KT_LIBRARY_LABEL];
    kt_library_labels(file, 3, label);
    assert_string_equal(label[0], "openblas");
    assert_string_equal(label[1], "one/libblas.so.3");
    assert_string_equal(label[2], "two/libblas.so.3");
    assert_false(kt_library_short_name("/nowhere/one/libblas.so.3", label[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_last_parts_that_differ), cmocka_unit_test(odd_paths),
                                       cmocka_unit_test(names_that_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
