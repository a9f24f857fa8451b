/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores of results as one: which of two series stays, what is refused, and that sources stay as they are.
 */
#include "replay/store/store.h"
#include "replay/store/store_merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { STORES = 2 };
static char store_path[STORES][4096];
static char merged[4096];

static int new_paths(void **state)
{
    static int number;
    const char *folder = getenv("T");
    (void)state;
    for (int i = 0; i < STORES; i++)
        snprintf(store_path[i], sizeof store_path[i], "%s/%d.%d.store", folder ? folder : "/tmp", number, i);
    snprintf(merged, sizeof merged, "%s/%d.merged.store", folder ? folder : "/tmp", number++);
    for (int i = 0; i < STORES; i++)
        unlink(store_path[i]);
    unlink(merged);
    return 0;
}

/* A series whose number of visits tells it from others. */
static void put(int store, const char *setting, const char *shape, size_t visits, struct kt_store_note note)
{
    struct kt_error error = {0};
    struct kt_series series = {0};
    struct kt_store *s = kt_store_open(store_path[store], &error);
    assert_non_null(s);
    for (size_t i = 0; i < visits; i++)
        kt_series_add(&series, (unsigned)i, (const double[]){1e-3}, 1);
    assert_int_equal(kt_store_begin(s, true, &error), KT_OK);
    assert_int_equal(kt_store_write(s, &(struct kt_store_key){setting, shape, "warm"}, &series, &note, true, &error),
                     KT_OK);
    assert_int_equal(kt_store_set_fact(s, setting, "fact", &store, sizeof store, &error), KT_OK);
    assert_int_equal(kt_store_commit(s, &error), KT_OK);
    kt_series_forget(&series);
    kt_store_close(s);
}

static size_t visits_in(const char *path, const char *setting, const char *shape)
{
    bool found = false;
    struct kt_error error = {0};
    struct kt_series series = {0};
    struct kt_store_note note = {0};
    struct kt_store *s = kt_store_open(path, &error);
    assert_non_null(s);
    const struct kt_store_key key = {setting, shape, "warm"};
    assert_int_equal(kt_store_read(s, &key, &series, &note, &found, &error), KT_OK);
    size_t visits = series.visits;
    free(note.failure);
    kt_series_forget(&series);
    kt_store_close(s);
    return visits;
}

static size_t merge(enum kt_status expected)
{
    size_t series = 0;
    struct kt_error error = {0};
    char *path[] = {store_path[0], store_path[1]};
    assert_int_equal(kt_store_merge(path, STORES, merged, &series, &error), expected);
    assert_int_equal(*error.text != '\0', expected != KT_OK);
    return series;
}

static void test_all_are_there(void **state)
{
    const struct kt_store_note note = {.stop = KT_STOP_CONVERGED, .budget = 1, .at = 1e9};
    int fact = -1;
    (void)state;
    put(0, "x", "a", 3, note);
    put(0, "y", "a", 4, note);
    put(1, "z", "a", 5, note); /* settings have other numbers there */
    put(1, "x", "b", 6, note);
    assert_int_equal(merge(KT_OK), 4);
    assert_int_equal(visits_in(merged, "x", "a"), 3);
    assert_int_equal(visits_in(merged, "y", "a"), 4);
    assert_int_equal(visits_in(merged, "z", "a"), 5);
    assert_int_equal(visits_in(merged, "x", "b"), 6);
    assert_int_equal(visits_in(store_path[0], "x", "b"), 0);
    struct kt_store *s = kt_store_open(merged, &(struct kt_error){0});
    assert_true(kt_store_fact(s, "z", "fact", &fact, sizeof fact) && fact == 1);
    assert_true(kt_store_fact(s, "x", "fact", &fact, sizeof fact) && fact == 0); /* the first one's */
    kt_store_close(s);
}

static void test_which_of_two_stays(void **state)
{
    static const struct {
        struct kt_store_note first, second;
        size_t stays; /* visits of the first 3, of the second 5 */
    } pair[] = {
        {{.stop = KT_STOP_CONVERGED, .budget = 1, .at = 1}, {.stop = KT_STOP_INTERRUPTED, .budget = 9, .at = 9}, 3},
        {{.stop = KT_STOP_NOT_YET, .budget = 9, .at = 9}, {.stop = KT_STOP_BUDGET, .budget = 1, .at = 1}, 5},
        {{.stop = KT_STOP_BUDGET, .budget = 2, .at = 1}, {.stop = KT_STOP_CONVERGED, .budget = 1, .at = 9}, 3},
        {{.stop = KT_STOP_BUDGET, .budget = 2, .at = 1}, {.stop = KT_STOP_ROUNDS, .budget = 2, .at = 2}, 5},
        {{.stop = KT_STOP_BUDGET, .budget = 2, .at = 2}, {.stop = KT_STOP_BUDGET, .budget = 2, .at = 2}, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        new_paths(NULL);
        put(0, "x", "a", 3, pair[i].first);
        put(1, "x", "a", 5, pair[i].second);
        assert_int_equal(merge(KT_OK), 1);
        assert_int_equal(visits_in(merged, "x", "a"), pair[i].stays);
    }
}

static void test_what_is_refused(void **state)
{
    const struct kt_store_note note = {.stop = KT_STOP_CONVERGED, .budget = 1, .at = 1};
    (void)state;
    put(0, "x", "a", 3, note);
    merge(KT_BAD_INPUT); /* the second one is not there */
    assert_int_not_equal(access(merged, F_OK), 0);
    assert_int_not_equal(access(store_path[1], F_OK), 0);
    FILE *file = fopen(store_path[1], "w");
    fputs("SQLite format 3 is not all that it takes", file);
    fclose(file);
    merge(KT_BAD_INPUT);
    assert_int_not_equal(access(merged, F_OK), 0);
    unlink(store_path[1]);
    put(1, "x", "b", 3, note);
    assert_int_equal(merge(KT_OK), 2);
    merge(KT_USAGE); /* it is there now */
    assert_int_equal(visits_in(merged, "x", "b"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_all_are_there, new_paths),
        cmocka_unit_test(test_which_of_two_stays),
        cmocka_unit_test_setup(test_what_is_refused, new_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
