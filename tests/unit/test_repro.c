/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a reproducing program is made of: blocks of memory, the cause of an info, and its text. That the programs
 * compile and do what the call did is tested by tests/replay/repro.sh.
 */
#include "replay/repro/repro.h"
#include "tests/parts/tracegen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SPEC "trace/routines"

/* The plan for a trace of one call. */
struct planned {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_call call;
    struct kt_repro repro;
    char *text; /* of the program */
};

static void plan(struct planned *p, const char *routine, enum kt_view view, uint64_t ticks, const char *args)
{
    struct kt_error error = {0};
    struct kt_cursor cursor;
    *p = (struct planned){0};
    kt_gen_begin(&p->gen, SPEC, 42);
    int entry = kt_gen_entry(&p->gen, routine, view);
    kt_gen_call(&p->gen, &(struct kt_gen_call){7, entry, 0, 100, ticks, args});
    kt_gen_end(&p->gen, ticks != 0);
    assert_int_equal(kt_trace_open(p->gen.trace, &p->trace, &error), KT_OK);
    kt_cursor_begin(&p->trace, &cursor);
    assert_true(kt_cursor_next(&cursor, &p->call));
    assert_int_equal(kt_repro_plan(&p->trace, &p->call, NULL, &p->repro, &error), KT_OK);
    size_t size;
    FILE *file = open_memstream(&p->text, &size);
    kt_repro_print(&p->repro, file);
    fclose(file);
}

static void end(struct planned *p)
{
    free(p->text);
    kt_trace_close(&p->trace);
    kt_gen_remove(&p->gen);
}

#define assert_says(p, words)   assert_non_null(strstr((p)->text, words))
#define assert_silent(p, words) assert_null(strstr((p)->text, words))

static void overlapping_operands_share_a_block(void **state)
{
    (void)state;
    struct planned p;
    plan(&p, "dgemm", KT_FORTRAN, 10, "N N 2 2 2 1 0x20000 3 0x20010 3 0 0x20038 2"); /* C follows B at once */
    assert_int_equal(p.repro.blocks, 2);
    assert_int_equal(p.repro.block[0].hi - p.repro.block[0].lo, 0x38);
    assert_int_equal(p.repro.block[1].hi - p.repro.block[1].lo, 4 * 8);
    assert_int_equal(p.repro.block_of[0], 0);
    assert_int_equal(p.repro.block_of[1], 0);
    assert_int_equal(p.repro.block_of[2], 1);
    assert_int_equal(p.repro.block[1].place - p.repro.block[0].place, 0x38);
    assert_says(&p, "double *b = (double *)(void *)(memory[0] + 16);");
    end(&p);
}

static void far_operands_keep_their_place_in_the_page(void **state)
{
    (void)state;
    struct planned p;
    plan(&p, "daxpy", KT_FORTRAN, 10, "4 1.5 0x7f0000001238 1 0x100000010 -2");
    assert_int_equal(p.repro.blocks, 2);
    assert_int_equal(p.repro.block_of[0], 1); /* by address */
    assert_int_equal(p.repro.block[1].place % 4096, 0x238);
    assert_int_equal(p.repro.block[0].place % 4096, 0x010);
    assert_int_equal(p.repro.block[0].hi - p.repro.block[0].lo, 7 * 8);
    assert_says(&p, "const double alpha = 1.5;");
    assert_says(&p, "y[i * 2] = number();");
    end(&p);
}

static void operands_that_are_not_referenced(void **state)
{
    (void)state;
    struct planned p;
    plan(&p, "dgesvd", KT_FORTRAN, 10, "N N 3 2 0x1000 3 0x2000 0x3000 1 0x0 1 0x4000 20 0");
    assert_int_equal(p.repro.block_of[2], 3); /* behind those that are */
    assert_int_equal(p.repro.block[3].lo, p.repro.block[3].hi);
    assert_int_equal(p.repro.block_of[3], -1);
    assert_says(&p, "double *vt = NULL;");
    end(&p);
}

/* A triangle without its diagonal begins behind the pointer that is passed. */
static void pointer_before_the_block(void **state)
{
    (void)state;
    struct planned p;
    plan(&p, "dtrsv", KT_FORTRAN, 10, "L N U 3 0x1000 4 0x2000 1");
    assert_says(&p, "double *a = (double *)(void *)(memory[0] - 8);");
    assert_says(&p, "for (long row = col + 1; row < 3; row++)");
    end(&p);
}

static void check_cause(const char *routine, const char *args, enum kt_cause cause, int64_t at)
{
    struct planned p;
    plan(&p, routine, KT_FORTRAN, 10, args);
    assert_int_equal(p.repro.cause, cause);
    if (at >= 0)
        assert_int_equal(p.repro.cause_at, at);
    end(&p);
}

static void causes_of_info(void **state)
{
    (void)state;
    check_cause("dpotrf", "U 4 0x1000 4 0", KT_CAUSE_NONE, -1);
    check_cause("dpotrf", "U 4 0x1000 4 3", KT_CAUSE_NOT_POSITIVE, 2);
    check_cause("dpotrf", "U 4 0x1000 4 5", KT_CAUSE_UNKNOWN, -1); /* there is no fifth minor */
    check_cause("dtrtri", "U N 4 0x1000 4 4", KT_CAUSE_ZERO, 3);
    check_cause("dtrtri", "U U 4 0x1000 4 4", KT_CAUSE_UNKNOWN, -1); /* the diagonal is not referenced */
    check_cause("dgetrf", "4 3 0x1000 4 0x2000 1", KT_CAUSE_ZERO_CROSS, 0);
    check_cause("dgetrf", "4 3 0x1000 4 0x2000 4", KT_CAUSE_UNKNOWN, -1); /* three columns */
    check_cause("dgtsv", "4 1 0x1000 0x2000 0x3000 0x4000 4 2", KT_CAUSE_ZERO_COLUMN, 1);
    check_cause("dgesv", "-1 1 0x1000 4 0x2000 0x3000 4 -1", KT_CAUSE_ARGUMENT, -1);
    check_cause("dgesv", "2 1 0x1000 4 0x2000 0x3000 4 -3", KT_CAUSE_NAN, -1);
    check_cause("dgesv", "2 1 0x1000 4 0x2000 0x3000 4 -5", KT_CAUSE_UNKNOWN, -1); /* ipiv is only written */
    check_cause("dgesv", "2 1 0x1000 4 0x2000 0x3000 4 -1010", KT_CAUSE_UNKNOWN, -1);
}

static void info_is_brought_about(void **state)
{
    (void)state;
    struct planned p;
    plan(&p, "zpotrf", KT_FORTRAN, 10, "L 4 0x1000 5 2");
    assert_says(&p, "a[1 + 1 * 5] = -8;");
    assert_says(&p, "return info != 2;");
    end(&p);
    plan(&p, "dgetrf", KT_FORTRAN, 10, "4 3 0x1000 4 0x2000 2");
    assert_says(&p, "row == 1 || col == 1 ? 0 : number()");
    end(&p);
    plan(&p, "dgtsv", KT_FORTRAN, 10, "4 1 0x1000 0x2000 0x3000 0x4000 4 2");
    assert_says(&p, "dl[1] = 0;");
    assert_says(&p, "d[1] = 0;");
    assert_says(&p, "du[0] = 0;");
    end(&p);
    plan(&p, "dgesv", KT_FORTRAN, 10, "2 1 0x1000 4 0x2000 0x3000 4 -3");
    assert_says(&p, "a[0] = NAN;");
    assert_says(&p, "void xerbla_(");
    end(&p);
}

static void interfaces(void **state)
{
    (void)state;
    struct planned p;
    plan(&p, "zgemm", KT_CBLAS, 10, "101 111 113 2 3 4 1.5,-2 0x10000 4 0x20000 4 0,0 0x30000 3");
    assert_says(&p, "void cblas_zgemm(int layout, int TransA, int TransB, integer M, integer N, integer K, const "
                    "double complex *alpha, "
                    "const double complex *A,");
    assert_says(&p, "const int TransB = 113; /* conjugate transpose */");
    assert_says(&p, "const double complex alpha = CMPLX(1.5, -2);");
    assert_says(&p, "cblas_zgemm(layout, TransA, TransB, M, N, K, &alpha, A, lda,");
    assert_silent(&p, "size_t);");
    end(&p);
    plan(&p, "zdotc", KT_CBLAS, 10, "2 0x10000 1 0x20000 1 0x30000");
    assert_says(&p, "double complex *dotc)");
    end(&p);
    plan(&p, "zdotc", KT_FORTRAN, 10, "2 0x10000 1 0x20000 1");
    assert_says(&p, "double complex zdotc_(const integer *n,");
    assert_says(&p, "result = zdotc_(&n, x, &incx, y, &incy);");
    end(&p);
    plan(&p, "dpbtrf", KT_LAPACKE, 10, "101 76 4 1 0x1000 5 2");
    assert_says(
        &p, "integer LAPACKE_dpbtrf(int matrix_layout, char uplo, integer n, integer kd, double *ab, integer ldab);");
    assert_says(&p, "info = LAPACKE_dpbtrf(matrix_layout, uplo, n, kd, ab, ldab);");
    assert_says(&p, "col == 0 ? diagonal(8) : number()"); /* stored transposed */
    assert_says(&p, "ab[1 + 0 * 5] = -8;");
    end(&p);
    plan(&p, "zgees", KT_LAPACKE, 10, "102 86 83 0x7f0000000100 2 0x1000 2 0x2000 0x3000 0x4000 2 0");
    assert_says(&p, "LAPACKE_zgees(matrix_layout, jobvs, sort, chosen, n,");
    end(&p);
}

/* Only what is used is there, so that no compiler warns. */
static void nothing_superfluous(void **state)
{
    (void)state;
    struct planned p;
    plan(&p, "dgemm", KT_FORTRAN, 10, "N N 0 0 0 1 0x0 3 0x0 3 0 0x0 2");
    assert_int_equal(p.repro.blocks, 0);
    assert_silent(&p, "allocate");
    assert_silent(&p, "number(void)");
    assert_silent(&p, "struct sum");
    end(&p);
}

/* What stands in the trace cannot end the comment. */
static void text_of_the_trace_is_only_text(void **state)
{
    (void)state;
    struct planned p;
    struct kt_error error = {0};
    plan(&p, "ddot", KT_FORTRAN, 10, "2 0x1000 1 0x2000 1");
    kt_gen_replace_line(&p.gen, "meta", "arg", "arg\t*/ int x; /*");
    free(p.text);
    kt_trace_close(&p.trace);
    assert_int_equal(kt_trace_open(p.gen.trace, &p.trace, &error), KT_OK);
    struct kt_cursor cursor;
    kt_cursor_begin(&p.trace, &cursor);
    assert_true(kt_cursor_next(&cursor, &p.call));
    assert_int_equal(kt_repro_plan(&p.trace, &p.call, NULL, &p.repro, &error), KT_OK);
    size_t size;
    FILE *file = open_memstream(&p.text, &size);
    kt_repro_print(&p.repro, file);
    fclose(file);
    assert_says(&p, "int x;");
    assert_ptr_equal(strstr(p.text, "*/"), strstr(p.text, "*/\n#define _GNU_SOURCE"));
    end(&p);
}

static void call_that_did_not_return(void **state)
{
    (void)state;
    struct planned p;
    plan(&p, "dgesv", KT_FORTRAN, 0, "2 1 0x1000 4 0x2000 0x3000 4 0");
    assert_false(p.repro.has_info);
    assert_says(&p, "had not returned");
    assert_says(&p, "return 0;");
    end(&p);
}

static void impossible_operands(void **state)
{
    (void)state;
    struct planned p;
    struct kt_error error = {0};
    plan(&p, "dgemm", KT_FORTRAN, 10, "N N 2 2 2 1 0x1000 2 0x2000 2 0 0x3000 2");
    p.call.args = memcpy(malloc(256), p.call.args, p.call.entry->symbol.arg_bytes);
    int64_t huge = INT32_MAX;
    for (int i = 0; i < p.call.entry->symbol.params; i++)
        if (p.call.entry->symbol.param[i].stored == KT_INT)
            memcpy((unsigned char *)p.call.args + p.call.entry->symbol.param[i].offset, &huge, sizeof huge);
    assert_int_equal(kt_repro_plan(&p.trace, &p.call, NULL, &p.repro, &error), KT_BAD_INPUT);
    assert_non_null(strstr(error.text, "impossible operands"));
    free((void *)p.call.args);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlapping_operands_share_a_block),
        cmocka_unit_test(far_operands_keep_their_place_in_the_page),
        cmocka_unit_test(operands_that_are_not_referenced),
        cmocka_unit_test(pointer_before_the_block),
        cmocka_unit_test(causes_of_info),
        cmocka_unit_test(info_is_brought_about),
        cmocka_unit_test(interfaces),
        cmocka_unit_test(nothing_superfluous),
        cmocka_unit_test(text_of_the_trace_is_only_text),
        cmocka_unit_test(call_that_did_not_return),
        cmocka_unit_test(impossible_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
