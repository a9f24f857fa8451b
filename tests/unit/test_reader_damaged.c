/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader on what is no trace, and on damaged ones: what is sound in them is read, what is not is told. */
#include "tests/unit/read_back.h"
#include "trace/read/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static void expect_error(const char *path, enum kt_status status, const char *text)
{
    struct kt_error error = {0};
    struct kt_trace trace;
    assert_int_equal(kt_trace_open(path, &trace, &error), status);
    assert_int_equal(error.status, status);
    if (!strstr(error.text, text))
        fail_msg("expected '%s' in '%s'", text, error.text);
    kt_trace_close(&trace);
}

/* --- errors ------------------------------------------------------------------------------------------------ */

static void errors_are_told_apart(void **state)
{
    (void)state;
    struct kt_gen gen;
    char path[2 * KT_GEN_PATH];
    kt_make_nested(&gen);
    kt_gen_end(&gen, true);
    snprintf(path, sizeof path, "%s/nothing", gen.trace);
    expect_error(path, KT_BAD_INPUT, "No such file");
    snprintf(path, sizeof path, "%s/end", gen.process);
    expect_error(path, KT_BAD_INPUT, "neither a directory nor");
    snprintf(path, sizeof path, "%s/empty", gen.trace);
    assert_int_equal(mkdir(path, 0777), 0);
    expect_error(path, KT_BAD_INPUT, "empty: no process");
    expect_error("/proc/self/fdinfo", KT_BAD_INPUT, "no process directory");
    kt_gen_remove(&gen);
}

static void bad_meta_files_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *key, *line, *error;
    } cases[] = {
        {"format", "format\tktrace\t1\t1", "format version 1; this ktrace reads version 2"},
        {"format", "format\tother\t2\t0", "not from ktrace"},
        {"byte_order", "byte_order\tbig", "byte order big"},
        {"anchor", NULL, "the anchor line is missing"},
        {"anchor", "anchor\t1\tx", "three numbers"},
        {"clock", NULL, "the clock line is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kt_gen gen;
        kt_make_nested(&gen);
        kt_gen_end(&gen, true);
        kt_gen_replace_line(&gen, "meta", cases[i].key, cases[i].line);
        expect_error(gen.trace, KT_BAD_INPUT, cases[i].error);
        expect_error(gen.process, KT_BAD_INPUT, cases[i].error);
        kt_gen_remove(&gen);
    }
}

static void missing_files_are_errors(void **state)
{
    (void)state;
    struct kt_gen gen;
    kt_make_nested(&gen);
    kt_gen_end(&gen, true);
    kt_gen_delete(&gen, "definitions");
    expect_error(gen.trace, KT_BAD_INPUT, "definitions: No such file");
    kt_gen_cut(&gen, "meta", 0);
    expect_error(gen.trace, KT_BAD_INPUT, "is empty, cut short");
    kt_gen_delete(&gen, "meta");
    expect_error(gen.trace, KT_BAD_INPUT, "meta: No such file");
    kt_gen_remove(&gen);
}

static void one_bad_process_does_not_hide_the_others(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    kt_make_nested(&gen);
    kt_gen_end(&gen, true);
    kt_gen_copy_process(&gen, 43);
    kt_gen_cut(&gen, "meta", 3);
    kt_open_fine(&gen, &trace);
    kt_expect_note(&trace, "the process is ignored");
    assert_int_equal(trace.processes, 1);
    assert_int_equal(kt_count_calls(&trace), 5);
    kt_read_done(&trace, &gen);
}

/* --- damage ------------------------------------------------------------------------------------------------ */

static void patched(const void *bytes, size_t count, long offset, const char *note, int calls)
{
    struct kt_gen gen;
    struct kt_trace trace;
    kt_make_dots(&gen, 3 * kt_dots);
    kt_gen_end(&gen, true);
    kt_gen_patch(&gen, "t7", offset, bytes, count);
    kt_open_fine(&gen, &trace);
    kt_expect_note(&trace, note);
    kt_expect_note(&trace, "calls cannot be read");
    assert_int_equal(kt_count_calls(&trace), calls);
    kt_read_done(&trace, &gen);
}

static void a_damaged_chunk_costs_only_itself(void **state)
{
    (void)state;
    static const struct {
        size_t offset, bytes;
        uint64_t value;
        const char *note;
    } cases[] = {
        {0, 1, 'X', "does not begin like a chunk; 4096 bytes are skipped"},
        {offsetof(struct kt_chunk, byte_order), 4, 0x04030201, "another byte order"},
        {offsetof(struct kt_chunk, major), 2, 9, "another format version"},
        {offsetof(struct kt_chunk, header_bytes), 4, 100, "head of impossible length"},
        {offsetof(struct kt_chunk, header_bytes), 4, 196, "head of impossible length"},
        {offsetof(struct kt_chunk, header_bytes), 4, CHUNK + 8, "head of impossible length"},
        {offsetof(struct kt_chunk, chunk_bytes), 8, CHUNK + 4, "impossible length"},
        {offsetof(struct kt_chunk, chunk_bytes), 8, 0, "impossible length"},
        {offsetof(struct kt_chunk, used_bytes), 8, CHUNK + 8, "uses more than it has"},
        {offsetof(struct kt_chunk, used_bytes), 8, CHUNK - 4, "uses more than it has"},
        {0, 1, 'X', "chunk 2 follows where chunk 1 should"},
    };
    char missing[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        patched(&cases[i].value, cases[i].bytes, CHUNK + (long)cases[i].offset, cases[i].note, 2 * kt_dots);
    snprintf(missing, sizeof missing, "t7: %d calls are missing before chunk 2", kt_dots);
    patched("X", 1, CHUNK, missing, 2 * kt_dots);
}

/* Lengths near 2^64, of the last chunk: what is there is read, what follows is not found. */
static void an_enormous_chunk_ends_with_the_file(void **state)
{
    (void)state;
    const uint64_t length = UINT64_MAX - 7;
    struct kt_gen gen;
    kt_make_dots(&gen, kt_dots);
    kt_gen_end(&gen, true);
    kt_gen_patch(&gen, "t7", offsetof(struct kt_chunk, chunk_bytes), &length, 8);
    kt_expect_calls(&gen, kt_dots, NULL);
    kt_gen_patch(&gen, "t7", offsetof(struct kt_chunk, used_bytes), &length, 8);
    kt_expect_calls(&gen, kt_dots, "before its last chunk does");
    kt_gen_remove(&gen);
}

/* The file offset of an event of the third call of the second chunk. */
static long offset_of_third(int event)
{
    struct kt_gen gen;
    kt_make_dots(&gen, 2 * kt_dots);
    long at = kt_event_offset(&gen, 1, 4 + event);
    kt_gen_remove(&gen);
    return at;
}

static void a_damaged_event_costs_the_rest_of_its_chunk(void **state)
{
    (void)state;
    enum { FIRST = 0, SECOND = 1 };
    static const struct {
        int event;
        unsigned char head[8];
        const char *note;
    } cases[] = {
        {FIRST, {1, 0, 1}, "impossible length"},
        {FIRST, {1, 255, 1, 0, 0, 0, 0, 0}, "does not have the length of what it holds"},
        {FIRST, {1, 1, 1, 0, 1, 0, 0, 0}, "does not have the length of what it holds"},
        {FIRST, {1, 3, 1, 0, 0, 0, 0, 0}, "does not have the length of what it holds"},
        {FIRST, {1, 3, 1, 0, 3, 0, 0, 128}, "does not have the arguments of its symbol"},
        {FIRST, {2, 1, 1, 0, 0, 0, 0, 0}, "impossible length"},
        {SECOND, {3, 3, 0, 0, 1, 0, 0, 0}, "impossible length"},
        {SECOND, {3, 1, 0, 0, 1, 0, 0, 0}, "impossible length"},
        {SECOND, {4, 4, 0, 0, 1, 0, 0, 0}, "impossible length"},
        {SECOND, {0, 0, 0, 0, 0, 0, 0, 0}, "impossible length"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int calls = 2 * kt_dots + 2 + (cases[i].event == SECOND);
        patched(cases[i].head, sizeof cases[i].head, offset_of_third(cases[i].event), cases[i].note, calls);
    }
}

/* A call that is in progress before events are lost: the next end of its depth may be that of another one. */
static void ends_behind_a_gap_are_nobodys(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct kt_gen gen;
        struct kt_trace trace;
        struct kt_cursor cursor;
        struct kt_call call;
        kt_begin_dots(&gen, PID);
        int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
        kt_add_dot(&gen, 0, 0, 5);
        kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 10, 50, GESV_ARGS("0")});
        kt_gen_next_chunk(&gen, 7);
        kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 100, 50, GESV_ARGS("0")});
        kt_gen_next_chunk(&gen, 7);
        kt_add_dot(&gen, 1, 110, 5);
        kt_add_dot(&gen, 0, 200, 5);
        kt_gen_end(&gen, true);
        kt_gen_patch(&gen, "t7", way ? CHUNK : kt_event_offset(&gen, 1, 0), "\0\0", 2);
        kt_open_fine(&gen, &trace);
        kt_expect_note(&trace, "1 call is missing before chunk 2");
        kt_cursor_begin(&trace, &cursor);
        for (int i = 0; i < 4; i++) {
            assert_true(kt_cursor_next(&cursor, &call));
            assert_int_equal(call.complete, i != 1);
            assert_int_equal(call.depth, i == 2);
            assert_int_equal(call.parent, -1);
        }
        assert_false(kt_cursor_next(&cursor, &call));
        kt_read_done(&trace, &gen);
    }
}

static void an_undefined_symbol_costs_its_call_only(void **state)
{
    (void)state;
    patched(&(uint16_t){77}, 2, offset_of_third(0) + 2, "1 call of symbols that are not defined", 3 * kt_dots - 1);
}

static void every_truncation_is_survived(void **state)
{
    (void)state;
    struct kt_gen gen;
    kt_make_dots(&gen, 2 * kt_dots);
    kt_gen_end(&gen, true);
    const long end = (long)gen.stream[0].at;
    int before = 2 * kt_dots;
    for (long size = 2 * CHUNK; size >= 0; size -= size > 2 * CHUNK - 400 || size < 400 ? 1 : 37) {
        struct kt_trace trace;
        kt_gen_cut(&gen, "t7", size);
        kt_open_fine(&gen, &trace);
        int calls = kt_count_calls(&trace);
        assert_true(calls <= before);
        assert_int_equal(trace.notes > 0, size < end);
        before = calls;
        kt_trace_close(&trace);
    }
    assert_int_equal(before, 0);
    kt_gen_remove(&gen);
}

/* More words than a call has: nobody has room for them. */
static void a_symbol_with_too_many_arguments_is_refused(void **state)
{
    (void)state;
    struct kt_gen gen;
    char line[2000] = "entry\t9\tbig_\tfortran\tbig\t0\t0\tbig z |";
    for (int i = 0; i < 35; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " scal:a%d", i);
    strcat(line, " | mul=1\n");
    kt_make_dots(&gen, 3);
    kt_gen_end(&gen, true);
    kt_gen_append(&gen, "definitions", line, strlen(line));
    kt_expect_calls(&gen, 3, "definitions:5: the routine has more arguments than a call can hold");
    kt_gen_remove(&gen);
}

static void bad_definitions_cost_only_their_line(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "entry\tx\tddot_\tfortran\tddot\t0\t0\t?dot s d | dim:n | mul=n",
        "entry\t99999\tddot_\tfortran\tddot\t0\t0\t?dot s d | dim:n | mul=n",
        "entry\t9\tddot_\tpascal\tddot\t0\t0\t?dot s d | dim:n | mul=n",
        "entry\t9\tddot_\tfortran\tddot\t1\t0\t?dot s d | dim:n | mul=n",
        "entry\t9\tddot_\tfortran\tddot\t77\t0\t?dot s d | dim:n | mul=n",
        "entry\t9\tddot_\tfortran\tddot\t0\t0\t?dot s d | nonsense:n | mul=n",
        "entry\t9\tddot_\tfortran\tdgemm\t0\t0\t?dot s d | dim:n | mul=n",
        "entry\t9\tcblas_ddot\tcblas\tddot\t0\t0\t?dot s d | dim:n | mul=n",
        "entry\t9\tddot_",
        "object\t-1\t0\t1\t0\t/x\t",
        "object\t60000\t0\t1\t0\t/x\t",
        "entry\t60000\tddot_\tfortran\tddot\t0\t0\t?dot s d | dim:n | mul=n",
        "object\t2\tzz\t1\t0\t/x\t",
        "library\t0\tx\ty\t5\t1",
        "library\t55\tx\ty\t4\t1",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct kt_gen gen;
        struct kt_trace trace;
        kt_make_dots(&gen, 3);
        kt_gen_end(&gen, true);
        kt_gen_append(&gen, "definitions", lines[i], strlen(lines[i]));
        kt_gen_append(&gen, "definitions", "\nlater\twhatever\n", 16);
        kt_open_fine(&gen, &trace);
        kt_expect_note(&trace, "definitions:5:");
        assert_int_equal(trace.notes, 1);
        assert_int_equal(kt_count_calls(&trace), 3);
        kt_read_done(&trace, &gen);
    }
}

static void notes_are_bounded(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    kt_make_dots(&gen, 3);
    kt_gen_end(&gen, true);
    for (int i = 0; i < 500; i++)
        kt_gen_append(&gen, "definitions", "object\n", 7);
    kt_open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 100);
    kt_expect_note(&trace, "more damage");
    kt_read_done(&trace, &gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_told_apart),
        cmocka_unit_test(bad_meta_files_are_told_apart),
        cmocka_unit_test(missing_files_are_errors),
        cmocka_unit_test(one_bad_process_does_not_hide_the_others),
        cmocka_unit_test(a_damaged_chunk_costs_only_itself),
        cmocka_unit_test(an_enormous_chunk_ends_with_the_file),
        cmocka_unit_test(a_damaged_event_costs_the_rest_of_its_chunk),
        cmocka_unit_test(ends_behind_a_gap_are_nobodys),
        cmocka_unit_test(an_undefined_symbol_costs_its_call_only),
        cmocka_unit_test(a_symbol_with_too_many_arguments_is_refused),
        cmocka_unit_test(every_truncation_is_survived),
        cmocka_unit_test(bad_definitions_cost_only_their_line),
        cmocka_unit_test(notes_are_bounded),
    };
    return cmocka_run_group_tests(tests, kt_dots_setup, NULL);
}
