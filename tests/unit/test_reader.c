/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader on good, unfinished and damaged traces.
 */
#include "tests/tracegen.h"
#include "trace/cursor.h"

#include <math.h>
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

enum { MS = KT_GEN_HZ / 1000, CHUNK = 4096, HEAD = sizeof(struct kt_chunk) };

#define DOT_ARGS "10 0x1000 1 0x2000 1"

static int dots; /* so many fit into a chunk */

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

/* A trace of CALLS ddots in one thread. */
static void make_dots(struct kt_gen *gen, int calls)
{
    kt_gen_begin(gen, SPEC, 42);
    int dot = kt_gen_entry(gen, "ddot", KT_FORTRAN);
    for (int i = 0; i < calls; i++)
        kt_gen_call(gen, &(struct kt_gen_call){7, dot, 0, (uint64_t)i * MS, MS, DOT_ARGS});
}

static int setup(void **state)
{
    (void)state;
    struct kt_gen gen;
    make_dots(&gen, 1);
    for (dots = 0; gen.stream[0].chunks == 1; dots++)
        kt_gen_call(&gen, &(struct kt_gen_call){7, 1, 0, (uint64_t)(dots + 1) * MS, MS, DOT_ARGS});
    kt_gen_remove(&gen);
    return 0;
}

/* The file offset of an event, as their lengths tell it. */
static long event_at(const struct kt_gen *gen, long chunk, int event)
{
    long at = chunk * CHUNK + HEAD;
    while (event-- > 0)
        at += gen->stream[0].bytes[at] == KT_EVENT_LEAF_END ? 8 : 8 * gen->stream[0].bytes[at + 1];
    return at;
}

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
        assert_int_equal(call.depth, expected[i].depth);
        assert_int_equal(call.parent, expected[i].parent);
        assert_true(call.complete);
        assert_int_equal(call.process->pid, 42);
    }
    assert_false(kt_cursor_next(&cursor, &call));
    assert_false(kt_cursor_next(&cursor, &call));
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

/* What recording the calls in a call took is not the call's. */
static void nested_calls_cost_their_callers_nothing(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    make_nested(&gen);
    kt_gen_end(&gen, true);
    open_fine(&gen, &trace);
    trace.process[0].self_ticks = 50;
    kt_cursor_begin(&trace, &cursor);
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
    make_dots(&gen, 10 * dots + 1);
    kt_gen_end(&gen, true);
    open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 0);
    assert_int_equal(count_calls(&trace), 10 * dots + 1);
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
    assert_int_equal(call.depth, 1);
    assert_int_equal(call.parent, -1);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

/* --- events ------------------------------------------------------------------------------------------------ */

#define GESV_ARGS(info) "3 1 0x1000 3 0x2000 0x3000 3 " info

/* The calls of a trace, by number. */
struct seen {
    struct kt_trace trace;
    struct kt_call call[100];
    int64_t n[100]; /* first argument of those that have one */
    int calls;
};

static struct seen *see(struct kt_gen *gen, bool clean)
{
    static struct seen seen;
    struct kt_cursor cursor;
    struct kt_values values;
    kt_gen_end(gen, clean);
    open_fine(gen, &seen.trace);
    kt_cursor_begin(&seen.trace, &cursor);
    for (seen.calls = 0; kt_cursor_next(&cursor, &seen.call[seen.calls]); seen.calls++) {
        const struct kt_call *call = &seen.call[seen.calls];
        kt_values_decode(&call->entry->symbol, call->args, &values);
        seen.n[seen.calls] = (int64_t)values.v[0];
        assert_true(seen.calls < 99);
    }
    return &seen;
}

static void done(struct seen *seen, struct kt_gen *gen)
{
    kt_trace_close(&seen->trace);
    kt_gen_remove(gen);
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
    kt_gen_begin(&gen, SPEC, 42);
    int dot = kt_gen_entry(&gen, "ddot", KT_FORTRAN);
    for (int i = 0; i < CALLS; i++)
        kt_gen_call(&gen, &(struct kt_gen_call){7, dot, calls[i].depth, calls[i].start, calls[i].ticks, DOT_ARGS});
    struct seen *seen = see(&gen, true);
    assert_int_equal(seen->calls, CALLS);
    assert_int_equal(seen->trace.notes, 0);
    for (int i = 0; i < CALLS; i++) {
        assert_int_equal(seen->call[i].parent, calls[i].parent);
        assert_int_equal(seen->call[i].complete, calls[i].ticks != 0);
        assert_int_equal(seen->call[i].ticks, calls[i].ticks);
    }
    done(seen, &gen);
}

static void an_end_may_be_some_chunks_behind_the_call(void **state)
{
    (void)state;
    struct kt_gen gen;
    kt_gen_begin(&gen, SPEC, 42);
    int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
    int dot = kt_gen_entry(&gen, "ddot", KT_FORTRAN);
    for (uint64_t i = 0; i < 3; i++) {
        kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 100 * i, 90, GESV_ARGS("1")});
        for (uint64_t j = 0; j < 3; j++) {
            kt_gen_next_chunk(&gen, 7);
            kt_gen_call(&gen, &(struct kt_gen_call){7, dot, 1, 100 * i + 10 * j, 5, DOT_ARGS});
        }
    }
    struct seen *seen = see(&gen, true);
    assert_int_equal(seen->trace.notes, 0);
    assert_int_equal(seen->calls, 12);
    for (int i = 0; i < 12; i++) {
        const struct kt_call *call = &seen->call[i];
        int64_t info;
        assert_true(call->complete);
        assert_int_equal(call->ticks, i % 4 ? 5 : 90);
        assert_int_equal(call->start, KT_GEN_ORIGIN + 100 * (i / 4) + (i % 4 ? 10 * (i % 4 - 1) : 0));
        assert_int_equal(call->parent, i % 4 ? i / 4 * 4 : -1);
        assert_int_equal(kt_call_info(call, &info), i % 4 == 0);
    }
    done(seen, &gen);
}

static void an_end_without_its_call_is_ignored(void **state)
{
    (void)state;
    const uint64_t end[] = {3 | 2 << 8 | 1 << 16 | (uint64_t)77 << 32, KT_GEN_ORIGIN};
    struct kt_gen gen;
    make_dots(&gen, 2);
    kt_gen_event(&gen, 7, end, 2);
    kt_gen_call(&gen, &(struct kt_gen_call){7, 1, 0, 50 * MS, 3, DOT_ARGS});
    kt_gen_event(&gen, 7, end, 2);
    kt_gen_call(&gen, &(struct kt_gen_call){7, 1, 0, 60 * MS, 0, DOT_ARGS});
    kt_gen_event(&gen, 7, end, 2);
    struct seen *seen = see(&gen, true);
    assert_int_equal(seen->trace.notes, 0);
    assert_int_equal(seen->calls, 4);
    assert_int_equal(seen->call[1].ticks, MS);
    assert_int_equal(seen->call[2].ticks, 3);
    assert_false(seen->call[3].complete);
    done(seen, &gen);
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
    const uint64_t word[] = {done_word(1, 7, 100), done_word(77, 5, 3), done_word(1, most, most), done_word(1, 9, 0)};
    const uint64_t first[] = {done_word(1, 2, 4)};
    struct kt_gen gen;
    make_dots(&gen, 2);
    kt_gen_event(&gen, 7, word, 4);
    kt_gen_next_chunk(&gen, 7);
    kt_gen_event(&gen, 7, first, 1);
    struct seen *seen = see(&gen, true);
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
    done(seen, &gen);
}

static void events_of_other_kinds_are_skipped(void **state)
{
    (void)state;
    const uint64_t other[] = {99 | 3 << 8, 1, 2};
    struct kt_gen gen;
    make_dots(&gen, 2);
    kt_gen_event(&gen, 7, other, 3);
    kt_gen_call(&gen, &(struct kt_gen_call){7, 1, 0, 50 * MS, 3, DOT_ARGS});
    struct seen *seen = see(&gen, true);
    assert_int_equal(seen->trace.notes, 0);
    assert_int_equal(seen->calls, 3);
    done(seen, &gen);
}

static void long_ends_tell_the_rest(void **state)
{
    (void)state;
    const uint64_t hours = (uint64_t)1 << 44;
    struct kt_gen gen;
    int64_t info;
    kt_gen_begin(&gen, SPEC, 42);
    int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
    int dot = kt_gen_entry(&gen, "ddot", KT_FORTRAN);
    kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 0, 5, GESV_ARGS("0")});
    kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 10, 5, GESV_ARGS("-3")});
    kt_gen_call(&gen, &(struct kt_gen_call){7, dot, 0, 20, 5, DOT_ARGS});
    kt_gen_more(&gen, 7, &(struct kt_gen_more){.migrated = true});
    kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 30, 5, GESV_ARGS("0")});
    kt_gen_more(&gen, 7, &(struct kt_gen_more){.counters = 2, .counter = {8, UINT64_MAX}});
    kt_gen_call(&gen, &(struct kt_gen_call){7, dot, 0, 40, hours, DOT_ARGS});
    struct kt_cursor cursor;
    struct kt_call call;
    struct seen *seen = see(&gen, true);
    assert_true(kt_call_info(&seen->call[0], &info) && info == 0);
    assert_true(!seen->call[1].migrated && seen->call[1].cpu == 1 && !seen->call[1].counters);
    assert_true(seen->call[2].migrated && seen->call[2].cpu == 3);
    assert_int_equal(seen->call[3].counters, 2);
    assert_true(seen->call[3].counter[0] == 8 && seen->call[3].counter[1] == KT_NOT_COUNTED);
    assert_true(seen->call[4].ticks == hours && seen->call[4].start == KT_GEN_ORIGIN + 40);
    kt_cursor_begin(&seen->trace, &cursor);
    kt_cursor_next(&cursor, &call);
    kt_cursor_next(&cursor, &call); /* its arguments are there until the next one is asked for */
    assert_true(kt_call_info(&call, &info) && info == -3);
    kt_cursor_next(&cursor, &call);
    kt_cursor_next(&cursor, &call);
    assert_true(kt_call_info(&call, &info) && info == 0);
    done(seen, &gen);
}

/* Numbers whose differences are short, long, and negative; two entries in turn with one context. */
static void arguments_come_out_of_differences(void **state)
{
    (void)state;
    enum { CALLS = 64 };
    struct kt_gen gen;
    int64_t given[CALLS];
    kt_gen_begin(&gen, SPEC, 42);
    int dot = kt_gen_entry(&gen, "ddot", KT_FORTRAN);
    gen.entries = dot + KT_CONTEXTS;
    int copy = kt_gen_entry(&gen, "dcopy", KT_FORTRAN);
    for (int i = 0; i < CALLS; i++) {
        char args[100];
        given[i] = (int64_t)((uint64_t)1 << (i * 7 % 53)) * (i % 2 ? -1 : 1);
        snprintf(args, sizeof args, "%lld 0x%llx 1 0x%x -1", (long long)given[i], ~0ull >> i, i);
        kt_gen_call(&gen, &(struct kt_gen_call){7, i % 3 ? dot : copy, 0, (uint64_t)i * 10, 5, args});
        if (i % 20 == 19)
            kt_gen_next_chunk(&gen, 7);
    }
    struct kt_cursor cursor;
    struct kt_call call;
    struct kt_values values;
    struct seen *seen = see(&gen, true);
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
    done(seen, &gen);
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
    kt_gen_begin(&gen, SPEC, 42);
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
    struct seen *seen = see(&gen, true);
    assert_int_equal(seen->trace.notes, 0);
    assert_int_equal(seen->calls, 3);
    kt_cursor_begin(&seen->trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        for (int i = 0; i < symbol->params; i++) {
            double imaginary = 0;
            assert_true(kt_stored_value(call.args, &symbol->param[i], &imaginary) == i % (2 + (int)call.n));
            assert_true(imaginary == i % (3 + (int)call.n));
        }
    done(seen, &gen);
}

/* --- chunks ------------------------------------------------------------------------------------------------ */

/* Chunks of a file of so many, in another order; -1: zeros. */
static void rearrange(const struct kt_gen *gen, const int *chunk, int chunks)
{
    static const unsigned char zeros[CHUNK];
    size_t size;
    unsigned char *bytes = kt_gen_read(gen->process, "t7", &size);
    kt_gen_cut(gen, "t7", 0);
    for (int i = 0; i < chunks; i++)
        kt_gen_append(gen, "t7", chunk[i] < 0 ? zeros : bytes + (size_t)chunk[i] * CHUNK, CHUNK);
    free(bytes);
}

/* Calls of which each has its number as first argument. */
static void make_numbered(struct kt_gen *gen, int calls)
{
    kt_gen_begin(gen, SPEC, 42);
    int dot = kt_gen_entry(gen, "ddot", KT_FORTRAN);
    for (int i = 0; i < calls; i++) {
        char args[64];
        snprintf(args, sizeof args, "%d 0x1000 1 0x2000 1", i);
        kt_gen_call(gen, &(struct kt_gen_call){7, dot, 0, (uint64_t)i * MS, MS, args});
        if (i % 10 == 9)
            kt_gen_next_chunk(gen, 7);
    }
}

static void expect_numbered(struct kt_gen *gen, int calls, int notes)
{
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    struct kt_values values;
    open_fine(gen, &trace);
    assert_int_equal(trace.notes, notes);
    kt_cursor_begin(&trace, &cursor);
    for (int i = 0; i < calls; i++) {
        assert_true(kt_cursor_next(&cursor, &call));
        kt_values_decode(&call.entry->symbol, call.args, &values);
        assert_int_equal(values.v[0], i);
        assert_true(call.complete);
    }
    assert_false(kt_cursor_next(&cursor, &call));
    kt_trace_close(&trace);
}

static void the_index_orders_chunks(void **state)
{
    (void)state;
    static const struct {
        int chunks;
        int chunk[9];
    } orders[] = {{4, {0, 1, 2, 3}}, {4, {3, 0, 1, 2}}, {4, {2, 3, 1, 0}}, {9, {-1, 3, -1, -1, 0, 1, -1, 2, -1}}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct kt_gen gen;
        make_numbered(&gen, 35);
        kt_gen_end(&gen, true);
        rearrange(&gen, orders[i].chunk, orders[i].chunks);
        expect_numbered(&gen, 35, 0);
        kt_gen_remove(&gen);
    }
}

/* The chunk that was being written and its copy: whichever comes first, the one with more in it counts. */
static void the_fuller_of_two_chunks_with_one_index_counts(void **state)
{
    (void)state;
    static const int both[] = {3, 0, 1, 2, 3};
    for (int shorter = 0; shorter < 2; shorter++) {
        struct kt_gen gen;
        make_numbered(&gen, 35);
        kt_gen_end(&gen, true);
        const uint64_t used = (uint64_t)(event_at(&gen, 3, 4) - 3 * CHUNK);
        rearrange(&gen, both, 5);
        expect_numbered(&gen, 35, 0);
        kt_gen_patch(&gen, "t7", (shorter ? 4 * CHUNK : 0) + (long)offsetof(struct kt_chunk, used_bytes), &used, 8);
        expect_numbered(&gen, 35, 0);
        kt_gen_remove(&gen);
    }
}

static void what_is_not_committed_is_not_there(void **state)
{
    (void)state;
    const long used_at = offsetof(struct kt_chunk, used_bytes);
    struct kt_gen gen;
    make_dots(&gen, 4);
    kt_gen_end(&gen, false);
    for (int events = 8; events >= 0; events--) {
        struct kt_trace trace;
        struct kt_cursor cursor;
        struct kt_call call = {.complete = true};
        const uint64_t used = (uint64_t)event_at(&gen, 0, events);
        kt_gen_patch(&gen, "t7", used_at, &used, 8);
        open_fine(&gen, &trace);
        assert_int_equal(trace.notes, 1); /* one anchor is not enough for a clock */
        assert_int_equal(count_calls(&trace), (events + 1) / 2);
        kt_cursor_begin(&trace, &cursor);
        while (kt_cursor_next(&cursor, &call))
            assert_int_equal(call.complete, (int)call.n < events / 2);
        kt_trace_close(&trace);
    }
    kt_gen_patch(&gen, "t7", used_at, &(uint64_t){0}, 8); /* not begun yet */
    struct kt_trace trace;
    open_fine(&gen, &trace);
    assert_int_equal(count_calls(&trace), 0);
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
    make_dots(&gen, 2 * dots);
    kt_gen_end(&gen, false);
    open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 0);
    assert_float_equal(trace.process[0].tick_hz, KT_GEN_HZ, 1);
    assert_float_equal(trace.process[0].seconds, 0.001 * 2 * dots, 1e-9);
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
    make_dots(&gen, dots + 1);
    kt_gen_end(&gen, false);
    kt_gen_append(&gen, "t7", zeros, sizeof zeros);
    open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 0);
    assert_int_equal(count_calls(&trace), dots + 1);
    kt_trace_close(&trace);
    kt_gen_append(&gen, "t7", "ktch", 4);
    open_fine(&gen, &trace);
    expect_note(&trace, "8196 bytes are skipped");
    assert_int_equal(count_calls(&trace), dots + 1);
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
    make_dots(&gen, 2 * dots);
    kt_gen_end(&gen, false);
    kt_gen_patch(&gen, "t7", 64, lost, 8); /* of the first chunk: superseded */
    kt_gen_patch(&gen, "t7", CHUNK + 64, lost + 1, 8);
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
    make_dots(&gen, 3 * dots);
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
        patched(&cases[i].value, cases[i].bytes, CHUNK + (long)cases[i].offset, cases[i].note, 2 * dots);
    snprintf(missing, sizeof missing, "t7: %d calls are missing before chunk 2", dots);
    patched("X", 1, CHUNK, missing, 2 * dots);
}

/* Lengths near 2^64, of the last chunk: what is there is read, what follows is not found. */
static void an_enormous_chunk_ends_with_the_file(void **state)
{
    (void)state;
    const uint64_t length[] = {UINT64_MAX - 7, UINT64_MAX - 7};
    struct kt_gen gen;
    struct kt_trace trace;
    make_dots(&gen, dots);
    kt_gen_end(&gen, true);
    kt_gen_patch(&gen, "t7", offsetof(struct kt_chunk, chunk_bytes), length, 8);
    open_fine(&gen, &trace);
    assert_int_equal(trace.notes, 0);
    assert_int_equal(count_calls(&trace), dots);
    kt_trace_close(&trace);
    kt_gen_patch(&gen, "t7", offsetof(struct kt_chunk, used_bytes), length, 8);
    open_fine(&gen, &trace);
    expect_note(&trace, "before its last chunk does");
    assert_int_equal(count_calls(&trace), dots);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

/* An event of the third call of the second chunk. */
static void event_patched(int event, const void *bytes, size_t count, const char *note, int calls)
{
    struct kt_gen gen;
    make_dots(&gen, 2 * dots);
    long at = event_at(&gen, 1, 4 + event);
    kt_gen_remove(&gen);
    patched(bytes, count, at, note, calls);
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
        int calls = 2 * dots + 2 + (cases[i].event == SECOND);
        event_patched(cases[i].event, cases[i].head, sizeof cases[i].head, cases[i].note, calls);
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
        kt_gen_begin(&gen, SPEC, 42);
        int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
        int dot = kt_gen_entry(&gen, "ddot", KT_FORTRAN);
        kt_gen_call(&gen, &(struct kt_gen_call){7, dot, 0, 0, 5, DOT_ARGS});
        kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 10, 50, GESV_ARGS("0")});
        kt_gen_next_chunk(&gen, 7);
        kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 100, 50, GESV_ARGS("0")});
        kt_gen_next_chunk(&gen, 7);
        kt_gen_call(&gen, &(struct kt_gen_call){7, dot, 1, 110, 5, DOT_ARGS});
        kt_gen_call(&gen, &(struct kt_gen_call){7, dot, 0, 200, 5, DOT_ARGS});
        kt_gen_end(&gen, true);
        kt_gen_patch(&gen, "t7", way ? CHUNK : event_at(&gen, 1, 0), "\0\0", 2);
        open_fine(&gen, &trace);
        expect_note(&trace, "1 calls are missing before chunk 2");
        kt_cursor_begin(&trace, &cursor);
        for (int i = 0; i < 4; i++) {
            assert_true(kt_cursor_next(&cursor, &call));
            assert_int_equal(call.complete, i != 1);
            assert_int_equal(call.depth, i == 2);
            assert_int_equal(call.parent, -1);
        }
        assert_false(kt_cursor_next(&cursor, &call));
        kt_trace_close(&trace);
        kt_gen_remove(&gen);
    }
}

static void an_undefined_symbol_costs_its_call_only(void **state)
{
    (void)state;
    struct kt_gen gen;
    make_dots(&gen, 2 * dots);
    long at = event_at(&gen, 1, 4);
    kt_gen_remove(&gen);
    patched(&(uint16_t){77}, 2, at + 2, "1 calls name symbols that are not defined", 3 * dots - 1);
}

static void every_truncation_is_survived(void **state)
{
    (void)state;
    struct kt_gen gen;
    make_dots(&gen, 2 * dots);
    kt_gen_end(&gen, true);
    const long end = (long)gen.stream[0].at;
    int before = 2 * dots;
    for (long size = 2 * CHUNK; size >= 0; size -= size > 2 * CHUNK - 400 || size < 400 ? 1 : 37) {
        struct kt_trace trace;
        kt_gen_cut(&gen, "t7", size);
        open_fine(&gen, &trace);
        int calls = count_calls(&trace);
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
    struct kt_trace trace;
    char line[2000] = "entry\t9\tbig_\tfortran\tbig\t0\t0\tbig z |";
    for (int i = 0; i < 35; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " scal:a%d", i);
    strcat(line, " | mul=1\n");
    make_dots(&gen, 3);
    kt_gen_end(&gen, true);
    kt_gen_append(&gen, "definitions", line, strlen(line));
    open_fine(&gen, &trace);
    expect_note(&trace, "definitions:5: the routine has more arguments than a call can hold");
    assert_int_equal(count_calls(&trace), 3);
    kt_trace_close(&trace);
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
        cmocka_unit_test(the_index_orders_chunks),
        cmocka_unit_test(the_fuller_of_two_chunks_with_one_index_counts),
        cmocka_unit_test(what_is_not_committed_is_not_there),
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
        cmocka_unit_test(an_enormous_chunk_ends_with_the_file),
        cmocka_unit_test(a_damaged_event_costs_the_rest_of_its_chunk),
        cmocka_unit_test(ends_behind_a_gap_are_nobodys),
        cmocka_unit_test(an_undefined_symbol_costs_its_call_only),
        cmocka_unit_test(a_symbol_with_too_many_arguments_is_refused),
        cmocka_unit_test(every_truncation_is_survived),
        cmocka_unit_test(bad_definitions_cost_only_their_line),
        cmocka_unit_test(notes_are_bounded),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
