/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the calls of traces find their operands: placements of shapes, the order of calls of several threads. */
#include "model/tracker/placements.h"
#include "model/tracker/timeline.h"
#include "tests/parts/tracegen.h"
#include "tests/unit/simulated_lines.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct placed {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_shapes shapes;
    struct kt_placements_of_shape of[8];
};

static void begin(struct placed *p)
{
    *p = (struct placed){0};
    kt_gen_begin(&p->gen, "trace/routines", 42);
}

static void place(struct placed *p, enum kt_level level)
{
    struct kt_error error = {0};
    kt_gen_end(&p->gen, true);
    assert_int_equal(kt_trace_open(p->gen.trace, &p->trace, &error), KT_OK);
    kt_shapes_collect(&p->trace, level, &p->shapes);
    assert_true(p->shapes.count <= 8);
    assert_int_equal(kt_placements_of_trace(&p->trace, level, &p->shapes, &kt_sim_caches, p->of, &error), KT_OK);
}

static void end(struct placed *p)
{
    kt_shapes_free(&p->shapes);
    kt_trace_close(&p->trace);
    kt_gen_remove(&p->gen);
}

/* The placements of the shape whose first argument is so large. */
static const struct kt_placements_of_shape *placements_of(const struct placed *p, const char *n)
{
    for (size_t i = 0; i < p->shapes.count; i++) {
        char text[81];
        kt_shape_text(&p->shapes.shape[i].first, text, 80);
        if (!strncmp(text, n, strlen(n)))
            return &p->of[i];
    }
    fail();
    return NULL;
}

/* One vector is summed again and again, every fourth time after one that is larger than all caches. */
static void placements_of_a_shape(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int asum = kt_gen_entry(&p.gen, "dasum", KT_FORTRAN);
    for (uint64_t i = 0; i < 400; i++) {
        if (i % 4 == 0)
            kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i, 1000, "40000 0x400000 1"});
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 5000, 1000, "64 0x100000 1"});
    }
    place(&p, KT_OUTERMOST);
    const struct kt_placements_of_shape *small = placements_of(&p, "64");
    assert_int_equal(small->count, 2);
    assert_true(fabs(small->placement[0].weight - 0.75) < 1e-9);
    assert_true((double)small->placement[0].share[0][0] > 0.99);
    assert_true((double)small->placement[1].share[0][3] > 0.99);
    assert_int_equal(placements_of(&p, "40000")->count, 1);
    end(&p);
}

/* More ways than can be kept: every call still counts, and shares still add up. */
static void too_many_placements(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int asum = kt_gen_entry(&p.gen, "dasum", KT_FORTRAN);
    for (uint64_t i = 0; i < 300; i++) {
        char other[64];
        snprintf(other, sizeof other, "100 0x%" PRIx64 " 1", 0x900000 + i % 10 * 0x10000);
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i, 1000, other});
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 5000, 1000, "900 0x100000 1"});
        for (uint64_t j = 0; j < i % 10; j++)
            kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 6000 + 100 * j, 10, "500 0x200000 8"});
    }
    place(&p, KT_OUTERMOST);
    for (size_t i = 0; i < p.shapes.count; i++) {
        double sum = 0;
        assert_in_range(p.of[i].count, 1, KT_MOST_PLACEMENTS);
        for (unsigned k = 0; k < p.of[i].count; k++) {
            double shares = 0;
            sum += p.of[i].placement[k].weight;
            assert_true(k == 0 || p.of[i].placement[k].weight <= p.of[i].placement[k - 1].weight);
            for (int level = 0; level < 4; level++)
                shares += (double)p.of[i].placement[k].share[0][level];
            assert_true(fabs(shares - 1) < 1e-4);
        }
        assert_true(fabs(sum - 1) < 1e-9);
    }
    end(&p);
}

/* Two threads on two processors take turns to write a vector: each finds it in the shared cache only. */
static void threads_in_order_of_time(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int scal = kt_gen_entry(&p.gen, "dscal", KT_FORTRAN);
    for (uint64_t i = 0; i < 100; i++)
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, scal, 0, 10000 * i, 1000, "64 2.5 0x100000 1"});
    for (uint64_t i = 0; i < 100; i++) {
        kt_gen_call(&p.gen, &(struct kt_gen_call){8, scal, 0, 10000 * i + 5000, 1000, "64 2.5 0x100000 1"});
        kt_gen_more(&p.gen, 8, &(struct kt_gen_more){.migrated = true});
    }
    place(&p, KT_OUTERMOST);
    assert_int_equal(p.shapes.count, 1);
    assert_int_equal(p.of[0].count, 2);
    assert_true(fabs(p.of[0].placement[0].weight - 199.0 / 200) < 1e-9);
    assert_true((double)p.of[0].placement[0].share[0][2] > 0.99);
    assert_true((double)p.of[0].placement[1].share[0][3] > 0.99);
    end(&p);
}

/* Two vectors of one shape: both stay near. */
static void a_shape_at_two_addresses(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int asum = kt_gen_entry(&p.gen, "dasum", KT_FORTRAN);
    for (uint64_t i = 0; i < 100; i++)
        kt_gen_call(&p.gen,
                    &(struct kt_gen_call){7, asum, 0, 10000 * i, 1000, i % 2 ? "64 0x300000 1" : "64 0x100000 1"});
    place(&p, KT_OUTERMOST);
    assert_int_equal(p.of[0].count, 2);
    assert_true((double)p.of[0].placement[0].share[0][0] > 0.99);
    assert_true(fabs(p.of[0].placement[0].weight - 0.98) < 1e-9);
    end(&p);
}

/* A fifth way joins the one that it is most like. */
static void the_most_alike_are_united(void **unused)
{
    (void)unused;
    static const char *const between[5] = {"1 0x400000 1", "1024 0x400000 1", "3072 0x400000 1", "6144 0x400000 1",
                                           "40000 0x400000 1"};
    struct placed p;
    begin(&p);
    int asum = kt_gen_entry(&p.gen, "dasum", KT_FORTRAN);
    kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 0, 10, "40000 0x400000 1"});
    for (uint64_t i = 0; i < 500; i++) {
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 1000, 1000, "64 0x100000 1"});
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 5000, 1000, between[i % 5]});
    }
    place(&p, KT_OUTERMOST);
    const struct kt_placements_of_shape *of = placements_of(&p, "64");
    assert_int_equal(of->count, 4);
    assert_true(fabs(of->placement[0].weight - 0.4) < 0.01);
    assert_true((double)of->placement[0].share[0][3] > 0.9);
    for (int i = 1; i < 4; i++) {
        const float *share = of->placement[i].share[0];
        assert_true(fabs(of->placement[i].weight - 0.2) < 0.01);
        assert_true(fmax((double)share[0], fmax((double)share[1], (double)share[2])) > 0.7);
    }
    end(&p);
}

enum { THREADS = 7, CALLS_OF_THREAD = 200 };

/* Calls of many threads, each of them with one nested in it. */
static void walk_threads(enum kt_level level)
{
    struct placed p;
    uint64_t at[THREADS] = {0};
    begin(&p);
    int potrf = kt_gen_entry(&p.gen, "dpotrf", KT_FORTRAN);
    int scal = kt_gen_entry(&p.gen, "dscal", KT_FORTRAN);
    for (uint32_t i = 0; i < THREADS * CALLS_OF_THREAD; i++) {
        uint64_t begun = at[i % THREADS] += 100 + kt_sim_draw(10000);
        kt_gen_call(&p.gen, &(struct kt_gen_call){1 + i % THREADS, potrf, 0, begun, 50, "L 100 0x200000 100 0"});
        kt_gen_call(&p.gen, &(struct kt_gen_call){1 + i % THREADS, scal, 1, begun + 10, 10, "64 2.5 0x200000 1"});
    }
    place(&p, level);
    struct kt_timeline *timeline = kt_timeline_new(&p.trace, 0, level);
    const struct kt_call *next;
    uint64_t last = 0;
    int calls = 0;
    while ((next = kt_timeline_next(timeline))) {
        assert_true(next->start >= last);
        assert_int_equal(next->depth, level == KT_LEAVES);
        last = next->start;
        calls++;
    }
    assert_int_equal(calls, THREADS * CALLS_OF_THREAD);
    kt_timeline_free(timeline);
    end(&p);
}

static void the_order_of_many_threads(void **unused)
{
    (void)unused;
    walk_threads(KT_OUTERMOST);
    walk_threads(KT_LEAVES);
}

/* The matrix of the outer call is not touched by itself when the leaves are followed. */
static void leaves_are_followed_alone(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int potrf = kt_gen_entry(&p.gen, "dpotrf", KT_FORTRAN);
    int scal = kt_gen_entry(&p.gen, "dscal", KT_FORTRAN);
    for (uint64_t i = 0; i < 50; i++) {
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, potrf, 0, 10000 * i, 5000, "L 100 0x200000 100 0"});
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, scal, 1, 10000 * i + 1000, 1000, "64 2.5 0x200000 1"});
    }
    place(&p, KT_LEAVES);
    assert_int_equal(p.shapes.count, 1);
    assert_int_equal(p.of[0].count, 2);
    assert_true((double)p.of[0].placement[0].share[0][0] > 0.99);
    end(&p);
}

static void caches_must_be_known(void **unused)
{
    (void)unused;
    struct kt_error error = {0};
    struct kt_trace trace = {0};
    struct kt_shapes shapes = {0};
    const struct kt_caches none = {.line = 64};
    assert_int_equal(kt_placements_of_trace(&trace, KT_LEAVES, &shapes, &none, NULL, &error), KT_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placements_of_a_shape),     cmocka_unit_test(too_many_placements),
        cmocka_unit_test(threads_in_order_of_time),  cmocka_unit_test(a_shape_at_two_addresses),
        cmocka_unit_test(the_most_alike_are_united), cmocka_unit_test(the_order_of_many_threads),
        cmocka_unit_test(leaves_are_followed_alone), cmocka_unit_test(caches_must_be_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
