/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the reader sums up while it checks the events is what a walk over all calls finds.
 */
#include "tests/parts/tracegen.h"
#include "trace/read/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MS = KT_GEN_HZ / 1000 };

static const char dot_args[] = "10 0x1000 1 0x2000 1";
static const char solve_args[] = "3 1 0x1000 3 0x2000 0x3000 3 0";

struct fixture {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_state state;
    int dot, solve;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){0};
    kt_gen_begin(&f->gen, "trace/routines", 42);
    f->dot = kt_gen_entry(&f->gen, "ddot", KT_FORTRAN);
    f->solve = kt_gen_entry(&f->gen, "dgesv", KT_FORTRAN);
}

static void call(struct fixture *f, uint32_t tid, int entry, unsigned depth, uint64_t start, uint64_t ticks)
{
    kt_gen_call(&f->gen,
                &(struct kt_gen_call){tid, entry, depth, start, ticks, entry == f->dot ? dot_args : solve_args});
}

/* Totals are compared with the calls one by one. */
static void find(struct fixture *f, bool clean)
{
    struct kt_error error = {0};
    struct kt_cursor cursor;
    struct kt_call each;
    struct kt_state sum = {0};
    kt_gen_end(&f->gen, clean);
    assert_int_equal(kt_trace_open(f->gen.trace, &f->trace, &error), KT_OK);
    kt_state_find(&f->trace, &f->state);
    for (kt_cursor_begin(&f->trace, &cursor); kt_cursor_next(&cursor, &each);) {
        sum.calls++;
        sum.completed += each.complete;
        sum.migrated += each.migrated;
        sum.implausible += !kt_call_is_plausible(&each);
        sum.outermost += each.depth == 0;
        sum.outermost_inside += each.depth == 0 && each.inside_recorded;
        sum.passed += each.passed;
    }
    assert_int_equal(f->state.calls, sum.calls);
    assert_int_equal(f->state.completed, sum.completed);
    assert_int_equal(f->state.migrated, sum.migrated);
    assert_int_equal(f->state.implausible, sum.implausible);
    assert_int_equal(f->state.outermost, sum.outermost);
    assert_int_equal(f->state.outermost_inside, sum.outermost_inside);
    assert_int_equal(f->state.passed, sum.passed);
}

static void end(struct fixture *f)
{
    kt_state_free(&f->state);
    kt_trace_close(&f->trace);
    kt_gen_remove(&f->gen);
}

static void totals_are_those_of_all_calls(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    for (uint64_t i = 0; i < 100; i++) {
        call(&f, 7, f.solve, 0, 10 * i * MS, 9 * MS);
        if (i % 10 == 0)
            kt_gen_more(&f.gen, 7, &(struct kt_gen_more){.migrated = true});
        call(&f, 7, f.dot, 1, (10 * i + 1) * MS, MS);
        if (i % 5 == 0)
            kt_gen_more(&f.gen, 7, &(struct kt_gen_more){.migrated = true});
        call(&f, 8, f.dot, 0, 10 * i * MS, i == 99 ? 0 : MS);
    }
    find(&f, true);
    assert_int_equal(f.state.calls, 300);
    assert_int_equal(f.state.completed, 299);
    assert_int_equal(f.state.migrated, 30);
    assert_int_equal(f.state.implausible, 0);
    assert_int_equal(f.state.in_flights, 0); /* the end was clean */
    end(&f);
}

static void nested_calls_that_were_passed_on_are_counted(void **state)
{
    (void)state;
    for (int clean = 0; clean < 2; clean++) {
        struct fixture f;
        begin(&f);
        kt_gen_nested(&f.gen, "sample");
        for (uint64_t i = 0; i < 200; i++) {
            uint32_t tid = i % 3 ? 7 : 8;
            bool inside = i % 10 == 0;
            kt_gen_inside(&f.gen, tid, inside ? 10 * KT_INSIDE_ONE : 0);
            call(&f, tid, f.solve, 0, 10 * i * MS, 9 * MS);
            kt_gen_more(&f.gen, tid, &(struct kt_gen_more){.passed = inside ? 0 : 4});
            if (inside)
                call(&f, tid, f.dot, 1, (10 * i + 1) * MS, MS);
        }
        find(&f, clean);
        assert_int_equal(f.state.outermost, 200);
        assert_int_equal(f.state.outermost_inside, 20);
        assert_int_equal(f.state.passed, 720);
        end(&f);
    }
}

/* One in each trace: each alone has to be noticed. */
static void impossible_durations_are_counted(void **state)
{
    (void)state;
    static const struct {
        uint64_t start, ticks;
    } impossible[] = {{MS, UINT64_C(1) << 60},                 /* too long */
                      {UINT64_C(1) << 61, MS},                 /* too late */
                      {(uint64_t)-2 * KT_GEN_ORIGIN, MS},      /* so early that it comes after the last */
                      {(uint64_t) - (KT_GEN_ORIGIN / 2), MS}}; /* before the process */
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        struct fixture f;
        begin(&f);
        call(&f, 7, f.dot, 0, 0, MS);
        call(&f, 7, f.dot, 0, impossible[i].start, impossible[i].ticks);
        find(&f, true);
        assert_int_equal(f.state.implausible, 1);
        end(&f);
    }
}

/* Calls that a jump left are not in flight, nor is one of another thread that has returned. */
static void calls_in_flight_are_found(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    for (uint64_t i = 0; i < 50; i++)
        call(&f, 7, f.dot, 0, i * MS, MS);
    call(&f, 7, f.solve, 0, 100 * MS, 0);
    call(&f, 7, f.dot, 1, 101 * MS, MS);
    call(&f, 7, f.dot, 1, 103 * MS, 0);
    call(&f, 8, f.dot, 0, 0, MS);
    call(&f, 9, f.dot, 0, 0, 0); /* left */
    call(&f, 9, f.solve, 0, 5 * MS, 0);
    find(&f, false);
    assert_int_equal(f.state.in_flights, 3);
    assert_string_equal(f.state.in_flight[0].entry->symbol.name, "dgesv_");
    assert_int_equal(f.state.in_flight[0].n, 50);
    assert_int_equal(f.state.in_flight[1].n, 52);
    assert_int_equal(f.state.in_flight[1].depth, 1);
    assert_int_equal(f.state.in_flight[2].tid, 9);
    assert_string_equal(f.state.in_flight[2].entry->symbol.name, "dgesv_");
    int64_t n;
    memcpy(&n, f.state.in_flight[1].args + f.state.in_flight[1].entry->symbol.param[0].offset, sizeof n);
    assert_int_equal(n, 10);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_those_of_all_calls),
        cmocka_unit_test(nested_calls_that_were_passed_on_are_counted),
        cmocka_unit_test(impossible_durations_are_counted),
        cmocka_unit_test(calls_in_flight_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
