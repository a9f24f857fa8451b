/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader on chunks in any order and on what processes leave that did not end cleanly, or have not ended. */
#include "tests/unit/read_back.h"
#include "trace/read/cursor.h"
#include "trace/read/origin.h"
#include "trace/read/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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
    kt_begin_dots(gen, PID);
    for (int i = 0; i < calls; i++) {
        char args[64];
        snprintf(args, sizeof args, "%d 0x1000 1 0x2000 1", i);
        kt_gen_call(gen, &(struct kt_gen_call){7, DOT, 0, (uint64_t)i * MS, MS, args});
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
    kt_open_fine(gen, &trace);
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
        const uint64_t used = (uint64_t)(kt_event_offset(&gen, 3, 4) - 3 * CHUNK);
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
    kt_make_dots(&gen, 4);
    kt_gen_end(&gen, false);
    for (int events = 8; events >= 0; events--) {
        struct kt_trace trace;
        struct kt_cursor cursor;
        struct kt_call call = {.complete = true};
        const uint64_t used = (uint64_t)kt_event_offset(&gen, 0, events);
        kt_gen_patch(&gen, "t7", used_at, &used, 8);
        kt_open_fine(&gen, &trace);
        assert_int_equal(trace.notes, 1); /* one anchor is not enough for a clock */
        assert_int_equal(kt_count_calls(&trace), (events + 1) / 2);
        kt_cursor_begin(&trace, &cursor);
        while (kt_cursor_next(&cursor, &call))
            assert_int_equal(call.complete, (int)call.n < events / 2);
        kt_trace_close(&trace);
    }
    kt_gen_patch(&gen, "t7", used_at, &(uint64_t){0}, 8); /* not begun yet */
    struct kt_trace trace;
    kt_open_fine(&gen, &trace);
    assert_int_equal(kt_count_calls(&trace), 0);
    kt_read_done(&trace, &gen);
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
    kt_gen_begin(&gen, SPEC, PID);
    int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
    kt_gen_call(&gen, &(struct kt_gen_call){7, gesv, 0, 0, 0, GESV_ARGS("0")});
    kt_read_back(&gen, false, &trace);
    assert_false(trace.process[0].complete);
    assert_false(trace.process[0].running);
    assert_int_equal(trace.notes, 1); /* one anchor is not enough for a clock */
    kt_cursor_begin(&trace, &cursor);
    assert_true(kt_cursor_next(&cursor, &call));
    assert_false(call.complete);
    assert_false(kt_call_info(&call, &info));
    assert_true(kt_call_seconds(&call) == 0);
    kt_read_done(&trace, &gen);
}

static void chunk_anchors_give_the_clock_of_a_killed_process(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    kt_make_dots(&gen, 2 * kt_dots);
    kt_read_back(&gen, false, &trace);
    assert_int_equal(trace.notes, 0);
    assert_float_equal(trace.process[0].tick_hz, KT_GEN_HZ, 1);
    assert_float_equal(trace.process[0].seconds, 0.001 * 2 * kt_dots, 1e-9);
    kt_read_done(&trace, &gen);
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
    kt_begin_dots(&gen, (uint32_t)getpid());
    kt_add_dot(&gen, 0, MS, MS);
    kt_gen_end(&gen, false);
    kt_gen_replace_line(&gen, "meta", "host", host);
    kt_gen_replace_line(&gen, "meta", "boot_id", boot);
    kt_gen_replace_line(&gen, "meta", "start_time", start);
    kt_open_fine(&gen, &trace);
    assert_true(trace.process[0].running);
    assert_int_equal(kt_count_calls(&trace), 1);
    kt_trace_close(&trace);
    kt_gen_replace_line(&gen, "meta", "start_time", "start_time\t1");
    kt_open_fine(&gen, &trace);
    assert_false(trace.process[0].running);
    kt_read_done(&trace, &gen);
}

/* As a program on another host does it, whose files are seen here: its chunk is used again, the file cut at its end. */
static void what_a_process_elsewhere_still_writes_changes_nothing(void **state)
{
    (void)state;
    static const char zeros[CHUNK];
    struct kt_gen gen;
    struct kt_trace trace;
    kt_make_dots(&gen, kt_dots + 1);
    kt_gen_end(&gen, false);
    kt_open_fine(&gen, &trace);
    assert_false(trace.process[0].running);
    kt_gen_patch(&gen, "t7", sizeof(struct kt_chunk), zeros, CHUNK - sizeof(struct kt_chunk));
    assert_int_equal(kt_count_calls(&trace), kt_dots + 1);
    kt_gen_cut(&gen, "t7", 0);
    assert_int_equal(kt_count_calls(&trace), kt_dots + 1);
    kt_read_done(&trace, &gen);
}

/* Two processes that were recorded one after the other, the second too short to tell the rate of its clock. */
static void the_clock_of_another_process_serves(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_gen shorter;
    struct kt_trace trace;
    struct kt_error error = {0};
    kt_make_dots(&gen, 2 * kt_dots);
    kt_gen_end(&gen, true);
    kt_begin_dots(&shorter, PID + 1);
    kt_add_dot(&shorter, 0, 0, MS / 10);
    kt_gen_end(&shorter, false);
    kt_open_fine(&shorter, &trace);
    kt_expect_note(&trace, "too short");
    assert_false(trace.process[0].tick_hz_known);
    kt_trace_close(&trace);
    assert_int_equal(kt_trace_open_all((char *[]){gen.trace, shorter.trace}, 2, &trace, &error), KT_OK);
    assert_int_equal(trace.notes, 0);
    assert_true(trace.process[1].tick_hz == trace.process[0].tick_hz);
    kt_gen_remove(&shorter);
    kt_read_done(&trace, &gen);
}

static void an_unused_chunk_is_no_damage(void **state)
{
    (void)state;
    static const char zeros[8192];
    struct kt_gen gen;
    kt_make_dots(&gen, kt_dots + 1);
    kt_gen_end(&gen, false);
    kt_gen_append(&gen, "t7", zeros, sizeof zeros);
    kt_expect_calls(&gen, kt_dots + 1, NULL);
    kt_gen_append(&gen, "t7", "ktch", 4);
    kt_expect_calls(&gen, kt_dots + 1, "8196 bytes are skipped");
    kt_gen_remove(&gen);
}

static void losses_are_added_up(void **state)
{
    (void)state;
    static const char end[] = "lost\tSPACE\t6\nlost\tENTRIES\t2\nlost\tNEW\t5\nanchor\t2001000000\t6000000000\t1\n";
    const uint64_t lost[2] = {3, 4};
    struct kt_gen gen;
    struct kt_trace trace;
    kt_make_dots(&gen, 2 * kt_dots);
    kt_gen_end(&gen, false);
    kt_gen_patch(&gen, "t7", 64, lost, 8); /* of the first chunk: superseded */
    kt_gen_patch(&gen, "t7", CHUNK + 64, lost + 1, 8);
    kt_open_fine(&gen, &trace);
    assert_int_equal(trace.process[0].lost[KT_LOSS_SPACE], 4);
    kt_trace_close(&trace);
    kt_gen_append(&gen, "end", end, sizeof end - 1);
    kt_open_fine(&gen, &trace);
    assert_int_equal(trace.process[0].lost[KT_LOSS_SPACE], 6);
    assert_int_equal(trace.process[0].lost[KT_LOSS_ENTRIES], 2);
    kt_read_done(&trace, &gen);
}

static void a_file_that_becomes_shorter_while_it_is_read_reads_as_zeros(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    make_numbered(&gen, 60);
    kt_gen_end(&gen, true);
    kt_open_fine(&gen, &trace);
    assert_true(trace.process[0].stream[0].mapped);
    kt_gen_cut(&gen, "t7", 0);
    kt_cursor_begin(&trace, &cursor);
    int calls = 0;
    while (kt_cursor_next(&cursor, &call))
        calls++;
    assert_true(calls < 60);
    kt_read_done(&trace, &gen);
}

static void wall_time_begins_with_the_program(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    kt_make_dots(&gen, kt_dots);
    kt_gen_end(&gen, true);
    kt_open_fine(&gen, &trace);
    assert_float_equal(trace.process[0].before, 0, 0); /* a trace that does not tell */
    double recorded = trace.process[0].seconds;
    struct kt_anchor anchor;
    assert_true(kt_anchor_parse(kt_meta(&trace.process[0], "anchor"), &anchor));
    kt_trace_close(&trace);
    char line[64];
    int length = snprintf(line, sizeof line, "began\t%llu\n", (unsigned long long)anchor.monotonic_ns - 2500000000u);
    kt_gen_append(&gen, "meta", line, (size_t)length);
    kt_open_fine(&gen, &trace);
    assert_float_equal(trace.process[0].before, 2.5, 1e-9);
    assert_float_equal(trace.process[0].seconds, recorded + 2.5, 1e-9);
    kt_read_done(&trace, &gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_orders_chunks),
        cmocka_unit_test(the_fuller_of_two_chunks_with_one_index_counts),
        cmocka_unit_test(what_is_not_committed_is_not_there),
        cmocka_unit_test(a_killed_process_is_incomplete),
        cmocka_unit_test(chunk_anchors_give_the_clock_of_a_killed_process),
        cmocka_unit_test(tells_that_a_process_is_running),
        cmocka_unit_test(what_a_process_elsewhere_still_writes_changes_nothing),
        cmocka_unit_test(the_clock_of_another_process_serves),
        cmocka_unit_test(an_unused_chunk_is_no_damage),
        cmocka_unit_test(losses_are_added_up),
        cmocka_unit_test(a_file_that_becomes_shorter_while_it_is_read_reads_as_zeros),
        cmocka_unit_test(wall_time_begins_with_the_program),
    };
    return cmocka_run_group_tests(tests, kt_dots_setup, NULL);
}
