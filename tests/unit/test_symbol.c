/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symbols: names and order of parameters in both interfaces, where a call stores them, and the way back to values.
 */
#include "tests/parts/table_load.h"
#include "trace/table/symbol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct kt_symbol symbol_of(const char *routine, enum kt_view view)
{
    struct kt_symbol symbol;
    const struct kt_routine *r = kt_table_find(&kt_spec_table, routine);
    assert_non_null(r);
    assert_true(kt_symbol_make(r, view, &symbol));
    return symbol;
}

static void check_names(const char *routine, enum kt_view view, const char *symbol_name, const char *names)
{
    struct kt_symbol symbol = symbol_of(routine, view);
    char joined[512] = "";
    for (int i = 0; i < symbol.params; i++) {
        strcat(joined, i ? " " : "");
        strcat(joined, symbol.param[i].name);
    }
    assert_string_equal(symbol.name, symbol_name);
    assert_string_equal(joined, names);
}

static void test_names(void **state)
{
    (void)state;
    check_names("dgemm", KT_FORTRAN, "dgemm_", "transa transb m n k alpha a lda b ldb beta c ldc");
    check_names("dgemm", KT_CBLAS, "cblas_dgemm", "layout TransA TransB M N K alpha A lda B ldb beta C ldc");
    check_names("sgbmv", KT_CBLAS, "cblas_sgbmv", "layout TransA M N KL KU alpha A lda X incX beta Y incY");
    check_names("ddot", KT_CBLAS, "cblas_ddot", "N X incX Y incY");
    check_names("zdotc", KT_FORTRAN, "zdotc_", "n x incx y incy");
    check_names("zdotc", KT_CBLAS, "cblas_zdotc_sub", "N X incX Y incY dotc");
    check_names("drotmg", KT_CBLAS, "cblas_drotmg", "d1 d2 b1 b2 P");
}

static void test_lapack_has_no_cblas(void **state)
{
    (void)state;
    struct kt_symbol symbol;
    assert_false(kt_symbol_make(kt_table_find(&kt_spec_table, "dgesv"), KT_CBLAS, &symbol));
}

static void check_parsed_names(const char *family, enum kt_view view, const char *symbol_name, const char *names)
{
    struct kt_error error = {0};
    assert_int_equal(kt_table_parse(family, "family", &kt_spec_table, &error), KT_OK);
    check_names(kt_spec_table.routine[0].name, view, symbol_name, names);
    kt_table_free(&kt_spec_table);
}

/* Info is returned; the high-level interface has no workspaces and nothing that only belongs to them. */
static void test_lapacke_names(void **state)
{
    (void)state;
    const struct kt_table table = kt_spec_table;
    static const char gesv[] = "dgesv d lapacke | dim:n io:a[n,n;lda] ld:lda out:x[n;incx] inc:incx work:w[n,n;ldw]"
                               " ld:ldw work:work[max(1,lwork)] lwork:lwork info:info |";
    check_parsed_names(gesv, KT_LAPACKE, "LAPACKE_dgesv", "matrix_layout n a lda x incx info");
    check_parsed_names(gesv, KT_LAPACKE_WORK, "LAPACKE_dgesv_work",
                       "matrix_layout n a lda x incx w ldw work lwork info");
    check_parsed_names("dpttrf d lapacke | dim:n io:d[n] io:e[n-1] info:info |", KT_LAPACKE, "LAPACKE_dpttrf",
                       "n d e info");
    check_parsed_names("dpptrf d lapacke | uplo:uplo dim:n io:ap[n;packed;uplo] info:info |", KT_LAPACKE,
                       "LAPACKE_dpptrf", "matrix_layout uplo n ap info");
    kt_spec_table = table;
}

/* What the high-level interface does not leave out: workspaces that return something, lengths of outputs. */
static void test_lapacke_keeps(void **state)
{
    (void)state;
    check_names("dgesvd", KT_LAPACKE, "LAPACKE_dgesvd",
                "matrix_layout jobu jobvt m n a lda s u ldu vt ldvt superb info");
    check_names("dgesvd", KT_LAPACKE_WORK, "LAPACKE_dgesvd_work",
                "matrix_layout jobu jobvt m n a lda s u ldu vt ldvt work lwork info");
    check_names("dgeqr", KT_LAPACKE, "LAPACKE_dgeqr", "matrix_layout m n a lda t tsize info");
}

static bool is_by_value(const struct kt_symbol *symbol, const char *name)
{
    for (int i = 0; i < symbol->params; i++)
        if (!strcmp(symbol->param[i].name, name))
            return symbol->param[i].by_value;
    fail_msg("%s has no %s", symbol->name, name);
    return false;
}

static void test_written_option(void **state)
{
    (void)state;
    struct kt_symbol s = symbol_of("dgesvx", KT_LAPACKE);
    assert_true(is_by_value(&s, "fact"));
    assert_false(is_by_value(&s, "equed"));
}

static void test_cblas_only(void **state)
{
    (void)state;
    const struct kt_routine *r = kt_table_find(&kt_spec_table, "domatcopy");
    assert_non_null(r);
    assert_true(kt_symbol_exists(r, KT_CBLAS));
    assert_false(kt_symbol_exists(r, KT_FORTRAN));
}

struct names {
    char text[512];
};

static void add_name(const struct kt_symbol *symbol, const char *name, bool common, void *context)
{
    (void)symbol;
    struct names *names = context;
    strcat(names->text, names->text[0] ? " " : "");
    strcat(names->text, name);
    strcat(names->text, common ? "!" : "");
}

static void check_all_names(const char *routine, enum kt_view view, const char *expected)
{
    struct kt_symbol symbol = symbol_of(routine, view);
    struct names names = {""};
    kt_symbol_names(&symbol, add_name, &names);
    assert_string_equal(names.text, expected);
}

static void test_all_names(void **state)
{
    (void)state;
    check_all_names("dgemm", KT_FORTRAN,
                    "dgemm_ dgemm! DGEMM! dgemm_64_ dgemm_64 DGEMM_64 scipy_dgemm_ scipy_dgemm_64_");
    check_all_names(
        "zdotc", KT_CBLAS,
        "cblas_zdotc_sub cblas_zdotc_sub64_ cblas_zdotc_sub_64 scipy_cblas_zdotc_sub scipy_cblas_zdotc_sub64_");
}

/* By decreasing size, in the order of the interface within a size, without gaps, padded to 8 bytes. */
static void check_layout(const struct kt_symbol *s)
{
    static const size_t sizes[] = {16, 8, 4, 1};
    size_t offset = 0;
    for (size_t size = 0; size < 4; size++)
        for (int i = 0; i < s->params; i++)
            if (kt_stored_bytes(s->param[i].stored) == sizes[size]) {
                assert_int_equal(s->param[i].offset, offset);
                offset += sizes[size];
            }
    assert_int_equal(s->arg_bytes % 8, 0);
    assert_true(s->arg_bytes >= offset && s->arg_bytes < offset + 8);
}

static void test_layout_of_all_symbols(void **state)
{
    (void)state;
    for (size_t i = 0; i < kt_spec_table.count; i++)
        for (enum kt_view view = 0; view < KT_VIEWS; view++) {
            struct kt_symbol symbol;
            if (kt_symbol_make(&kt_spec_table.routine[i], view, &symbol))
                check_layout(&symbol);
        }
}

static void test_known_layout(void **state)
{
    (void)state;
    struct kt_symbol s = symbol_of("zgemv", KT_FORTRAN);
    assert_string_equal(s.param[0].name, "trans");
    assert_int_equal(s.param[3].offset, 0);          /* alpha, 16 bytes */
    assert_int_equal(s.param[8].offset, 16);         /* beta */
    assert_int_equal(s.param[1].offset, 32);         /* m, 8 bytes */
    assert_int_equal(s.param[0].offset, 32 + 8 * 8); /* trans, behind m n a lda x incx y incy */
    assert_int_equal(s.arg_bytes, 32 + 8 * 8 + 8);
}

static void test_by_value(void **state)
{
    (void)state;
    struct kt_symbol fortran = symbol_of("zaxpy", KT_FORTRAN);
    struct kt_symbol cblas = symbol_of("zaxpy", KT_CBLAS);
    struct kt_symbol real = symbol_of("daxpy", KT_CBLAS);
    for (int i = 0; i < fortran.params; i++)
        assert_false(fortran.param[i].by_value);
    assert_true(cblas.param[0].by_value);
    assert_false(cblas.param[1].by_value); /* complex */
    assert_true(real.param[1].by_value);
    assert_false(real.param[2].by_value);
}

static void test_cblas_letters(void **state)
{
    (void)state;
    static const struct {
        enum kt_role role;
        int value;
        char letter;
    } cases[] = {{KT_TRANS, 111, 'N'}, {KT_TRANS, 112, 'T'}, {KT_TRANS, 113, 'C'},
                 {KT_UPLO, 121, 'U'},  {KT_UPLO, 122, 'L'},  {KT_DIAG, 131, 'N'},
                 {KT_DIAG, 132, 'U'},  {KT_SIDE, 141, 'L'},  {KT_SIDE, 142, 'R'}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(kt_cblas_letter(cases[i].value), cases[i].letter);
        assert_int_equal(kt_cblas_value(cases[i].role, cases[i].letter), cases[i].value);
    }
    assert_int_equal(kt_cblas_letter(0), ' ');
    assert_int_equal(kt_cblas_letter(-1), ' ');
    assert_int_equal(kt_cblas_value(KT_UPLO, 'N'), 0);
}

static void store(unsigned char *args, const struct kt_param *p, const void *value)
{
    memcpy(args + p->offset, value, kt_stored_bytes(p->stored));
}

static void test_stored_values_come_back(void **state)
{
    (void)state;
    unsigned char args[16 * KT_MAX_PARAMS] = {0};
    struct kt_values values;
    struct kt_symbol s = symbol_of("zhemm", KT_CBLAS);
    const int32_t enums[] = {101, 142, 122};
    const int64_t n = -1;
    const double alpha[] = {0.5, -2.25};
    const uint64_t a = 0xffffffffffff3000;
    for (int i = 0; i < 3; i++)
        store(args, &s.param[i], &enums[i]);
    store(args, &s.param[4], &n);
    store(args, &s.param[5], alpha);
    store(args, &s.param[6], &a);
    kt_values_decode(&s, args, &values);
    assert_true(values.row_major);
    assert_true(values.v[0] == 'R' && values.v[1] == 'L');
    assert_true(values.v[2] == 0 && values.v[3] == -1);
    assert_true(values.v[4] == 0.5 && values.imaginary[4] == -2.25);
    assert_true(values.address[5] == a && values.address[7] == 0);
    assert_true(kt_stored_address(args, &s.param[6]) == a);
}

static void test_wrong_enumerations_are_no_letter(void **state)
{
    (void)state;
    unsigned char args[16 * KT_MAX_PARAMS] = {0};
    struct kt_values values;
    struct kt_symbol s = symbol_of("dtrmm", KT_CBLAS);
    const int32_t wrong = INT32_MIN;
    for (int i = 0; i < 5; i++)
        store(args, &s.param[i], &wrong);
    kt_values_decode(&s, args, &values);
    assert_false(values.row_major);
    for (int i = 0; i < 4; i++)
        assert_true(values.v[i] == ' ');
}

static void test_options_in_lower_case(void **state)
{
    (void)state;
    unsigned char args[16 * KT_MAX_PARAMS] = {0};
    struct kt_values values;
    struct kt_symbol s = symbol_of("dpotrf", KT_FORTRAN);
    args[s.param[0].offset] = 'l';
    kt_values_decode(&s, args, &values);
    assert_true(values.v[0] == 'L');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_lapack_has_no_cblas),
        cmocka_unit_test(test_lapacke_names),
        cmocka_unit_test(test_lapacke_keeps),
        cmocka_unit_test(test_written_option),
        cmocka_unit_test(test_cblas_only),
        cmocka_unit_test(test_all_names),
        cmocka_unit_test(test_layout_of_all_symbols),
        cmocka_unit_test(test_known_layout),
        cmocka_unit_test(test_by_value),
        cmocka_unit_test(test_cblas_letters),
        cmocka_unit_test(test_stored_values_come_back),
        cmocka_unit_test(test_wrong_enumerations_are_no_letter),
        cmocka_unit_test(test_options_in_lower_case),
    };
    return cmocka_run_group_tests(tests, kt_spec_setup, kt_spec_teardown);
}
