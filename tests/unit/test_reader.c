/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader on good, unfinished and damaged traces.
 */
#include "tests/tracegen.h"
#include "trace/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SPEC "trace/routines"

enum { MS = KT_GEN_HZ / 1000, DOT_BYTES = 32 + 5 * 8 };

#define DOT_ARGS "10 0x1000 1 0x2000 1"

/* A thread's dgesv with a dgemm and a ddot in it, then a ddot of its own; another thread's ddot. */
static void make_nested(struct kt_gen *gen)
{
    kt_gen_begin(gen, SPEC, 42);
    int gesv = kt_gen_entry(gen, "dgesv", KT_FORTRAN);
    int gemm = kt_gen_entry(gen, "dgemm", KT_CBLAS);
    int dot = kt_gen_entry(gen, "ddot", KT_FORTRAN);
    kt_gen_call(gen, &(struct kt_gen_call){7, gesv, 0, 1 * MS, 9 * MS, "3 1 0x1000 3 0x2000 0x3000 3 2"});
    kt_gen_call(
        gen, &(struct kt_gen_call){7, gemm, 1, 2 * MS, 3 * MS, "101 111 112 2 3 4 1.5 0x1000 4 0x2000 4 0 0x3000 3"});
    kt_gen_call(gen, &(struct kt_gen_call){7, dot, 1, 6 * MS, 1 * MS, DOT_ARGS});
    kt_gen_call(gen, &(struct kt_gen_call){7, dot, 0, 20 * MS, 1 * MS, DOT_ARGS});
    kt_gen_call(gen, &(struct kt_gen_call){9, dot, 0, 5 * MS, 1 * MS, DOT_ARGS});
}

/* A trace of CALLS ddots in one thread, 54 to a chunk. */
static void make_dots(struct kt_gen *gen, int calls)
{
    kt_gen_begin(gen, SPEC, 42);
    int dot = kt_gen_entry(gen, "ddot", KT_FORTRAN);
    for (int i = 0; i < calls; i++)
        kt_gen_call(gen, &(struct kt_gen_call){7, dot, 0, (uint64_t)i * MS, MS, DOT_ARGS});
}

enum { DOTS_PER_CHUNK = (4096 - 192) / DOT_BYTES };

static void open_fine(const struct kt_gen *gen, struct kt_trace *trace)
{
    struct kt_error error = {0};
    if (kt_trace_open(gen->trace, trace, &error) != KT_OK)
        fail_msg("%s", error.text);
}

static int count_calls(const struct kt_trace *trace)
{
    struct kt_cursor cursor;
    struct kt_call call;
    int calls = 0;
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        assert_int_equal(call.n, calls++);
    return calls;
}

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

static void expect_note(const struct kt_trace *trace, const char *text)
{
    for (size_t i = 0; i < trace->notes; i++)
        if (strstr(trace->note[i], text))
            return;
    fail_msg("no note says '%s'; the first of %zu: %s", text, trace->notes, trace->notes ? trace->note[0] : "");
}

/* --- what was written is read ------------------------------------------------------------------------------ */

static void reads_calls_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *symbol;
        uint32_t tid;
        int depth, parent;
    } expected[] = {
        {"dgesv_", 7, 0, -1}, {"cblas_dgemm", 7, 1, 0}, {"ddot_", 7, 1, 0}, {"ddot_", 7, 0, -1}, {"ddot_", 9, 0, -1}};
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    make_nested(&gen);
    kt_gen_end(&gen, true);
    open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 0);
    kt_cursor_begin(&trace, &cursor);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(kt_cursor_next(&cursor, &call));
        assert_int_equal(call.n, i);
        assert_string_equal(call.entry->symbol.name, expected[i].symbol);
        assert_int_equal(call.tid, expected[i].tid);
        assert_int_equal(call.record->depth, expected[i].depth);
        assert_int_equal(call.parent, expected[i].parent);
        assert_true(call.complete);
        assert_int_equal(call.process->pid, 42);
    }
    assert_false(kt_cursor_next(&cursor, &call));
    assert_false(kt_cursor_next(&cursor, &call));
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void reads_arguments_and_times(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    struct kt_values values;
    int64_t info;
    make_nested(&gen);
    kt_gen_end(&gen, true);
    open_fine(&gen, &trace);
    kt_cursor_begin(&trace, &cursor);
    kt_cursor_next(&cursor, &call);
    assert_true(kt_call_info(&call, &info));
    assert_int_equal(info, 2);
    assert_float_equal(kt_call_seconds(&call), 9e-3 - (double)KT_GEN_CLOCK_TICKS / KT_GEN_HZ, 1e-12);
    kt_cursor_next(&cursor, &call);
    assert_false(kt_call_info(&call, &info));
    kt_values_decode(&call.entry->symbol, call.args, &values);
    assert_true(values.row_major);
    assert_true(values.v[1] == 'T' && values.v[4] == 4 && values.v[5] == 1.5 && values.address[11] == 0x3000);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void reads_the_process(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    make_nested(&gen);
    kt_gen_end(&gen, true);
    open_fine(&gen, &trace);
    const struct kt_process *p = &trace.process[0];
    assert_true(p->complete && !p->running);
    assert_float_equal(p->tick_hz, KT_GEN_HZ, 1);
    assert_float_equal(p->seconds, 1, 1e-9);
    assert_string_equal(kt_meta(p, "program"), "/usr/bin/app");
    assert_string_equal(kt_meta(p, "option"), "QUIET\t1");
    assert_null(kt_meta(p, "rank"));
    assert_string_equal(p->meta[5].value, "a\tb");
    assert_int_equal(p->streams, 2);
    const struct kt_object *object = kt_object_at(p, 0x401234);
    assert_string_equal(object->path, "/usr/bin/app");
    assert_null(kt_object_at(p, 0x1));
    assert_true(p->entry[1].library->is_library);
    assert_string_equal(p->entry[1].library->version, "OpenBLAS 0.3");
    assert_int_equal(p->entry[1].library->threads, 2);
    assert_null(p->entry[0].symbol.routine);
    assert_non_null(p->entry[0].library);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void opens_a_process_directory(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_error error = {0};
    make_nested(&gen);
    kt_gen_end(&gen, true);
    assert_int_equal(kt_trace_open(gen.process, &trace, &error), KT_OK);
    assert_int_equal(count_calls(&trace), 5);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void reads_many_chunks(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    make_dots(&gen, 10 * DOTS_PER_CHUNK + 1);
    kt_gen_end(&gen, true);
    open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 0);
    assert_int_equal(count_calls(&trace), 10 * DOTS_PER_CHUNK + 1);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void sorts_processes_by_pid(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    make_nested(&gen);
    kt_gen_end(&gen, true);
    kt_gen_copy_process(&gen, 5);
    kt_gen_copy_process(&gen, 100);
    open_fine(&gen, &trace);
    assert_int_equal(trace.processes, 3);
    assert_non_null(strstr(trace.process[0].path, "/p5"));
    assert_non_null(strstr(trace.process[2].path, "/p100"));
    assert_int_equal(count_calls(&trace), 15);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void a_parent_that_was_not_recorded_is_no_other_call(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    make_dots(&gen, 1);
    kt_gen_call(&gen, &(struct kt_gen_call){7, 1, 1, 50 * MS, MS, DOT_ARGS});
    kt_gen_end(&gen, true);
    open_fine(&gen, &trace);
    kt_cursor_begin(&trace, &cursor);
    kt_cursor_next(&cursor, &call);
    kt_cursor_next(&cursor, &call);
    assert_int_equal(call.record->depth, 1);
    assert_int_equal(call.parent, -1);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

/* --- processes that did not end cleanly -------------------------------------------------------------------- */

static void a_killed_process_is_incomplete(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    int64_t info;
    kt_gen_begin(&gen, SPEC, 42);
    int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
    kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 0, 0, "3 1 0x1000 3 0x2000 0x3000 3 0"});
    kt_gen_end(&gen, false);
    open_fine(&gen, &trace);
    assert_false(trace.process[0].complete);
    assert_false(trace.process[0].running);
    assert_int_equal(trace.notes, 1); /* one anchor is not enough for a clock */
    kt_cursor_begin(&trace, &cursor);
    assert_true(kt_cursor_next(&cursor, &call));
    assert_false(call.complete);
    assert_false(kt_call_info(&call, &info));
    assert_true(kt_call_seconds(&call) == 0);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void chunk_anchors_give_the_clock_of_a_killed_process(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    make_dots(&gen, 2 * DOTS_PER_CHUNK);
    kt_gen_end(&gen, false);
    open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 0);
    assert_float_equal(trace.process[0].tick_hz, KT_GEN_HZ, 1);
    assert_float_equal(trace.process[0].seconds, 0.001 * 2 * DOTS_PER_CHUNK, 1e-9);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

/* Field 22 of the test's own line in /proc. */
static void start_time_line(char *out, size_t size)
{
    char line[1024];
    FILE *file = fopen("/proc/self/stat", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    char *at = strrchr(line, ')');
    for (int i = 2; i < 22; i++)
        at = strchr(at + 1, ' ');
    snprintf(out, size, "start_time\t%.*s", (int)strcspn(at + 1, " "), at + 1);
}

static void tells_that_a_process_is_running(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    char host[300] = "host\t";
    char boot[100] = "boot_id\t";
    char start[100];
    gethostname(host + 5, sizeof host - 6);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    assert_non_null(fgets(boot + 8, sizeof boot - 8, file));
    fclose(file);
    boot[strcspn(boot, "\n")] = '\0';
    start_time_line(start, sizeof start);
    kt_gen_begin(&gen, SPEC, (uint32_t)getpid());
    int dot = kt_gen_entry(&gen, "ddot", KT_FORTRAN);
    kt_gen_call(&gen, &(struct kt_gen_call){7, dot, 0, MS, MS, DOT_ARGS});
    kt_gen_end(&gen, false);
    kt_gen_replace_line(&gen, "meta", "host", host);
    kt_gen_replace_line(&gen, "meta", "boot_id", boot);
    kt_gen_replace_line(&gen, "meta", "start_time", start);
    open_fine(&gen, &trace);
    assert_true(trace.process[0].running);
    assert_int_equal(count_calls(&trace), 1);
    kt_trace_close(&trace);
    kt_gen_replace_line(&gen, "meta", "start_time", "start_time\t1");
    open_fine(&gen, &trace);
    assert_false(trace.process[0].running);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void an_unused_chunk_is_no_damage(void **state)
{
    (void)state;
    static const char zeros[8192];
    struct kt_gen gen;
    struct kt_trace trace;
    make_dots(&gen, 60);
    kt_gen_end(&gen, false);
    kt_gen_append(&gen, "t7", zeros, sizeof zeros);
    open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 0);
    assert_int_equal(count_calls(&trace), 60);
    kt_trace_close(&trace);
    kt_gen_append(&gen, "t7", "ktch", 4);
    open_fine(&gen, &trace);
    expect_note(&trace, "8196 bytes are skipped");
    assert_int_equal(count_calls(&trace), 60);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void losses_are_added_up(void **state)
{
    (void)state;
    static const char end[] = "lost\tSPACE\t6\nlost\tENTRIES\t2\nlost\tNEW\t5\nanchor\t2001000000\t6000000000\t1\n";
    const uint64_t lost[2] = {3, 4};
    struct kt_gen gen;
    struct kt_trace trace;
    make_dots(&gen, 2 * DOTS_PER_CHUNK);
    kt_gen_end(&gen, false);
    kt_gen_patch(&gen, "t7", 64, lost, 8); /* of the first chunk: superseded */
    kt_gen_patch(&gen, "t7", 4096 + 64, lost + 1, 8);
    open_fine(&gen, &trace);
    assert_int_equal(trace.process[0].lost[KT_LOSS_SPACE], 4);
    kt_trace_close(&trace);
    kt_gen_append(&gen, "end", end, sizeof end - 1);
    open_fine(&gen, &trace);
    assert_int_equal(trace.process[0].lost[KT_LOSS_SPACE], 6);
    assert_int_equal(trace.process[0].lost[KT_LOSS_ENTRIES], 2);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

/* --- errors ------------------------------------------------------------------------------------------------ */

static void errors_are_told_apart(void **state)
{
    (void)state;
    struct kt_gen gen;
    char path[2 * KT_GEN_PATH];
    make_nested(&gen);
    kt_gen_end(&gen, true);
    snprintf(path, sizeof path, "%s/nothing", gen.trace);
    expect_error(path, KT_BAD_INPUT, "No such file");
    snprintf(path, sizeof path, "%s/end", gen.process);
    expect_error(path, KT_BAD_INPUT, "a trace is a directory");
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
        {"format", "format\tktrace\t2\t0", "format version 2; this ktrace reads version 1"},
        {"format", "format\tother\t1\t0", "not from ktrace"},
        {"byte_order", "byte_order\tbig", "byte order big"},
        {"anchor", NULL, "the anchor line is missing"},
        {"anchor", "anchor\t1\tx", "three numbers"},
        {"clock", NULL, "the clock line is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kt_gen gen;
        make_nested(&gen);
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
    make_nested(&gen);
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
    make_nested(&gen);
    kt_gen_end(&gen, true);
    kt_gen_copy_process(&gen, 43);
    kt_gen_cut(&gen, "meta", 3);
    open_fine(&gen, &trace);
    expect_note(&trace, "the process is ignored");
    assert_int_equal(trace.processes, 1);
    assert_int_equal(count_calls(&trace), 5);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

/* --- damage ------------------------------------------------------------------------------------------------ */

static void patched(const void *bytes, size_t count, long offset, const char *note, int calls)
{
    struct kt_gen gen;
    struct kt_trace trace;
    make_dots(&gen, 3 * DOTS_PER_CHUNK);
    kt_gen_end(&gen, true);
    kt_gen_patch(&gen, "t7", offset, bytes, count);
    open_fine(&gen, &trace);
    expect_note(&trace, note);
    expect_note(&trace, "calls cannot be read");
    assert_int_equal(count_calls(&trace), calls);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void a_damaged_chunk_costs_only_itself(void **state)
{
    (void)state;
    const uint32_t odd = 100;
    const uint32_t big_endian = 0x04030201;
    const uint16_t major = 9;
    patched("X", 1, 4096, "does not begin like a chunk; 4096 bytes are skipped", 2 * DOTS_PER_CHUNK);
    patched(&odd, 4, 4096 + 24, "impossible length", 2 * DOTS_PER_CHUNK);
    patched(&big_endian, 4, 4096 + 8, "another byte order", 2 * DOTS_PER_CHUNK);
    patched(&major, 2, 4096 + 12, "another format version", 2 * DOTS_PER_CHUNK);
    patched(&odd, 4, 4096 + 16, "head of impossible length", 2 * DOTS_PER_CHUNK);
    patched("X", 1, 4096, "chunk 2 follows where chunk 1 should", 2 * DOTS_PER_CHUNK);
}

static void a_damaged_record_costs_the_rest_of_its_chunk(void **state)
{
    (void)state;
    const long third = 4096 + 192 + 2 * DOT_BYTES;
    const uint16_t words = 1;
    const uint16_t longer = (DOT_BYTES + 8) / 8;
    patched(&words, 2, third, "impossible length", 2 * DOTS_PER_CHUNK + 2);
    patched(&longer, 2, third, "does not have the length", 2 * DOTS_PER_CHUNK + 2);
}

static void an_undefined_symbol_costs_its_record_only(void **state)
{
    (void)state;
    const uint16_t entry = 77;
    patched(&entry, 2, 4096 + 192 + 2 * DOT_BYTES + 2, "1 records name symbols that are not defined",
            3 * DOTS_PER_CHUNK - 1);
}

static void every_truncation_is_survived(void **state)
{
    (void)state;
    struct kt_gen gen;
    make_dots(&gen, 2 * DOTS_PER_CHUNK);
    kt_gen_end(&gen, true);
    int before = 2 * DOTS_PER_CHUNK;
    for (long size = 8192; size >= 0; size -= size > 8000 || size < 400 ? 1 : 37) {
        struct kt_trace trace;
        kt_gen_cut(&gen, "t7", size);
        open_fine(&gen, &trace);
        int calls = count_calls(&trace);
        assert_true(calls <= before);
        if (size < 8192 - 16)
            assert_true(trace.notes > 0);
        before = calls;
        kt_trace_close(&trace);
    }
    assert_int_equal(before, 0);
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
        "object\t2\tzz\t1\t0\t/x\t",
        "library\t0\tx\ty\t5\t1",
        "library\t55\tx\ty\t4\t1",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct kt_gen gen;
        struct kt_trace trace;
        make_dots(&gen, 3);
        kt_gen_end(&gen, true);
        kt_gen_append(&gen, "definitions", lines[i], strlen(lines[i]));
        kt_gen_append(&gen, "definitions", "\nlater\twhatever\n", 16);
        open_fine(&gen, &trace);
        expect_note(&trace, "definitions:5:");
        assert_int_equal(trace.notes, 1);
        assert_int_equal(count_calls(&trace), 3);
        kt_trace_close(&trace);
        kt_gen_remove(&gen);
    }
}

static void notes_are_bounded(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    make_dots(&gen, 3);
    kt_gen_end(&gen, true);
    for (int i = 0; i < 500; i++)
        kt_gen_append(&gen, "definitions", "object\n", 7);
    open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 100);
    expect_note(&trace, "more damage");
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_calls_in_order),
        cmocka_unit_test(reads_arguments_and_times),
        cmocka_unit_test(reads_the_process),
        cmocka_unit_test(opens_a_process_directory),
        cmocka_unit_test(reads_many_chunks),
        cmocka_unit_test(sorts_processes_by_pid),
        cmocka_unit_test(a_parent_that_was_not_recorded_is_no_other_call),
        cmocka_unit_test(a_killed_process_is_incomplete),
        cmocka_unit_test(chunk_anchors_give_the_clock_of_a_killed_process),
        cmocka_unit_test(tells_that_a_process_is_running),
        cmocka_unit_test(an_unused_chunk_is_no_damage),
        cmocka_unit_test(losses_are_added_up),
        cmocka_unit_test(errors_are_told_apart),
        cmocka_unit_test(bad_meta_files_are_told_apart),
        cmocka_unit_test(missing_files_are_errors),
        cmocka_unit_test(one_bad_process_does_not_hide_the_others),
        cmocka_unit_test(a_damaged_chunk_costs_only_itself),
        cmocka_unit_test(a_damaged_record_costs_the_rest_of_its_chunk),
        cmocka_unit_test(an_undefined_symbol_costs_its_record_only),
        cmocka_unit_test(every_truncation_is_survived),
        cmocka_unit_test(bad_definitions_cost_only_their_line),
        cmocka_unit_test(notes_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
