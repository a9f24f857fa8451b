/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pairs of times come to: what is advised, what is not and why, in numbers and in words.
 */
#include "replay/advise/advised.h"
#include "replay/setup/forge.h"
#include "trace/table/known.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAIRS = 20, MOST = 6, SHAPES = 4 };

static struct kt_entry entry;
static struct kt_shape_group shape[SHAPES];
static struct kt_proposal candidate[MOST];
static struct kt_tried tried[MOST];
static double changed[MOST][PAIRS], base[MOST][PAIRS];
static unsigned round_of[PAIRS];
static struct kt_setup setup;
static struct kt_trials trials;
static struct kt_place place[] = {
    {.file = "/home/me/work.c", .line = 7, .function = "solve", .object = "/home/me/work"},
    {.file = "/home/me/work.py", .line = 9, .function = "main", .object = "python"}};
static struct kt_shape_source source[SHAPES] = {{&place[0], 1}, {&place[0], 1}, {&place[1], 1}, {NULL, 0}};

/* Calls of dgemm with one column: each shape has another number of rows. */
static void make_shape(size_t i)
{
    static unsigned char args[SHAPES][512];
    struct kt_values values = {.row_major = false};
    const double number[] = {'N', 'N', (double)(100 + i), 1, 50, 1, 0, 200, 0, 50, 0, 0, 200};
    for (int a = 0; a < entry.symbol.routine->args; a++)
        values.v[a] = number[a];
    kt_forge_encode(&entry.symbol, &values, args[i]);
    shape[i] = (struct kt_shape_group){.first = {.entry = &entry, .args = args[i]}, .calls = 10, .total = 1};
}

/* Takes RATIO of the recorded time, give or take SCATTER. */
static void add(size_t number, size_t rule, double ratio, double scatter)
{
    size_t i = trials.count++;
    candidate[i] = (struct kt_proposal){.rule = &kt_rules[rule],
                                        .shape = &shape[number],
                                        .number = number,
                                        .each = 1,
                                        .calls = 10,
                                        .seconds = shape[number].total};
    candidate[i].to.routine = kt_table_find(kt_known_routines(), rule ? "dgemm" : "dgemv");
    for (unsigned k = 0; k < PAIRS; k++) {
        base[i][k] = 0.1 + 0.001 * k;
        changed[i][k] = base[i][k] * (ratio + (k % 2 ? scatter : -scatter) * (1 + k / 100.0));
        round_of[k] = k;
    }
    tried[i] =
        (struct kt_tried){changed[i], base[i], round_of, PAIRS, {NAN, NAN, NAN, 0}, 0.11, 0.11 * ratio, NAN, NULL};
    struct kt_pairs pairs = kt_trials_pairs(&trials, i);
    tried[i].ratio = kt_ratio_of(&pairs);
}

static int set_up(void **state)
{
    (void)state;
    trials = (struct kt_trials){.setup = &setup, .candidate = candidate, .tried = tried};
    setup = (struct kt_setup){.shapes = {.shape = shape, .count = SHAPES, .seconds = 4}};
    entry = (struct kt_entry){.int_bytes = 4};
    kt_symbol_make(kt_table_find(kt_known_routines(), "dgemm"), KT_FORTRAN, &entry.symbol);
    for (size_t i = 0; i < SHAPES; i++)
        make_shape(i);
    return 0;
}

static size_t padding(void)
{
    return kt_rules_count - 1;
}

static void test_outcomes(void **state)
{
    (void)state;
    struct kt_advised_list list;
    add(0, 0, 0.5, 0.01);
    add(0, padding(), 0.8, 0.01);
    add(1, 0, 1.0, 0.001);
    add(2, 0, 0.97, 0.2);
    add(3, 0, 0.9, 0.01);
    tried[4].failure = "no such routine";
    add(3, padding(), 0.985, 0.001);
    shape[0].total = candidate[0].seconds = candidate[1].seconds = 2;
    kt_advised_find(&trials, source, 10, &list);
    assert_int_equal(list.outcome[0], KT_OUTCOME_ADVISED);
    assert_int_equal(list.outcome[1], KT_OUTCOME_BEATEN);
    assert_int_equal(list.outcome[2], KT_OUTCOME_NO_GAIN);
    assert_int_equal(list.outcome[3], KT_OUTCOME_UNCLEAR);
    assert_int_equal(list.outcome[4], KT_OUTCOME_FAILED);
    assert_int_equal(list.outcome[5], KT_OUTCOME_NO_GAIN);
    assert_int_equal(list.count, 1);
    assert_true(fabs(list.advised[0].seconds - 1) < 0.03);
    assert_true(list.advised[0].lo > 0.9 && list.advised[0].hi < 1.1);
    kt_advised_free(&list);
}

static void test_light_gains_are_not_advised(void **state)
{
    (void)state;
    struct kt_advised_list list;
    add(0, 0, 0.5, 0.01);
    kt_advised_find(&trials, source, 99, &list);
    assert_int_equal(list.outcome[0], KT_OUTCOME_ADVISED);
    kt_advised_free(&list);
    kt_advised_find(&trials, source, 102, &list);
    assert_int_equal(list.outcome[0], KT_OUTCOME_LIGHT);
    assert_int_equal(list.count, 0);
    kt_advised_free(&list);
}

/* Two shapes of one line, each too light alone, and one of another line. */
static void test_shapes_of_a_line_are_one(void **state)
{
    (void)state;
    struct kt_advised_list list;
    add(0, 0, 0.5, 0.01);
    add(1, 0, 0.6, 0.01);
    add(2, 0, 0.2, 0.01);
    kt_advised_find(&trials, source, 150, &list);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.advised[0].members, 2);
    assert_true(fabs(list.advised[0].seconds - 0.9) < 0.03);
    assert_true(list.advised[0].lo > 0.8 && list.advised[0].hi < 1);
    assert_int_equal(list.advised[1].member[0], 2);
    kt_advised_free(&list);
}

/* What is printed of the list. */
static char *printed(const struct kt_advised_list *list, bool all)
{
    static char text[8192];
    FILE *file = tmpfile();
    fflush(stdout);
    int before = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    kt_advised_print(list, all);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void assert_has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("no '%s' in:\n%s", words, text);
}

static void test_words(void **state)
{
    (void)state;
    struct kt_advised_list list;
    add(0, 0, 0.5, 0.01);
    add(1, 0, 0.5, 0.01);
    add(2, 0, 0.5, 0.01);
    add(3, 0, 1.5, 0.01);
    kt_advised_find(&trials, source, 10, &list);
    const char *text = printed(&list, false);
    assert_has(text, "10.0 s, of which BLAS and LAPACK take 4.00 s; 4 changes tried on 4 shapes\n");
    assert_has(text, "1. dgemm -> dgemv: 1.0");
    assert_has(text, " of the program\n   at work.c:7 solve\n   10 calls: N N 100 1 50");
    assert_has(text, "   2 shapes, of which this takes most time\n");
    assert_has(text, "   in the program 100 ms\n   replayed 110 ms, changed 55.0 ms (ratio 0.5");
    assert_has(text, "\n   Make a matrix-vector call: one factor of this product is a vector. (rule\n   vector)\n");
    assert_has(text, "\n\n2. dgemm -> dgemv: ");
    assert_has(text, "\n   at work.py:9 main\n");
    assert_has(text, "\n   Pass a vector of one dimension: A @ x");
    assert_null(strstr(text, "no gain"));
    assert_null(strstr(text, "\n\n\n"));
    assert_string_not_equal(text + strlen(text) - 2, "\n\n");
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        assert_true(length <= 80);
    }
    assert_has(printed(&list, true), "no gain");
    kt_advised_free(&list);
    trials.count = 0;
    kt_advised_find(&trials, source, 10, &list);
    assert_has(printed(&list, true), "Nothing to try: no rule fits");
    kt_advised_free(&list);
    add(3, 0, 1.5, 0.01);
    kt_advised_find(&trials, source, 10, &list);
    assert_has(printed(&list, true), "No change that was tried is worth 0.5 % of the program.\n");
    kt_advised_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_outcomes, set_up),
        cmocka_unit_test_setup(test_light_gains_are_not_advised, set_up),
        cmocka_unit_test_setup(test_shapes_of_a_line_are_one, set_up),
        cmocka_unit_test_setup(test_words, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
