/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/parts/tracegen.h"
#include "trace/shape/shape.h"
#include "trace/shape/shape_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SPEC "trace/routines"

enum { MS = KT_GEN_HZ / 1000 };

/* Writes, opens and groups what GEN holds. */
struct grouped {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_shapes shapes;
    uint64_t at; /* ticks of the next call */
};

static void begin(struct grouped *g)
{
    *g = (struct grouped){0};
    kt_gen_begin(&g->gen, SPEC, 42);
}

static void call(struct grouped *g, int entry, uint64_t ticks, const char *args)
{
    kt_gen_call(&g->gen, &(struct kt_gen_call){7, entry, 0, g->at, ticks, args});
    g->at += 10 * MS;
}

static void group(struct grouped *g, enum kt_level level)
{
    struct kt_error error = {0};
    kt_gen_end(&g->gen, true);
    assert_int_equal(kt_trace_open(g->gen.trace, &g->trace, &error), KT_OK);
    assert_int_equal(g->trace.notes, 0);
    kt_shapes_collect(&g->trace, level, &g->shapes);
}

static void end(struct grouped *g)
{
    kt_shapes_free(&g->shapes);
    kt_trace_close(&g->trace);
    kt_gen_remove(&g->gen);
}

static void equal_sizes_are_one_shape(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    int gemm = kt_gen_entry(&g.gen, "dgemm", KT_FORTRAN);
    call(&g, gemm, 1 * MS, "N T 2 3 4 1 0x1000 2 0x2000 3 0 0x3000 2");
    call(&g, gemm, 5 * MS, "N T 2 3 4 1 0x5000 2 0x6000 3 0 0x7000 2"); /* elsewhere */
    call(&g, gemm, 2 * MS, "n t 2 3 4 1 0x1000 2 0x2000 3 0 0x3000 2"); /* lower case */
    call(&g, gemm, 3 * MS, "N T 2 3 5 1 0x1000 2 0x2000 3 0 0x3000 2"); /* another k */
    call(&g, gemm, 1 * MS, "N N 2 3 4 1 0x1000 2 0x2000 4 0 0x3000 2"); /* another option */
    call(&g, gemm, 1 * MS, "N T 2 3 4 1 0x1000 9 0x2000 3 0 0x3000 2"); /* another leading dimension */
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 4);
    const struct kt_shape_group *first = &g.shapes.shape[0];
    assert_int_equal(first->calls, 3);
    assert_int_equal(first->first.n, 0);
    assert_float_equal(first->total, 8e-3, 1e-7);
    assert_int_equal(first->seconds.n, 3);
    assert_float_equal(first->seconds.least, 1e-3, 1e-7);
    assert_float_equal(first->seconds.most, 5e-3, 1e-7);
    assert_true(first->flops == 2 * 2 * 3 * 4);
    assert_true(first->bytes == 8 * (2 * 4 + 4 * 3 + 2 * 3)); /* beta = 0: C is only written */
    assert_false(first->query);
    assert_float_equal(g.shapes.seconds, 13e-3, 1e-7);
    end(&g);
}

/* What is remembered of an entry's last call must not be used for another: also if calls in between are no part. */
static void shapes_alternate(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    int dot = kt_gen_entry(&g.gen, "ddot", KT_FORTRAN);
    int gesv = kt_gen_entry(&g.gen, "dgesv", KT_FORTRAN);
    int zaxpy = kt_gen_entry(&g.gen, "zaxpy", KT_FORTRAN);
    for (int i = 0; i < 10; i++) {
        call(&g, dot, MS, "10 0x1000 1 0x2000 1");
        call(&g, dot, MS, "10 0x5000 1 0x2000 1");
        uint64_t at = g.at;
        call(&g, gesv, 8 * MS, "3 1 0x1000 3 0x2000 0x3000 3 0");
        kt_gen_call(&g.gen, &(struct kt_gen_call){7, dot, 1, at + MS, MS, "20 0x1000 1 0x2000 1"});
        call(&g, dot, MS, "20 0x1000 1 0x2000 1");
        call(&g, dot, MS, "20 0x1000 1 0x2000 2");
        call(&g, zaxpy, MS, "10 1,0 0x1000 1 0x2000 1");
        call(&g, zaxpy, MS, "10 1,2 0x1000 1 0x2000 1"); /* only the imaginary part is another */
    }
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 6);
    assert_int_equal(g.shapes.shape[0].calls, 10); /* dgesv */
    assert_int_equal(g.shapes.shape[1].calls, 20);
    assert_int_equal(g.shapes.shape[1].first.n, 0);
    for (size_t i = 2; i < 6; i++)
        assert_int_equal(g.shapes.shape[i].calls, 10);
    end(&g);
}

static void scalars_count_by_class(void **state)
{
    (void)state;
    static const char *const alpha[] = {"0", "1", "-1", "2", "3.5", "-0", "1e300"};
    struct grouped g;
    begin(&g);
    int axpy = kt_gen_entry(&g.gen, "daxpy", KT_FORTRAN);
    int zaxpy = kt_gen_entry(&g.gen, "zaxpy", KT_FORTRAN);
    for (size_t i = 0; i < sizeof alpha / sizeof *alpha; i++) {
        char args[100];
        snprintf(args, sizeof args, "10 %s 0x1000 1 0x2000 1", alpha[i]);
        call(&g, axpy, MS, args);
    }
    call(&g, zaxpy, MS, "10 1,0 0x1000 1 0x2000 1");
    call(&g, zaxpy, MS, "10 1,2 0x1000 1 0x2000 1");
    call(&g, zaxpy, MS, "10 0,2 0x1000 1 0x2000 1");
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 4 + 2);
    end(&g);
}

static void info_is_a_result_and_no_shape(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    int gesv = kt_gen_entry(&g.gen, "dgesv", KT_FORTRAN);
    call(&g, gesv, MS, "3 1 0x1000 3 0x2000 0x3000 3 0");
    call(&g, gesv, MS, "3 1 0x1000 3 0x2000 0x3000 3 2");
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 1);
    end(&g);
}

static void symbols_are_shapes_of_their_own(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    call(&g, kt_gen_entry(&g.gen, "ddot", KT_FORTRAN), MS, "10 0x1000 1 0x2000 1");
    call(&g, kt_gen_entry(&g.gen, "ddot", KT_CBLAS), MS, "10 0x1000 1 0x2000 1");
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 2);
    end(&g);
}

static void processes_share_shapes(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    call(&g, kt_gen_entry(&g.gen, "ddot", KT_FORTRAN), MS, "10 0x1000 1 0x2000 1");
    kt_gen_end(&g.gen, true);
    kt_gen_copy_process(&g.gen, 43);
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 1);
    assert_int_equal(g.shapes.shape[0].calls, 2);
    end(&g);
}

static void make_nested(struct grouped *g)
{
    static const char dot_args[] = "10 0x1000 1 0x2000 1";
    begin(g);
    int gesv = kt_gen_entry(&g->gen, "dgesv", KT_FORTRAN);
    int dot = kt_gen_entry(&g->gen, "ddot", KT_FORTRAN);
    kt_gen_call(&g->gen, &(struct kt_gen_call){7, gesv, 0, 0, 9 * MS, "3 1 0x1000 3 0x2000 0x3000 3 0"});
    kt_gen_call(&g->gen, &(struct kt_gen_call){7, dot, 1, 1 * MS, MS, dot_args});
    kt_gen_call(&g->gen, &(struct kt_gen_call){7, dot, 1, 3 * MS, MS, dot_args});
    kt_gen_call(&g->gen, &(struct kt_gen_call){7, dot, 0, 10 * MS, MS, dot_args});
    kt_gen_call(&g->gen, &(struct kt_gen_call){7, dot, 0, 20 * MS, 0, dot_args}); /* has not returned */
}

static void outermost_calls_are_the_applications(void **state)
{
    (void)state;
    struct grouped g;
    make_nested(&g);
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 2);
    assert_string_equal(g.shapes.shape[0].first.entry->symbol.name, "dgesv_");
    assert_int_equal(g.shapes.shape[1].calls, 1);
    end(&g);
}

static void leaves_contain_no_call(void **state)
{
    (void)state;
    struct grouped g;
    make_nested(&g);
    group(&g, KT_LEAVES);
    assert_int_equal(g.shapes.count, 1);
    assert_string_equal(g.shapes.shape[0].first.entry->symbol.name, "ddot_");
    assert_int_equal(g.shapes.shape[0].calls, 3);
    end(&g);
}

static void queries_are_marked(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    call(&g, kt_gen_entry(&g.gen, "dgeqrf", KT_FORTRAN), MS, "5 5 0x1000 5 0x2000 0x3000 -1 0");
    group(&g, KT_OUTERMOST);
    assert_true(g.shapes.shape[0].query);
    end(&g);
}

static void no_call_is_no_shape(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 0);
    assert_true(g.shapes.seconds == 0);
    end(&g);
}

static void many_shapes_are_kept_apart(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    g.gen.chunk_bytes = 1 << 20;
    int dot = kt_gen_entry(&g.gen, "ddot", KT_FORTRAN);
    for (int i = 0; i < 20000; i++) {
        char args[100];
        snprintf(args, sizeof args, "%d 0x1000 1 0x2000 1", i % 5000);
        call(&g, dot, MS, args);
    }
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 5000);
    for (size_t i = 0; i < g.shapes.count; i++)
        assert_int_equal(g.shapes.shape[i].calls, 4);
    end(&g);
}

static void text_fits_its_width(void **state)
{
    (void)state;
    static const char whole[] = "N T 2 3 4 alpha=1.5 lda=2 ldb=3 beta=0 ldc=2";
    struct grouped g;
    char text[100];
    begin(&g);
    call(&g, kt_gen_entry(&g.gen, "dgemm", KT_FORTRAN), MS, "N T 2 3 4 1.5 0x1000 2 0x2000 3 0 0x3000 2");
    group(&g, KT_OUTERMOST);
    const struct kt_call *first = &g.shapes.shape[0].first;
    kt_shape_text(first, text, 80);
    assert_string_equal(text, whole);
    for (size_t width = 2; width < sizeof whole - 1; width++) {
        memset(text, 'x', sizeof text);
        kt_shape_text(first, text, width);
        assert_true(strlen(text) <= width);
        assert_string_equal(text + strlen(text) - 2, "..");
        assert_int_equal(text[width + 1], 'x');
    }
    kt_shape_text(first, text, sizeof whole - 1);
    assert_string_equal(text, whole);
    end(&g);
}

static void a_query_says_so(void **state)
{
    (void)state;
    struct grouped g;
    char text[100];
    begin(&g);
    call(&g, kt_gen_entry(&g.gen, "dgeqrf", KT_FORTRAN), MS, "5 4 0x1000 5 0x2000 0x3000 -1 0");
    group(&g, KT_OUTERMOST);
    assert_true(g.shapes.shape[0].query);
    kt_shape_text(&g.shapes.shape[0].first, text, 80);
    assert_string_equal(text, "query 5 4 lda=5 lwork=-1");
    end(&g);
}

static void parameters_have_short_texts(void **state)
{
    (void)state;
    struct grouped g;
    char text[100];
    begin(&g);
    call(&g, kt_gen_entry(&g.gen, "cgemm", KT_CBLAS), MS, "101 113 999 2 3 4 0.1,-2 0x1000 2 0x2000 3 0,0 0x3000 2");
    group(&g, KT_OUTERMOST);
    kt_shape_text(&g.shapes.shape[0].first, text, 80);
    assert_string_equal(text, "row C 999 2 3 4 alpha=0.1-2i lda=2 ldb=3 beta=0+0i ldc=2");
    const struct kt_param *a = &g.shapes.shape[0].first.entry->symbol.param[7];
    assert_string_equal(kt_param_text(&g.shapes.shape[0].first, a, text), "0x1000");
    end(&g);
}

/* Of the only call. */
static void words_are(const char *routine, enum kt_view view, const char *args, const char *expected)
{
    struct grouped g;
    char words[200];
    begin(&g);
    call(&g, kt_gen_entry(&g.gen, routine, view), MS, args);
    group(&g, KT_OUTERMOST);
    kt_shape_words(&g.shapes.shape[0].first, g.shapes.shape[0].also, words, sizeof words);
    assert_string_equal(words, expected);
    end(&g);
}

static void words_leave_out_what_is_usual(void **state)
{
    (void)state;
    words_are("dgemm", KT_FORTRAN, "N N 2 3 4 1 0x1000 2 0x2000 4 0 0x3000 2", "dgemm 2x3x4");
    words_are("dgemm", KT_FORTRAN, "N T 2 3 4 -1 0x1000 9 0x2000 3 1 0x3000 2",
              "dgemm N T 2x3x4 alpha=-1 beta=1 lda=9");
    words_are("dgemm", KT_FORTRAN, "N N 2 3 4 1.0001 0x1000 2 0x2000 4 0.1234 0x3000 2",
              "dgemm 2x3x4 alpha=1.0001 beta=0.123");
    words_are("zgemm", KT_FORTRAN, "N N 2 3 4 1,0 0x1000 2 0x2000 4 0,0.1234 0x3000 2", "zgemm 2x3x4 beta=0+0.123i");
    words_are("ddot", KT_FORTRAN, "5 0x1000 1 0x2000 2", "ddot 5 incy=2");
    words_are("dgeqrf", KT_FORTRAN, "5 4 0x1000 5 0x2000 0x3000 -1 0", "dgeqrf query 5x4");
}

static void words_have_all_options_of_a_routine_that_has_several_kinds(void **state)
{
    (void)state;
    words_are("dtrsm", KT_FORTRAN, "L L N N 7 8 1 0x1000 7 0x2000 7", "dtrsm L L N N 7x8");
    words_are("dtrsm", KT_FORTRAN, "L L T N 7 8 1 0x1000 7 0x2000 7", "dtrsm L L T N 7x8");
}

static void words_are_of_one_shape_only(void **state)
{
    (void)state;
    static const char *const expected[] = {"dgetrf 5x5 by dgetrf_", "dgetrf 5x5 by LAPACKE_dgetrf",
                                           "dgeqrf 5x4 lwork=4",    "dgeqrf 5x4 lwork=128",
                                           "dgeqrf query 5x4",      "dgemv 5x1 lda=5",
                                           "dgemv 5x1 lda=9"};
    enum { SHAPES = sizeof expected / sizeof *expected };
    struct grouped g;
    begin(&g);
    int qr = kt_gen_entry(&g.gen, "dgeqrf", KT_FORTRAN);
    int gemv = kt_gen_entry(&g.gen, "dgemv", KT_FORTRAN);
    call(&g, kt_gen_entry(&g.gen, "dgetrf", KT_FORTRAN), 9 * MS, "5 5 0x1000 5 0x2000 0");
    call(&g, kt_gen_entry(&g.gen, "dgetrf", KT_LAPACKE), 8 * MS, "102 5 5 0x1000 5 0x2000 0");
    call(&g, qr, 7 * MS, "5 4 0x1000 5 0x2000 0x3000 4 0");
    call(&g, qr, 6 * MS, "5 4 0x1000 5 0x2000 0x3000 128 0");
    call(&g, qr, 5 * MS, "5 4 0x1000 5 0x2000 0x3000 -1 0");
    call(&g, gemv, 4 * MS, "N 5 1 1 0x1000 5 0x2000 1 0 0x3000 1");
    call(&g, gemv, 3 * MS, "N 5 1 1 0x1000 9 0x2000 1 0 0x3000 1");
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, SHAPES);
    for (size_t i = 0; i < SHAPES; i++) {
        char words[200];
        kt_shape_words(&g.shapes.shape[i].first, g.shapes.shape[i].also, words, sizeof words);
        assert_string_equal(words, expected[i]);
    }
    end(&g);
}

static const char *operands_of(const struct grouped *g, char out[2 * KT_PARAM_TEXT])
{
    const struct kt_call *usual = &g->shapes.shape[0].usual;
    char x[KT_PARAM_TEXT];
    char y[KT_PARAM_TEXT];
    snprintf(out, 2 * KT_PARAM_TEXT, "%s %s", kt_param_text(usual, &usual->entry->symbol.param[1], x),
             kt_param_text(usual, &usual->entry->symbol.param[3], y));
    return out;
}

/* A ddot of a vector with itself is followed by many of two; rare arrangements, more than are kept, come before and in
 * between. */
static void operands_lie_as_in_most_calls(void **state)
{
    (void)state;
    static const char *const rare[] = {"9 0x1000 1 0x1000 1", "9 0x1000 1 0x1008 1", "9 0x1000 1 0x1010 1",
                                       "9 0x1000 1 0x1018 1", "9 0x1000 1 0x1020 1", "9 0x1000 1 0x1028 1"};
    struct grouped g;
    char text[2 * KT_PARAM_TEXT];
    begin(&g);
    int dot = kt_gen_entry(&g.gen, "ddot", KT_FORTRAN);
    for (int i = 0; i < 6; i++) {
        call(&g, dot, MS, rare[i]);
        if (i % 2)
            call(&g, dot, MS, "9 0x2008 1 0x3010 1");
        call(&g, dot, MS, i < 3 ? "9 0x4008 1 0x5010 1" : "9 0x6008 1 0x7010 1"); /* elsewhere, but alike */
    }
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.count, 1);
    assert_int_equal(g.shapes.shape[0].first.n, 0);
    assert_int_equal(g.shapes.shape[0].usual.n, 1);
    assert_string_equal(operands_of(&g, text), "0x4008 0x5010");
    end(&g);
}

static void what_shares_no_memory_lies_alike(void **state)
{
    (void)state;
    struct grouped g;
    char text[2 * KT_PARAM_TEXT];
    begin(&g);
    int dot = kt_gen_entry(&g.gen, "ddot", KT_FORTRAN);
    call(&g, dot, MS, "9 0x1000 1 0x1040 1"); /* 72 bytes each: they overlap by one element */
    call(&g, dot, MS, "9 0x1000 1 0x1080 1");
    call(&g, dot, MS, "9 0x1000 1 0x5000 1");
    group(&g, KT_OUTERMOST);
    assert_string_equal(operands_of(&g, text), "0x1000 0x1080");
    end(&g);
}

/* Blocks of one matrix, of 2 rows each, 8 apart in a column: wherever they are, none is in another one. */
static void blocks_of_a_matrix_lie_alike(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    int gemm = kt_gen_entry(&g.gen, "dgemm", KT_FORTRAN);
    call(&g, gemm, MS, "N N 2 2 2 1 0x1000 8 0x1008 8 0 0x1010 8"); /* all begin elsewhere in a line */
    call(&g, gemm, MS, "N N 2 2 2 1 0x1000 8 0x1010 8 0 0x1020 8");
    call(&g, gemm, MS, "N N 2 2 2 1 0x2000 8 0x1010 8 0 0x1020 8");
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.shape[0].usual.n, 1);
    end(&g);
}

static void failures_are_counted(void **state)
{
    (void)state;
    struct grouped g;
    begin(&g);
    int potrf = kt_gen_entry(&g.gen, "dpotrf", KT_FORTRAN);
    call(&g, potrf, MS, "L 9 0x1000 9 0");
    call(&g, potrf, MS, "L 9 0x1000 9 3");
    call(&g, potrf, MS, "L 9 0x1000 9 4");
    group(&g, KT_OUTERMOST);
    assert_int_equal(g.shapes.shape[0].calls, 3);
    assert_int_equal(g.shapes.shape[0].failed, 2);
    assert_int_equal(g.shapes.shape[0].info, 3);
    end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_alternate),
        cmocka_unit_test(equal_sizes_are_one_shape),
        cmocka_unit_test(scalars_count_by_class),
        cmocka_unit_test(info_is_a_result_and_no_shape),
        cmocka_unit_test(symbols_are_shapes_of_their_own),
        cmocka_unit_test(processes_share_shapes),
        cmocka_unit_test(outermost_calls_are_the_applications),
        cmocka_unit_test(leaves_contain_no_call),
        cmocka_unit_test(queries_are_marked),
        cmocka_unit_test(no_call_is_no_shape),
        cmocka_unit_test(many_shapes_are_kept_apart),
        cmocka_unit_test(text_fits_its_width),
        cmocka_unit_test(a_query_says_so),
        cmocka_unit_test(parameters_have_short_texts),
        cmocka_unit_test(words_leave_out_what_is_usual),
        cmocka_unit_test(words_have_all_options_of_a_routine_that_has_several_kinds),
        cmocka_unit_test(words_are_of_one_shape_only),
        cmocka_unit_test(operands_lie_as_in_most_calls),
        cmocka_unit_test(what_shares_no_memory_lies_alike),
        cmocka_unit_test(blocks_of_a_matrix_lie_alike),
        cmocka_unit_test(failures_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
