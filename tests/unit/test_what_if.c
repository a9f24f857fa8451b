/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes of replay --what-if: what a user may write, arguments with longer leading dimensions, and what pairs of times
 * come to.
 */
#include "replay/advise/padded.h"
#include "replay/advise/what_if.h"
#include "replay/setup/forge.h"
#include "trace/table/known.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- words ------------------------------------------------------------------------------------------------- */

static void test_what_is_understood(void **state)
{
    (void)state;
    struct kt_error error = {0};
    struct kt_variation v;
    assert_int_equal(kt_variation_parse("ld=+8", &v, &error), KT_OK);
    assert_true(v.padding == 8 && !kt_variation_is_elsewhere(&v));
    assert_int_equal(kt_variation_parse("align=64", &v, &error), KT_OK);
    assert_true(v.layout.align == 64 && kt_variation_is_elsewhere(&v));
    assert_int_equal(kt_variation_parse("pages=huge", &v, &error), KT_OK);
    assert_true(v.layout.pages == KT_PAGES_HUGE && v.layout.align == 0);
    assert_int_equal(kt_variation_parse("threads=3", &v, &error), KT_OK);
    assert_true(v.threads == 3 && !v.library && kt_variation_is_elsewhere(&v));
    assert_int_equal(kt_variation_parse("batch=16", &v, &error), KT_OK);
    assert_true(v.batch == 16 && !kt_variation_is_elsewhere(&v));
    assert_int_equal(kt_variation_parse("library=/a=b.so", &v, &error), KT_OK);
    assert_string_equal(v.library, "/a=b.so");
}

static void test_what_is_not(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",         "ld",         "ld=",         "ld=8",      "ld=-8",        "ld=+0",
        "ld=+8 ",   "ld=+1e3",    "ld=+1000001", "l=+8",      "ldd=+8",       "align=0",
        "align=3",  "align=8192", "pages=",      "pages=any", "threads=0",    "threads=x",
        "library=", "batch=1",    "batch=257",   "batch=x",   "what-if ld=+8"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kt_error error = {0};
        struct kt_variation v;
        assert_int_equal(kt_variation_parse(wrong[i], &v, &error), KT_USAGE);
        assert_non_null(strstr(error.text, "--what-if"));
    }
}

/* --- arguments --------------------------------------------------------------------------------------------- */

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112, MOST_BYTES = 512 };

struct made {
    struct kt_entry entry;
    unsigned char args[MOST_BYTES];
    struct kt_call call;
    unsigned char other[MOST_BYTES];
};

/* A call with these numbers, by argument; each array has a place of its own, 16 bytes behind a page's begin. */
static void make(const char *routine, enum kt_view view, const double *number, struct made *out)
{
    static const int32_t layout = ROW_MAJOR;
    struct kt_values values = {.row_major = false};
    *out = (struct made){.entry.int_bytes = 4};
    assert_true(kt_symbol_make(kt_table_find(kt_known_routines(), routine), view, &out->entry.symbol));
    const struct kt_symbol *symbol = &out->entry.symbol;
    assert_true(symbol->arg_bytes <= MOST_BYTES);
    for (int i = 0; i < symbol->routine->args; i++) {
        values.v[i] = number[i];
        values.address[i] = ((uint64_t)(i + 1) << 24) + 16;
    }
    kt_forge_encode(symbol, &values, out->args);
    for (int i = 0; i < symbol->params; i++)
        if (symbol->param[i].arg == KT_ARG_LAYOUT)
            memcpy(out->args + symbol->param[i].offset, &layout, sizeof layout);
    out->call = (struct kt_call){.entry = &out->entry, .args = out->args};
}

static int64_t number_of(const struct made *made, const unsigned char *args, const char *name)
{
    for (int i = 0; i < made->entry.symbol.params; i++)
        if (!strcmp(made->entry.symbol.param[i].name, name))
            return kt_stored_integer(args, &made->entry.symbol.param[i]);
    fail_msg("no %s", name);
    return 0;
}

static void set_address(struct made *made, const char *name, uint64_t address)
{
    for (int i = 0; i < made->entry.symbol.params; i++)
        if (!strcmp(made->entry.symbol.param[i].name, name))
            memcpy(made->args + made->entry.symbol.param[i].offset, &address, sizeof address);
}

/* Operands must not meet, and lie in a page where they lay. */
static void check_apart(const struct made *made)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    kt_values_decode(&made->entry.symbol, made->other, &values);
    int count = kt_operands(&made->entry.symbol, &values, 4, operand);
    for (int i = 0; i < count; i++) {
        assert_int_equal(operand[i].base % 4096, 16);
        assert_false(kt_padded_overlaps(operand, count, i));
    }
}

static void test_all_matrices_are_padded(void **state)
{
    (void)state;
    static const double fortran[] = {'N', 'T', 30, 20, 10, 1, 0, 32, 0, 33, 0, 0, 34};
    static const double rows[] = {NO_TRANS, TRANS, 30, 20, 10, 1, 0, 12, 0, 13, 0, 0, 24};
    struct made made;
    make("dgemm", KT_FORTRAN, fortran, &made);
    assert_null(kt_padded_args(&made.call, 8, made.other));
    assert_int_equal(number_of(&made, made.other, "lda"), 40);
    assert_int_equal(number_of(&made, made.other, "ldb"), 41);
    assert_int_equal(number_of(&made, made.other, "ldc"), 42);
    assert_int_equal(number_of(&made, made.other, "m"), 30);
    check_apart(&made);
    make("dgemm", KT_CBLAS, rows, &made);
    assert_null(kt_padded_args(&made.call, 100, made.other));
    assert_int_equal(number_of(&made, made.other, "lda"), 112);
    assert_int_equal(number_of(&made, made.other, "ldb"), 113);
    assert_int_equal(number_of(&made, made.other, "ldc"), 124);
    check_apart(&made);
}

static void test_columns_alone_stay(void **state)
{
    (void)state;
    static const double one_column[] = {'N', 'N', 30, 1, 10, 1, 0, 32, 0, 33, 0, 0, 34};
    static const double vectors[] = {100, 0, 1, 0, 1};
    struct made made;
    make("dgemm", KT_FORTRAN, one_column, &made);
    assert_null(kt_padded_args(&made.call, 8, made.other));
    assert_int_equal(number_of(&made, made.other, "lda"), 40);
    assert_int_equal(number_of(&made, made.other, "ldb"), 33);
    assert_int_equal(number_of(&made, made.other, "ldc"), 34);
    make("ddot", KT_FORTRAN, vectors, &made);
    assert_non_null(strstr(kt_padded_args(&made.call, 8, made.other), "no operand"));
}

static void test_what_cannot_be_padded(void **state)
{
    (void)state;
    static const double sizes[] = {'N', 'T', 30, 30, 10, 1, 0, 32, 0, 32, 0, 0, 34};
    static const double large[] = {'N', 'T', 30, 30, 10, 1, 0, INT32_MAX - 7, 0, 32, 0, 0, 34};
    struct made made;
    make("dgemm", KT_FORTRAN, sizes, &made);
    set_address(&made, "b", (UINT64_C(7) << 24) + 16 + 8);
    assert_non_null(strstr(kt_padded_args(&made.call, 8, made.other), "overlaps"));
    make("dgemm", KT_FORTRAN, large, &made);
    set_address(&made, "b", UINT64_C(1) << 50);
    set_address(&made, "c", UINT64_C(1) << 51);
    assert_null(kt_padded_args(&made.call, 7, made.other));
    assert_non_null(strstr(kt_padded_args(&made.call, 8, made.other), "longer"));
    made.entry.int_bytes = 8;
    assert_null(kt_padded_args(&made.call, 8, made.other));
}

/* --- what pairs come to ------------------------------------------------------------------------------------ */

enum { PAIRS = 20, SHAPES = 4 };

static double changed[SHAPES][PAIRS], base[SHAPES][PAIRS];
static unsigned round_of[PAIRS];
static struct kt_shape_group shape[SHAPES];
static struct kt_proposal candidate[SHAPES];
static struct kt_tried tried[SHAPES];
static struct kt_what_if_row row[SHAPES];
static struct kt_what_if what_if;

/* Takes RATIO of the recorded time, give or take SCATTER; in the program, SECONDS. */
static void add(double seconds, double ratio, double scatter)
{
    size_t i = what_if.candidates++;
    shape[i] = (struct kt_shape_group){.calls = 10, .total = seconds};
    candidate[i] = (struct kt_proposal){.shape = &shape[i], .each = 1, .calls = 10, .seconds = seconds};
    for (unsigned k = 0; k < PAIRS; k++) {
        base[i][k] = 0.1 + 0.001 * k;
        changed[i][k] = base[i][k] * (ratio + (k % 2 ? scatter : -scatter) * (1 + k / 100.0));
        round_of[k] = k;
    }
    tried[i] = (struct kt_tried){.time = changed[i], .base = base[i], .round = round_of, .pairs = PAIRS};
    what_if.trials = (struct kt_trials){.candidate = candidate, .tried = tried, .count = what_if.candidates};
    struct kt_pairs pairs = kt_trials_pairs(&what_if.trials, i);
    tried[i].ratio = kt_ratio_of(&pairs);
    row[what_if.rows++] =
        (struct kt_what_if_row){.shape = &shape[i], .trial = i, .calls = 10, .insitu = seconds, .seconds = NAN};
}

static int set_up(void **state)
{
    (void)state;
    what_if = (struct kt_what_if){.row = row};
    return 0;
}

static void test_verdicts(void **state)
{
    (void)state;
    add(2, 0.5, 0.01);
    add(1, 1.2, 0.01);
    add(1, 1.0, 0.3);
    add(1, 0.99, 0.002);
    kt_what_if_find(&what_if);
    assert_int_equal(row[0].verdict, KT_FASTER);
    assert_int_equal(row[1].verdict, KT_SLOWER);
    assert_int_equal(row[2].verdict, KT_CANNOT_TELL);
    assert_int_equal(row[3].verdict, KT_SAME);
    assert_true(fabs(row[0].seconds - 1) < 0.03 && row[0].seconds_lo > 0.9 && row[0].seconds_hi < 1.1);
    assert_true(fabs(row[1].seconds + 0.2) < 0.03 && row[1].seconds_hi < 0);
    assert_true(row[2].seconds_lo < 0 && row[2].seconds_hi > 0);
    assert_int_equal(what_if.timed, 4);
    assert_true(what_if.insitu == 5 && fabs(what_if.total.seconds - 0.81) < 0.4);
}

static void test_rows_without_pairs(void **state)
{
    (void)state;
    add(2, 0.5, 0.01);
    add(3, 0.5, 0.01);
    add(4, 0.5, 0.01);
    add(5, 0.5, 0.01);
    tried[1].failure = "has no such routine";
    tried[2].pairs = 0;
    row[3].trial = KT_NO_TRIAL;
    row[3].why = "no matrix";
    kt_what_if_find(&what_if);
    assert_string_equal(row[1].why, "has no such routine");
    assert_non_null(strstr(row[2].why, "no time"));
    assert_string_equal(row[3].why, "no matrix");
    assert_int_equal(what_if.timed, 1);
    assert_true(what_if.insitu == 2 && what_if.total.seconds == row[0].seconds);
    tried[0].failure = "neither";
    kt_what_if_find(&what_if);
    assert_int_equal(what_if.timed, 0);
    assert_true(isnan(what_if.total.seconds));
    assert_int_equal(what_if.total.verdict, KT_CANNOT_TELL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_understood),
        cmocka_unit_test(test_what_is_not),
        cmocka_unit_test(test_all_matrices_are_padded),
        cmocka_unit_test(test_columns_alone_stay),
        cmocka_unit_test(test_what_cannot_be_padded),
        cmocka_unit_test_setup(test_verdicts, set_up),
        cmocka_unit_test_setup(test_rows_without_pairs, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
