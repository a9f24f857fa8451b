/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choices among predictions: the best, ranks and ties, paired quotients of rounds; lists of sizes; what libraries have
 * code of their own for.
 */
#include "model/predict/applies.h"
#include "trace/table/known.h"
#include "model/predict/tuning.h"
#include "trace/base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-12))
        fail_msg("%.12g instead of %.12g", value, expected);
}

/* --- predictions made by hand ------------------------------------------------------------------------------ */

static struct kt_symbol symbol[2];

static void make_symbols(void)
{
    const struct kt_table *table = kt_known_routines();
    kt_symbol_make(kt_table_find(table, "dgemm"), KT_FORTRAN, &symbol[0]);
    kt_symbol_make(kt_table_find(table, "dtrsm"), KT_FORTRAN, &symbol[1]);
}

/* So many seconds in dgemm and dtrsm, whose models may be off by a tenth. */
static struct kt_prediction prediction_of(double gemm, double trsm)
{
    const double seconds[] = {gemm, trsm};
    struct kt_prediction p = {.calls = 2, .rows = 2, .cost.seconds = gemm + trsm};
    p.row = kt_resize(NULL, 2, sizeof *p.row);
    for (int i = 0; i < 2; i++)
        p.row[i] = (struct kt_predicted_calls){
            .symbol = &symbol[i], .calls = 1, .cost = {seconds[i], 0.9 * seconds[i], 1.1 * seconds[i]}};
    return p;
}

/* Kernels that both use cancel: what counts is how much more of each one of them uses. */
static void test_margins(void **state)
{
    (void)state;
    make_symbols();
    struct kt_prediction a = prediction_of(10, 1);
    struct kt_prediction same = prediction_of(10, 1);
    struct kt_prediction more = prediction_of(10, 5);
    struct kt_prediction other = prediction_of(7, 5);
    near(kt_choice_margin(&a, &same), 0.11);
    near(kt_choice_margin(&a, &more), 0.4);
    near(kt_choice_margin(&a, &other), sqrt(0.09 + 0.16));
    near(kt_choice_margin(&other, &a), sqrt(0.09 + 0.16));
    kt_prediction_free(&a);
    kt_prediction_free(&same);
    kt_prediction_free(&more);
    kt_prediction_free(&other);
}

static void test_ranks(void **state)
{
    (void)state;
    make_symbols();
    struct kt_choice *choice = kt_resize(NULL, 4, sizeof *choice);
    memset(choice, 0, 4 * sizeof *choice);
    choice[0] = (struct kt_choice){.value = 1, .prediction = prediction_of(10, 4)};
    choice[1] = (struct kt_choice){.value = 2, .prediction = prediction_of(1, 1)};
    choice[2] = (struct kt_choice){.value = 3, .prediction = prediction_of(10, 1)};
    choice[3] = (struct kt_choice){.value = 4, .prediction = prediction_of(10, 1.05)};
    choice[1].prediction.unknown = 1; /* a sum of some calls only is not the least */
    assert_int_equal(kt_choice_best(choice, 4), 2);
    kt_choices_rank(choice, 4);
    const double expected[] = {3, 4, 1, 2};
    for (int i = 0; i < 4; i++)
        assert_true(choice[i].value == expected[i]);
    assert_false(choice[0].tied);
    assert_true(choice[1].tied);
    assert_false(choice[2].tied);
    assert_false(choice[3].tied);
    choice[0].prediction.worst_outside = 0.5;
    assert_false(kt_choice_is_whole(&choice[0]));
    kt_choices_free(choice, 4);
}

/* Rounds that are slow for all of them tell nothing. */
static void test_rounds(void **state)
{
    (void)state;
    double slow[] = {10, 20, 10, 30, 10, 10, 10};
    double fast[] = {9, 18, 9, 27, 9, 9, 9};
    struct kt_choice choice[2] = {{.run = {.seconds = slow, .rounds = 7}}, {.run = {.seconds = fast, .rounds = 7}}};
    struct kt_stat ratio;
    assert_int_equal(kt_choice_fastest(choice, 2, 0, &ratio), 1);
    near(ratio.median, 0.9);
    near(ratio.hi, 0.9);
    assert_int_equal(kt_choice_fastest(choice, 2, 1, &ratio), 1);
    near(ratio.median, 1);
}

/* --- lists and rules --------------------------------------------------------------------------------------- */

static void test_sizes(void **state)
{
    (void)state;
    struct kt_sizes s;
    struct kt_error error = {0};
    assert_int_equal(kt_sizes_parse("5,8:24:8,100:102", "n", &s, &error), KT_OK);
    const double expected[] = {5, 8, 16, 24, 100, 101, 102};
    assert_int_equal(s.count, 7);
    for (int i = 0; i < 7; i++)
        assert_true(s.size[i] == expected[i]);
    static const char *const wrong[] = {"",   "0",       "x",       "8:4", "1:9:0", "1,",
                                        ",1", "1:2:3:4", "1:99999", "-3",  "1 2",   "99999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kt_error cause = {0};
        if (kt_sizes_parse(wrong[i], "n", &s, &cause) != KT_USAGE)
            fail_msg("accepted: '%s'", wrong[i]);
        assert_non_null(strstr(cause.text, "--n"));
    }
}

static void test_own_code(void **state)
{
    (void)state;
    assert_int_equal(kt_block_size_rule("dpotrf", "/lib/openblas/liblapack.so.3", true), KT_APPLIES_NOT);
    assert_int_equal(kt_block_size_rule("dgeqrf", "/lib/openblas/liblapack.so.3", true), KT_APPLIES);
    assert_int_equal(kt_block_size_rule("dpotrf", "/lib/lapack/liblapack.so.3", false), KT_APPLIES);
    assert_int_equal(kt_block_size_rule("dgeqrf", "/lib/libmkl_rt.so", false), KT_APPLIES_NOT);
    assert_int_equal(kt_block_size_rule("dgeqrf", "", false), KT_APPLIES_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_margins), cmocka_unit_test(test_ranks),    cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_own_code),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
