/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Source lines read from an interpreter's memory: an interpreter of each version is made up, with what CPython's
 * headers say of where things lie; then parts of its memory are overwritten with anything, and nothing may crash or
 * loop.
 */
#include "tests/unit/interpreter.h"

#include "preload/python.h"
#include "preload/python_table.h"
#include "preload/scopes.h"

/* --- an interpreter ------------------------------------------------------------------------------------------ */

/* As offsetof() says with the headers of CPython 3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1 and 3.13.0 for x86-64. */
static const struct version {
    const char *name;
    size_t frame, inner; /* of the thread's state, and of what is there, if INNER is not NONE */
    size_t code, back, at, filename, name_of, first_line, table, bytecode, ascii;
    bool is_number;
} versions[] = {
    {"3.8.18 (x)", 24, 999, 32, 24, 104, 104, 112, 40, 120, 0, 48, true},
    {"3.9.18 (x)", 24, 999, 32, 24, 104, 104, 112, 40, 120, 0, 48, true},
    {"3.10.13 (x)", 24, 999, 32, 24, 96, 104, 112, 40, 120, 0, 48, true},
    {"3.11.7 (x)", 56, 8, 32, 48, 56, 112, 128, 72, 136, 184, 48, false},
    {"3.12.1 (x)", 56, 0, 0, 8, 56, 112, 128, 68, 136, 192, 40, false},
    {"3.13.0 (x)", 72, 999, 0, 8, 56, 112, 128, 68, 136, 200, 40, false},
};
enum { VERSIONS = sizeof versions / sizeof *versions, NONE = 999, FRAMES = 5 };

static const struct version *version;

/* Nothing but the interpreter's memory can be read by accident: sanitizers look at the test's own. */
enum {
    CODE_TYPE = 0x800,
    THREAD = 0x1000,
    HOLDER = 0x1200,
    FRAME = 0x2000,
    CODE = 0x4000,
    TEXT = 0x6000,
    TABLE = 0x8000,
    STEP = 0x400
};

static void *thread_state(void)
{
    return memory ? memory + THREAD : NULL;
}

static const char *version_text(void)
{
    return version->name;
}

void *kt_scopes_find_first(const char *symbol)
{
    void *found = NULL;
    void *(*state)(void) = thread_state;
    const char *(*text)(void) = version_text;
    if (!strcmp(symbol, "PyCode_Type"))
        return memory + CODE_TYPE;
    if (!strcmp(symbol, "PyGILState_GetThisThreadState"))
        memcpy(&found, &state, sizeof found);
    if (!strcmp(symbol, "Py_GetVersion"))
        memcpy(&found, &text, sizeof found);
    return found;
}

static void put_text(size_t at, const char *text)
{
    put(at + 16, strlen(text), 8);
    put(at + 32, 1u << 2 | 1u << 5 | 1u << 6, 4); /* one byte a character, compact, ASCII */
    strcpy((char *)memory + at + version->ascii, text);
}

/* Frame I is in function "fI" of "fileI.py", which begins at line 10 I; one instruction of each is two lines on. */
static void put_frame(size_t i)
{
    char text[64];
    const size_t frame = FRAME + i * STEP, code = CODE + i * STEP, table = TABLE + i * STEP;
    put(frame + version->code, address(code), 8);
    put(frame + version->back, i + 1 < FRAMES ? address(frame + STEP) : 0, 8);
    if (version->is_number)
        put(frame + version->at, version == &versions[2] ? 2 : 4, 4);
    else
        put(frame + version->at, address(code + version->bytecode + 4), 8);
    put(code + 8, address(CODE_TYPE), 8);
    put(code + version->filename, address(TEXT + i * STEP), 8);
    put(code + version->name_of, address(TEXT + i * STEP + STEP / 2), 8);
    put(code + version->first_line, 10 * i + 10, 4);
    put(code + version->table, address(table), 8);
    snprintf(text, sizeof text, i == 0 ? "/x/dist-packages/numpy/a.py" : "file%zu.py", i);
    put_text(TEXT + i * STEP, text);
    snprintf(text, sizeof text, "f%zu", i);
    put_text(TEXT + i * STEP + STEP / 2, text);
    /* four bytes of the first line, then two lines on */
    const unsigned char pairs[] = {4, 2, 100, 1};
    const unsigned char ranges[] = {4, 0, 100, 2};
    const unsigned char locations[] = {0x80 | 0 << 3 | 1, 0, 0x80 | 12 << 3 | 1, 0, 0};
    const unsigned char *bytes = !version->is_number ? locations : version == &versions[2] ? ranges : pairs;
    put(table + 16, version->is_number ? 4 : 5, 8);
    memcpy(memory + table + 32, bytes, version->is_number ? 4 : 5);
}

static void make_interpreter(const struct version *of, bool paths)
{
    version = of;
    make_memory();
    put(THREAD + version->frame, address(version->inner == NONE ? FRAME : HOLDER), 8);
    if (version->inner != NONE)
        put(HOLDER + version->inner, address(FRAME), 8);
    for (size_t i = 0; i < FRAMES; i++)
        put_frame(i);
    kt_python_find(paths);
}

/* --- tests --------------------------------------------------------------------------------------------------- */

static void test_lines(void **state)
{
    (void)state;
    for (int v = 0; v < VERSIONS; v++) {
        make_interpreter(&versions[v], false);
        assert_true(kt_reads_python);
        *told = '\0';
        uint32_t line = kt_python_line();
        assert_int_not_equal(line, 0);
        char expected[64];
        snprintf(expected, sizeof expected, "line\t%u\t0\t22\tf1\tfile1.py\n", line);
        assert_string_equal(told, expected);
        assert_int_equal(kt_python_line(), line);
    }
}

static void test_paths(void **state)
{
    (void)state;
    for (int v = 0; v < VERSIONS; v++) {
        make_interpreter(&versions[v], true);
        uint32_t line = kt_python_line();
        char expected[64];
        snprintf(expected, sizeof expected, "line\t%u\t%u\t22\tf1\tfile1.py\n", line, line - 1);
        assert_string_equal(told, expected);
    }
}

/* Another code object at the same place. */
static void test_another_code(void **state)
{
    (void)state;
    for (int v = 0; v < VERSIONS; v++) {
        make_interpreter(&versions[v], false);
        uint32_t line = kt_python_line();
        put(CODE + STEP + version->first_line, 500, 4);
        uint32_t other = kt_python_line();
        assert_int_not_equal(line, other);
        assert_non_null(strstr(told, "\t502\tf1\t"));
        put(CODE + STEP + version->first_line, 20, 4);
        assert_int_equal(kt_python_line(), line);
    }
}

static void test_unknown(void **state)
{
    (void)state;
    static const struct version other = {.name = "3.99.0 (x)", .inner = NONE};
    version = &other;
    kt_python_find(false);
    assert_false(kt_reads_python);
    assert_non_null(strstr(told, "3.99.0"));
}

static void test_anything(void **state)
{
    (void)state;
    static unsigned char sound[MEMORY];
    srand(1);
    for (int v = 0; v < VERSIONS; v++) {
        for (int paths = 0; paths < 2; paths++) {
            make_interpreter(&versions[v], paths);
            memcpy(sound, memory, MEMORY);
            for (int round = 0; round < 10000; round++) {
                for (int words = rand() % 40; words >= 0; words--)
                    put((THREAD + (size_t)rand() % (TABLE + FRAMES * STEP - THREAD)) / 8 * 8, anything(), 8);
                kt_python_line();
                memcpy(memory, sound, MEMORY);
            }
            /* Lines that were met may have been met with other texts: this one was not. */
            put(CODE + STEP + version->first_line, 5000, 4);
            assert_int_not_equal(kt_python_line(), 0);
            assert_non_null(strstr(told, "\t5002\tf1\tfile1.py\n"));
        }
    }
}

/* A circle of frames ends. */
static void test_circle(void **state)
{
    (void)state;
    make_interpreter(&versions[3], false);
    put(FRAME + version->back, address(FRAME), 8);
    put(CODE + STEP + 8, 0, 8);
    assert_int_not_equal(kt_python_line(), 0);
    kt_python_find(true);
    put_frame(1);
    put(FRAME + version->back, address(FRAME + STEP), 8);
    put(FRAME + STEP + version->back, address(FRAME + STEP), 8);
    assert_int_not_equal(kt_python_line(), 0);
}

/* From compiled functions of the versions, and ends that are cut off. */
static void test_tables(void **state)
{
    (void)state;
    const unsigned char lnotab[] = {0, 1, 8, 1, 255, 0, 10, 200, 4, 2};
    assert_int_equal(kt_python_table_line(KT_PYTHON_LNOTAB, lnotab, sizeof lnotab, 7, 0), 8);
    assert_int_equal(kt_python_table_line(KT_PYTHON_LNOTAB, lnotab, sizeof lnotab, 7, 8), 9);
    assert_int_equal(kt_python_table_line(KT_PYTHON_LNOTAB, lnotab, sizeof lnotab, 7, 272), 9);
    assert_int_equal(kt_python_table_line(KT_PYTHON_LNOTAB, lnotab, sizeof lnotab, 100, 273), 46);
    const unsigned char ranges[] = {2, 1, 6, 1, 4, 128, 2, 255};
    assert_int_equal(kt_python_table_line(KT_PYTHON_RANGES, ranges, sizeof ranges, 7, 1), 8);
    assert_int_equal(kt_python_table_line(KT_PYTHON_RANGES, ranges, sizeof ranges, 7, 2), 9);
    assert_int_equal(kt_python_table_line(KT_PYTHON_RANGES, ranges, sizeof ranges, 7, 9), 7);
    assert_int_equal(kt_python_table_line(KT_PYTHON_RANGES, ranges, sizeof ranges, 7, 12), 8);
    /* no line; one line on; long, 100 on; no columns, one back */
    const unsigned char locations[] = {0xf8 | 1, 0xd8, 0, 0, 0xf0, 64 | (200 & 63), 200 >> 6, 0, 0, 0, 0xe8, 3};
    assert_int_equal(kt_python_table_line(KT_PYTHON_LOCATIONS, locations, sizeof locations, 7, 2), 7);
    assert_int_equal(kt_python_table_line(KT_PYTHON_LOCATIONS, locations, sizeof locations, 7, 4), 8);
    assert_int_equal(kt_python_table_line(KT_PYTHON_LOCATIONS, locations, sizeof locations, 7, 6), 108);
    assert_int_equal(kt_python_table_line(KT_PYTHON_LOCATIONS, locations, sizeof locations, 7, 8), 107);
    for (size_t bytes = 0; bytes < sizeof locations; bytes++)
        for (int kind = KT_PYTHON_LNOTAB; kind <= KT_PYTHON_LOCATIONS; kind++)
            kt_python_table_line((enum kt_python_table)kind, locations, bytes, 7, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_paths),    cmocka_unit_test(test_another_code),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_anything), cmocka_unit_test(test_circle),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
