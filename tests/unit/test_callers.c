/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symbolisation, with this program itself and the C library as the files that were loaded.
 */
#include "model/report/by_place.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    char program[4096];
    char c_library[4096];
    struct kt_object object[3];
    struct kt_process process;
    struct kt_callers *callers;
};

/* Address ranges as the shim records them: the first program header's start to the last one's end. */
static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct fixture *f = context;
    bool is_program = !*info->dlpi_name;
    if (!is_program && !strstr(info->dlpi_name, "libc.so"))
        return 0;
    struct kt_object *object = &f->object[f->process.objects++];
    *object = (struct kt_object){.lo = UINT64_MAX, .bias = info->dlpi_addr, .build_id = (char *)""};
    object->path = is_program ? f->program : f->c_library;
    if (!is_program)
        snprintf(f->c_library, sizeof f->c_library, "%s", info->dlpi_name);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uint64_t lo = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD)
            continue;
        object->lo = lo < object->lo ? lo : object->lo;
        object->hi = lo + header->p_memsz > object->hi ? lo + header->p_memsz : object->hi;
    }
    return f->process.objects == 2;
}

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.process.pid = 1};
    ssize_t length = readlink("/proc/self/exe", fixture.program, sizeof fixture.program - 1);
    assert_true(length > 0);
    fixture.process.object = fixture.object;
    dl_iterate_phdr(add_object, &fixture);
    fixture.callers = kt_callers_new();
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    kt_callers_free(f->callers);
    return 0;
}

__attribute__((noinline)) static uint64_t return_address(void)
{
    return (uint64_t)__builtin_return_address(0);
}

static int line_of_call;

/* The call is the last thing that the function does but one, so that its address - 1 is still in it. */
__attribute__((noinline)) static uint64_t a_known_function(void)
{
    line_of_call = __LINE__ + 1;
    uint64_t address = return_address();
    __asm__ volatile("" ::: "memory");
    return address;
}

static void test_own_function(void **state)
{
    struct fixture *f = *state;
    uint64_t address = a_known_function();
    const struct kt_place *place = kt_callers_find(f->callers, &f->process, address);
    assert_string_equal(place->object, f->program);
    assert_string_equal(place->function, "a_known_function");
    assert_int_equal(place->offset, address - f->object[0].bias);
    if (!place->file) /* built without debug information */
        return;
    assert_non_null(strstr(place->file, "test_callers.c"));
    assert_int_equal(place->line, line_of_call);
}

static void test_answers_are_kept(void **state)
{
    struct fixture *f = *state;
    uint64_t address = a_known_function();
    assert_ptr_equal(kt_callers_find(f->callers, &f->process, address),
                     kt_callers_find(f->callers, &f->process, address));
}

/* A stripped library knows its exported functions. */
static void test_exported_function(void **state)
{
    struct fixture *f = *state;
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD); /* a sanitizer may have a qsort_r, too */
    uint64_t address = (uint64_t)dlsym(library, "qsort_r");
    const struct kt_place *place = kt_callers_find(f->callers, &f->process, address + 4);
    assert_non_null(strstr(place->object, "libc.so"));
    assert_non_null(strstr(place->function, "qsort_r"));
    dlclose(library);
}

/* Where no function is, the one before it does not count. */
static void test_no_function(void **state)
{
    struct fixture *f = *state;
    char text[64];
    char expected[64];
    const struct kt_object *c_library = strstr(f->object[0].path, "libc.so") ? &f->object[0] : &f->object[1];
    uint64_t address = c_library->hi - 1; /* behind all functions */
    const struct kt_place *place = kt_callers_find(f->callers, &f->process, address);
    assert_string_equal(place->object, f->c_library);
    assert_null(place->function);
    assert_int_equal(place->offset, address - c_library->bias);
    kt_place_function(place, text, sizeof text);
    snprintf(expected, sizeof expected, "+0x%llx", (unsigned long long)place->offset);
    assert_string_equal(text, expected);
}

static void test_outside_of_everything(void **state)
{
    struct fixture *f = *state;
    char text[64];
    const struct kt_place *place = kt_callers_find(f->callers, &f->process, 0x42);
    assert_null(place->object);
    assert_null(place->function);
    kt_place_function(place, text, sizeof text);
    assert_string_equal(text, "0x42");
    assert_null(kt_callers_find(f->callers, &f->process, 0)->object);
}

/* Rebuilt since: names from this file would be wrong. */
static void test_other_build_id(void **state)
{
    struct fixture *f = *state;
    char text[64];
    f->object[0].build_id = (char *)"0123456789abcdef0123456789abcdef01234567";
    const struct kt_place *place = kt_callers_find(f->callers, &f->process, f->object[0].bias + 0x1234);
    assert_string_equal(place->object, f->program);
    assert_null(place->function);
    assert_null(place->file);
    kt_place_function(place, text, sizeof text);
    assert_string_equal(text, "+0x1234");
}

static void test_missing_and_useless_files(void **state)
{
    struct fixture *f = *state;
    char *const paths[] = {(char *)"/nowhere/lib.so", (char *)"", (char *)"/dev/null", (char *)"/etc/passwd",
                           (char *)"/"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        f->object[0].path = paths[i];
        const struct kt_place *place = kt_callers_find(f->callers, &f->process, f->object[0].lo + 0x100);
        assert_string_equal(place->object, paths[i]);
        assert_null(place->function);
    }
}

static void test_one_line_is_one_caller(void **state)
{
    struct fixture *f = *state;
    uint64_t address = a_known_function();
    const struct kt_process other = f->process; /* the same files in another process */
    struct kt_sum sum[] = {{.process = &f->process, .id = address, .calls_top = 2, .seconds = 1},
                           {.process = &f->process, .id = 0x42, .calls_top = 1, .seconds = 5},
                           {.process = &f->process, .id = 0x43, .calls_top = 1, .seconds = 4},
                           {.process = &other, .id = address, .calls_top = 3, .seconds = 2}};
    struct kt_caller *caller;
    const struct kt_sums sums = {sum, 4};
    assert_int_equal(kt_callers_by_place(f->callers, &sums, &caller), 3);
    assert_true(caller[0].seconds == 5 && caller[1].seconds == 4);
    assert_int_equal(caller[2].calls, 5);
    assert_true(caller[2].seconds == 3);
    assert_string_equal(caller[2].place->function, "a_known_function");
    free(caller);
}

static void test_no_callers(void **state)
{
    struct fixture *f = *state;
    struct kt_caller *caller;
    assert_int_equal(kt_callers_by_place(f->callers, &(struct kt_sums){0}, &caller), 0);
    free(caller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_own_function, setup, teardown),
        cmocka_unit_test_setup_teardown(test_answers_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_exported_function, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_function, setup, teardown),
        cmocka_unit_test_setup_teardown(test_outside_of_everything, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_build_id, setup, teardown),
        cmocka_unit_test_setup_teardown(test_missing_and_useless_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_line_is_one_caller, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_callers, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
