/* SPDX-License-Identifier: BSD-3-Clause */
/* What a replay found of the caches is what a later one says, even where a sweep was doubted. */
#include "replay/setup/known_caches.h"

#include "replay/setup/recall.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LAST = 4 << 20 };

static const struct kt_hierarchy system_says = {
    .caches = {.cache = {{32768, 1}, {1 << 20, 1}, {LAST, 1}}, .count = 3, .line = 64}};

static char store[] = "/tmp/ktrace-caches-XXXXXX";

static int make_store(void **state)
{
    (void)state;
    strcpy(store + sizeof store - sizeof "XXXXXX", "XXXXXX");
    return close(mkstemp(store));
}

static int remove_store(void **state)
{
    (void)state;
    return unlink(store);
}

/* As a replay of its own finds it. */
static uint64_t find_last(bool fresh, const char *doubt)
{
    struct kt_replay_options options = {.store = store};
    struct kt_recall recall;
    struct kt_hierarchy hierarchy = system_says;
    strcpy(hierarchy.sweep[0].doubt, doubt);
    kt_recall_begin(&options, &recall);
    assert_non_null(recall.store);
    kt_known_last_cache(&recall, fresh, &hierarchy);
    kt_recall_close(&recall);
    assert_int_equal(hierarchy.last_bytes, LAST);
    return hierarchy.caches.cache[2].bytes;
}

/* A size that no measurement gives, in the place of what was found. */
static void plant(uint64_t bytes)
{
    struct kt_replay_options options = {.store = store};
    struct kt_recall recall;
    kt_recall_begin(&options, &recall);
    kt_recall_set_fact(&recall, true, "of the last cache, bytes, 32768, 1048576, 4194304", &bytes, sizeof bytes);
    kt_recall_close(&recall);
}

static void the_last_cache_is_found_once(void **state)
{
    (void)state;
    uint64_t found = find_last(false, "");
    assert_in_range(found, 1 << 20, LAST);
    assert_int_equal(find_last(false, ""), found);
    assert_int_equal(find_last(false, "a doubt of a bad moment"), found);
}

static void a_known_size_is_not_measured_again(void **state)
{
    (void)state;
    plant(1234567);
    assert_int_equal(find_last(false, ""), 1234567);
    assert_int_not_equal(find_last(true, ""), 1234567);
    assert_int_not_equal(find_last(false, ""), 1234567);
}

static void a_size_that_cannot_be_is_measured_again(void **state)
{
    (void)state;
    const uint64_t wrong[] = {0, LAST + 1, UINT64_MAX};
    for (int i = 0; i < 3; i++) {
        plant(wrong[i]);
        assert_in_range(find_last(false, ""), 1 << 20, LAST);
    }
}

static void without_a_store_it_is_measured(void **state)
{
    (void)state;
    struct kt_hierarchy hierarchy = system_says;
    kt_known_last_cache(NULL, false, &hierarchy);
    assert_in_range(hierarchy.caches.cache[2].bytes, 1 << 20, LAST);
}

static void sweeps_are_calibrated_once(void **state)
{
    (void)state;
    struct kt_replay_options options = {.store = store};
    struct kt_hierarchy hierarchy[3] = {system_says, system_says, system_says};
    for (int i = 0; i < 3; i++) {
        struct kt_recall recall;
        kt_recall_begin(&options, &recall);
        kt_known_sweeps(&recall, i == 2, 1, &hierarchy[i]);
        kt_recall_close(&recall);
    }
    assert_true(hierarchy[0].sweep[0].bytes > 0);
    if (!*hierarchy[0].sweep[0].doubt)
        assert_memory_equal(&hierarchy[0], &hierarchy[1], sizeof hierarchy[0]);
    assert_memory_not_equal(&hierarchy[1], &hierarchy[2], sizeof hierarchy[1]);
}

int main(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, make_store, remove_store)
    const struct CMUnitTest tests[] = {
        WITH_STORE(the_last_cache_is_found_once),
        WITH_STORE(a_known_size_is_not_measured_again),
        WITH_STORE(a_size_that_cannot_be_is_measured_again),
        cmocka_unit_test(without_a_store_it_is_measured),
        WITH_STORE(sweeps_are_calibrated_once),
    };
    return cmocka_run_group_tests_name("known_caches", tests, NULL, NULL);
}
