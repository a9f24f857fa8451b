/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of the routine table: what a line means, and that every kind of malformed line gives one clear error.
 * Under AddressSanitizer also that nothing leaks on the way.
 */
#include "tests/parts/table_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void parse(const char *text, struct kt_table *table)
{
    struct kt_error error = {0};
    if (kt_table_parse(text, "spec", table, &error) != KT_OK)
        fail_msg("%s", error.text);
}

static void check_error(const char *text, const char *expected, int line)
{
    struct kt_table table;
    struct kt_error error = {0};
    enum kt_status status = kt_table_parse(text, "spec", &table, &error);
    kt_table_free(&table);
    if (status != KT_BAD_INPUT || error.status != KT_BAD_INPUT || !strstr(error.text, expected))
        fail_msg("line %d: '%.60s': '%s', expected '%s'", line, text, error.text, expected);
    assert_memory_equal(error.text, "spec:", 5);
    assert_null(strchr(error.text, '\n'));
}

/* --- what a line means ------------------------------------------------------------------------------------- */

static void test_whole_specification(void **state)
{
    (void)state;
    struct kt_table table;
    struct kt_error error = {0};
    if (kt_spec_load("trace/routines", &table, &error) != KT_OK)
        fail_msg("%s", error.text);
    assert_true(table.count > 200);
    assert_non_null(kt_table_find(&table, "dgemm"));
    assert_null(kt_table_find(&table, "dgem"));
    kt_table_free(&table);
}

static void test_family_yields_a_routine_per_type(void **state)
{
    (void)state;
    struct kt_table table;
    parse("[one]\n?nrm2 s d sc:c dz:z cblas | dim:n in:x[n;incx]\n    inc:incx -> R | mul=n\n", &table);
    static const char *const name[] = {"snrm2", "dnrm2", "scnrm2", "dznrm2"};
    static const enum kt_type type[] = {KT_S, KT_D, KT_C, KT_Z};
    static const enum kt_type result[] = {KT_S, KT_D, KT_S, KT_D};
    assert_int_equal(table.count, 4);
    for (int i = 0; i < 4; i++) {
        const struct kt_routine *r = &table.routine[i];
        assert_string_equal(r->name, name[i]);
        assert_string_equal(r->section, "one");
        assert_string_equal(r->text, "?nrm2 s d sc:c dz:z cblas | dim:n in:x[n;incx] inc:incx -> R | mul=n");
        assert_int_equal(r->type, type[i]);
        assert_true(r->interfaces == KT_HAS_CBLAS && r->has_result);
        assert_int_equal(r->result, result[i]);
        assert_int_equal(r->args, 3);
    }
    kt_table_free(&table);
}

static void test_arguments(void **state)
{
    (void)state;
    struct kt_table table;
    parse("xq z cblas | trans:transa uplo:uplo dim:kl scal:r:R upd(r):c/cc[kl,kl;ldc;uplo]:R@spd ld:ldc inc:incx |",
          &table);
    const struct kt_arg *arg = table.routine[0].arg;
    static const char *const cname[] = {"TransA", "Uplo", "KL", "r", "cc", "ldc", "incX"};
    static const enum kt_role role[] = {KT_TRANS, KT_UPLO, KT_SIZE, KT_SCALAR, KT_ARRAY, KT_LD, KT_INC};
    assert_int_equal(table.routine[0].args, 7);
    for (int i = 0; i < 7; i++) {
        assert_string_equal(arg[i].cname, cname[i]);
        assert_int_equal(arg[i].role, role[i]);
    }
    assert_int_equal(arg[2].type, KT_I);
    assert_int_equal(arg[3].type, KT_D);
    assert_int_equal(arg[4].type, KT_D);
    assert_int_equal(arg[4].access, KT_UPDATE);
    assert_int_equal(arg[4].beta, 3);
    assert_int_equal(arg[4].data, KT_SPD);
    assert_int_equal(arg[4].shape.form, KT_FORM_MATRIX);
    assert_int_equal(arg[4].shape.step, 5);
    assert_int_equal(arg[4].shape.uplo, 1);
    assert_int_equal(arg[4].shape.diag, -1);
    kt_table_free(&table);
}

/* The kind of contents, alone or with what they depend on besides. */
static void test_data_kinds(void **state)
{
    (void)state;
    struct kt_table table;
    const double v[KT_MAX_ARGS] = {'U', 9};
    parse("xq d | uplo:uplo dim:n in:p[n]:I@pivots(uplo=U?1:0) in:v[n]@value(0-n) in:d[n]@spd work:w[n]:R@sorted |",
          &table);
    const struct kt_arg *arg = table.routine[0].arg;
    assert_int_equal(arg[2].data, KT_PIVOTS);
    assert_int_equal(kt_expr_eval(&arg[2].data_parameter, v), 1);
    assert_int_equal(arg[3].data, KT_VALUE);
    assert_int_equal(kt_expr_eval(&arg[3].data_parameter, v), -9);
    assert_int_equal(arg[4].data, KT_SPD);
    assert_int_equal(arg[4].data_parameter.count, 0);
    assert_int_equal(arg[5].data, KT_SORTED);
    kt_table_free(&table);
}

static void test_forms(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        enum kt_form form;
    } cases[] = {
        {"[n]", KT_FORM_ARRAY},           {"[n;inc]", KT_FORM_VECTOR},        {"[n,n;ld]", KT_FORM_MATRIX},
        {"[n,n,1,2;ld]", KT_FORM_BAND},   {"[n;packed;u]", KT_FORM_PACKED},   {"[n;packed;u;d]", KT_FORM_PACKED},
        {"[n,n;ld;u;d]", KT_FORM_MATRIX}, {"[n,n,1,2;ld;u;d]", KT_FORM_BAND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kt_table table;
        char text[128];
        snprintf(text, sizeof text, "f d | dim:n ld:ld inc:inc uplo:u diag:d in:x%s |", cases[i].shape);
        parse(text, &table);
        assert_int_equal(table.routine[0].arg[5].shape.form, cases[i].form);
        kt_table_free(&table);
    }
}

/* Options with letters of their own, legal numbers, constant parts of shapes, names with underscores. */
static void test_legal_values(void **state)
{
    (void)state;
    struct kt_table table;
    parse("?abc d | opt:norm{1IO} dim:n dim:k{<=min(n,3)} int:ilo{1} log:want fun:select"
          " in:v_1[n,k;n] in:t[k,k;2;U] io:u[n,n;lda;L;U] ld:lda work:w[norm=1?n:0] lwork:lwork{3*n} info:info |",
          &table);
    const struct kt_routine *r = &table.routine[0];
    double v[KT_MAX_ARGS] = {'1', 9, 3};
    assert_int_equal(r->arg[0].letters, kt_letter_bit('1') | kt_letter_bit('I') | kt_letter_bit('O'));
    assert_int_equal(kt_expr_eval(&r->arg[2].legal, v), 3);
    assert_true(r->arg[2].bound == KT_AT_MOST && r->arg[3].bound == KT_NO_BOUND);
    assert_true(kt_is_within_bounds(r, v));
    v[2] = 4;
    assert_false(kt_is_within_bounds(r, v));
    assert_int_equal(kt_expr_eval(&r->arg[11].legal, v), 27);
    assert_int_equal(kt_expr_eval(&r->arg[10].shape.dim[0], v), 9);
    assert_int_equal(r->arg[6].shape.step, 1);
    assert_int_equal(r->arg[7].shape.constant_step, 2);
    assert_int_equal(r->arg[7].shape.constant_uplo, 'U');
    assert_int_equal(r->arg[8].shape.constant_uplo, 'L');
    assert_int_equal(r->arg[8].shape.constant_diag, 'U');
    assert_int_equal(r->arg[4].role, KT_LOGICAL);
    assert_int_equal(r->arg[5].role, KT_PROCEDURE);
    kt_table_free(&table);
    check_error("?abc d | opt:norm{x} |", "expected {LETTERS} or {expression}", __LINE__);
    check_error("?abc d | dim:n in:x{1}[n] |", "an array has no {legal value}", __LINE__);
    check_error("?abc d | dim:n in:x[n;3] |", "a matrix is [m,n;ld]", __LINE__);
}

/* What a routine returns through an option or an integer that expressions may also name. */
static void test_scalars_that_are_written(void **state)
{
    (void)state;
    struct kt_table table;
    parse("?abc d | optio:equed{NY} intio:n io:z[equed=Y?4*n:0] |", &table);
    const struct kt_arg *arg = table.routine[0].arg;
    const double v[KT_MAX_ARGS] = {'Y', 3};
    assert_int_equal(arg[0].role, KT_OPTION);
    assert_int_equal(arg[0].access, KT_READ_WRITE);
    assert_int_equal(arg[1].role, KT_INTEGER);
    assert_int_equal(arg[1].access, KT_READ_WRITE);
    assert_int_equal(kt_expr_eval(&arg[2].shape.dim[0], v), 12);
    kt_table_free(&table);
}

static void test_comments_and_blank_lines(void **state)
{
    (void)state;
    struct kt_table table;
    parse("# comment\n\n[s]\nf d | dim:n |\n\n# more\ng d | |", &table);
    assert_int_equal(table.count, 2);
    kt_table_free(&table);
    parse("", &table);
    assert_int_equal(table.count, 0);
    kt_table_free(&table);
}

/* --- what is malformed ------------------------------------------------------------------------------------- */

struct malformed {
    const char *text;
    const char *error;
    int line;
};

static void check_errors(const struct malformed *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_error(cases[i].text, cases[i].error, cases[i].line);
}

static void test_malformed_heads(void **state)
{
    (void)state;
    static const struct malformed cases[] = {
        {"f", "expected NAME TYPES", __LINE__},
        {"f d", "expected NAME TYPES", __LINE__},
        {"f | dim:n |", "expected NAME TYPES", __LINE__},
        {"f cblas | dim:n |", "expected NAME TYPES", __LINE__},
        {"f d |", "expected '|' before the cost", __LINE__},
        {"f d | dim:n", "expected '|' before the cost", __LINE__},
        {"f q | dim:n |", "expected a type", __LINE__},
        {"f d:q | dim:n |", "expected a type", __LINE__},
        {"f d: | dim:n |", "expected a type", __LINE__},
        {"f d:", "expected a type", __LINE__},
        {"f abcd:d | dim:n |", "expected a type", __LINE__},
        {"f s d c z s d c z s | dim:n |", "expected a type", __LINE__},
        {"f\td | dim:n |", "expected a type", __LINE__},
        {"[section", "expected a type", __LINE__},
        {"[]", "expected a type", __LINE__},
        {"[a_section_with_a_name_of_33_chars]", "expected a type", __LINE__},
        {"anameof_thirty_two_letters_1_2_34 d | dim:n |", "expected a name of 1 to 31", __LINE__},
        {"????????????????????????????????? d | |", "expected a name of 1 to 31", __LINE__},
        {"%s%n d | |", "expected a type", __LINE__},
        {"\xff\xfe", "expected a type", __LINE__},
    };
    check_errors(cases, sizeof cases / sizeof *cases);
}

static void test_malformed_arguments(void **state)
{
    (void)state;
    static const struct malformed cases[] = {
        {"f d | dim |", "expected ':'", __LINE__},
        {"f d | dim: |", "expected a name", __LINE__},
        {"f d | dim:n/ |", "expected a name", __LINE__},
        {"f d | dim:anameof_thirty_two_letters_1_2_34 |", "expected a name", __LINE__},
        {"f d | size:n |", "'size' is not a role", __LINE__},
        {"f d | dim:n dim:n |", "two arguments are called 'n'", __LINE__},
        {"f d | dim:n[n] |", "did not expect '[n]", __LINE__},
        {"f d | dim:n:Q |", "expected a type", __LINE__},
        {"f d | scal:a: |", "expected a type", __LINE__},
        {"f d | dim:n upd:x[n] |", "needs the name of a (scalar)", __LINE__},
        {"f d | dim:n in(n):x[n] |", "needs the name of a (scalar)", __LINE__},
        {"f d | dim:n upd(b):x[n] |", "'b' is not an argument", __LINE__},
        {"f d | dim:n upd(n):x[n] |", "'n' has another role", __LINE__},
        {"f d | scal:b upd(b:x[1] |", "expected ':'", __LINE__},
        {"f d | out:x[1]@none |", "'@none' is not a kind of data", __LINE__},
        {"f d | out:x[1]@ |", "'@' is not a kind of data", __LINE__},
        {"f d | dim:n out:x[1]@value(m) |", "'m' is not an argument", __LINE__},
        {"f d | dim:n out:x[1]@value(n |", "expected ')'", __LINE__},
        {"f d | dim:n out:x[1]@value() |", "expected", __LINE__},
        {"f d | out:x[1]@lu@lu |", "did not expect '@lu", __LINE__},
        {"f d | dim:n - D |", "expected '->'", __LINE__},
        {"f d | dim:n -> |", "expected a type", __LINE__},
        {"f d | dim:n -> Q |", "expected a type", __LINE__},
        {"f d | dim:n -> D dim:m |", "expected '|' before the cost", __LINE__},
    };
    check_errors(cases, sizeof cases / sizeof *cases);
}

static void test_malformed_shapes(void **state)
{
    (void)state;
    static const struct malformed cases[] = {
        {"f d | in:x |", "needs a [shape]", __LINE__},
        {"f d | in:x[ |", "expected a number", __LINE__},
        {"f d | in:x[1 |", "expected ']'", __LINE__},
        {"f d | in:x[] |", "expected a number", __LINE__},
        {"f d | in:x[n] |", "'n' is not an argument", __LINE__},
        {"f d | in:x[1]y |", "did not expect 'y", __LINE__},
        {"f d | in:x[1]:Q |", "expected a type", __LINE__},
        {"f d | in:x[x] |", "'x' is not an argument", __LINE__},
        {"f d | in:x[1;] |", "'' is not an argument", __LINE__},
        {"f d | scal:a in:x[3;a] |", "'a' has another role", __LINE__},
        {"f d | scal:a in:x[3,3;a] |", "'a' has another role", __LINE__},
        {"f d | in:x[1,1] |", "a matrix is [m,n;ld]", __LINE__},
        {"f d | ld:l in:x[1,1,1;l] |", "a matrix is [m,n;ld]", __LINE__},
        {"f d | ld:l in:x[1,1,1,1,1;l] |", "more than 4 dimensions", __LINE__},
        {"f d | ld:l in:x[1,1;l;l] |", "'l' has another role", __LINE__},
        {"f d | ld:l uplo:u in:x[1,1;l;u;u] |", "'u' has another role", __LINE__},
        {"f d | ld:l uplo:u diag:d in:x[1,1;l;u;d;d] |", "expected ']'", __LINE__},
        {"f d | in:x[1;packed] |", "a packed triangle is [n;packed;uplo]", __LINE__},
        {"f d | uplo:u in:x[1,1;packed;u] |", "a matrix is [m,n;ld]", __LINE__},
        {"f d | uplo:u in:x[u] |", "expected '='", __LINE__},
    };
    check_errors(cases, sizeof cases / sizeof *cases);
}

static void test_malformed_costs(void **state)
{
    (void)state;
    static const struct malformed cases[] = {
        {"f d | dim:n | n", "expected mul= add= flops= or check=", __LINE__},
        {"f d | dim:n | div=n", "expected mul= add= flops= or check=", __LINE__},
        {"f d | dim:n | mul n", "expected mul= add= flops= or check=", __LINE__},
        {"f d | dim:n | mul=n n", "expected mul= add= flops= or check=", __LINE__},
        {"f d | dim:n | mul=n | add=n", "expected mul= add= flops= or check=", __LINE__},
        {"f d | dim:n | mul=n mul=n", "a second 'mul=n'", __LINE__},
        {"f d | dim:n | mul=", "expected a number", __LINE__},
        {"f d | dim:n | mul=(n", "expected ')'", __LINE__},
        {"f d | dim:n | mul=m", "'m' is not an argument", __LINE__},
        {"f d | opt:o | flops=o=", "expected option letters", __LINE__},
        {"f s d | dim:n | add=n?n", "expected ':'", __LINE__},
    };
    check_errors(cases, sizeof cases / sizeof *cases);
}

static void test_error_names_the_line(void **state)
{
    (void)state;
    check_error("# comment\n[s]\nf d | dim:n |\n  \ng d | dim:n\n  bad:m |\n", "spec:5: 'bad' is not a role", __LINE__);
}

static void test_too_many_arguments(void **state)
{
    (void)state;
    char text[1024] = "f d |";
    for (int i = 0; i <= KT_MAX_ARGS; i++)
        sprintf(text + strlen(text), " dim:n%d", i);
    strcat(text, " |");
    check_error(text, "more than 40 arguments", __LINE__);
}

/* A trace can be cut anywhere; so can the lines it carries. */
static void test_every_prefix_of_the_specification(void **state)
{
    (void)state;
    struct kt_error error = {0};
    char *text = kt_spec_text("trace/routines/blas3.spec", &error);
    if (!text)
        fail_msg("%s", error.text);
    char *family = strstr(text, "\n?gemm");
    assert_non_null(family);
    family[strcspn(family, "#")] = '\0';
    for (size_t length = strlen(family); length > 0; length--) {
        struct kt_table table;
        family[length] = '\0';
        error = (struct kt_error){0};
        enum kt_status status = kt_table_parse(family, "cut", &table, &error);
        assert_true(status == KT_OK || (status == KT_BAD_INPUT && *error.text));
        kt_table_free(&table);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_specification),
        cmocka_unit_test(test_family_yields_a_routine_per_type),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_data_kinds),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_legal_values),
        cmocka_unit_test(test_scalars_that_are_written),
        cmocka_unit_test(test_comments_and_blank_lines),
        cmocka_unit_test(test_malformed_heads),
        cmocka_unit_test(test_malformed_arguments),
        cmocka_unit_test(test_malformed_shapes),
        cmocka_unit_test(test_malformed_costs),
        cmocka_unit_test(test_error_names_the_line),
        cmocka_unit_test(test_too_many_arguments),
        cmocka_unit_test(test_every_prefix_of_the_specification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
