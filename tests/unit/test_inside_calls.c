/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace of dgesv that holds what nests in some calls: the first one, which stands for itself, and eight that were
 * drawn and that recording made longer.
 */
#include "model/summary/summary.h"
#include "tests/parts/tracegen.h"
#include "trace/read/state.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MS = KT_GEN_HZ / 1000, CLEAN = 10, DRAWN = 8, ALL = 1 + DRAWN + CLEAN, ONE = KT_INSIDE_ONE };

struct sampled {
    struct kt_gen gen;
    struct kt_trace trace;
    int gesv, dot;
    uint64_t at;
};

#define GESV(n) #n " 1 0x1000 " #n " 0x2000 0x3000 " #n " 0"

static void begin(struct sampled *s, const char *mode)
{
    *s = (struct sampled){0};
    kt_gen_begin(&s->gen, "trace/routines", 42);
    if (mode)
        kt_gen_nested(&s->gen, mode);
    s->gesv = kt_gen_entry(&s->gen, "dgesv", KT_FORTRAN);
    s->dot = kt_gen_entry(&s->gen, "ddot", KT_FORTRAN);
}

/* WEIGHT 0: what nests in it was passed on. */
static void add(struct sampled *s, uint32_t weight, uint64_t ms, uint64_t dot_ms, const char *args)
{
    if (weight)
        kt_gen_inside(&s->gen, 7, weight);
    kt_gen_call(&s->gen, &(struct kt_gen_call){7, s->gesv, 0, s->at, ms * MS, args});
    for (uint64_t i = 0; dot_ms && i < 2; i++)
        kt_gen_call(&s->gen, &(struct kt_gen_call){7, s->dot, 1, s->at + MS + i * dot_ms * MS, dot_ms * MS,
                                                   "10 0x1000 1 0x2000 1"});
    if (!dot_ms)
        kt_gen_more(&s->gen, 7, &(struct kt_gen_more){.passed = 2});
    s->at += (ms + 1) * MS;
}

static void open_trace(struct sampled *s)
{
    struct kt_error error = {0};
    kt_gen_end(&s->gen, true);
    assert_int_equal(kt_trace_open(s->gen.trace, &s->trace, &error), KT_OK);
    assert_int_equal(s->trace.notes, 0);
    s->trace.process[0].self_ticks = MS / 2;
}

static void end(struct sampled *s)
{
    kt_trace_close(&s->trace);
    kt_gen_remove(&s->gen);
}

static void make_sample(struct sampled *s)
{
    begin(s, "sample");
    add(s, ONE, 30, 4, GESV(3));
    for (int i = 0; i < CLEAN; i++) {
        add(s, 0, 10, 0, GESV(3));
        if (i < DRAWN)
            add(s, 6 * ONE, 12, 3, GESV(3));
    }
    open_trace(s);
}

static bool is_near(double seconds, double ms)
{
    return fabs(seconds - ms * 1e-3) < 1e-6;
}

static void clean_calls_tell_what_one_takes(void **state)
{
    (void)state;
    struct sampled s;
    struct kt_shapes shapes;
    make_sample(&s);
    kt_shapes_collect(&s.trace, KT_OUTERMOST, &shapes);
    assert_int_equal(shapes.count, 1);
    const struct kt_shape_group *shape = &shapes.shape[0];
    assert_int_equal(shape->calls, ALL);
    assert_int_equal(shape->seconds.n, CLEAN);
    assert_true(is_near(shape->seconds.most, 10));
    assert_false(shape->corrected);
    assert_true(is_near(shape->inside.clean, 10));
    assert_true(is_near(shape->inside.excess, 0.5));
    assert_int_equal(shape->inside.calls, ALL);
    assert_int_equal(shape->inside.recorded, 1 + DRAWN);
    assert_int_equal(shape->inside.dirty, 1 + DRAWN);
    assert_true(shape->inside.nested == 2 * ALL && shape->inside.in_dirty == 2 * (1 + DRAWN));
    assert_true(is_near(shape->total, 10 * (ALL - 1) + 28)); /* the first: 30, less twice 0.5 and 0.5 */
    kt_shapes_free(&shapes);
    end(&s);
}

static void a_call_that_passes_others_on_is_no_leaf(void **state)
{
    (void)state;
    struct sampled s;
    struct kt_shapes shapes;
    make_sample(&s);
    kt_shapes_collect(&s.trace, KT_LEAVES, &shapes);
    assert_int_equal(shapes.count, 1);
    assert_string_equal(shapes.shape[0].first.entry->symbol.routine->name, "ddot");
    assert_int_equal(shapes.shape[0].calls, 2 * (1 + DRAWN));
    assert_true(is_near(shapes.shape[0].total, 2 * 4 + 2 * DRAWN * 3));
    assert_true(is_near(shapes.shape[0].stands_for, 2 * 4 + 6 * 2 * DRAWN * 3));
    kt_shapes_free(&shapes);
    end(&s);
}

/* Of a process that recorded all, and of one that recorded a sample, but no call without. */
static void without_clean_calls_times_are_corrected(void **state)
{
    (void)state;
    static const char *const mode[] = {NULL, "all", "sample"};
    for (size_t i = 0; i < sizeof mode / sizeof *mode; i++) {
        struct sampled s;
        struct kt_shapes shapes;
        begin(&s, mode[i]);
        add(&s, i == 2 ? ONE : 0, 30, 4, GESV(3));
        add(&s, i == 2 ? ONE : 0, 10, 4, GESV(4));
        open_trace(&s);
        kt_shapes_collect(&s.trace, KT_OUTERMOST, &shapes);
        assert_int_equal(shapes.count, 2);
        assert_true(is_near(shapes.shape[0].total, 29));
        assert_true(isnan(shapes.shape[0].inside.clean));
        assert_int_equal(shapes.shape[0].seconds.n, 1);
        assert_true(shapes.shape[0].corrected == (i == 2)); /* 3 % were subtracted, */
        assert_true(shapes.shape[1].corrected);             /* and 10 % */
        kt_shapes_free(&shapes);
        end(&s);
    }
}

static const struct kt_sum *routine(const struct kt_summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->routines.count; i++)
        if (!strcmp(summary->routines.sum[i].routine, name))
            return &summary->routines.sum[i];
    fail_msg("no routine %s", name);
    return NULL;
}

static void what_happens_inside_is_estimated(void **state)
{
    (void)state;
    struct sampled s;
    struct kt_summary summary;
    make_sample(&s);
    kt_summary_collect(&s.trace, &summary);
    assert_true(summary.sampled);
    assert_int_equal(summary.calls, ALL + 2 * (1 + DRAWN));
    assert_int_equal(summary.passed, 2 * CLEAN);
    assert_true(is_near(summary.seconds_blas, 10 * (ALL - 1) + 28));
    assert_true(is_near(summary.seconds_self, 10 * (ALL - 1) + 28));
    const struct kt_sum *dot = routine(&summary, "ddot");
    assert_int_equal(dot->calls, 2 * ALL);
    assert_int_equal(dot->calls_top, 0);
    assert_int_equal(dot->recorded, 2 * (1 + DRAWN));
    assert_true(is_near(dot->seconds, 8 + 0.6 * 10 * (ALL - 1)));
    assert_true(dot->estimate != NULL);
    assert_int_equal(dot->estimate->sampled, 1 + DRAWN);
    assert_int_equal(dot->estimate->outermost, ALL);
    assert_true(is_near(dot->estimate->of[KT_INSIDE_SECONDS].lo, 8 + 0.6 * 10 * (ALL - 1)));
    assert_float_equal(dot->flops, 2 * ALL * 19, 0.01);
    const struct kt_sum *gesv = routine(&summary, "dgesv");
    assert_true(is_near(gesv->seconds, 10 * (ALL - 1) + 28) && is_near(gesv->seconds_self, 92));
    assert_true(is_near(gesv->estimate->of[KT_INSIDE_SELF].lo, 92));
    assert_true(is_near(gesv->estimate->of[KT_INSIDE_SELF].hi, 92 + 18 + 1)); /* if recording took what is stated */
    assert_true(summary.callers.count == 1 && is_near(summary.callers.sum[0].seconds, 10 * (ALL - 1) + 28));
    kt_summary_free(&summary);
    end(&s);
}

/* Exact, as ever. */
static void all_calls_are_recorded(void **state)
{
    (void)state;
    struct sampled s;
    struct kt_summary summary;
    begin(&s, "all");
    for (int i = 0; i < 3; i++)
        add(&s, 0, 10, 3, GESV(3));
    open_trace(&s);
    kt_summary_collect(&s.trace, &summary);
    assert_false(summary.sampled);
    const struct kt_sum *dot = routine(&summary, "ddot");
    assert_true(dot->estimate == NULL);
    assert_int_equal(dot->calls, 6);
    assert_int_equal(dot->recorded, 6);
    assert_true(is_near(dot->seconds, 18));
    assert_true(is_near(routine(&summary, "dgesv")->seconds_self, 3 * (10 - 1) - 18));
    kt_summary_free(&summary);
    end(&s);
}

/* Recorded without what nests in them: that is not known. */
static void nothing_is_known_of_the_inside(void **state)
{
    (void)state;
    struct sampled s;
    struct kt_summary summary;
    begin(&s, "none");
    for (int i = 0; i < 3; i++)
        add(&s, 0, 10, 0, GESV(3));
    open_trace(&s);
    kt_summary_collect(&s.trace, &summary);
    const struct kt_sum *gesv = routine(&summary, "dgesv");
    assert_true(is_near(gesv->seconds, 30) && is_near(gesv->seconds_self, 30));
    assert_true(gesv->estimate && isnan(gesv->estimate->of[KT_INSIDE_SELF].lo));
    assert_int_equal(gesv->estimate->sampled, 0);
    assert_true(is_near(summary.inside.of.outer[0].unknown, 30));
    kt_summary_free(&summary);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_calls_tell_what_one_takes),
        cmocka_unit_test(a_call_that_passes_others_on_is_no_leaf),
        cmocka_unit_test(without_clean_calls_times_are_corrected),
        cmocka_unit_test(what_happens_inside_is_estimated),
        cmocka_unit_test(all_calls_are_recorded),
        cmocka_unit_test(nothing_is_known_of_the_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
