/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions read from R's memory: an R is made up, with what R's headers say of where things lie (Rinternals.h, Defn.h
 * of R 4); then parts of its memory are overwritten with anything, and nothing may crash or loop.
 */
#include "tests/unit/interpreter.h"

#include "preload/r.h"
#include "preload/scopes.h"

long kt_system_call(long number, ...)
{
    return syscall(number);
}

/* --- an R ---------------------------------------------------------------------------------------------------- */

/* Where its things are. */
enum {
    VARIABLES = 0x100, /* R_GlobalContext, R_GlobalEnv, R_BaseNamespace */
    GLOBAL_ENV = 0x200,
    BASE_SPACE = 0x280,
    PACKAGE = 0x300, /* the scope of a package; what it imports is between */
    IMPORTS = 0x380,
    INNER = 0x400, /* of a function of the program, in which another was made */
    CONTEXTS = 0x1000,
    CLOSURES = 0x2000,
    CALLS = 0x3000,
    SYMBOLS = 0x4000,
    TEXTS = 0x5000,
    PAIRS = 0x6000,
    USED = 0x7000,
    STEP = 0x200
};

enum { SYMBOL = 1, PAIR = 2, CLOSURE = 3, ENVIRONMENT = 4, CALL = 6, TEXT = 9 };

void *kt_scopes_find_first(const char *symbol)
{
    static const char *const names[] = {"R_GlobalContext", "R_GlobalEnv", "R_BaseNamespace"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(symbol, names[i]))
            return memory + VARIABLES + 8 * i;
    return NULL;
}

static size_t put_object(size_t at, unsigned type, uint64_t first, uint64_t second, uint64_t third)
{
    put(at, type | 0x100, 8); /* some other bits */
    put(at + 32, first, 8);
    put(at + 40, second, 8);
    put(at + 48, third, 8);
    return at;
}

static size_t put_symbol(size_t i, const char *name)
{
    size_t text = put_object(TEXTS + i * STEP, TEXT, strlen(name), 0, 0);
    strcpy((char *)memory + text + 48, name);
    return put_object(SYMBOLS + i * STEP, SYMBOL, address(text), 0, 0);
}

/* Context I is of a function made in SCOPE, called by what is at NAME; the next one is outside of it. */
static void put_context(size_t i, size_t scope, size_t name)
{
    const size_t at = CONTEXTS + i * STEP;
    put(at, address(at + STEP), 8);
    put(at + 8, 12, 4); /* CTXT_RETURN: functions are called so */
    put(at + 16 + sizeof(sigjmp_buf) + 16, address(put_object(CLOSURES + i * STEP, CLOSURE, 0, 0, address(scope))), 8);
    put(at + 16 + sizeof(sigjmp_buf) + 32, address(put_object(CALLS + i * STEP, CALL, address(name), 0, 0)), 8);
}

static void put_end(size_t i)
{
    put(CONTEXTS + i * STEP, 0, 8);
    put(CONTEXTS + i * STEP + 8, 0, 4);
}

/* package::name */
static size_t put_qualified(size_t i, size_t package, size_t name)
{
    size_t second = put_object(PAIRS + i * STEP + 0x80, PAIR, address(name), 0, 0);
    size_t first = put_object(PAIRS + i * STEP, PAIR, address(package), address(second), 0);
    return put_object(PAIRS + i * STEP + 0x100, CALL, address(put_symbol(7, "::")), address(first), 0);
}

/* svd() of a package, called by inner(), which outer() made and called, by eval() of R's own. */
static void make_r(bool paths)
{
    make_memory();
    put(VARIABLES, address(CONTEXTS), 8);
    put(VARIABLES + 8, address(put_object(GLOBAL_ENV, ENVIRONMENT, 0, address(BASE_SPACE), 0)), 8);
    put(VARIABLES + 16, address(put_object(BASE_SPACE, ENVIRONMENT, 0, address(GLOBAL_ENV), 0)), 8);
    put_object(PACKAGE, ENVIRONMENT, 0, address(IMPORTS), 0);
    put_object(IMPORTS, ENVIRONMENT, 0, address(BASE_SPACE), 0);
    put_object(INNER, ENVIRONMENT, 0, address(GLOBAL_ENV), 0);
    put_context(0, PACKAGE, put_symbol(0, "svd"));
    put_context(1, INNER, put_symbol(1, "inner"));
    put_context(2, GLOBAL_ENV, put_symbol(2, "outer"));
    put_context(3, BASE_SPACE, put_symbol(3, "eval"));
    put_end(4);
    kt_r_find(paths);
    *told = '\0';
}

/* CALLER: "" if none is told. */
static void expect(const char *caller, const char *function)
{
    uint32_t id = kt_r_line();
    assert_int_not_equal(id, 0);
    assert_string_equal(function_of[id], function);
    assert_string_equal(function_of[caller_of[id]], caller);
    assert_int_equal(kt_r_line(), id);
}

/* --- tests --------------------------------------------------------------------------------------------------- */

static void test_own_function(void **state)
{
    (void)state;
    make_r(false);
    assert_true(kt_reads_r);
    expect("", "inner");
    assert_non_null(strstr(told, "\t0\t0\tinner\t\n")); /* neither a line nor a file */
}

static void test_path(void **state)
{
    (void)state;
    make_r(true);
    expect("outer", "inner");
    put_end(1); /* nothing but svd() */
    expect("", "svd");
}

/* A script calls functions of packages only: the outermost one, but not what evaluates. */
static void test_packages(void **state)
{
    (void)state;
    make_r(false);
    put_context(1, PACKAGE, put_symbol(1, "prcomp.default"));
    put_context(2, PACKAGE, put_symbol(2, "prcomp"));
    expect("", "prcomp");
    put_context(2, PACKAGE, put_qualified(0, put_symbol(4, "stats"), put_symbol(5, "lm")));
    expect("", "stats::lm");
    put_end(0);
    expect("", "(top level)");
}

static void test_without_name(void **state)
{
    (void)state;
    make_r(false);
    put_context(0, GLOBAL_ENV, put_object(PAIRS, CLOSURE, 0, 0, address(GLOBAL_ENV)));
    expect("", "(function)");
}

static void *ask(void *out)
{
    *(uint32_t *)out = kt_r_line();
    return NULL;
}

/* R's contexts are of the thread that it runs on. */
static void test_other_thread(void **state)
{
    (void)state;
    pthread_t thread;
    uint32_t found = 1;
    make_r(false);
    assert_int_not_equal(kt_r_line(), 0);
    assert_int_equal(pthread_create(&thread, NULL, ask, &found), 0);
    pthread_join(thread, NULL);
    assert_int_equal(found, 0);
}

static void test_anything(void **state)
{
    (void)state;
    static unsigned char sound[MEMORY];
    srand(1);
    for (int paths = 0; paths < 2; paths++) {
        make_r(paths);
        memcpy(sound, memory, MEMORY);
        for (int round = 0; round < 10000; round++) {
            for (int words = rand() % 40; words >= 0; words--)
                put((VARIABLES + (size_t)rand() % (USED - VARIABLES)) / 8 * 8, anything(), 8);
            kt_r_line();
            memcpy(memory, sound, MEMORY);
        }
        put_context(1, INNER, put_symbol(6, "other")); /* not met with other texts yet */
        expect(paths ? "outer" : "", "other");
    }
}

/* A circle of contexts ends, and one of scopes. */
static void test_circle(void **state)
{
    (void)state;
    make_r(true);
    put(CONTEXTS + STEP, address(CONTEXTS), 8);
    put_context(1, PACKAGE, put_symbol(1, "round"));
    put(CONTEXTS + STEP, address(CONTEXTS), 8);
    put_object(IMPORTS, ENVIRONMENT, 0, address(PACKAGE), 0);
    assert_int_not_equal(kt_r_line(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_function), cmocka_unit_test(test_path),         cmocka_unit_test(test_packages),
        cmocka_unit_test(test_without_name), cmocka_unit_test(test_other_thread), cmocka_unit_test(test_anything),
        cmocka_unit_test(test_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
