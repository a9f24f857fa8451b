/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader on traces of processes that ended: calls, arguments, times, the process; how events become calls. */
#include "tests/unit/read_back.h"
#include "trace/read/cursor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- what was written is read ------------------------------------------------------------------------------ */

/* The cursor is before the first call. */
static void begin_nested(struct kt_gen *gen, struct kt_trace *trace, struct kt_cursor *cursor)
{
    kt_make_nested(gen);
    kt_read_back(gen, true, trace);
    kt_cursor_begin(trace, cursor);
}

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
    begin_nested(&gen, &trace, &cursor);
    assert_int_equal(trace.notes, 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(kt_cursor_next(&cursor, &call));
        assert_int_equal(call.n, i);
        assert_string_equal(call.entry->symbol.name, expected[i].symbol);
        assert_int_equal(call.tid, expected[i].tid);
        assert_int_equal(call.depth, expected[i].depth);
        assert_int_equal(call.parent, expected[i].parent);
        assert_true(call.complete);
        assert_int_equal(call.process->pid, PID);
    }
    assert_false(kt_cursor_next(&cursor, &call));
    assert_false(kt_cursor_next(&cursor, &call));
    kt_read_done(&trace, &gen);
}

/* What recording the calls in a call took is not the call's. */
static void nested_calls_cost_their_callers_nothing(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    begin_nested(&gen, &trace, &cursor);
    trace.process[0].self_ticks = 50;
    for (int i = 0; i < 5; i++) {
        assert_true(kt_cursor_next(&cursor, &call));
        assert_int_equal(call.nested, i == 0 ? 2 : 0);
        double ticks = (double)call.ticks - trace.process[0].clock_ticks - (i == 0 ? 100 : 0);
        assert_true(fabs(kt_call_seconds(&call) - ticks / trace.process[0].tick_hz) < 1e-12);
    }
    trace.process[0].self_ticks = 1e12;
    kt_cursor_begin(&trace, &cursor);
    assert_true(kt_cursor_next(&cursor, &call));
    assert_true(kt_call_seconds(&call) == 0);
    kt_read_done(&trace, &gen);
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
    begin_nested(&gen, &trace, &cursor);
    kt_cursor_next(&cursor, &call);
    assert_true(kt_call_info(&call, &info));
    assert_int_equal(info, 2);
    assert_float_equal(kt_call_seconds(&call), 9e-3 - (double)KT_GEN_CLOCK_TICKS / KT_GEN_HZ, 1e-12);
    kt_cursor_next(&cursor, &call);
    assert_false(kt_call_info(&call, &info));
    kt_values_decode(&call.entry->symbol, call.args, &values);
    assert_true(values.row_major);
    assert_true(values.v[1] == 'T' && values.v[4] == 4 && values.v[5] == 1.5 && values.address[11] == 0x3000);
    kt_read_done(&trace, &gen);
}

static void reads_the_process(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    kt_make_nested(&gen);
    kt_read_back(&gen, true, &trace);
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
    kt_read_done(&trace, &gen);
}

static void opens_a_process_directory(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_error error = {0};
    kt_make_nested(&gen);
    kt_gen_end(&gen, true);
    assert_int_equal(kt_trace_open(gen.process, &trace, &error), KT_OK);
    assert_int_equal(kt_count_calls(&trace), 5);
    kt_read_done(&trace, &gen);
}

static void reads_many_chunks(void **state)
{
    (void)state;
    struct kt_gen gen;
    kt_make_dots(&gen, 10 * kt_dots + 1);
    kt_gen_end(&gen, true);
    kt_expect_calls(&gen, 10 * kt_dots + 1, NULL);
    kt_gen_remove(&gen);
}

static void sorts_processes_by_pid(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    kt_make_nested(&gen);
    kt_gen_end(&gen, true);
    kt_gen_copy_process(&gen, 5);
    kt_gen_copy_process(&gen, 100);
    kt_open_fine(&gen, &trace);
    assert_int_equal(trace.processes, 3);
    assert_non_null(strstr(trace.process[0].path, "/p5"));
    assert_non_null(strstr(trace.process[2].path, "/p100"));
    assert_int_equal(kt_count_calls(&trace), 15);
    kt_read_done(&trace, &gen);
}

/* --- events ------------------------------------------------------------------------------------------------ */

/* The calls of a trace, by number. */
struct seen {
    struct kt_trace trace;
    struct kt_call call[100];
    /* Copied, as arguments are there only until the next call is asked for: the first one, info. */
    int64_t n[100];
    bool has_info[100];
    int64_t info[100];
    int calls;
};

static struct seen *see(struct kt_gen *gen)
{
    static struct seen seen;
    struct kt_cursor cursor;
    struct kt_values values;
    kt_read_back(gen, true, &seen.trace);
    kt_cursor_begin(&seen.trace, &cursor);
    for (seen.calls = 0; kt_cursor_next(&cursor, &seen.call[seen.calls]); seen.calls++) {
        const struct kt_call *call = &seen.call[seen.calls];
        kt_values_decode(&call->entry->symbol, call->args, &values);
        seen.n[seen.calls] = (int64_t)values.v[0];
        seen.has_info[seen.calls] = kt_call_info(call, &seen.info[seen.calls]);
        assert_true(seen.calls < 99);
    }
    return &seen;
}

static void a_parent_that_was_not_recorded_is_no_other_call(void **state)
{
    (void)state;
    struct kt_gen gen;
    kt_make_dots(&gen, 1);
    kt_add_dot(&gen, 1, 50 * MS, MS);
    struct seen *seen = see(&gen);
    assert_int_equal(seen->call[1].depth, 1);
    assert_int_equal(seen->call[1].parent, -1);
    kt_read_done(&seen->trace, &gen);
}

static void parents_are_calls_that_have_not_ended(void **state)
{
    (void)state;
    static const struct {
        unsigned depth, start, ticks;
        int parent;
    } calls[] = {{0, 0, 90, -1}, {1, 10, 50, 0},  {2, 20, 10, 1},   {2, 40, 10, 1},  {1, 70, 10, 0},
                 {3, 75, 1, -1}, {1, 85, 1, 0},   {0, 95, 0, -1},   {1, 96, 0, 7},   {1, 97, 1, 7},
                 {0, 99, 1, -1}, {1, 120, 1, -1}, {0, 130, 50, -1}, {1, 140, 0, 12}, {2, 150, 0, 13}};
    enum { CALLS = sizeof calls / sizeof *calls };
    struct kt_gen gen;
    kt_begin_dots(&gen, PID);
    for (int i = 0; i < CALLS; i++)
        kt_add_dot(&gen, calls[i].depth, calls[i].start, calls[i].ticks);
    struct seen *seen = see(&gen);
    assert_int_equal(seen->calls, CALLS);
    assert_int_equal(seen->trace.notes, 0);
    for (int i = 0; i < CALLS; i++) {
        assert_int_equal(seen->call[i].parent, calls[i].parent);
        assert_int_equal(seen->call[i].complete, calls[i].ticks != 0);
        assert_int_equal(seen->call[i].ticks, calls[i].ticks);
    }
    kt_read_done(&seen->trace, &gen);
}

static void an_end_may_be_some_chunks_behind_the_call(void **state)
{
    (void)state;
    struct kt_gen gen;
    kt_begin_dots(&gen, PID);
    int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
    for (uint64_t i = 0; i < 3; i++) {
        kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 100 * i, 90, GESV_ARGS("1")});
        for (uint64_t j = 0; j < 3; j++) {
            kt_gen_next_chunk(&gen, 7);
            kt_add_dot(&gen, 1, 100 * i + 10 * j, 5);
        }
    }
    struct seen *seen = see(&gen);
    assert_int_equal(seen->trace.notes, 0);
    assert_int_equal(seen->calls, 12);
    for (int i = 0; i < 12; i++) {
        const struct kt_call *call = &seen->call[i];
        assert_true(call->complete);
        assert_int_equal(call->ticks, i % 4 ? 5 : 90);
        assert_int_equal(call->start, KT_GEN_ORIGIN + 100 * (i / 4) + (i % 4 ? 10 * (i % 4 - 1) : 0));
        assert_int_equal(call->parent, i % 4 ? i / 4 * 4 : -1);
        assert_int_equal(seen->has_info[i], i % 4 == 0);
    }
    kt_read_done(&seen->trace, &gen);
}

static void an_end_without_its_call_is_ignored(void **state)
{
    (void)state;
    const uint64_t end[] = {3 | 2 << 8 | 1 << 16 | (uint64_t)77 << 32, KT_GEN_ORIGIN};
    struct kt_gen gen;
    kt_make_dots(&gen, 2);
    kt_gen_event(&gen, 7, end, 2);
    kt_add_dot(&gen, 0, 50 * MS, 3);
    kt_gen_event(&gen, 7, end, 2);
    kt_add_dot(&gen, 0, 60 * MS, 0);
    kt_gen_event(&gen, 7, end, 2);
    struct seen *seen = see(&gen);
    assert_int_equal(seen->trace.notes, 0);
    assert_int_equal(seen->calls, 4);
    assert_int_equal(seen->call[1].ticks, MS);
    assert_int_equal(seen->call[2].ticks, 3);
    assert_false(seen->call[3].complete);
    kt_read_done(&seen->trace, &gen);
}

static uint64_t done_word(uint64_t entry, uint64_t ticks, uint64_t gap)
{
    return 6 | entry << 8 | ticks << 24 | gap << 44;
}

/* Their times count from the end before them, also where that call's symbol is not defined, or from the chunk's begin.
 */
static void done_calls_are_calls_like_the_last_one(void **state)
{
    (void)state;
    const uint64_t most = (1 << 20) - 1;
    const uint64_t word[] = {done_word(DOT, 7, 100), done_word(77, 5, 3), done_word(DOT, most, most),
                             done_word(DOT, 9, 0)};
    const uint64_t first[] = {done_word(DOT, 2, 4)};
    struct kt_gen gen;
    kt_make_dots(&gen, 2);
    kt_gen_event(&gen, 7, word, 4);
    kt_gen_next_chunk(&gen, 7);
    kt_gen_event(&gen, 7, first, 1);
    struct seen *seen = see(&gen);
    assert_int_equal(seen->calls, 6);
    const struct kt_call *call = seen->call;
    uint64_t end = call[1].start + call[1].ticks;
    assert_int_equal(call[2].start, end + 100);
    assert_int_equal(call[2].ticks, 7);
    assert_true(call[2].complete);
    assert_int_equal(call[3].start, end + 100 + 7 + 3 + 5 + most);
    assert_int_equal(call[3].ticks, most);
    assert_int_equal(call[4].start, call[3].start + most);
    assert_int_equal(call[5].start, KT_GEN_ORIGIN + KT_GEN_HZ / 10 + 4); /* the second chunk's anchor */
    assert_int_equal(call[5].ticks, 2);
    kt_read_done(&seen->trace, &gen);
}

static void events_of_other_kinds_are_skipped(void **state)
{
    (void)state;
    const uint64_t other[] = {99 | 3 << 8, 1, 2};
    struct kt_gen gen;
    kt_make_dots(&gen, 2);
    kt_gen_event(&gen, 7, other, 3);
    kt_add_dot(&gen, 0, 50 * MS, 3);
    struct seen *seen = see(&gen);
    assert_int_equal(seen->trace.notes, 0);
    assert_int_equal(seen->calls, 3);
    kt_read_done(&seen->trace, &gen);
}

static void long_ends_tell_the_rest(void **state)
{
    (void)state;
    const uint64_t hours = (uint64_t)1 << 44;
    struct kt_gen gen;
    int64_t info;
    kt_begin_dots(&gen, PID);
    int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
    kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 0, 5, GESV_ARGS("0")});
    kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 10, 5, GESV_ARGS("-3")});
    kt_add_dot(&gen, 0, 20, 5);
    kt_gen_more(&gen, 7, &(struct kt_gen_more){.migrated = true});
    kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 30, 5, GESV_ARGS("0")});
    kt_gen_more(&gen, 7, &(struct kt_gen_more){.counters = 2, .counter = {8, UINT64_MAX}});
    kt_add_dot(&gen, 0, 40, hours);
    kt_add_dot(&gen, 0, hours + 40, 5);
    kt_gen_more(&gen, 7, &(struct kt_gen_more){.faults = 1});
    kt_add_dot(&gen, 0, hours + 50, 5);
    kt_gen_more(&gen, 7, &(struct kt_gen_more){.faults = 4001, .migrated = true});
    struct kt_cursor cursor;
    struct kt_call call;
    struct seen *seen = see(&gen);
    assert_true(seen->has_info[0] && seen->info[0] == 0);
    assert_true(!seen->call[1].migrated && seen->call[1].cpu == 1 && !seen->call[1].counters);
    assert_true(seen->call[2].migrated && seen->call[2].cpu == 3);
    assert_int_equal(seen->call[3].counters, 2);
    assert_true(seen->call[3].counter[0] == 8 && seen->call[3].counter[1] == KT_NOT_COUNTED);
    assert_true(seen->call[4].ticks == hours && seen->call[4].start == KT_GEN_ORIGIN + 40);
    assert_true(seen->call[2].faults == -1 && seen->call[4].faults == -1);
    assert_true(seen->call[5].faults == 0 && seen->call[5].cpu == 1);
    assert_true(seen->call[6].faults == 4000 && seen->call[6].cpu == 3);
    kt_cursor_begin(&seen->trace, &cursor);
    kt_cursor_next(&cursor, &call);
    kt_cursor_next(&cursor, &call); /* its arguments are there until the next one is asked for */
    assert_true(kt_call_info(&call, &info) && info == -3);
    kt_cursor_next(&cursor, &call);
    kt_cursor_next(&cursor, &call);
    assert_true(kt_call_info(&call, &info) && info == 0);
    kt_read_done(&seen->trace, &gen);
}

/* Numbers whose differences are short, long, and negative; two entries in turn with one context. */
static void arguments_come_out_of_differences(void **state)
{
    (void)state;
    enum { CALLS = 64 };
    struct kt_gen gen;
    int64_t given[CALLS];
    kt_begin_dots(&gen, PID);
    gen.entries = DOT + KT_CONTEXTS;
    int copy = kt_gen_entry(&gen, "dcopy", KT_FORTRAN);
    for (int i = 0; i < CALLS; i++) {
        char args[100];
        given[i] = (int64_t)((uint64_t)1 << (i * 7 % 53)) * (i % 2 ? -1 : 1);
        snprintf(args, sizeof args, "%lld 0x%llx 1 0x%x -1", (long long)given[i], ~0ull >> i, i);
        kt_gen_call(&gen, &(struct kt_gen_call){7, i % 3 ? DOT : copy, 0, (uint64_t)i * 10, 5, args});
        if (i % 20 == 19)
            kt_gen_next_chunk(&gen, 7);
    }
    struct kt_cursor cursor;
    struct kt_call call;
    struct kt_values values;
    struct seen *seen = see(&gen);
    assert_int_equal(seen->calls, CALLS);
    kt_cursor_begin(&seen->trace, &cursor);
    for (int i = 0; i < CALLS; i++) {
        assert_int_equal(seen->n[i], given[i]);
        kt_cursor_next(&cursor, &call);
        kt_values_decode(&call.entry->symbol, call.args, &values);
        assert_string_equal(call.entry->symbol.name, i % 3 ? "ddot_" : "dcopy_");
        assert_true(values.address[1] == ~0ull >> i && values.address[3] == (uint64_t)i && values.v[4] == -1);
        assert_int_equal(call.caller, 0x401234);
    }
    kt_read_done(&seen->trace, &gen);
}

/* As many words as a call can have. */
static int most_arguments(struct kt_gen *gen)
{
    enum { MOST = (KT_CONTEXT_WORDS - KT_CALL_HEAD_WORDS) / 2 };
    struct kt_error error = {0};
    char family[1000] = "most z | dim:n";
    for (int i = 0; i < MOST; i++)
        snprintf(family + strlen(family), sizeof family - strlen(family), " scal:a%d", i);
    strcat(family, " | mul=1");
    kt_table_free(&gen->table);
    if (kt_table_parse(family, "family", &gen->table, &error) != KT_OK)
        fail_msg("%s", error.text);
    return kt_gen_entry(gen, "most", KT_FORTRAN);
}

static void calls_with_many_arguments_are_read(void **state)
{
    (void)state;
    struct kt_gen gen;
    kt_gen_begin(&gen, SPEC, PID);
    int most = most_arguments(&gen);
    const struct kt_symbol *symbol = &gen.symbol[most];
    assert_int_equal(symbol->arg_bytes / 8 + KT_CALL_HEAD_WORDS, KT_CONTEXT_WORDS);
    for (int call = 0; call < 3; call++) {
        char args[1000] = "";
        for (int i = 0; i < symbol->params; i++)
            snprintf(args + strlen(args), sizeof args - strlen(args), i ? "%d,%d " : "%d ", i % (2 + call),
                     i % (3 + call));
        kt_gen_call(&gen, &(struct kt_gen_call){7, most, 0, (uint64_t)call * MS, 5, args});
    }
    struct kt_cursor cursor;
    struct kt_call call;
    struct seen *seen = see(&gen);
    assert_int_equal(seen->trace.notes, 0);
    assert_int_equal(seen->calls, 3);
    kt_cursor_begin(&seen->trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        for (int i = 0; i < symbol->params; i++) {
            double imaginary = 0;
            assert_true(kt_stored_value(call.args, &symbol->param[i], &imaginary) == i % (2 + (int)call.n));
            assert_true(imaginary == i % (3 + (int)call.n));
        }
    kt_read_done(&seen->trace, &gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_calls_in_order),
        cmocka_unit_test(nested_calls_cost_their_callers_nothing),
        cmocka_unit_test(reads_arguments_and_times),
        cmocka_unit_test(reads_the_process),
        cmocka_unit_test(opens_a_process_directory),
        cmocka_unit_test(reads_many_chunks),
        cmocka_unit_test(sorts_processes_by_pid),
        cmocka_unit_test(a_parent_that_was_not_recorded_is_no_other_call),
        cmocka_unit_test(parents_are_calls_that_have_not_ended),
        cmocka_unit_test(an_end_may_be_some_chunks_behind_the_call),
        cmocka_unit_test(an_end_without_its_call_is_ignored),
        cmocka_unit_test(done_calls_are_calls_like_the_last_one),
        cmocka_unit_test(events_of_other_kinds_are_skipped),
        cmocka_unit_test(long_ends_tell_the_rest),
        cmocka_unit_test(arguments_come_out_of_differences),
        cmocka_unit_test(calls_with_many_arguments_are_read),
    };
    return cmocka_run_group_tests(tests, kt_dots_setup, NULL);
}
