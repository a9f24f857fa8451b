/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds on a machine whose peaks are made up, and that measured peaks are of this world. */
#include "replay/result/bound.h"
#include "tests/parts/table_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Rates that are powers of ten, so that times can be told apart. */
static struct kt_peaks machine(void)
{
    return (struct kt_peaks){
        .threads = 1,
        .flops = {2e9, 1e9},
        .level = {{1000, 1e12, 1e11, 1e12}, {10000, 1e9, 1e9, 1e9}, {0, 0, 0, 0}, {INFINITY, 1e6, 1e5, 1e6}}};
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * fabs(b)))
        fail_msg("%.17g instead of %.17g", a, b);
}

static void test_flops(void **state)
{
    (void)state;
    struct kt_peaks peaks = machine();
    struct kt_work work = {.flops = 1e9, .precision = KT_PEAK_DOUBLE, .read = 500, .footprint = 500};
    struct kt_bound bound = kt_bound_warm(&peaks, &work);
    assert_near(bound.seconds, 1);
    assert_string_equal(kt_bound_by(&bound), "flops");
    work.precision = KT_PEAK_SINGLE;
    assert_near(kt_bound_warm(&peaks, &work).seconds, 0.5);
    assert_near(kt_bound_cold(&peaks, &work).seconds, 0.5);
}

static void test_unknown_flops(void **state)
{
    (void)state;
    struct kt_peaks peaks = machine();
    struct kt_work work = {.flops = NAN, .read = 1000, .footprint = 1000};
    assert_near(kt_bound_cold(&peaks, &work).seconds, 1e-3);
    assert_near(kt_bound_warm(&peaks, &work).seconds, 1e-9);
}

/* What fits nearest is there, the rest in the next level; a level that there is not is left out. */
static void test_levels(void **state)
{
    (void)state;
    struct kt_peaks peaks = machine();
    struct kt_work work = {.read = 1000, .footprint = 1000};
    struct kt_bound bound = kt_bound_warm(&peaks, &work);
    assert_near(bound.seconds, 1e-9);
    assert_string_equal(kt_bound_by(&bound), "L1");
    work.read = work.footprint = 4000;
    bound = kt_bound_warm(&peaks, &work);
    assert_near(bound.seconds, 1e-9 + 3e-6);
    assert_string_equal(kt_bound_by(&bound), "L2");
    work.read = work.footprint = 12000;
    bound = kt_bound_warm(&peaks, &work);
    assert_near(bound.seconds, 1e-9 + 1e-5 + 1e-3);
    assert_string_equal(kt_bound_by(&bound), "memory");
    assert_near(kt_bound_cold(&peaks, &work).seconds, 12e-3);
}

static void test_loads_and_stores(void **state)
{
    (void)state;
    struct kt_peaks peaks = machine();
    struct kt_work work = {.read = 1000, .written = 200, .footprint = 1000};
    assert_near(kt_bound_cold(&peaks, &work).seconds, 2e-3);
    work.written = 50;
    assert_near(kt_bound_cold(&peaks, &work).seconds, 1.05e-3);
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    struct kt_peaks peaks = machine();
    struct kt_work work = {0};
    struct kt_bound bound = kt_bound_warm(&peaks, &work);
    assert_true(bound.seconds == 0);
    assert_string_equal(kt_bound_by(&bound), "nothing");
}

static void test_unknown_peaks(void **state)
{
    (void)state;
    struct kt_peaks peaks = {0};
    struct kt_work work = {.flops = 1, .read = 1, .footprint = 1};
    assert_true(isnan(kt_bound_warm(&peaks, &work).seconds));
    assert_true(isnan(kt_bound_cold(&peaks, &work).seconds));
}

/* --- work of a call ---------------------------------------------------------------------------------------- */

enum { SIDE = 10, BYTES = SIDE * SIDE * 8 };

struct fixture {
    struct kt_entry entry;
    struct kt_shape_group group;
    struct kt_job job;
    unsigned char args[256];
};

static void set_alpha(struct fixture *f, double alpha)
{
    const struct kt_symbol *symbol = &f->entry.symbol;
    for (int i = 0; i < symbol->params; i++)
        if (!strcmp(symbol->param[i].name, "alpha"))
            memcpy(f->args + symbol->param[i].offset, &alpha, sizeof alpha);
}

/* A dgemm of square matrices: two that are read, one that is updated, one workspace. */
static int setup(void **state)
{
    static struct fixture f;
    static const struct kt_object library = {.path = "lib", .int_bytes = 4};
    f = (struct fixture){.entry.library = &library};
    assert_true(kt_symbol_make(kt_table_find(&kt_spec_table, "dgemm"), KT_FORTRAN, &f.entry.symbol));
    f.group = (struct kt_shape_group){.first = {.entry = &f.entry, .args = f.args}, .flops = 2000};
    f.job = (struct kt_job){.shape = &f.group, .operands = 4};
    const enum kt_access access[] = {KT_READ, KT_READ, KT_READ_WRITE, KT_WORK};
    for (uint64_t i = 0; i < 4; i++)
        f.job.operand[i] = (struct kt_operand){
            .access = access[i], .lo = i * BYTES, .hi = (i + 1) * BYTES, .elements = SIDE * SIDE, .elem = 8};
    set_alpha(&f, 1);
    *state = &f;
    return 0;
}

static void test_work(void **state)
{
    struct fixture *f = *state;
    struct kt_work work;
    kt_work_of(&f->job, &work);
    assert_int_equal(work.precision, KT_PEAK_DOUBLE);
    assert_near(work.flops, 2000);
    assert_near(work.read, 3 * BYTES);
    assert_near(work.written, BYTES);
    assert_near(work.footprint, 3 * BYTES);
}

/* The same matrix as both factors is loaded once; of partial overlap the larger one counts. */
static void test_overlap_counts_once(void **state)
{
    struct fixture *f = *state;
    struct kt_work work;
    f->job.operand[1].lo = f->job.operand[0].lo;
    f->job.operand[1].hi = f->job.operand[0].hi;
    kt_work_of(&f->job, &work);
    assert_near(work.read, 2 * BYTES);
    f->job.operand[1].elements = 2 * SIDE * SIDE;
    kt_work_of(&f->job, &work);
    assert_near(work.read, 3 * BYTES);
}

static void test_alpha_of_zero(void **state)
{
    struct fixture *f = *state;
    struct kt_work work;
    set_alpha(f, 0);
    kt_work_of(&f->job, &work); /* C may stay as it is */
    assert_true(work.flops == 0 && work.read == 0 && work.written == 0);
    f->job.operand[2].access = KT_WRITE; /* beta is 0, too */
    kt_work_of(&f->job, &work);
    assert_near(work.written, BYTES);
    assert_true(work.flops == 0 && work.read == 0);
}

static void test_query(void **state)
{
    struct fixture *f = *state;
    struct kt_work work;
    f->group.query = true;
    kt_work_of(&f->job, &work);
    assert_true(work.flops == 0 && work.read == 0 && work.written == 0);
}

/* --- measured ---------------------------------------------------------------------------------------------- */

/* Whatever the machine: a vector holds more floats than doubles, and what is near is not slower than what is far. The
 * margins are for other processes. */
static void test_measured_peaks(void **state)
{
    (void)state;
    struct kt_peaks p;
    if (!kt_peaks_measure(1, &p)) {
        skip();
        return;
    }
    assert_int_equal(p.threads, 1);
    assert_true(p.flops[KT_PEAK_DOUBLE] > 1e8 && p.flops[KT_PEAK_DOUBLE] < 1e12);
    assert_true(p.flops[KT_PEAK_SINGLE] > 1.2 * p.flops[KT_PEAK_DOUBLE]);
    assert_true(p.level[KT_PEAK_MEMORY].read > 1e8 && p.level[KT_PEAK_MEMORY].read < 1e12);
    assert_true(isinf(p.level[KT_PEAK_MEMORY].capacity));
    if (p.level[KT_PEAK_L1].capacity > 0)
        assert_true(p.level[KT_PEAK_L1].read > 2 * p.level[KT_PEAK_MEMORY].read);
    assert_true(p.seconds < 5);
}

static void test_peaks_are_raised(void **state)
{
    (void)state;
    struct kt_peaks peaks = machine();
    struct kt_peaks other = machine();
    other.flops[KT_PEAK_DOUBLE] = 3e9;
    other.level[KT_PEAK_L2].write = 1;
    kt_peaks_raise(&peaks, &other);
    assert_near(peaks.flops[KT_PEAK_DOUBLE], 3e9);
    assert_near(peaks.level[KT_PEAK_L2].write, 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flops),
        cmocka_unit_test(test_unknown_flops),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_loads_and_stores),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_unknown_peaks),
        cmocka_unit_test_setup(test_work, setup),
        cmocka_unit_test_setup(test_overlap_counts_once, setup),
        cmocka_unit_test_setup(test_alpha_of_zero, setup),
        cmocka_unit_test_setup(test_query, setup),
        cmocka_unit_test(test_measured_peaks),
        cmocka_unit_test(test_peaks_are_raised),
    };
    return cmocka_run_group_tests(tests, kt_spec_setup, kt_spec_teardown);
}
