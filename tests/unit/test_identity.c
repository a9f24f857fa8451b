/* SPDX-License-Identifier: BSD-3-Clause */
/* What a library, a machine and a context are called in the store: the same where results are, another where they are
 * not. */
#include "replay/store/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *identity_of(const char *file)
{
    struct kt_library library = {.file = {(char *)(uintptr_t)file}, .files = 1, .int_bytes = 4, .threads = 1};
    return kt_identity_setting(&library, 0);
}

static void test_identity_of_libraries(void **state)
{
    (void)state;
    unsetenv("OPENBLAS_CORETYPE"); /* of whoever runs the test */
    char *m = identity_of("libgfortran.so.5");
    char *again = identity_of("libgfortran.so.5");
    assert_non_null(m);
    assert_string_equal(m, again);
    assert_non_null(strstr(m, " libgfortran.so.5="));
    setenv("OPENBLAS_CORETYPE", "Nehalem", 1);
    char *other = identity_of("libgfortran.so.5");
    unsetenv("OPENBLAS_CORETYPE");
    assert_string_not_equal(m, other);
    setenv("OPENBLAS_NUM_THREADS", "7", 1);
    free(again);
    again = identity_of("libgfortran.so.5");
    unsetenv("OPENBLAS_NUM_THREADS");
    assert_string_equal(m, again);
    assert_null(identity_of("/nowhere/libnothing.so"));
    free(m);
    free(again);
    free(other);
}

static void test_kinds_have_no_host(void **state)
{
    (void)state;
    char setting[] = "ktrace 1 method 2 | host some-node A Processor cpus 2 | allowed 2";
    char other[] = "ktrace 1 method 2 | host another A Processor cpus 2 | allowed 2";
    kt_identity_make_kind(setting);
    kt_identity_make_kind(other);
    assert_string_equal(setting, "ktrace 1 method 2 |  A Processor cpus 2 | allowed 2");
    assert_string_equal(setting, other);
    kt_identity_make_kind(other); /* there is nothing left */
    assert_string_equal(setting, other);
    kt_identity_make_kind(NULL);
    char *own = identity_of("libgfortran.so.5");
    size_t length = strlen(own);
    kt_identity_make_kind(own);
    assert_true(strlen(own) < length);
    free(own);
}

static void test_identity_of_contexts(void **state)
{
    (void)state;
    struct kt_placements_of_shape placed = {.count = 1, .placement = {{.weight = 1}}};
    placed.placement[0].share[0][1] = 0.25F;
    placed.placement[0].share[0][2] = 0.75F;
    char *plain = kt_identity_context("tracked", KT_TIMER_WALL, KT_PAGES_ANY, NULL);
    char *with = kt_identity_context("tracked", KT_TIMER_WALL, KT_PAGES_ANY, &placed);
    char *small = kt_identity_context("warm", KT_TIMER_CPU, KT_PAGES_SMALL, NULL);
    assert_string_equal(small, "warm by cpu in small pages");
    free(small);
    assert_string_equal(plain, "tracked");
    assert_string_equal(with, "tracked | 1.00: 0@1=0.25 0@2=0.75");
    free(plain);
    free(with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity_of_libraries),
        cmocka_unit_test(test_kinds_have_no_host),
        cmocka_unit_test(test_identity_of_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
