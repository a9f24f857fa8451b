/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces whose calls are of two kinds, by page faults, by other threads, by where operands were, or nobody knows why.
 */
#include "model/decomposition/call_facts.h"
#include "tests/parts/tracegen.h"
#include "trace/base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { US = KT_GEN_HZ / 1000000, CALLS = 24, HALF = CALLS / 2, QUICK = 1000, SLOW = 3000 /* us */, N = 1000 };

struct made {
    struct kt_gen gen;
    int dot, gesv;
    uint64_t at;
};

static void begin(struct made *m)
{
    *m = (struct made){.at = US};
    kt_gen_begin(&m->gen, "trace/routines", 42);
    m->dot = kt_gen_entry(&m->gen, "ddot", KT_FORTRAN);
    m->gesv = kt_gen_entry(&m->gen, "dgesv", KT_FORTRAN);
}

/* A ddot of vectors of N numbers that begin there. The times of a kind differ somewhat. */
static void add_dot(struct made *m, bool slow, int n, uint64_t x)
{
    char args[80];
    uint64_t us = (slow ? SLOW : QUICK) + 7 * (m->at / US % 11);
    snprintf(args, sizeof args, "%d %#lx 1 %#lx 1", n, (unsigned long)x, (unsigned long)(x + (1 << 20)));
    kt_gen_call(&m->gen, &(struct kt_gen_call){7, m->dot, 0, m->at, us * US, args});
    m->at += (us + 10) * US;
}

/* The kinds of the shape that takes most time. */
static struct kt_kinds kinds_of(struct made *m)
{
    struct kt_trace trace;
    struct kt_shapes shapes;
    struct kt_error error = {0};
    kt_gen_end(&m->gen, true);
    assert_int_equal(kt_trace_open(m->gen.trace, &trace, &error), KT_OK);
    kt_shapes_collect(&trace, KT_OUTERMOST, &shapes);
    struct kt_kinds *all = kt_resize(NULL, shapes.count, sizeof *all);
    kt_call_facts_find(&trace, &shapes, all);
    struct kt_kinds kinds = all[0];
    free(all);
    kt_shapes_free(&shapes);
    kt_trace_close(&trace);
    kt_gen_remove(&m->gen);
    return kinds;
}

static void expect(struct made *m, enum kt_fact by, double quick, double slow)
{
    struct kt_kinds kinds = kinds_of(m);
    assert_true(kinds.found);
    assert_int_equal(kinds.by, by);
    assert_int_equal(kinds.kind[0].calls, HALF);
    assert_int_equal(kinds.kind[1].calls, HALF);
    assert_true(fabs(kinds.kind[0].median - QUICK * 1e-6) < 100e-6);
    assert_true(fabs(kinds.kind[1].median - SLOW * 1e-6) < 100e-6);
    if (by == KT_FACTS)
        return;
    assert_true(fabs(kinds.kind[0].fact[by] - quick) <= 0.02 * quick);
    assert_true(fabs(kinds.kind[1].fact[by] - slow) <= 0.02 * slow);
}

static void by_page_faults(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    for (int i = 0; i < CALLS; i++) {
        add_dot(&m, i < HALF, N, 0x1000000);
        kt_gen_more(&m.gen, 7, &(struct kt_gen_more){.faults = 1 + (i < HALF ? 7813 : 0)});
    }
    expect(&m, KT_FACT_FAULTS, 0, 7813);
}

/* Every other call is beside one of another thread that takes all of its time. */
static void by_other_threads(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    for (int i = 0; i < CALLS; i++) {
        if (i % 2)
            kt_gen_call(&m.gen,
                        &(struct kt_gen_call){9, m.dot, 0, m.at - US, (SLOW + 100) * US, "5 0x9000 1 0xa000 1"});
        add_dot(&m, i % 2, N, 0x1000000);
        m.at += 200 * US;
    }
    expect(&m, KT_FACT_OTHERS, 0, 1);
}

static void by_first_touch(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    add_dot(&m, false, 2 * N, 0x1000000);
    for (int i = 0; i < CALLS; i++)
        add_dot(&m, i % 2, N, 0x1000000 + (i % 2 ? (uint64_t)(i + 1) << 24 : 0));
    expect(&m, KT_FACT_FRESH, 0, 1);
}

/* Between two of the slow ones other calls touched 8 MB. */
static void by_distance(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    add_dot(&m, false, N, 0x1000000);
    for (int i = 0; i < CALLS; i++) {
        if (i % 2)
            kt_gen_call(&m.gen, &(struct kt_gen_call){7, m.dot, 0, m.at, US, "500000 0x20000000 1 0x28000000 1"});
        m.at += 2 * US;
        add_dot(&m, i % 2, N + 1, 0x1000000);
    }
    expect(&m, KT_FACT_DISTANCE, 2 * 8 * N, 2 * 8 * (500000 + N));
}

static void nobody_knows_why(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    add_dot(&m, false, 2 * N, 0x1000000);
    for (int i = 0; i < CALLS; i++)
        add_dot(&m, i % 2, N, 0x1000000);
    expect(&m, KT_FACTS, 0, 0);
}

static void one_kind(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    for (int i = 0; i < CALLS; i++) {
        add_dot(&m, false, N, 0x1000000);
        kt_gen_more(&m.gen, 7, &(struct kt_gen_more){.faults = 1 + (i < HALF ? 7813 : 0)});
    }
    assert_false(kinds_of(&m).found);
}

/* Calls that recording made longer are no kind of their own. */
static void recorded_insides_are_left_out(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    kt_gen_nested(&m.gen, "sample");
    for (int i = 0; i < CALLS; i++) {
        uint64_t us = (i % 2 ? SLOW : QUICK) + 7 * (m.at / US % 11);
        if (i % 2)
            kt_gen_inside(&m.gen, 7, 512);
        kt_gen_call(&m.gen, &(struct kt_gen_call){7, m.gesv, 0, m.at, us * US, "3 1 0x1000 3 0x2000 0x3000 3 0"});
        if (i % 2)
            kt_gen_call(&m.gen, &(struct kt_gen_call){7, m.dot, 1, m.at + US, 5 * US, "3 0x1000 1 0x2000 1"});
        else
            kt_gen_more(&m.gen, 7, &(struct kt_gen_more){.passed = 1});
        m.at += (us + 10) * US;
    }
    assert_false(kinds_of(&m).found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_page_faults),
                                       cmocka_unit_test(by_other_threads),
                                       cmocka_unit_test(by_first_touch),
                                       cmocka_unit_test(by_distance),
                                       cmocka_unit_test(nobody_knows_why),
                                       cmocka_unit_test(one_kind),
                                       cmocka_unit_test(recorded_insides_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
