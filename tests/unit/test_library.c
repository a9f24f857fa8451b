/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding and loading libraries. What needs the reference BLAS is skipped where that is not installed.
 */
#include "replay/call/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static enum kt_status find(const char *text, struct kt_library *library, struct kt_error *error)
{
    *error = (struct kt_error){0};
    return kt_library_find(text, library, error);
}

static void check_fails(const char *text, enum kt_status status, const char *part)
{
    struct kt_library library;
    struct kt_error error;
    assert_int_equal(find(text, &library, &error), status);
    assert_non_null(strstr(error.text, part));
    kt_library_free(&library);
}

static void test_nothing_found(void **state)
{
    (void)state;
    check_fails("nosuchblas", KT_USAGE, "ktrace info --libraries");
    check_fails("/nowhere/libblas.so", KT_BAD_INPUT, "/nowhere/libblas.so");
    check_fails("", KT_USAGE, "empty");
    check_fails(",", KT_USAGE, "empty");
    check_fails("/proc/self/exe,/nowhere/liblapack.so", KT_BAD_INPUT, "/nowhere/liblapack.so");
}

static void test_wide_integers_are_refused(void **state)
{
    (void)state;
    check_fails("libblas64.so.3", KT_BAD_INPUT, "64-bit integers");
    check_fails("libmkl_intel_ilp64.so", KT_BAD_INPUT, "64-bit integers");
    struct kt_library library;
    struct kt_error error;
    assert_int_equal(find("libmkl_intel_lp64.so", &library, &error), KT_OK);
    kt_library_free(&library);
}

static void test_paths_and_sonames(void **state)
{
    (void)state;
    struct kt_library library;
    struct kt_error error;
    assert_int_equal(find("/proc/self/exe,libsomething.so.3", &library, &error), KT_OK);
    assert_int_equal(library.files, 2);
    assert_string_equal(library.file[0], "/proc/self/exe");
    assert_string_equal(library.file[1], "libsomething.so.3");
    assert_int_equal(library.int_bytes, 4);
    kt_library_free(&library);
    assert_int_equal(find("/proc/self/exe", &library, &error), KT_OK);
    assert_string_equal(library.name, "exe");
    kt_library_free(&library);
}

static void test_not_a_library(void **state)
{
    (void)state;
    struct kt_library library;
    struct kt_error error;
    assert_int_equal(find("/proc/self/status", &library, &error), KT_OK);
    assert_int_equal(kt_library_load(&library, &error), KT_BAD_INPUT);
    assert_non_null(strstr(error.text, "/proc/self/status"));
    kt_library_free(&library);
}

static void test_same_library(void **state)
{
    (void)state;
    struct kt_library a, b, both;
    struct kt_error error;
    assert_int_equal(find("/proc/self/exe", &a, &error), KT_OK);
    assert_int_equal(find("/proc/self/maps", &b, &error), KT_OK);
    assert_int_equal(find("/proc/self/maps,/proc/self/exe", &both, &error), KT_OK);
    assert_true(kt_library_same(&a, &a));
    assert_true(kt_library_same(&a, &both));
    assert_true(kt_library_same(&both, &a));
    kt_library_free(&a);
    kt_library_free(&b);
    kt_library_free(&both);
}

static void test_reference(void **state)
{
    (void)state;
    struct kt_library library;
    struct kt_error error;
    char version[64];
    if (find("reference", &library, &error) != KT_OK)
        skip();
    library.threads = 3;
    assert_int_equal(kt_library_load(&library, &error), KT_OK);
    assert_string_equal(getenv("OMP_NUM_THREADS"), "3");
    void *ddot = kt_library_symbol(&library, "ddot_", NULL);
    assert_non_null(ddot);
    assert_ptr_equal(kt_library_symbol(&library, "ddot_", library.file[0]), ddot);
    assert_null(kt_library_symbol(&library, "no_such_routine_", library.file[0]));
    kt_library_version(&library, version, sizeof version);
    assert_true(*version == '\0' || (*version >= '0' && *version <= '9'));
    kt_library_free(&library);
}

/* A trace with these objects. */
static enum kt_status recorded(struct kt_object *object, size_t count, struct kt_library *out, struct kt_error *error)
{
    struct kt_process process = {.object = object, .objects = count};
    struct kt_trace trace = {.path = (char *)"demo.trace", .process = &process, .processes = 1};
    *error = (struct kt_error){0};
    return kt_library_recorded(&trace, out, error);
}

static void test_recorded(void **state)
{
    (void)state;
    struct kt_library library;
    struct kt_error error;
    struct kt_object object[] = {
        {.path = (char *)"/proc/self/maps", .is_library = true, .int_bytes = 4, .threads = 2},
        {.path = (char *)"/nowhere/program"},
        {.path = (char *)"/nowhere/libopenblas.so.0"}, /* gone, but nothing was bound to it */
        {.path = (char *)"/proc/self/maps", .is_library = true, .int_bytes = 4, .threads = 0},
    };
    assert_int_equal(recorded(object, 4, &library, &error), KT_OK);
    assert_int_equal(library.files, 1);
    assert_int_equal(library.threads, 2);
    assert_int_equal(library.int_bytes, 4);
    kt_library_free(&library);
}

static void test_recorded_is_gone(void **state)
{
    (void)state;
    struct kt_library library;
    struct kt_error error;
    struct kt_object object[] = {{.path = (char *)"/nowhere/libblas.so.3", .is_library = true, .int_bytes = 4}};
    assert_int_equal(recorded(object, 1, &library, &error), KT_BAD_INPUT);
    assert_non_null(strstr(error.text, "--blas"));
    kt_library_free(&library);
    assert_int_equal(recorded(NULL, 0, &library, &error), KT_BAD_INPUT);
    assert_non_null(strstr(error.text, "demo.trace"));
    kt_library_free(&library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_found),     cmocka_unit_test(test_wide_integers_are_refused),
        cmocka_unit_test(test_paths_and_sonames), cmocka_unit_test(test_not_a_library),
        cmocka_unit_test(test_same_library),      cmocka_unit_test(test_reference),
        cmocka_unit_test(test_recorded),          cmocka_unit_test(test_recorded_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
