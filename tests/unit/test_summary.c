/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls made by hand: nesting decides which time is whose, and nothing may be counted twice.
 */
#include "model/summary/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Times in these tests are whole seconds: the clock ticks once a second and costs nothing. */
static const struct kt_process process_one = {.pid = 1, .tick_hz = 1.0, .tick_seconds = 1.0};
static const struct kt_process process_two = {.pid = 2, .tick_hz = 1.0, .tick_seconds = 1.0};
static const struct kt_object library = {.path = "lib", .int_bytes = 4};

static const char spec[] = "[lapack]\n"
                           "work d | dim:n | mul=n add=n\n"
                           "inner d | dim:n | mul=n\n"
                           "dark d | dim:n |\n"
                           "asks d | dim:n work:work[max(1,lwork)] lwork:lwork | mul=n\n";

struct fixture {
    struct kt_table table;
    struct kt_entry entry[4];
    struct kt_summariser *summariser;
    unsigned char args[64];
    uint64_t n;
};

enum { WORK, INNER, DARK, ASKS };

static int setup(void **state)
{
    static struct fixture fixture;
    struct kt_error error = {0};
    fixture = (struct fixture){.summariser = kt_summariser_new()};
    if (kt_table_parse(spec, "spec", &fixture.table, &error) != KT_OK)
        fail_msg("%s", error.text);
    for (int i = 0; i < 4; i++) {
        assert_true(kt_symbol_make(&fixture.table.routine[i], KT_FORTRAN, &fixture.entry[i].symbol));
        fixture.entry[i].library = &library;
    }
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    kt_table_free(&f->table);
    return 0;
}

/* What a call is, apart from its routine. */
struct given {
    int depth;
    int64_t parent;
    uint64_t seconds; /* 0: has not returned */
    uint32_t tid;
    uint64_t caller;
    const struct kt_process *process;
    int64_t lwork;
    int64_t n;        /* 0: 10 */
    uint64_t version; /* of the arguments, 0: not known */
};

static void set_integer(struct fixture *f, const struct kt_symbol *symbol, const char *name, int64_t value)
{
    for (int i = 0; i < symbol->params; i++)
        if (!strcmp(symbol->param[i].name, name))
            memcpy(f->args + symbol->param[i].offset, &value, sizeof value);
}

static void add(struct fixture *f, int routine, struct given given)
{
    const struct kt_entry *entry = &f->entry[routine];
    memset(f->args, 0, sizeof f->args);
    set_integer(f, &entry->symbol, "n", given.n ? given.n : 10);
    set_integer(f, &entry->symbol, "lwork", given.lwork);
    const struct kt_call call = {.n = f->n++,
                                 .process = given.process ? given.process : &process_one,
                                 .tid = given.tid,
                                 .entry = entry,
                                 .version = given.version,
                                 .depth = (unsigned)given.depth,
                                 .ticks = given.seconds,
                                 .caller = given.caller,
                                 .args = f->args,
                                 .parent = given.parent,
                                 .complete = given.seconds != 0};
    kt_summariser_add(f->summariser, &call);
}

static const struct kt_sum *routine(const struct kt_summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->routines.count; i++)
        if (!strcmp(summary->routines.sum[i].routine, name))
            return &summary->routines.sum[i];
    fail_msg("no routine %s", name);
    return NULL;
}

static void test_nothing(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    kt_summariser_finish(f->summariser, &summary);
    assert_int_equal(summary.calls, 0);
    assert_int_equal(summary.routines.count, 0);
    assert_true(summary.seconds_blas == 0);
    kt_summary_free(&summary);
}

static void test_nested_time_counts_once(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    add(f, WORK, (struct given){.parent = -1, .seconds = 10});
    add(f, INNER, (struct given){.depth = 1, .parent = 0, .seconds = 3});
    add(f, INNER, (struct given){.depth = 1, .parent = 0, .seconds = 4});
    add(f, INNER, (struct given){.parent = -1, .seconds = 5});
    kt_summariser_finish(f->summariser, &summary);
    assert_int_equal(summary.calls, 4);
    assert_int_equal(summary.calls_top, 2);
    assert_true(summary.seconds_blas == 15);
    assert_true(summary.seconds_self == 15);
    const struct kt_sum *work = routine(&summary, "work");
    const struct kt_sum *inner = routine(&summary, "inner");
    assert_true(work->seconds == 10 && work->seconds_self == 3);
    assert_true(inner->seconds == 12 && inner->seconds_self == 12);
    assert_int_equal(inner->calls, 3);
    assert_int_equal(inner->calls_top, 1);
    assert_ptr_equal(inner, &summary.routines.sum[0]); /* largest first */
    kt_summary_free(&summary);
}

/* As when a CBLAS routine calls its Fortran one, or a recursive factorisation itself, with others in between. */
static void test_routine_inside_itself(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    add(f, WORK, (struct given){.parent = -1, .seconds = 10});
    add(f, INNER, (struct given){.depth = 1, .parent = 0, .seconds = 8});
    add(f, WORK, (struct given){.depth = 2, .parent = 1, .seconds = 6});
    kt_summariser_finish(f->summariser, &summary);
    const struct kt_sum *work = routine(&summary, "work");
    assert_int_equal(work->calls, 2);
    assert_int_equal(work->calls_top, 1);
    assert_true(work->seconds == 10);
    assert_true(work->seconds_self == 10 - 8 + 6);
    assert_true(work->flops == 20); /* of one call */
    assert_true(routine(&summary, "inner")->seconds_self == 2);
    kt_summary_free(&summary);
}

static void test_unknown_operation_count(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    add(f, DARK, (struct given){.parent = -1, .seconds = 1});
    add(f, INNER, (struct given){.parent = -1, .seconds = 1});
    kt_summariser_finish(f->summariser, &summary);
    assert_true(isnan(routine(&summary, "dark")->flops));
    assert_true(routine(&summary, "inner")->flops == 10);
    kt_summary_free(&summary);
}

static void test_workspace_query_does_no_work(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    add(f, ASKS, (struct given){.parent = -1, .seconds = 1, .lwork = -1});
    add(f, ASKS, (struct given){.parent = -1, .seconds = 1, .lwork = 64});
    kt_summariser_finish(f->summariser, &summary);
    const struct kt_sum *asks = routine(&summary, "asks");
    assert_int_equal(asks->calls, 2);
    assert_true(asks->seconds == 2);
    assert_true(asks->flops == 10);
    kt_summary_free(&summary);
}

/* Arguments are looked at again where they may be others. */
static void test_work_of_each_version(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    add(f, INNER, (struct given){.parent = -1, .seconds = 1, .n = 1, .version = 7});
    add(f, INNER, (struct given){.parent = -1, .seconds = 1, .n = 1, .version = 7});
    add(f, INNER, (struct given){.parent = -1, .seconds = 1, .n = 20, .version = 8});
    add(f, INNER, (struct given){.parent = -1, .seconds = 1, .n = 1, .version = 7, .caller = 5});
    add(f, INNER, (struct given){.parent = -1, .seconds = 1, .n = 300});
    add(f, INNER, (struct given){.parent = -1, .seconds = 1, .n = 4000});
    add(f, WORK, (struct given){.parent = -1, .seconds = 1, .n = 5, .version = 8});
    kt_summariser_finish(f->summariser, &summary);
    assert_true(routine(&summary, "inner")->flops == 1 + 1 + 20 + 1 + 300 + 4000);
    assert_true(routine(&summary, "work")->flops == 5 + 5);
    kt_summary_free(&summary);
}

/* More than are remembered at once. */
static void test_many_callers(void **state)
{
    enum { CALLERS = 5000 };
    struct fixture *f = *state;
    struct kt_summary summary;
    for (uint64_t i = 0; i < 2 * CALLERS; i++)
        add(f, i % 2 ? WORK : INNER, (struct given){.parent = -1, .seconds = 1, .caller = 1 + i / 2});
    kt_summariser_finish(f->summariser, &summary);
    assert_int_equal(summary.callers.count, 2 * CALLERS); /* of each a routine */
    for (size_t i = 0; i < 2 * CALLERS; i++)
        assert_int_equal(summary.callers.sum[i].calls, 1);
    assert_int_equal(routine(&summary, "work")->calls, CALLERS);
    kt_summary_free(&summary);
}

/* The program died in a call: what was nested in it has a time, the call itself has none. */
static void test_call_in_flight(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    add(f, WORK, (struct given){.parent = -1});
    add(f, INNER, (struct given){.depth = 1, .parent = 0, .seconds = 4});
    kt_summariser_finish(f->summariser, &summary);
    assert_int_equal(summary.unfinished, 1);
    assert_true(summary.seconds_blas == 0);
    assert_true(summary.seconds_self == 4);
    const struct kt_sum *work = routine(&summary, "work");
    assert_int_equal(work->calls, 1);
    assert_true(work->seconds == 0 && work->seconds_self == 0);
    assert_true(work->flops == 0);
    kt_summary_free(&summary);
}

/* Nested calls whose parents were lost, or that are deeper than anything remembers, take nobody's time. */
static void test_lost_parents(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    add(f, WORK, (struct given){.parent = -1, .seconds = 10});
    add(f, INNER, (struct given){.depth = 1, .parent = -1, .seconds = 2});
    add(f, INNER, (struct given){.depth = 5, .parent = 0, .seconds = 2});
    add(f, INNER, (struct given){.depth = 64, .parent = 2, .seconds = 2});
    add(f, INNER, (struct given){.depth = 65535, .parent = 3, .seconds = 2});
    kt_summariser_finish(f->summariser, &summary);
    assert_int_equal(summary.calls, 5);
    assert_true(routine(&summary, "work")->seconds_self == 10);
    assert_true(routine(&summary, "inner")->seconds == 8);
    kt_summary_free(&summary);
}

static void test_callers_count_outermost_calls(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    add(f, WORK, (struct given){.parent = -1, .seconds = 2, .caller = 0x100});
    add(f, INNER, (struct given){.depth = 1, .parent = 0, .seconds = 1, .caller = 0x900});
    add(f, INNER, (struct given){.parent = -1, .seconds = 7, .caller = 0x200});
    add(f, WORK, (struct given){.parent = -1, .seconds = 3, .caller = 0x100});
    add(f, WORK, (struct given){.parent = -1, .seconds = 1, .caller = 0x100, .process = &process_two});
    kt_summariser_finish(f->summariser, &summary);
    assert_int_equal(summary.callers.count, 3);
    assert_int_equal(summary.callers.sum[0].id, 0x200);
    assert_int_equal(summary.callers.sum[1].id, 0x100);
    assert_int_equal(summary.callers.sum[1].calls_top, 2);
    assert_true(summary.callers.sum[1].seconds == 5);
    assert_ptr_equal(summary.callers.sum[2].process, &process_two);
    kt_summary_free(&summary);
}

static void test_threads_and_processes(void **state)
{
    struct fixture *f = *state;
    struct kt_summary summary;
    add(f, WORK, (struct given){.parent = -1, .seconds = 2, .tid = 1});
    add(f, INNER, (struct given){.depth = 1, .parent = 0, .seconds = 1, .tid = 1});
    add(f, WORK, (struct given){.parent = -1, .seconds = 5, .tid = 7});
    add(f, WORK, (struct given){.parent = -1, .seconds = 1, .tid = 7, .process = &process_two});
    kt_summariser_finish(f->summariser, &summary);
    assert_int_equal(summary.threads.count, 3);
    assert_int_equal(summary.threads.sum[0].id, 7);
    assert_int_equal(summary.threads.sum[1].id, 1);
    assert_int_equal(summary.threads.sum[1].calls, 2);
    assert_int_equal(summary.threads.sum[1].calls_top, 1);
    assert_true(summary.threads.sum[1].seconds == 2);
    assert_int_equal(summary.processes.count, 2);
    assert_true(summary.processes.sum[0].seconds == 7);
    assert_int_equal(summary.processes.sum[1].calls, 1);
    kt_summary_free(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nested_time_counts_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_routine_inside_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_operation_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_workspace_query_does_no_work, setup, teardown),
        cmocka_unit_test_setup_teardown(test_call_in_flight, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_callers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_work_of_each_version, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost_parents, setup, teardown),
        cmocka_unit_test_setup_teardown(test_callers_count_outermost_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads_and_processes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
