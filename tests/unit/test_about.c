/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of libraries: what fits a line of what a path, a soname and a version string say. How many processes times are
 * of.
 */
#include "trace/command/about.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *path, const char *soname, const char *version, const char *name, const char *title)
{
    char text[32];
    const struct kt_object library = {
        .path = (char *)path, .file = "", .soname = (char *)soname, .version = (char *)version};
    kt_about_library(&library, text, sizeof text);
    assert_string_equal(text, title);
    assert_string_equal(kt_about_library_name(&library), name);
}

static void test_version_number(void **state)
{
    (void)state;
    check("/usr/lib/libblas.so.3", "libblas.so.3", "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH MAX_THREADS=64", "openblas",
          "OpenBLAS 0.3.21");
    check("/usr/lib/libblis.so.4", "libblis.so.4", "0.9.0-56", "blis", "BLIS 0.9.0-56");
    check("/opt/mkl/libmkl_rt.so.2", "libmkl_rt.so.2", "Intel(R) oneAPI Math Kernel Library Version 2023.2-Product",
          "mkl", "MKL 2023.2-Product");
    check("/home/libmine.so", "libmine.so", "v2 build 7", "", "libmine.so 7");
}

static void test_no_version_number(void **state)
{
    (void)state;
    check("/usr/lib/libblas.so.3", "libblas.so.3", "", "reference", "reference libblas.so.3");
    check("/usr/lib/liblapack.so.3.11.0", "liblapack.so.3", "", "reference", "reference liblapack.so.3");
    check("/opt/OpenBLAS/lib.so", "", "unknown", "openblas", "OpenBLAS lib.so");
    check("/home/mine/libmine.so", "", "", "", "libmine.so");
    check("", "", "", "", "");
}

static void test_long_names_are_cut(void **state)
{
    (void)state;
    check("/a", "", "1234567890123456789012345678901234567890", "", "a 12345678901234567890123456789");
}

static void check_kind(const char *soname, const char *version, int threads, const char *expected)
{
    char text[128];
    struct kt_object library = {.path = "/usr/lib/libblas.so.3",
                                .file = "",
                                .soname = (char *)soname,
                                .version = (char *)version,
                                .threads = threads,
                                .is_library = true};
    kt_about_library_kind(&library, text, sizeof text);
    assert_string_equal(text, expected);
    assert_true(kt_about_is_of_kind(&library, expected));
    library.is_library = false;
    assert_false(kt_about_is_of_kind(&library, expected));
}

static void test_kinds(void **state)
{
    (void)state;
    check_kind("libblas.so.3", "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY Zen SINGLE_THREADED", 1,
               "OpenBLAS 0.3.21, Zen kernels, 1 thread");
    check_kind("libblas.so.3", "OpenBLAS 0.3.21 USE64BITINT DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64", 2,
               "OpenBLAS 0.3.21, SkylakeX kernels, 2 threads");
    check_kind("libblas.so.3", "OpenBLAS 0.3.21 NO_AFFINITY MAX_THREADS=64", 0, "OpenBLAS 0.3.21");
    check_kind("libblas.so.3", "OpenBLAS 0.3.21", 0, "OpenBLAS 0.3.21");
    check_kind("libblis.so.4", "BLIS 0.9.0", 2, "BLIS 0.9.0, 2 threads");
    check_kind("libblas.so.3", "", 1, "reference libblas.so.3"); /* it is not known whose threads these are */
}

/* A process of a workload stands for several. */
static void test_processes(void **state)
{
    (void)state;
    char text[KT_ABOUT_PROCESSES];
    struct kt_process process[3] = {{.workload = 0}, {.workload = 0}, {.workload = 4}};
    struct kt_trace trace = {.process = process, .processes = 1};
    assert_string_equal(kt_about_processes(&trace, text), "");
    trace.processes = 2;
    assert_string_equal(kt_about_processes(&trace, text), " in 2 processes");
    trace.processes = 3;
    assert_string_equal(kt_about_processes(&trace, text), " in 6 processes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_number),     cmocka_unit_test(test_no_version_number),
        cmocka_unit_test(test_long_names_are_cut), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
