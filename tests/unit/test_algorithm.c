/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Algorithms: what the texts in examples/algorithms do adds up to the operations that the operation takes, whatever
 * the block size; calls have the sizes and addresses that were written; every wrong text gives one error with its line.
 */
#include "model/algorithm/algorithm.h"
#include "trace/table/known.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct sum {
    double flops;
    int calls;
    char text[512]; /* of the first calls */
};

static enum kt_status add_call(void *context, const struct kt_kernel *k, struct kt_error *error)
{
    (void)error;
    struct sum *sum = context;
    double flops = kt_flops(k->symbol->routine, &k->values);
    assert_false(isnan(flops));
    sum->flops += flops;
    sum->calls++;
    size_t used = strlen(sum->text);
    snprintf(sum->text + used, sizeof sum->text - used, "%s ", k->symbol->routine->name);
    return KT_OK;
}

static struct kt_algorithm *parse(const char *text)
{
    struct kt_algorithm *a;
    struct kt_error error = {0};
    if (kt_algorithm_parse(text, "text", &a, &error) != KT_OK)
        fail_msg("%s", error.text);
    return a;
}

static struct kt_algorithm *find(const char *name)
{
    for (size_t i = 0; kt_known_algorithm(i); i++) {
        struct kt_algorithm *a = parse(kt_known_algorithm(i));
        if (!strcmp(kt_algorithm_name(a), name))
            return a;
        kt_algorithm_free(a);
    }
    fail_msg("there is no algorithm %s", name);
    return NULL;
}

static struct sum run(const struct kt_algorithm *a, double n, double b)
{
    static const char *const sizes[] = {"m", "n", "b", "nx"};
    const double given[] = {n, n, b, b};
    double value[KT_MOST_PARAMETERS] = {0};
    struct sum sum = {0};
    struct kt_error error = {0};
    for (int i = 0; i < 4; i++)
        if (kt_algorithm_parameter(a, sizes[i]) >= 0)
            value[kt_algorithm_parameter(a, sizes[i])] = given[i];
    if (kt_algorithm_run(a, value, add_call, &sum, &error) != KT_OK)
        fail_msg("%s, n = %.0f, b = %.0f: %s", kt_algorithm_name(a), n, b, error.text);
    return sum;
}

/* The terms of LAPACK Working Note 41; QR without blocks, whose excess shrinks with them. */
static double expected(const char *operation, double n)
{
    if (!strcmp(operation, "cholesky"))
        return n * n * n / 3 + n * n / 2 + n / 6;
    if (!strcmp(operation, "lu"))
        return 2 * n * n * n / 3 - n * n / 2 - n / 6;
    if (!strcmp(operation, "trinv") || !strcmp(operation, "lauum"))
        return n * n * n / 3 + 2 * n / 3;
    return 4 * n * n * n / 3;
}

/* Variants do the operations in another order and share; blocks of QR add some. */
static void test_operations(void **state)
{
    (void)state;
    static const double size[][2] = {{480, 32}, {500, 64}, {333, 7}, {100, 1}, {96, 96}, {64, 200}};
    for (size_t i = 0; kt_known_algorithm(i); i++) {
        struct kt_algorithm *a = parse(kt_known_algorithm(i));
        const char *operation = kt_algorithm_operation(a);
        bool qr = !strcmp(operation, "qr");
        bool columns = !strcmp(kt_algorithm_name(a), "trinv_columns");
        for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
            double n = size[s][0];
            double b = fmin(size[s][1], n);
            double quotient = run(a, n, b).flops / expected(operation, n);
            double most = qr ? 1 + 3 * b / n + 3 / n : 1.0 + 3 / n;
            if (quotient < 0.985 || (quotient > most && !columns))
                fail_msg("%s, n = %.0f, b = %.0f: %.4f of the operations", kt_algorithm_name(a), n, b, quotient);
        }
        kt_algorithm_free(a);
    }
}

/* Where each operation counts exactly, the sum does. */
static void test_exact_operations(void **state)
{
    (void)state;
    static const char *const name[] = {"dpotrf", "cholesky_bordered", "cholesky_left", "cholesky_right",
                                       "cholesky_recursive"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        struct kt_algorithm *a = find(name[i]);
        for (double b = 1; b <= 110; b += 9)
            assert_true(fabs(run(a, 100, b).flops - expected("cholesky", 100)) < 1e-6);
        kt_algorithm_free(a);
    }
}

static void test_calls(void **state)
{
    (void)state;
    struct kt_algorithm *a = find("dpotrf");
    struct sum sum = run(a, 100, 64);
    assert_string_equal(sum.text, "dsyrk dpotrf2 dgemm dtrsm dsyrk dpotrf2 ");
    assert_string_equal(run(a, 100, 100).text, "dpotrf2 ");
    assert_string_equal(kt_algorithm_routine(a), "dpotrf");
    assert_int_equal(run(a, 1000, 8).calls, 125 * 4 - 2);
    kt_algorithm_free(a);
}

/* --- one call, looked at closely --------------------------------------------------------------------------- */

static enum kt_status keep_call(void *context, const struct kt_kernel *k, struct kt_error *error)
{
    (void)error;
    *(struct kt_kernel *)context = *k;
    return KT_OK;
}

static void test_arguments(void **state)
{
    (void)state;
    struct kt_kernel k;
    struct kt_error error = {0};
    struct kt_algorithm *a = parse("algorithm x\nparameters n=100\nmatrix A( n,n )\nmatrix B(50, n)\n"
                                   "dtrsm(l, L, T, N, 20, 30, 0-1, A(2,3), B(4, n-30))  # comment\n");
    const double n = 100;
    assert_int_equal(kt_algorithm_run(a, &n, keep_call, &k, &error), KT_OK);
    const double expect[] = {'L', 'L', 'T', 'N', 20, 30, -1, 0, 100, 0, 50};
    for (int i = 0; i < 11; i++)
        assert_true(k.values.v[i] == expect[i]);
    assert_int_equal(k.line, 5);
    assert_int_equal(k.operands, 2);
    struct kt_operand storage[KT_MAX_OPERANDS];
    assert_int_equal(kt_algorithm_storage(a, &n, storage), 2);
    assert_int_equal(storage[0].hi - storage[0].lo, 100 * 100 * 8);
    assert_int_equal(k.operand[0].base - storage[0].base, 8 * (1 + 2 * 100));
    assert_int_equal(k.operand[1].base - storage[1].base, 8 * (3 + 69 * 50));
    assert_int_equal(k.operand[1].hi - k.operand[1].lo, 8 * (29 * 50 + 20));
    kt_algorithm_free(a);
}

static enum kt_status add_size(void *context, const struct kt_kernel *k, struct kt_error *error)
{
    (void)error;
    char *text = context;
    snprintf(text + strlen(text), 256 - strlen(text), "%.0f ", k->values.v[0]);
    return KT_OK;
}

static void test_statements(void **state)
{
    (void)state;
    char text[256] = "";
    struct kt_error error = {0};
    const double n = 3;
    struct kt_algorithm *a =
        parse("algorithm x\nparameters n=3\nvector v(100)\n"
              "for i = n, 1, -1\n  if i = 2\n dscal(10, 2, v, 1)\n else\n dscal(i, 2, v, 1)\n end\nend\n"
              "rec(5)\nsub rec(k)\n  dscal(k, 2, v, 1)\n i = k\n if k >= 2\n rec(div(k,2))\n end\n"
              " dscal(i+50, 2, v, 1)\nend\ndscal(n, 2, v, 1)\n");
    assert_int_equal(kt_algorithm_run(a, &n, add_size, text, &error), KT_OK);
    assert_string_equal(text, "3 10 1 5 2 1 51 52 55 3 ");
    kt_algorithm_free(a);
}

/* --- wrong texts ------------------------------------------------------------------------------------------- */

#define HEAD "algorithm x\nparameters n=10\nmatrix A(n,n)\n"

static void test_wrong_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "text:1: the file is empty"},
        {"# nothing\n\n", "text:3: the file is empty"},
        {"parameters n=1\n", "text:1: expected 'algorithm NAME' first"},
        {"algorithm x\nalgorithm y\n", "text:2: a second algorithm"},
        {"algorithm x\nmatrix A(n,n)\n", "text:2: 'n' has no value here"},
        {"algorithm x\nmatrix A(1)\n", "text:2: expected ','"},
        {"algorithm x\nparameters n\n", "text:2: expected '='"},
        {"algorithm x\nparameters n=1 n=2\n", "text:2: n is there twice"},
        {HEAD "dnothing(1)\n", "text:4: dnothing is neither a routine"},
        {HEAD "dscal(1, 2, A)\n", "text:4: dscal: expected its argument incx"},
        {HEAD "dscal(1, 2, A, 1, 3)\n", "text:4: dscal has no further argument"},
        {HEAD "dscal(1, 2, B, 1)\n", "text:4: B is no matrix or vector"},
        {HEAD "dscal(1, 2, A, 1) x\n", "text:4: did not expect 'x'"},
        {HEAD "dpotrf2(n, n, A)\n", "text:4: expected a letter for the option uplo"},
        {HEAD "sscal(1, 2, A, 1)\ndscal(1, 2, A, 1)\n", "text:5: A has elements of 8 bytes here and 4"},
        {HEAD "for i = 1, n\n", "text:4: what begins here has no end"},
        {HEAD "end\n", "text:4: end without"},
        {HEAD "else\n", "text:4: else without"},
        {HEAD "n = 3\n", "text:4: n is given from outside"},
        {HEAD "x = y\n", "text:4: 'y' has no value here"},
        {HEAD "x = (1\n", "text:4: expected ')'"},
        {HEAD "f(1)\nsub f(a, c)\nend\n", "text:4: f takes 2 arguments, not 1"},
        {HEAD "sub f(a, a)\nend\n", "text:4: a is there twice"},
        {HEAD "x = 1\nmatrix B(1,1)\n", "text:5: declarations stand before"},
        {HEAD "dgees(N, N, n)\n", "text:4: dgees takes a procedure"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kt_algorithm *a;
        struct kt_error error = {0};
        if (kt_algorithm_parse(cases[i].text, "text", &a, &error) == KT_OK)
            fail_msg("accepted: %s", cases[i].text);
        if (strncmp(error.text, cases[i].error, strlen(cases[i].error)) != 0)
            fail_msg("'%s' instead of '%s'", error.text, cases[i].error);
        kt_algorithm_free(a);
    }
}

static void test_wrong_runs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {HEAD "dpotrf2(L, n, A(2,2))\n", "text:4: the operand a of dpotrf2, 10 x 10, reaches beyond A (10 x 10)"},
        {HEAD "dpotrf2(L, n, A(0,1))\n", "text:4: the operand a"},
        {HEAD "dpotrf2(L, n/3, A)\n", "text:4: n: is no whole number"},
        {HEAD "dpotrf2(L, 1, A(n/3,1))\n", "text:4: A: an index is no whole number"},
        {HEAD "for i = 1, n, 0\nend\n", "text:4: the step of the loop is 0"},
        {HEAD "f(1)\nsub f(a)\nf(a)\nend\n", "text:6: f: calls itself"},
        {"algorithm x\nparameters n=10\nmatrix A(n, 0-n)\n", "text:3: A: its size"},
        {HEAD "for i = 1, 1000000000\nx = i\nend\n", "text:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kt_kernel k;
        struct kt_error error = {0};
        struct kt_algorithm *a = parse(cases[i].text);
        const double n = 10;
        assert_int_equal(kt_algorithm_run(a, &n, keep_call, &k, &error), KT_BAD_INPUT);
        if (strncmp(error.text, cases[i].error, strlen(cases[i].error)) != 0)
            fail_msg("'%s' instead of '%s'", error.text, cases[i].error);
        kt_algorithm_free(a);
    }
}

/* Texts that are cut and whose bytes are changed: an answer or an error, nothing else. */
static void test_damaged_texts(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 3000; round++) {
        char text[4096];
        struct kt_algorithm *a;
        struct kt_error error = {0};
        snprintf(text, sizeof text, "%s", kt_known_algorithm((size_t)round % 19));
        size_t length = strlen(text);
        for (int i = 0; i < 1 + round % 4; i++)
            text[(size_t)rand_r(&seed) % length] = "()=,+-*/<>?:#\n \t1n\377A9."[rand_r(&seed) % 22];
        if (round % 3 == 0)
            text[(size_t)rand_r(&seed) % length] = '\0';
        enum kt_status status = kt_algorithm_parse(text, "text", &a, &error);
        assert_true(status == KT_OK || (status == KT_BAD_INPUT && !strncmp(error.text, "text:", 5)));
        kt_algorithm_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations), cmocka_unit_test(test_exact_operations), cmocka_unit_test(test_calls),
        cmocka_unit_test(test_arguments),  cmocka_unit_test(test_statements),       cmocka_unit_test(test_wrong_texts),
        cmocka_unit_test(test_wrong_runs), cmocka_unit_test(test_damaged_texts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
