/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions and lines read from R's memory: an R is made up, with what R's headers say of where things lie
 * (Rinternals.h, Defn.h of R 4); then parts of its memory are overwritten with anything, and nothing may crash or loop.
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
    VARIABLES = 0x100, /* those with names; behind them two without */
    HIDDEN = 0x180,
    GLOBAL_ENV = 0x200,
    BASE_SPACE = 0x280,
    PACKAGE = 0x300, /* the scope of a package; what it imports is between */
    IMPORTS = 0x380,
    INNER = 0x400, /* of a function of the program, in which another was made */
    CONTEXTS = 0x1000,
    CLOSURES = 0x2000,
    CALLS = 0x3000,
    SYMBOLS = 0x4000,
    TEXTS = 0x6000,
    PAIRS = 0x8000,
    REFERENCES = 0x9000,
    SCRIPT = 0xa000,   /* the environment of a file */
    BYTECODE = 0xa400, /* and behind it instructions, constants, an index and its class */
    USED = 0xb000,
    STEP = 0x200
};

enum {
    SYMBOL = 1,
    PAIR = 2,
    CLOSURE = 3,
    ENVIRONMENT = 4,
    CALL = 6,
    TEXT = 9,
    INTEGERS = 13,
    STRINGS = 16,
    LIST = 19,
    CODE = 21
};

/* Symbols by number: those of functions come first. */
enum { FILENAME = 8, SOURCE, FILE_OF, CLASS, IN_BYTECODE, NOTHING, SCRIPT_NAME, INDEX };

static bool has_sources; /* R's variables for them have names */

static const char *const names[] = {"R_GlobalContext", "R_GlobalEnv",       "R_BaseNamespace",
                                    "R_Srcref",        "R_InBCInterpreter", "R_NilValue",
                                    "R_SrcrefSymbol",  "R_SrcfileSymbol",   "R_ClassSymbol"};
enum { STATEMENT_NOW = VARIABLES + 3 * 8, NAMED = 3 };

void *kt_scopes_find_first(const char *symbol)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(symbol, names[i]) && (i < NAMED || has_sources))
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

/* A pair in the I-th place. */
static size_t put_pair(size_t i, uint64_t tag, uint64_t first, uint64_t rest)
{
    return put_object(PAIRS + i * STEP, PAIR, first, rest, tag);
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
    has_sources = false;
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
    assert_non_null(strstr(told, "\t0\t0\tinner\t\tR\n")); /* neither a line nor a file */
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

/* --- lines --------------------------------------------------------------------------------------------------- */

/* Where contexts have references, in the words behind the instruction, by version of R. */
enum { R_3_5 = 4, R_4_0 = 5, R_4_4 = 7 };
enum { MORE = 16 + sizeof(sigjmp_buf) + 8 + 9 * 8 + 16 + 16, INNER_CODE = CLOSURES + STEP };

static size_t symbol_at(size_t i)
{
    return SYMBOLS + i * STEP;
}

/* The I-th reference, of these lines of the script. */
static size_t put_reference(size_t i, uint32_t first, uint32_t last)
{
    size_t at = put_object(REFERENCES + i * 0x80, INTEGERS, 8, 0, 0);
    put(at + 8, address(PAIRS + 2 * STEP), 8);
    put(at + 48, first | (uint64_t)1 << 32, 8);
    put(at + 56, last | (uint64_t)80 << 32, 8);
    return at;
}

static void put_variable(size_t i, size_t what)
{
    put(VARIABLES + 8 * i, address(what), 8);
}

static void put_outside(size_t context, size_t version, size_t reference)
{
    put(CONTEXTS + context * STEP + MORE + version * 8, address(reference), 8);
}

/* Lines 10 to 20 of a script are inner(): it is at line 12. The script is at line 30, outer() has no reference. */
static void make_sources(bool paths, size_t version)
{
    static const char *const texts[] = {"filename", "srcref", "srcfile",  "class",
                                        "marker",   "nil",    "script.R", "srcrefsIndex"};
    make_r(paths);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_symbol(FILENAME + i, texts[i]);
    for (size_t i = 0; i < 6; i++)
        put_variable(3 + i, symbol_at((size_t[]){NOTHING, IN_BYTECODE, NOTHING, SOURCE, FILE_OF, CLASS}[i]));
    put_object(SCRIPT, ENVIRONMENT, 0, 0, address(SCRIPT + 0x80));
    put_object(SCRIPT + 0x80, LIST, 3, 0, 0);
    put(SCRIPT + 0x80 + 48 + 8, address(put_pair(3, address(symbol_at(FILENAME)), address(SCRIPT + 0x100), 0)), 8);
    put_object(SCRIPT + 0x100, STRINGS, 1, 0, address(TEXTS + SCRIPT_NAME * STEP));
    put_pair(2, address(symbol_at(FILE_OF)), address(SCRIPT), 0);
    put(INNER_CODE + 8, address(put_pair(4, address(symbol_at(SOURCE)), address(put_reference(0, 10, 20)), 0)), 8);
    for (size_t i = 0; i <= 4; i++)
        put_outside(i, version, symbol_at(NOTHING));
    put_outside(0, version, put_reference(1, 12, 12));
    put_outside(3, version, put_reference(2, 30, 30));
    has_sources = true;
    kt_r_find(paths);
}

static void expect_line(unsigned line, const char *function)
{
    char wanted[100];
    snprintf(wanted, sizeof wanted, "\t%u\t%s\t%s\tR\n", line, function, line ? "script.R" : "");
    *told = '\0';
    assert_int_not_equal(kt_r_line(), 0);
    if (!strstr(told, wanted))
        fail_msg("%s, and not %s", told, wanted);
}

static void test_line(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const size_t version = (size_t[]){R_3_5, R_4_0, R_4_4}[i];
        make_sources(false, version);
        expect_line(12, "inner");
        put_outside(0, version, put_reference(3, 13, 14)); /* it goes on */
        expect_line(13, "inner");
        make_sources(true, version);
        expect_line(12, "inner");
        uint32_t id = caller_of[kt_r_line()];
        assert_string_equal(function_of[id], "outer");
        assert_string_equal(function_of[caller_of[id]], "(top level)");
    }
}

/* A path is known again by all that it consists of. */
static void test_changed_path(void **state)
{
    (void)state;
    make_sources(true, R_4_0);
    const uint32_t before = kt_r_line();
    assert_int_equal(kt_r_line(), before);
    put_reference(1, 13, 13); /* another reference came to lie there */
    expect_line(13, "inner");
    put_reference(1, 12, 12);
    put_outside(3, R_4_0, put_reference(3, 31, 31));
    assert_int_not_equal(kt_r_line(), before);
    put_outside(3, R_4_0, put_reference(2, 30, 30));
    assert_int_equal(kt_r_line(), before);
    put_context(2, GLOBAL_ENV, put_symbol(4, "other"));
    assert_string_equal(function_of[caller_of[kt_r_line()]], "other");
    put_context(1, PACKAGE, put_symbol(1, "inner")); /* now the package's: the program's is the other one */
    assert_string_equal(function_of[kt_r_line()], "other");
    put_context(1, INNER, put_symbol(1, "inner"));
    put(INNER_CODE + 8, address(PAIRS + 4 * STEP), 8);
    put_context(2, GLOBAL_ENV, put_symbol(2, "outer"));
    assert_int_equal(kt_r_line(), before);
}

/* A statement that is not within the function: it is of the script, or of nothing that runs. */
static void test_argument(void **state)
{
    (void)state;
    make_sources(false, R_4_0);
    put_outside(0, R_4_0, put_reference(3, 21, 21));
    expect_line(0, "inner");
    make_sources(false, R_4_0);
    put_outside(0, R_4_0, put_reference(3, 30, 30));
    expect_line(30, "(top level)");
}

/* What lacks something is no reference. */
static void test_no_reference(void **state)
{
    (void)state;
    static const size_t where[] = {
        REFERENCES + 0x80 + 8,           /* attributes */
        SCRIPT + 48,                     /* the table of the file */
        SCRIPT + 0x100,                  /* type of its name */
        TEXTS + SCRIPT_NAME * STEP + 32, /* length of that: as of a console's input */
        INNER_CODE + 8,                  /* the function's own */
    };
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        make_sources(false, R_4_0);
        put(where[i], 0, 8);
        expect_line(0, "inner");
    }
    make_sources(false, R_4_0);
    put(CONTEXTS + 4 * STEP + MORE + R_3_5 * 8, address(symbol_at(NOTHING)), 8); /* two versions are alike */
    expect_line(0, "inner");
}

/* Bytecode of eight instructions; the last ones are of reference 3. */
static void put_bytecode(void)
{
    const size_t code = BYTECODE + 0x100, constants = BYTECODE + 0x200, index = BYTECODE + 0x300;
    put_object(BYTECODE, CODE, address(code), address(constants), 0);
    put_object(code, INTEGERS, 16, 0, 0);
    put_object(constants, LIST, 3, 0, address(symbol_at(0)));
    put(constants + 56, address(put_reference(3, 15, 16)), 8);
    put(constants + 64, address(index), 8);
    put_object(index, INTEGERS, 8, 0, 0);
    put(index + 8, address(put_pair(5, address(symbol_at(CLASS)), address(BYTECODE + 0x380), 0)), 8);
    for (size_t i = 4; i < 8; i++)
        put(index + 48 + 4 * i, 1, 4);
    put_object(BYTECODE + 0x380, STRINGS, 1, 0, address(TEXTS + INDEX * STEP));
}

/* The N-th instruction. */
static uint64_t instruction(size_t n)
{
    return address(BYTECODE + 0x100 + 48 + 8 * n);
}

static void test_bytecode(void **state)
{
    (void)state;
    make_sources(false, R_4_0);
    put_bytecode();
    put_outside(0, R_4_0, symbol_at(IN_BYTECODE));
    put(CONTEXTS + MORE - 16, address(BYTECODE), 8);
    put(CONTEXTS + MORE - 8, address(HIDDEN + 0x20), 8);
    put(HIDDEN + 0x20, instruction(5), 8);
    expect_line(15, "inner");
    for (size_t n = 1; n < 10; n += 7) { /* an instruction of nothing, and none of it */
        make_sources(false, R_4_0);
        put_bytecode();
        put_outside(0, R_4_0, symbol_at(IN_BYTECODE));
        put(CONTEXTS + MORE - 16, address(BYTECODE), 8);
        put(CONTEXTS + MORE - 8, address(HIDDEN + 0x20), 8);
        put(HIDDEN + 0x20, instruction(n), 8);
        expect_line(0, "inner");
    }
    make_sources(false, R_4_4);
    put_bytecode();
    put_outside(0, R_4_4, symbol_at(IN_BYTECODE));
    put(CONTEXTS + MORE - 16, address(BYTECODE), 8);
    put(CONTEXTS + MORE, 6, 8); /* the context has the place itself */
    expect_line(15, "inner");
}

static uint64_t *on_stack; /* of main() */

/* inner() runs, in bytecode; what this is at is in two variables without names. */
static void make_running(void)
{
    make_sources(false, R_4_0);
    put_bytecode();
    put_context(0, INNER, symbol_at(1));
    put(CLOSURES + 8, address(PAIRS + 4 * STEP), 8);
    put(STATEMENT_NOW, address(symbol_at(IN_BYTECODE)), 8);
    put(HIDDEN + 0x20, address(BYTECODE), 8);
    put(HIDDEN + 0x40, (uintptr_t)on_stack, 8);
    *on_stack = instruction(7);
}

static void test_running_bytecode(void **state)
{
    (void)state;
    make_running();
    expect_line(15, "inner");
    *on_stack = instruction(2); /* of no statement */
    expect("", "inner");
    assert_non_null(strstr(told, "\t15\tinner\t"));
    make_running();
    put(HIDDEN + 0x48, (uintptr_t)on_stack, 8); /* which of both? */
    expect_line(0, "inner");
    make_running();
    put(HIDDEN + 0x40, address(HIDDEN + 0x48), 8); /* not on the stack */
    put(HIDDEN + 0x48, instruction(7), 8);
    expect_line(0, "inner");
}

/* --- anything ------------------------------------------------------------------------------------------------ */

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

static void overwrite(const unsigned char *sound)
{
    for (int round = 0; round < 10000; round++) {
        for (int words = rand() % 40; words >= 0; words--)
            put((VARIABLES + (size_t)rand() % (USED - VARIABLES)) / 8 * 8, anything(), 8);
        kt_r_line();
        memcpy(memory, sound, MEMORY);
    }
}

static void test_anything(void **state)
{
    (void)state;
    static unsigned char sound[MEMORY];
    srand(1);
    for (int paths = 0; paths < 2; paths++) {
        make_r(paths);
        memcpy(sound, memory, MEMORY);
        overwrite(sound);
        put_context(1, INNER, put_symbol(6, "other")); /* not met with other texts yet */
        expect(paths ? "outer" : "", "other");
    }
}

static void test_any_sources(void **state)
{
    (void)state;
    static unsigned char sound[MEMORY];
    srand(1);
    for (int i = 0; i < 6; i++) {
        make_sources(i % 2, (size_t[]){R_3_5, R_4_0, R_4_4}[i / 2]);
        memcpy(sound, memory, MEMORY);
        overwrite(sound);
        make_running();
        memcpy(sound, memory, MEMORY);
        overwrite(sound);
        make_running();
        expect_line(15, "inner");
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
        cmocka_unit_test(test_own_function),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_packages),
        cmocka_unit_test(test_without_name),
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_argument),
        cmocka_unit_test(test_no_reference),
        cmocka_unit_test(test_bytecode),
        cmocka_unit_test(test_running_bytecode),
        cmocka_unit_test(test_other_thread),
        cmocka_unit_test(test_anything),
        cmocka_unit_test(test_any_sources),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_changed_path),
    };
    uint64_t word;
    on_stack = &word;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
