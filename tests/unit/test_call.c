/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls through thunks: every class of parameters and results arrives where a compiled caller would put it.
 */
#include "replay/call/call.h"
#include "tests/parts/synth.h"
#include "tests/parts/table_load.h"
#include "trace/table/operand.h"

#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A call of a symbol with distinct arguments, and addresses 64, 128, ... for its operands. */
struct made {
    struct kt_symbol symbol;
    unsigned char args[KT_SYNTH_ARG_BYTES];
    struct kt_values values;
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    struct kt_returned returned;
};

static struct made *make(const char *routine, enum kt_view view, size_t int_bytes)
{
    static struct made m;
    struct kt_synth synth = {.state = 1, .distinct = true};
    uint64_t address[KT_MAX_OPERANDS];
    for (size_t i = 0; i < KT_MAX_OPERANDS; i++)
        address[i] = 64 * (i + 1);
    m = (struct made){0};
    assert_true(kt_symbol_make(kt_table_find(&kt_spec_table, routine), view, &m.symbol));
    kt_synth_arguments(&synth, &m.symbol, false, m.args);
    kt_values_decode(&m.symbol, m.args, &m.values);
    kt_parameters_fill(&m.symbol, m.args, address, int_bytes, &m.cells, &m.parameters);
    return &m;
}

static void call(struct made *m, void *function)
{
    kt_thunk *thunk = kt_thunk_of(&m->symbol);
    assert_non_null(thunk);
    thunk(function, &m->parameters, &m->returned);
}

static double value(const struct made *m, const char *name)
{
    for (int i = 0; i < m->symbol.routine->args; i++)
        if (!strcmp(m->symbol.routine->arg[i].name, name))
            return m->values.v[i];
    fail();
    return 0;
}

static void test_every_symbol_has_a_thunk(void **state)
{
    (void)state;
    for (size_t i = 0; i < kt_spec_table.count; i++)
        for (int view = 0; view < KT_VIEWS; view++) {
            struct kt_symbol symbol;
            if (kt_symbol_make(&kt_spec_table.routine[i], view, &symbol))
                assert_non_null(kt_thunk_of(&symbol));
        }
}

/* --- Fortran ----------------------------------------------------------------------------------------------- */

static struct made *made; /* by the test that runs */
static int arrived;

static void fortran_dgemm(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
                          const void *a, const int *lda, const void *b, const int *ldb, const double *beta, void *c,
                          const int *ldc, size_t length_a, size_t length_b)
{
    arrived++;
    assert_int_equal(*ta, (int)value(made, "transa"));
    assert_int_equal(*tb, (int)value(made, "transb"));
    assert_int_equal(*m, (int)value(made, "m"));
    assert_int_equal(*n, (int)value(made, "n"));
    assert_int_equal(*k, (int)value(made, "k"));
    assert_true(*alpha == value(made, "alpha") && *beta == value(made, "beta"));
    assert_ptr_equal(a, 64);
    assert_ptr_equal(b, 128);
    assert_ptr_equal(c, 192);
    assert_int_equal(*lda, (int)value(made, "lda"));
    assert_int_equal(*ldb, (int)value(made, "ldb"));
    assert_int_equal(*ldc, (int)value(made, "ldc"));
    assert_int_equal(length_a, 1);
    assert_int_equal(length_b, 1);
}

static void test_fortran(void **state)
{
    (void)state;
    made = make("dgemm", KT_FORTRAN, 4);
    call(made, (void *)fortran_dgemm);
    assert_int_equal(arrived, 1);
}

static void wide_info(const int64_t *n, const int64_t *nrhs, void *a, const int64_t *lda, void *ipiv, void *b,
                      const int64_t *ldb, int64_t *info)
{
    (void)a, (void)ipiv, (void)b;
    assert_int_equal(*n, (int)value(made, "n"));
    assert_int_equal(*nrhs, (int)value(made, "nrhs"));
    assert_int_equal(*lda, (int)value(made, "lda"));
    assert_int_equal(*ldb, (int)value(made, "ldb"));
    *info = -(INT64_C(1) << 40);
}

static void narrow_info(const int *n, const int *nrhs, void *a, const int *lda, void *ipiv, void *b, const int *ldb,
                        int *info)
{
    (void)n, (void)nrhs, (void)a, (void)lda, (void)ipiv, (void)b, (void)ldb;
    *info = -3;
}

static void test_info(void **state)
{
    (void)state;
    made = make("dgesv", KT_FORTRAN, 8);
    call(made, (void *)wide_info);
    assert_int_equal(kt_parameters_info(&made->symbol, &made->cells, &made->returned, 8), -(INT64_C(1) << 40));
    made = make("dgesv", KT_FORTRAN, 4);
    call(made, (void *)narrow_info);
    assert_int_equal(kt_parameters_info(&made->symbol, &made->cells, &made->returned, 4), -3);
    made = make("dgemm", KT_FORTRAN, 4);
    assert_int_equal(kt_parameters_info(&made->symbol, &made->cells, &made->returned, 4), 0);
}

/* --- CBLAS ------------------------------------------------------------------------------------------------- */

static void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha, const void *a, int lda,
                        const void *b, int ldb, float beta, void *c, int ldc)
{
    arrived++;
    assert_int_equal(layout, 102);
    assert_int_equal(ta, kt_cblas_value(KT_TRANS, (char)value(made, "transa")));
    assert_int_equal(tb, kt_cblas_value(KT_TRANS, (char)value(made, "transb")));
    assert_int_equal(m, (int)value(made, "m"));
    assert_int_equal(n, (int)value(made, "n"));
    assert_int_equal(k, (int)value(made, "k"));
    assert_true(alpha == (float)value(made, "alpha") && beta == (float)value(made, "beta"));
    assert_ptr_equal(a, 64);
    assert_ptr_equal(b, 128);
    assert_ptr_equal(c, 192);
    assert_int_equal(lda, (int)value(made, "lda"));
    assert_int_equal(ldb, (int)value(made, "ldb"));
    assert_int_equal(ldc, (int)value(made, "ldc"));
}

static void cblas_zaxpy(int n, const double complex *alpha, const void *x, int incx, void *y, int incy)
{
    arrived++;
    assert_int_equal(n, (int)value(made, "n"));
    assert_true(creal(*alpha) == value(made, "alpha") && cimag(*alpha) != 0);
    assert_ptr_equal(x, 64);
    assert_ptr_equal(y, 128);
    assert_int_equal(incx, (int)value(made, "incx"));
    assert_int_equal(incy, (int)value(made, "incy")); /* negative */
}

static void cblas_zdotc_sub(int n, const void *x, int incx, const void *y, int incy, void *result)
{
    arrived++;
    (void)n, (void)incx, (void)incy;
    assert_ptr_equal(x, 64);
    assert_ptr_equal(y, 128);
    assert_ptr_equal(result, 192);
}

static void test_cblas(void **state)
{
    (void)state;
    arrived = 0;
    made = make("sgemm", KT_CBLAS, 4);
    call(made, (void *)cblas_sgemm);
    made = make("zaxpy", KT_CBLAS, 4);
    call(made, (void *)cblas_zaxpy);
    made = make("zdotc", KT_CBLAS, 4);
    call(made, (void *)cblas_zdotc_sub);
    assert_int_equal(arrived, 3);
}

/* --- results ----------------------------------------------------------------------------------------------- */

static double double_result(void)
{
    return 2.5;
}

static float float_result(void)
{
    return -1.25f;
}

static double complex complex_result(void)
{
    return 3 - 4 * I;
}

static float complex small_complex_result(void)
{
    return 5 - 6 * I;
}

static int integer_result(void)
{
    return -7;
}

static void test_results(void **state)
{
    (void)state;
    float single[2];
    made = make("ddot", KT_FORTRAN, 4);
    call(made, (void *)double_result);
    assert_true(made->returned.number[0] == 2.5);
    made = make("sdot", KT_CBLAS, 4);
    call(made, (void *)float_result);
    memcpy(single, made->returned.number, sizeof single);
    assert_true(single[0] == -1.25f);
    made = make("zdotc", KT_FORTRAN, 4);
    call(made, (void *)complex_result);
    assert_true(made->returned.number[0] == 3 && made->returned.number[1] == -4);
    made = make("cdotu", KT_FORTRAN, 4);
    call(made, (void *)small_complex_result);
    memcpy(single, made->returned.number, sizeof single);
    assert_true(single[0] == 5);
    made = make("idamax", KT_FORTRAN, 4);
    call(made, (void *)integer_result);
    assert_int_equal((int)made->returned.integer, -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_symbol_has_a_thunk),
        cmocka_unit_test(test_fortran),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_cblas),
        cmocka_unit_test(test_results),
    };
    return cmocka_run_group_tests(tests, kt_spec_setup, kt_spec_teardown);
}
