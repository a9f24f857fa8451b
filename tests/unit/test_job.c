/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From recorded calls to operands laid out for replay: aliases, triangles and panels of one matrix, overlap by an
 * element lie as recorded, whatever is asked for of alignment; what cannot be laid out is refused with the reason.
 */
#include "replay/call/job.h"
#include "tests/parts/tracegen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SPEC "trace/routines"

/* One recorded call, made ready. */
struct made {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_shapes shapes;
    struct kt_jobs jobs;
};

static const struct kt_job *make(struct made *m, const char *routine, const char *args, struct kt_layout layout)
{
    struct kt_error error = {0};
    struct kt_jobs_rules rules = {.limit = UINT64_C(1) << 30, .layout = layout};
    memset(m, 0, sizeof *m);
    kt_gen_begin(&m->gen, SPEC, 42);
    kt_gen_call(&m->gen, &(struct kt_gen_call){7, kt_gen_entry(&m->gen, routine, KT_FORTRAN), 0, 0, 1000, args});
    kt_gen_end(&m->gen, true);
    assert_int_equal(kt_trace_open(m->gen.trace, &m->trace, &error), KT_OK);
    kt_shapes_collect(&m->trace, KT_OUTERMOST, &m->shapes);
    kt_jobs_make(&m->shapes, &rules, &m->jobs);
    assert_int_equal(m->jobs.count, 1);
    return &m->jobs.job[0];
}

static void unmake(struct made *m)
{
    kt_jobs_free(&m->jobs);
    kt_shapes_free(&m->shapes);
    kt_trace_close(&m->trace);
    kt_gen_remove(&m->gen);
}

static int64_t distance(const struct kt_job *job, int from, int to)
{
    return (int64_t)(job->address[to] - job->address[from]);
}

static void an_operand_passed_twice(void **state)
{
    (void)state;
    struct made m;
    const struct kt_job *job = make(
        &m, "dgemm", "N T 40 40 40 1 0x7f0010012340 40 0x7f0010012340 40 0 0x7f0020000010 40", (struct kt_layout){0});
    assert_null(job->refused);
    assert_int_equal(job->address[0], job->address[1]);
    assert_int_equal(job->address[0] % KT_ARENA_PAGE, 0x340);
    assert_int_equal(job->address[2] % KT_ARENA_PAGE, 0x010);
    assert_false(job->restore[0]);
    unmake(&m);
}

static void a_vector_that_is_input_and_output(void **state)
{
    (void)state;
    struct made m;
    const struct kt_job *job = make(&m, "daxpy", "100 2.5 0x5000 1 0x5000 1", (struct kt_layout){0});
    assert_int_equal(distance(job, 0, 1), 0);
    assert_true(job->restore[0]); /* the call changes what it reads as x, through y */
    unmake(&m);
}

static void overlap_by_one_element(void **state)
{
    (void)state;
    struct made m;
    const struct kt_job *job = make(&m, "dcopy", "100 0x700000008 1 0x700000320 1", (struct kt_layout){0});
    assert_int_equal(distance(job, 0, 1), 99 * 8);
    assert_true(job->restore[0]);
    assert_true(job->operand[0].hi - job->operand[1].lo == 8);
    unmake(&m);
    job = make(&m, "dcopy", "100 0x700000008 1 0x700000328 1", (struct kt_layout){0});
    assert_int_equal(distance(job, 0, 1), 100 * 8); /* next to each other */
    assert_false(job->restore[0]);
    unmake(&m);
}

/* L and U of one factorised matrix with ld 1000: the triangle at its corner, the panel right of it. */
static void a_triangle_and_a_panel_of_one_matrix(void **state)
{
    (void)state;
    struct made m;
    const struct kt_job *job =
        make(&m, "dtrsm", "L L N U 64 128 1 0x7f0000000100 1000 0x7f000007d100 1000", (struct kt_layout){0});
    assert_int_equal(distance(job, 0, 1), 64 * 1000 * 8);
    assert_int_equal(job->operand[1].ld, 1000);
    unmake(&m);
}

/* C is the trailing triangle, A the panel left of it, in the same rows: interleaved by ld. */
static void panels_interleaved_by_ld(void **state)
{
    (void)state;
    struct made m;
    uint64_t corner = 0x7f0000000000;
    char args[200];
    snprintf(args, sizeof args, "L N 200 32 -1 %#lx 300 1 %#lx 300", corner + 8 * 32, corner + 8 * (32 + 32 * 300));
    const struct kt_job *job = make(&m, "dsyrk", args, (struct kt_layout){0});
    assert_int_equal(distance(job, 0, 1), 8 * 32 * 300);
    unmake(&m);
    /* two row blocks of one matrix: their ranges overlap, their elements do not */
    snprintf(args, sizeof args, "N N 50 60 70 1 %#lx 300 0x10000 70 1 %#lx 300", corner, corner + 8 * 100);
    job = make(&m, "dgemm", args, (struct kt_layout){.align = 64});
    assert_int_equal(distance(job, 0, 2), 8 * 100);
    unmake(&m);
}

static void negative_increments(void **state)
{
    (void)state;
    struct made m;
    const struct kt_job *job = make(&m, "ddot", "10 0x20000 -3 0x20100 -1", (struct kt_layout){0});
    assert_null(job->refused);
    assert_int_equal(distance(job, 0, 1), 0x100);
    assert_int_equal(job->operand[0].ld, -3);
    assert_int_equal(job->operand[0].hi - job->operand[0].lo, (9 * 3 + 1) * 8);
    unmake(&m);
}

static void operands_are_aligned_on_request(void **state)
{
    (void)state;
    struct made m;
    const char *args = "N N 30 30 30 1 0x7f0010012348 30 0x7f0010017358 30 0 0x7f0020000018 30";
    const struct kt_job *job = make(&m, "dgemm", args, (struct kt_layout){.align = 64});
    for (int i = 0; i < 3; i++)
        assert_int_equal(job->address[i] % 64, 0);
    unmake(&m);
    job = make(&m, "dgemm", args, (struct kt_layout){.align = 8, .misalign = 16});
    for (int i = 0; i < 3; i++) {
        assert_int_equal(job->address[i] % 8, 0);
        assert_int_not_equal(job->address[i] % 16, 0);
    }
    unmake(&m);
    job = make(&m, "dgemm", args, (struct kt_layout){.align = 64, .misalign = 4096});
    for (int i = 0; i < 3; i++) {
        assert_int_equal(job->address[i] % 64, 0);
        assert_int_not_equal(job->address[i] % 4096, 0);
    }
    unmake(&m);
}

static void huge_pages_keep_more_of_the_address(void **state)
{
    (void)state;
    struct made m;
    const struct kt_job *job =
        make(&m, "daxpy", "100 2.5 0x7f00101f4568 1 0x7f1236789ab0 1", (struct kt_layout){.pages = KT_PAGES_HUGE});
    assert_int_equal(job->address[0] % KT_HUGE_PAGE, 0x1f4568);
    assert_int_equal(job->address[1] % KT_HUGE_PAGE, 0x7f1236789ab0 % KT_HUGE_PAGE);
    assert_true(job->bytes < 3 * KT_HUGE_PAGE);
    unmake(&m);
}

static void what_cannot_be_laid_out_is_refused(void **state)
{
    (void)state;
    static const char *const absurd[][2] = {
        {"ddot", "2147483647 0x1000 2147483647 0x2000 1"},
        {"ddot", "2147483647 0x1000 -2147483648 0x2000 1"},
        {"dgemm", "N N 2147483647 2147483647 2147483647 1 0x1000 2147483647 0x2000 2147483647 0 0x3000 2147483647"},
        {"dgemv", "N 100 2000000000 1 0xfffffffffffffff0 2000000000 0x10 1 0 0x20 1"},
        {"dcopy", "200000000 0x1000 1 0x7f0000000000 1"}, /* 3.2 GB, more than the limit */
    };
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        struct made m;
        const struct kt_job *job = make(&m, absurd[i][0], absurd[i][1], (struct kt_layout){0});
        assert_non_null(job->refused);
        assert_true(m.jobs.bytes <= UINT64_C(1) << 30);
        unmake(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operand_passed_twice),
        cmocka_unit_test(a_vector_that_is_input_and_output),
        cmocka_unit_test(overlap_by_one_element),
        cmocka_unit_test(a_triangle_and_a_panel_of_one_matrix),
        cmocka_unit_test(panels_interleaved_by_ld),
        cmocka_unit_test(negative_increments),
        cmocka_unit_test(operands_are_aligned_on_request),
        cmocka_unit_test(huge_pages_keep_more_of_the_address),
        cmocka_unit_test(what_cannot_be_laid_out_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
