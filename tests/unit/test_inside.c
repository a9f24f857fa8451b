/* SPDX-License-Identifier: BSD-3-Clause */
/* Nested calls of which only a sample is recorded (KTRACE_NESTED): what the reader knows of the outermost ones. */
#include "tests/unit/read_back.h"
#include "trace/read/cursor.h"
#include "trace/read/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SOLVE = DOT + 1, ONE = KT_INSIDE_ONE, TID = 7 };

static void begin(struct kt_gen *gen, const char *mode)
{
    kt_begin_dots(gen, PID);
    assert_int_equal(kt_gen_entry(gen, "dgesv", KT_FORTRAN), SOLVE);
    if (mode)
        kt_gen_nested(gen, mode);
}

/* An outermost call; WEIGHT 0: without an INSIDE. */
static void add_solve(struct kt_gen *gen, uint64_t start, uint64_t ticks, uint32_t weight, uint32_t passed)
{
    kt_gen_inside(gen, TID, weight);
    kt_gen_call(gen, &(struct kt_gen_call){TID, SOLVE, 0, start, ticks, GESV_ARGS("0")});
    kt_gen_more(gen, TID, &(struct kt_gen_more){.passed = passed});
}

static void add_event(struct kt_gen *gen, enum kt_event kind, uint64_t upper)
{
    kt_gen_event(gen, TID, &(uint64_t){kt_event_head(kind, 1, 0, upper)}, 1);
}

struct expected {
    unsigned depth;
    bool inside;
    double weight;
    uint64_t passed;
};

static void expect_of(const struct kt_trace *trace, const struct expected *expected, size_t count)
{
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin(trace, &cursor);
    for (size_t i = 0; i < count; i++) {
        assert_true(kt_cursor_next(&cursor, &call));
        assert_int_equal(call.depth, expected[i].depth);
        assert_int_equal(call.inside_recorded, expected[i].inside);
        assert_float_equal(call.weight, expected[i].weight, 0);
        assert_int_equal(call.passed, expected[i].passed);
    }
    assert_false(kt_cursor_next(&cursor, &call));
}

/* Reads the trace back, as it is or without its end file, and removes it. */
static void expect(struct kt_gen *gen, bool clean, const struct expected *expected, size_t count)
{
    struct kt_trace trace;
    kt_read_back(gen, clean, &trace);
    if (clean)
        assert_int_equal(trace.notes, 0);
    expect_of(&trace, expected, count);
    kt_read_done(&trace, gen);
}

#define EXPECT(gen, clean, ...) \
    expect(gen, clean, (struct expected[])__VA_ARGS__, sizeof(struct expected[]) __VA_ARGS__ / sizeof(struct expected))

/* --- what is there ----------------------------------------------------------------------------------------- */

/* Ends of all kinds: late ones and such that follow at once, short and long. */
static void add_all_kinds(struct kt_gen *gen)
{
    const struct kt_gen_more moved = {.migrated = true, .passed = 5};
    add_solve(gen, 1 * MS, 9 * MS, ONE, 0);
    kt_add_dot(gen, 1, 2 * MS, MS);
    kt_add_dot(gen, 1, 4 * MS, MS);
    add_solve(gen, 11 * MS, MS, 0, 7);
    kt_add_dot(gen, 0, 13 * MS, MS);
    add_solve(gen, 20 * MS, 9 * MS, 64 * ONE + ONE / 2, 3);
    kt_add_dot(gen, 1, 21 * MS, 0);
    add_solve(gen, 30 * MS, MS, 0, 0);
    kt_gen_more(gen, TID, &moved);
    add_solve(gen, 40 * MS, 9 * MS, 2 * ONE, 0);
    kt_gen_more(gen, TID, &moved);
    kt_add_dot(gen, 1, 41 * MS, MS);
    add_solve(gen, 50 * MS, 0, 3 * ONE, 9);
}

static void weights_and_numbers_are_those_of_the_events(void **state)
{
    (void)state;
    for (int clean = 0; clean < 2; clean++) {
        struct kt_gen gen;
        begin(&gen, "sample");
        add_all_kinds(&gen);
        EXPECT(&gen, clean,
               {{0, true, 1, 0},
                {1, true, 1, 0},
                {1, true, 1, 0},
                {0, false, 0, 7},
                {0, false, 0, 0},
                {0, true, 64.5, 3},
                {1, true, 64.5, 0},
                {0, false, 0, 5},
                {0, true, 2, 5},
                {1, true, 2, 0},
                {0, true, 3, 0}});
    }
}

/* They mean nothing where everything is recorded, as it was before there were such events. */
static void all_is_recorded_of_older_traces(void **state)
{
    (void)state;
    static const char *const modes[] = {NULL, "all"};
    for (int i = 0; i < 2; i++) {
        struct kt_gen gen;
        struct kt_trace trace;
        struct kt_cursor cursor;
        struct kt_call call;
        begin(&gen, modes[i]);
        add_all_kinds(&gen);
        kt_read_back(&gen, true, &trace);
        assert_int_equal(trace.process[0].nested_mode, KT_NESTED_ALL);
        kt_cursor_begin(&trace, &cursor);
        while (kt_cursor_next(&cursor, &call))
            assert_true(call.inside_recorded && call.weight == 1 && call.passed == 0);
        assert_int_equal(call.n, 10);
        kt_read_done(&trace, &gen);
    }
}

static void nothing_nested_is_recorded_if_none_is_wanted(void **state)
{
    (void)state;
    struct kt_gen gen;
    begin(&gen, "none");
    add_solve(&gen, MS, MS, 0, 4);
    kt_add_dot(&gen, 0, 3 * MS, MS);
    EXPECT(&gen, true, {{0, false, 0, 4}, {0, false, 0, 0}});
}

static void the_option_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        enum kt_nested_mode mode;
    } cases[] = {{"all", KT_NESTED_ALL},
                 {"sample", KT_NESTED_SAMPLE},
                 {"none", KT_NESTED_NONE},
                 {"what a later version has", KT_NESTED_SAMPLE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kt_gen gen;
        struct kt_trace trace;
        begin(&gen, cases[i].word);
        kt_add_dot(&gen, 0, MS, MS);
        kt_read_back(&gen, true, &trace);
        assert_int_equal(trace.process[0].nested_mode, cases[i].mode);
        assert_int_equal(kt_state_nested(&trace), cases[i].mode);
        kt_read_done(&trace, &gen);
    }
    assert_string_equal(kt_nested_name(KT_NESTED_ALL), "all");
    assert_string_equal(kt_nested_name(KT_NESTED_SAMPLE), "sample");
    assert_string_equal(kt_nested_name(KT_NESTED_NONE), "none");
}

/* A DONE has its INSIDE before it and its PASSED behind it. */
static void calls_of_one_word_have_them_too(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    begin(&gen, "sample");
    kt_add_dot(&gen, 0, MS, MS);
    add_event(&gen, KT_EVENT_INSIDE, 4 * ONE);
    kt_gen_event(&gen, TID, &(uint64_t){kt_done_word(DOT, 100, 5)}, 1);
    kt_gen_event(&gen, TID, &(uint64_t){kt_done_word(DOT, 100, 5)}, 1);
    add_event(&gen, KT_EVENT_PASSED, UINT32_MAX);
    kt_gen_event(&gen, TID, &(uint64_t){kt_done_word(DOT, 100, 5)}, 1);
    kt_gen_end(&gen, false);
    kt_open_fine(&gen, &trace);
    expect_of(&trace,
              (struct expected[]){{0, false, 0, 0}, {0, true, 4, 0}, {0, false, 0, UINT32_MAX}, {0, false, 0, 0}}, 4);
    assert_int_equal(trace.process[0].calls, 4);
    kt_read_done(&trace, &gen);
}

/* The weight is that of the call around also in the next chunk, where the end and its PASSED are. */
static void chunks_do_not_matter(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call;
    const int nested = 3 * kt_dots;
    begin(&gen, "sample");
    add_solve(&gen, 0, (uint64_t)(nested + 2) * MS, 8 * ONE, 6);
    for (int i = 0; i < nested; i++)
        kt_add_dot(&gen, 1, (uint64_t)(i + 1) * MS, MS / 2);
    kt_add_dot(&gen, 0, (uint64_t)(nested + 3) * MS, MS);
    kt_read_back(&gen, true, &trace);
    assert_int_equal(trace.notes, 0);
    kt_cursor_begin(&trace, &cursor);
    for (int i = 0; i <= nested; i++) {
        assert_true(kt_cursor_next(&cursor, &call));
        assert_true(call.inside_recorded && call.weight == 8);
        assert_int_equal(call.passed, i == 0 ? 6 : 0);
    }
    assert_true(kt_cursor_next(&cursor, &call));
    assert_true(!call.inside_recorded && call.weight == 0);
    assert_false(kt_cursor_next(&cursor, &call));
    kt_read_done(&trace, &gen);
}

/* --- out of place ------------------------------------------------------------------------------------------ */

static void an_inside_counts_only_right_before_an_outermost_call(void **state)
{
    (void)state;
    static const uint64_t leave[] = {KT_EVENT_REGION | KT_REGION_WORDS << 8, KT_GEN_ORIGIN};
    struct kt_gen gen;
    begin(&gen, "sample");
    add_event(&gen, KT_EVENT_INSIDE, 2 * ONE); /* a region is in between */
    kt_gen_event(&gen, TID, leave, KT_REGION_WORDS);
    kt_add_dot(&gen, 0, MS, MS);
    add_event(&gen, KT_EVENT_INSIDE, 2 * ONE); /* a PASSED is */
    add_event(&gen, KT_EVENT_PASSED, 1);
    kt_add_dot(&gen, 0, 3 * MS, MS);
    add_event(&gen, KT_EVENT_INSIDE, 2 * ONE); /* the chunk ends */
    kt_gen_next_chunk(&gen, TID);
    kt_add_dot(&gen, 0, 5 * MS, MS);
    add_event(&gen, KT_EVENT_INSIDE, 2 * ONE); /* another one is: that counts */
    add_event(&gen, KT_EVENT_INSIDE, 3 * ONE);
    kt_add_dot(&gen, 0, 7 * MS, MS);
    add_event(&gen, KT_EVENT_INSIDE, 0); /* stands for nothing */
    kt_add_dot(&gen, 0, 9 * MS, MS);
    add_event(&gen, KT_EVENT_INSIDE, 2 * ONE); /* not of depth 0, and within no call that is there */
    kt_add_dot(&gen, 1, 11 * MS, MS);
    kt_add_dot(&gen, 0, 13 * MS, MS);
    add_event(&gen, KT_EVENT_INSIDE, 2 * ONE); /* nothing follows */
    EXPECT(&gen, true,
           {{0, false, 0, 0},
            {0, false, 0, 0},
            {0, false, 0, 0},
            {0, true, 3, 0},
            {0, false, 0, 0},
            {1, true, 1, 0},
            {0, false, 0, 0}});
}

static void a_passed_counts_only_right_behind_the_end_of_an_outermost_call(void **state)
{
    (void)state;
    static const uint64_t leave[] = {KT_EVENT_REGION | KT_REGION_WORDS << 8, KT_GEN_ORIGIN};
    struct kt_gen gen;
    begin(&gen, "sample");
    add_event(&gen, KT_EVENT_PASSED, 1); /* nothing is before it */
    kt_add_dot(&gen, 0, MS, MS);
    kt_gen_event(&gen, TID, leave, KT_REGION_WORDS);
    add_event(&gen, KT_EVENT_PASSED, 2); /* a region is */
    add_solve(&gen, 3 * MS, 3 * MS, ONE, 0);
    kt_add_dot(&gen, 1, 4 * MS, MS);
    kt_gen_more(&gen, TID, &(struct kt_gen_more){.passed = 3}); /* of a nested call */
    add_solve(&gen, 7 * MS, MS, 0, 4);
    add_event(&gen, KT_EVENT_PASSED, 5); /* another one is before it */
    kt_add_dot(&gen, 0, 9 * MS, MS);
    kt_gen_next_chunk(&gen, TID); /* the end comes in the next one */
    add_event(&gen, KT_EVENT_PASSED, 6);
    EXPECT(&gen, false, {{0, false, 0, 0}, {0, true, 1, 0}, {1, true, 1, 0}, {0, false, 0, 4}, {0, false, 0, 6}});
}

/* The end is the last event of its chunk. */
static void a_passed_in_another_chunk_is_skipped(void **state)
{
    (void)state;
    for (int nested = 0; nested < 2; nested++) {
        struct kt_gen gen;
        struct kt_trace trace;
        begin(&gen, "sample");
        add_solve(&gen, MS, 9 * MS, ONE, 0);
        if (nested)
            kt_add_dot(&gen, 1, 2 * MS, MS);
        kt_add_dot(&gen, 0, 20 * MS, MS); /* ends the first */
        add_event(&gen, KT_EVENT_REGION + 90, 0);
        kt_gen_next_chunk(&gen, TID);
        add_event(&gen, KT_EVENT_PASSED, 6);
        kt_read_back(&gen, true, &trace);
        assert_int_equal(trace.notes, 0);
        const struct expected expected[] = {{0, true, 1, 0}, {1, true, 1, 0}, {0, false, 0, 0}};
        if (nested)
            expect_of(&trace, expected, 3);
        else
            expect_of(&trace, (struct expected[]){expected[0], expected[2]}, 2);
        kt_read_done(&trace, &gen);
    }
}

/* The call is one with a late end: neither its beginning nor its end tells of the event between them. */
static void events_between_a_call_and_its_end_part_them(void **state)
{
    (void)state;
    static const uint64_t end[] = {KT_EVENT_END | KT_END_WORDS << 8 | (uint64_t)MS << 32, KT_GEN_ORIGIN + MS};
    static const enum kt_event between[] = {KT_EVENT_INSIDE, KT_EVENT_PASSED};
    for (int i = 0; i < 2; i++) {
        struct kt_gen gen;
        struct kt_trace trace;
        begin(&gen, "sample");
        kt_add_dot(&gen, 0, MS, 0);
        add_event(&gen, between[i], 2 * ONE);
        kt_gen_event(&gen, TID, end, KT_END_WORDS);
        add_event(&gen, KT_EVENT_PASSED, 8);
        kt_gen_end(&gen, false);
        kt_open_fine(&gen, &trace);
        expect_of(&trace, (struct expected[]){{0, false, 0, 8}}, 1);
        kt_read_done(&trace, &gen);
    }
}

/* --- damage ------------------------------------------------------------------------------------------------ */

/* Nobody knows the weight of the call around: that is lost with its chunk. */
static void nested_calls_whose_outermost_is_lost_stand_for_themselves(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    begin(&gen, "sample");
    add_solve(&gen, 0, MS, 0, 2);
    add_event(&gen, KT_EVENT_REGION + 90, 0); /* ends it */
    kt_gen_next_chunk(&gen, TID);
    add_solve(&gen, 10 * MS, 20 * MS, 16 * ONE, 0);
    kt_gen_next_chunk(&gen, TID);
    kt_add_dot(&gen, 1, 11 * MS, MS);
    kt_add_dot(&gen, 1, 13 * MS, MS);
    add_solve(&gen, 40 * MS, MS, 0, 3);
    kt_gen_end(&gen, false);
    kt_gen_patch(&gen, "t7", CHUNK, "X", 1);
    kt_open_fine(&gen, &trace);
    kt_expect_note(&trace, "1 call is missing before chunk 2");
    expect_of(&trace, (struct expected[]){{0, false, 0, 2}, {1, true, 1, 0}, {1, true, 1, 0}, {0, false, 0, 3}}, 4);
    kt_read_done(&trace, &gen);
}

/* What of the stream is there has the weights and numbers that it had. */
static void every_cut_leaves_what_was_before_it(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_cursor cursor;
    struct kt_call call, whole[11];
    begin(&gen, "sample");
    add_all_kinds(&gen);
    kt_gen_end(&gen, false);
    const long size = (long)gen.stream[0].at;
    kt_open_fine(&gen, &trace);
    kt_cursor_begin(&trace, &cursor);
    for (int i = 0; i < 11; i++)
        assert_true(kt_cursor_next(&cursor, &whole[i]));
    kt_trace_close(&trace);
    for (long cut = size - 1; cut >= 0; cut--) {
        kt_gen_cut(&gen, "t7", cut);
        kt_open_fine(&gen, &trace);
        for (kt_cursor_begin(&trace, &cursor); kt_cursor_next(&cursor, &call);) {
            assert_float_equal(call.weight, whole[call.n].weight, 0);
            assert_true(call.passed == whole[call.n].passed || call.passed == 0);
            assert_true(call.complete || call.passed == 0);
        }
        kt_trace_close(&trace);
    }
    kt_gen_remove(&gen);
}

static void a_length_that_cannot_be_ends_the_chunk(void **state)
{
    (void)state;
    static const enum kt_event kinds[] = {KT_EVENT_INSIDE, KT_EVENT_PASSED};
    static const unsigned char lengths[] = {0, 2, 3, 255};
    for (size_t i = 0; i < 8; i++) {
        struct kt_gen gen;
        const uint64_t event[] = {kt_event_head(kinds[i % 2], lengths[i / 2], 0, ONE), 0, 0};
        begin(&gen, "sample");
        kt_add_dot(&gen, 0, MS, MS);
        kt_gen_event(&gen, TID, event, 3);
        kt_add_dot(&gen, 0, 3 * MS, MS);
        kt_gen_next_chunk(&gen, TID);
        kt_add_dot(&gen, 0, 5 * MS, MS);
        kt_gen_end(&gen, false);
        kt_expect_calls(&gen, 2, "has an impossible length; it and the rest of its chunk");
        kt_gen_remove(&gen);
    }
}

/* --- totals ------------------------------------------------------------------------------------------------ */

static void expect_totals(const struct kt_gen *gen, const uint64_t expected[3], const char *note)
{
    struct kt_trace trace;
    struct kt_state found;
    kt_open_fine(gen, &trace);
    kt_state_find(&trace, &found);
    assert_int_equal(found.outermost, expected[0]);
    assert_int_equal(found.outermost_inside, expected[1]);
    assert_int_equal(found.passed, expected[2]);
    if (note)
        kt_expect_note(&trace, note);
    else
        assert_int_equal(trace.notes, 0);
    kt_state_free(&found);
    kt_trace_close(&trace);
}

static void totals_are_those_of_the_heads_or_of_the_end(void **state)
{
    (void)state;
    struct kt_gen gen;
    begin(&gen, "sample");
    add_all_kinds(&gen);
    kt_gen_call(&gen, &(struct kt_gen_call){9, DOT, 0, MS, MS, "10 0x1000 1 0x2000 1"});
    kt_gen_more(&gen, 9, &(struct kt_gen_more){.passed = 100});
    kt_gen_end(&gen, true);
    expect_totals(&gen, (uint64_t[]){8, 4, 120}, NULL);
    kt_gen_replace_line(&gen, "end", "passed", "passed\t125");
    expect_totals(&gen, (uint64_t[]){8, 4, 125}, "the streams tell of 120 of 125 nested calls that were passed on");
    kt_gen_replace_line(&gen, "end", "passed", NULL);
    expect_totals(&gen, (uint64_t[]){8, 4, 120}, NULL);
    kt_gen_delete(&gen, "end");
    expect_totals(&gen, (uint64_t[]){8, 4, 120}, "too short");
    kt_gen_remove(&gen);
}

/* The others say nothing of what they have. */
static void the_process_that_samples_counts(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    begin(&gen, NULL);
    kt_add_dot(&gen, 0, MS, MS);
    kt_gen_end(&gen, true);
    kt_gen_copy_process(&gen, 43);
    kt_open_fine(&gen, &trace);
    assert_int_equal(kt_state_nested(&trace), KT_NESTED_ALL);
    kt_trace_close(&trace);
    kt_gen_nested(&gen, "none");
    kt_open_fine(&gen, &trace);
    assert_int_equal(trace.processes, 2);
    assert_int_equal(kt_state_nested(&trace), KT_NESTED_NONE);
    expect_of(&trace, (struct expected[]){{0, false, 0, 0}, {0, true, 1, 0}}, 2);
    kt_read_done(&trace, &gen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_and_numbers_are_those_of_the_events),
        cmocka_unit_test(all_is_recorded_of_older_traces),
        cmocka_unit_test(nothing_nested_is_recorded_if_none_is_wanted),
        cmocka_unit_test(the_option_is_read),
        cmocka_unit_test(calls_of_one_word_have_them_too),
        cmocka_unit_test(chunks_do_not_matter),
        cmocka_unit_test(an_inside_counts_only_right_before_an_outermost_call),
        cmocka_unit_test(a_passed_counts_only_right_behind_the_end_of_an_outermost_call),
        cmocka_unit_test(a_passed_in_another_chunk_is_skipped),
        cmocka_unit_test(events_between_a_call_and_its_end_part_them),
        cmocka_unit_test(nested_calls_whose_outermost_is_lost_stand_for_themselves),
        cmocka_unit_test(every_cut_leaves_what_was_before_it),
        cmocka_unit_test(a_length_that_cannot_be_ends_the_chunk),
        cmocka_unit_test(totals_are_those_of_the_heads_or_of_the_end),
        cmocka_unit_test(the_process_that_samples_counts),
    };
    return cmocka_run_group_tests(tests, kt_dots_setup, NULL);
}
