/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Working sets: the order in which calls use them, where operands lie in them, what stays, and that numbers stay
 * ordinary however often a call is repeated. The routines called are functions of this test.
 */
#include "replay/measure/workingset.h"
#include "tests/parts/tracegen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/timing.h"

/* --- rotation ---------------------------------------------------------------------------------------------- */

enum { SETS = 10, STRIDE = 192, START = 1000, MOST = 64 };

static struct {
    int64_t moving[MOST], staying[MOST];
    double number[MOST];
    unsigned calls;
} seen;

static void note_thunk(void *function, const struct kt_parameters *p, struct kt_returned *out)
{
    (void)function, (void)out;
    assert_true(seen.calls < MOST);
    seen.moving[seen.calls] = p->word[1];
    seen.staying[seen.calls] = p->word[0];
    seen.number[seen.calls++] = p->number[0];
}

static struct kt_rotation rotation(enum kt_walk walk)
{
    struct kt_rotation r = {.thunk = note_thunk, .word = {1}, .words = 1, .stride = STRIDE, .sets = SETS, .walk = walk};
    r.parameters[0] = (struct kt_parameters){.word = {7, START}, .number = {1}};
    r.parameters[1] = (struct kt_parameters){.word = {7, START}, .number = {-1}};
    memset(&seen, 0, sizeof seen);
    return r;
}

static void test_backwards(void **state)
{
    (void)state;
    struct kt_rotation r = rotation(KT_WALK_BACKWARDS);
    assert_true(kt_rotation_begin(&r));
    for (unsigned i = 0; i < 25; i++)
        assert_int_equal(kt_rotation_set(&r, i), SETS - 1 - i % SETS);
    kt_rotation_time(&r, 13);
    assert_int_equal(kt_rotation_set(&r, -1), 7); /* that of the last call */
    kt_rotation_time(&r, 12);                     /* goes on where it stopped */
    assert_int_equal(seen.calls, 25);
    for (unsigned i = 0; i < 25; i++) {
        assert_int_equal(seen.moving[i], START + STRIDE * (SETS - 1 - i % SETS));
        assert_int_equal(seen.staying[i], 7);
        assert_true(seen.number[i] == 1);
    }
    kt_rotation_end(&r);
}

static void test_random_walk_uses_every_set_once(void **state)
{
    (void)state;
    struct kt_rotation r = rotation(KT_WALK_RANDOM);
    unsigned used[SETS] = {0};
    bool backwards = true;
    assert_true(kt_rotation_begin(&r));
    uint64_t next = kt_rotation_set(&r, 0);
    kt_rotation_time(&r, 3 * SETS);
    assert_int_equal(seen.moving[0], START + STRIDE * next);
    for (unsigned i = 0; i < 3 * SETS; i++) {
        uint64_t set = (uint64_t)(seen.moving[i] - START) / STRIDE;
        assert_true(set < SETS && seen.moving[i] == (int64_t)(START + STRIDE * set));
        assert_int_equal(set, kt_rotation_set(&r, (int64_t)i)); /* three whole walks: as it was at the beginning */
        backwards &= set == SETS - 1 - i % SETS;
        used[set]++;
    }
    for (unsigned i = 0; i < SETS; i++)
        assert_int_equal(used[i], 3);
    assert_false(backwards);
    kt_rotation_end(&r);
}

static void test_sign_changes_with_each_walk(void **state)
{
    (void)state;
    for (int walk = KT_WALK_BACKWARDS; walk <= KT_WALK_RANDOM; walk++) {
        struct kt_rotation r = rotation((enum kt_walk)walk);
        r.alternate = true;
        assert_true(kt_rotation_begin(&r));
        kt_rotation_time(&r, 4 * SETS + 1);
        for (unsigned i = 0; i <= 4 * SETS; i++) {
            assert_true(seen.number[i] == (i / SETS % 2 ? -1 : 1));
            assert_int_equal(seen.moving[i], seen.moving[i % SETS]);
        }
        kt_rotation_end(&r);
    }
}

static void test_one_set_and_none(void **state)
{
    (void)state;
    struct kt_rotation r = rotation(KT_WALK_BACKWARDS);
    r.sets = 1;
    assert_true(kt_rotation_begin(&r));
    kt_rotation_time(&r, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(seen.moving[i], START);
    kt_rotation_end(&r);
    r.sets = 0;
    assert_false(kt_rotation_begin(&r));
    r.sets = UINT64_C(1) << 40;
    assert_false(kt_rotation_begin(&r));
}

/* The loop is subtracted: calls of nothing take less than a tenth of what the loop takes. Of the very function that the
 * loop is measured with: one that lies elsewhere can take three cycles more to jump to. */
static void test_loop_is_subtracted(void **state)
{
    (void)state;
    judges_times();
    struct kt_rotation r = rotation(KT_WALK_BACKWARDS);
    r.thunk = kt_rotation_no_call;
    r.sets = 1000;
    assert_true(kt_rotation_begin(&r));
    assert_true(r.overhead > 0 && r.overhead < 1e-6);
    double least = 1;
    for (int i = 0; i < 100; i++)
        least = fmin(least, kt_rotation_time(&r, 1000));
    assert_true(least < 0.1 * r.overhead + 1e-10);
    kt_rotation_end(&r);
}

/* --- recorded calls ---------------------------------------------------------------------------------------- */

struct recorded {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_shapes shapes;
    struct kt_jobs jobs;
    struct kt_data_pool *pool;
};

/* One call, as a job. */
static const struct kt_job *record(struct recorded *r, const char *routine, const char *args)
{
    struct kt_error error = {0};
    *r = (struct recorded){0};
    kt_gen_begin(&r->gen, "trace/routines", 42);
    int entry = kt_gen_entry(&r->gen, routine, KT_FORTRAN);
    kt_gen_call(&r->gen, &(struct kt_gen_call){7, entry, 0, 0, 1000, args});
    kt_gen_end(&r->gen, true);
    assert_int_equal(kt_trace_open(r->gen.trace, &r->trace, &error), KT_OK);
    kt_shapes_collect(&r->trace, KT_OUTERMOST, &r->shapes);
    kt_jobs_make(&r->shapes, &(struct kt_jobs_rules){.limit = UINT64_C(1) << 40}, &r->jobs);
    assert_int_equal(r->jobs.count, 1);
    r->pool = kt_data_pool_new();
    return &r->jobs.job[0];
}

static void forget(struct recorded *r)
{
    kt_data_pool_free(r->pool);
    kt_jobs_free(&r->jobs);
    kt_shapes_free(&r->shapes);
    kt_trace_close(&r->trace);
    kt_gen_remove(&r->gen);
}

static void test_far_operands_are_packed(void **state)
{
    (void)state;
    struct recorded r;
    struct kt_workingset_layout layout;
    const struct kt_job *job = record(&r, "ddot", "100 0x10000010 1 0x20000020 1");
    kt_workingset_lay_out(job, 0, 64, &layout);
    uint64_t x = job->operand[0].lo + layout.shift[0];
    uint64_t y = job->operand[1].lo + layout.shift[1];
    assert_int_equal(x, 0x10);
    assert_int_equal(y, (0x10 + 800 + 63) / 64 * 64 + 0x20);
    assert_int_equal(layout.stride % 64, 0);
    assert_in_range(layout.stride, y + 800, y + 800 + 63);
    assert_int_equal(layout.touched, 2 * 13 * 64);
    kt_workingset_lay_out(job, 0, 4096, &layout);
    assert_int_equal(layout.stride, 2 * 4096);
    assert_int_equal((job->operand[1].lo + layout.shift[1]) % 4096, 0x20);
    forget(&r);
}

static void test_near_operands_keep_their_distance(void **state)
{
    (void)state;
    struct recorded r;
    struct kt_workingset_layout layout;
    const struct kt_job *job = record(&r, "ddot", "100 0x10000328 1 0x10000000 1"); /* y just before x */
    kt_workingset_lay_out(job, 0, 64, &layout);
    assert_int_equal(layout.shift[0], layout.shift[1]);
    assert_in_range(layout.stride, 808 + 800, 808 + 800 + 63);
    forget(&r);
}

/* What shares memory moves together, whatever was asked. */
static void test_shared_memory_moves(void **state)
{
    (void)state;
    struct recorded r;
    struct kt_workingset_layout layout;
    const struct kt_job *job = record(&r, "ddot", "100 0x10000000 1 0x10000318 1"); /* one element in common */
    kt_workingset_lay_out(job, 1, 64, &layout);
    assert_int_equal(layout.still, 0);
    assert_int_equal(layout.shift[0], layout.shift[1]);
    kt_workingset_lay_out(job, 3, 64, &layout);
    assert_int_equal(layout.still, 3);
    forget(&r);
}

/* Of a row of a matrix each element is in a line of its own. */
static void test_lines_count_not_bytes(void **state)
{
    (void)state;
    struct recorded r;
    struct kt_workingset_layout layout;
    const struct kt_job *job = record(&r, "dscal", "50 2 0x10000000 100");
    kt_workingset_lay_out(job, 0, 64, &layout);
    assert_int_equal(layout.touched, 50 * 64);
    assert_in_range(layout.stride, 49 * 800 + 8, 49 * 800 + 8 + 63);
    forget(&r);
}

/* --- calls of the rotation --------------------------------------------------------------------------------- */

static struct {
    uint64_t x[1 << 16], y[1 << 16];
    unsigned calls;
    double largest;
} made;

static double fake_ddot(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    (void)incx, (void)incy;
    made.x[made.calls % (1 << 16)] = (uint64_t)x;
    made.y[made.calls++ % (1 << 16)] = (uint64_t)y;
    return x[0] + x[*n - 1] + y[0] + y[*n - 1]; /* there */
}

static double fake_daxpy(const int *n, const double *alpha, const double *x, const int *incx, double *y,
                         const int *incy)
{
    (void)incx, (void)incy;
    made.y[made.calls++ % (1 << 16)] = (uint64_t)y;
    for (int i = 0; i < *n; i++) {
        y[i] += *alpha * x[i];
        made.largest = fmax(made.largest, fabs(y[i]));
    }
    return 0;
}

static void fake_dscal(const int *n, const double *alpha, double *x, const int *incx)
{
    (void)incx;
    for (int i = 0; i < *n; i++) {
        x[i] *= *alpha;
        made.largest = fmax(made.largest, fabs(x[i]));
    }
    made.calls++;
}

static struct kt_workingset *open_set(const struct recorded *r, void *function, struct kt_workingset_options options)
{
    struct kt_error error = {0};
    memset(&made, 0, sizeof made);
    options.interval = 1e-7;
    return kt_workingset_open(&r->jobs.job[0], function, 4, r->pool, &options, &error);
}

static void test_sets_are_used_in_turn(void **state)
{
    (void)state;
    struct recorded r;
    record(&r, "ddot", "100 0x10000010 1 0x20000020 1");
    struct kt_workingset *w = open_set(&r, fake_ddot, (struct kt_workingset_options){.flush_bytes = 1 << 20});
    assert_non_null(w);
    struct kt_workingset_facts facts = kt_workingset_facts(w);
    assert_in_range(facts.sets, (1 << 20) / facts.touched + 1, (1 << 20) / facts.touched + 2);
    assert_false(facts.refills || facts.alternates);
    made.calls = 0;
    while (made.calls < 2 * facts.sets)
        assert_true(kt_workingset_time(w) >= 0);
    for (unsigned i = 1; i < 2 * facts.sets; i++) {
        assert_int_equal(made.y[i] - made.x[i], made.y[0] - made.x[0]);
        assert_int_equal(made.x[i] % 64, 0x10);
        assert_true(made.x[i] - made.x[i - 1] == -facts.stride ||
                    made.x[i] - made.x[i - 1] == (facts.sets - 1) * facts.stride);
        if (i >= facts.sets)
            assert_int_equal(made.x[i], made.x[i - facts.sets]);
    }
    kt_workingset_close(w);
    forget(&r);
}

static void test_one_operand_stays(void **state)
{
    (void)state;
    struct recorded r;
    record(&r, "ddot", "100 0x10000010 1 0x20000020 1");
    struct kt_workingset *w =
        open_set(&r, fake_ddot, (struct kt_workingset_options){.flush_bytes = 1 << 20, .still = 1, .threads = 2});
    assert_non_null(w);
    struct kt_workingset_facts facts = kt_workingset_facts(w);
    assert_int_equal(facts.still, 1);
    assert_int_equal(facts.touched, 13 * 64);
    assert_in_range(facts.sets, (2 << 20) / facts.touched, (2 << 20) / facts.touched + 2); /* two threads' caches */
    made.calls = 0;
    while (made.calls < 100)
        kt_workingset_time(w);
    for (unsigned i = 1; i < 100; i++) {
        assert_int_equal(made.x[i], made.x[0]);
        assert_int_equal(made.x[i] % 4096, 0x10);
        assert_int_not_equal(made.y[i], made.y[i - 1]);
    }
    kt_workingset_close(w);
    forget(&r);
}

/* Sums in sets are written anew; a sum that stays is taken off again. Neither grows with the number of calls. */
static void test_sums_do_not_grow(void **state)
{
    (void)state;
    struct recorded r;
    record(&r, "daxpy", "20 3 0x10000000 1 0x20000000 1");
    for (uint32_t still = 0; still <= 2; still += 2) {
        struct kt_workingset *w =
            open_set(&r, fake_daxpy, (struct kt_workingset_options){.flush_bytes = 1 << 14, .still = still});
        assert_non_null(w);
        struct kt_workingset_facts facts = kt_workingset_facts(w);
        assert_true(facts.refills == (still == 0) && facts.alternates == (still == 2));
        while (made.calls < 1000 * facts.sets)
            kt_workingset_time(w);
        assert_true(made.largest <= (still ? 1 + 3.0 * (double)facts.sets : 4));
        assert_true(made.largest > 1);
        kt_workingset_close(w);
    }
    forget(&r);
}

static void test_products_do_not_grow(void **state)
{
    (void)state;
    struct recorded r;
    record(&r, "dscal", "20 -7 0x10000000 1");
    struct kt_workingset *w = open_set(&r, fake_dscal, (struct kt_workingset_options){.flush_bytes = 1 << 14});
    assert_non_null(w);
    while (made.calls < 10000)
        kt_workingset_time(w);
    assert_true(made.largest > 1 && made.largest <= 7);
    kt_workingset_close(w);
    assert_null(open_set(&r, fake_dscal, (struct kt_workingset_options){.flush_bytes = 1 << 14, .still = 1}));
    forget(&r);
}

static void refuse(struct recorded *r, struct kt_workingset_options options, const char *reason)
{
    struct kt_error error = {0};
    assert_null(kt_workingset_open(&r->jobs.job[0], fake_ddot, 4, r->pool, &options, &error));
    assert_int_equal(error.status, KT_BAD_INPUT);
    assert_non_null(strstr(error.text, reason));
}

static void test_refusals(void **state)
{
    (void)state;
    struct recorded r;
    record(&r, "ddot", "100 0x10000010 1 0x20000020 1");
    refuse(&r, (struct kt_workingset_options){.still = 3}, "no operand of ddot_ moves");
    refuse(&r, (struct kt_workingset_options){.limit = 1 << 20}, "more than the memory");
    refuse(&r, (struct kt_workingset_options){.limit = 1}, "more than the memory");
    forget(&r);
}

static void test_flush_size_is_that_of_the_caches(void **state)
{
    (void)state;
    assert_true(kt_workingset_flush() >= 4u << 20);
    assert_true((long)kt_workingset_flush() >= 4 * sysconf(_SC_LEVEL3_CACHE_SIZE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backwards),
        cmocka_unit_test(test_random_walk_uses_every_set_once),
        cmocka_unit_test(test_sign_changes_with_each_walk),
        cmocka_unit_test(test_one_set_and_none),
        cmocka_unit_test(test_loop_is_subtracted),
        cmocka_unit_test(test_far_operands_are_packed),
        cmocka_unit_test(test_near_operands_keep_their_distance),
        cmocka_unit_test(test_shared_memory_moves),
        cmocka_unit_test(test_lines_count_not_bytes),
        cmocka_unit_test(test_sets_are_used_in_turn),
        cmocka_unit_test(test_one_operand_stays),
        cmocka_unit_test(test_sums_do_not_grow),
        cmocka_unit_test(test_products_do_not_grow),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_flush_size_is_that_of_the_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
