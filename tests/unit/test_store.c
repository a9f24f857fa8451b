/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written is read again bit for bit, and nothing that is wrong with the file does more than not to help. */
#include "replay/store/store.h"

#include "replay/flush/eviction.h"
#include "replay/machine/peak.h"
#include "replay/machine/processor.h"
#include "replay/measure/worker.h"
#include "trace/base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[4096];

static int new_path(void **state)
{
    static int number;
    const char *folder = getenv("T");
    (void)state;
    snprintf(path, sizeof path, "%s/%d/deep/store.sqlite", folder ? folder : "/tmp", number++);
    return 0;
}

static const struct kt_store_key a_key = {"machine", "dgemm N N", "warm"};

static struct kt_series make_series(size_t visits)
{
    struct kt_series series = {0};
    for (size_t i = 0; i < visits; i++)
        kt_series_add(&series, (unsigned)i, (const double[]){1.0 / 3 + (double)i, 1e-9 * (double)i}, 2);
    return series;
}

static void free_series(struct kt_series *series)
{
    free(series->sample);
    free(series->visit);
    free(series->round);
    free(series->whole);
    free(series->left);
    *series = (struct kt_series){0};
}

static struct kt_store *open_store(void)
{
    struct kt_error error = {0};
    struct kt_store *store = kt_store_open(path, &error);
    if (!store)
        fail_msg("%s", error.text);
    return store;
}

static void write_series(struct kt_store *store, const struct kt_store_key *key, size_t visits, bool replace)
{
    struct kt_error error = {0};
    struct kt_series series = make_series(visits);
    struct kt_store_note note = {.stop = KT_STOP_CONVERGED, .budget = 20, .at = 1e9};
    assert_int_equal(kt_store_begin(store, true, &error), KT_OK);
    assert_int_equal(kt_store_write(store, key, &series, &note, replace, &error), KT_OK);
    assert_int_equal(kt_store_commit(store, &error), KT_OK);
    free_series(&series);
}

/* Visits that are found under a key; 0: none. */
static size_t found_visits(struct kt_store *store, const struct kt_store_key *key)
{
    struct kt_error error = {0};
    struct kt_series series = {0};
    struct kt_store_note note;
    bool found;
    assert_int_equal(kt_store_read(store, key, &series, &note, &found, &error), KT_OK);
    size_t visits = series.visits;
    assert_int_equal(found, visits > 0);
    if (found)
        free(note.failure);
    free_series(&series);
    return visits;
}

static void run_sql(const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* --- what it is for ---------------------------------------------------------------------------------------- */

static void test_round_trip(void **state)
{
    (void)state;
    struct kt_error error = {0};
    struct kt_series written = make_series(5);
    struct kt_series read = {0};
    struct kt_store_note note;
    bool found;
    struct kt_store *store = open_store();
    write_series(store, &a_key, 5, false);
    kt_store_close(store);
    store = open_store();
    assert_int_equal(kt_store_read(store, &a_key, &read, &note, &found, &error), KT_OK);
    assert_true(found);
    assert_int_equal(note.stop, KT_STOP_CONVERGED);
    assert_true(note.budget == 20 && note.at == 1e9 && !note.failure);
    assert_int_equal(read.samples, 10);
    assert_int_equal(read.visits, 5);
    assert_memory_equal(read.sample, written.sample, 10 * sizeof *read.sample);
    assert_memory_equal(read.visit, written.visit, 5 * sizeof *read.visit);
    assert_memory_equal(read.round, written.round, 5 * sizeof *read.round);
    /* It can be added to. */
    for (unsigned i = 0; i < 100; i++)
        kt_series_add(&read, i, (const double[]){1}, 1);
    assert_int_equal(read.samples, 110);
    free_series(&read);
    free_series(&written);
    kt_store_close(store);
}

static void test_every_part_of_a_key_matters(void **state)
{
    (void)state;
    struct kt_store *store = open_store();
    write_series(store, &a_key, 1, false);
    write_series(store, &(struct kt_store_key){"other", a_key.shape, a_key.context}, 2, false);
    write_series(store, &(struct kt_store_key){a_key.setting, "dgemm T N", a_key.context}, 3, false);
    write_series(store, &(struct kt_store_key){a_key.setting, a_key.shape, "cold"}, 4, false);
    assert_int_equal(found_visits(store, &a_key), 1);
    assert_int_equal(found_visits(store, &(struct kt_store_key){"other", a_key.shape, a_key.context}), 2);
    assert_int_equal(found_visits(store, &(struct kt_store_key){a_key.setting, "dgemm T N", a_key.context}), 3);
    assert_int_equal(found_visits(store, &(struct kt_store_key){a_key.setting, a_key.shape, "cold"}), 4);
    assert_int_equal(found_visits(store, &(struct kt_store_key){"none", a_key.shape, "cold"}), 0);
    kt_store_close(store);
}

/* Two replays at once: the one with more samples counts, unless the user asked for fresh ones. */
static void test_longer_series_stays(void **state)
{
    (void)state;
    struct kt_store *one = open_store();
    struct kt_store *other = open_store();
    write_series(one, &a_key, 5, false);
    write_series(other, &a_key, 3, false);
    assert_int_equal(found_visits(one, &a_key), 5);
    write_series(other, &a_key, 7, false);
    assert_int_equal(found_visits(one, &a_key), 7);
    write_series(other, &a_key, 2, true);
    assert_int_equal(found_visits(one, &a_key), 2);
    kt_store_close(one);
    kt_store_close(other);
}

static void test_failures(void **state)
{
    (void)state;
    struct kt_error error = {0};
    struct kt_series none = {0};
    struct kt_series read = {0};
    struct kt_store_note note = {.stop = KT_STOP_FAILED, .failure = (char *)(uintptr_t) "it \"hangs\""};
    struct kt_store_note found_note;
    bool found;
    struct kt_store *store = open_store();
    assert_int_equal(kt_store_begin(store, true, &error), KT_OK);
    assert_int_equal(kt_store_write(store, &a_key, &none, &note, false, &error), KT_OK);
    assert_int_equal(kt_store_commit(store, &error), KT_OK);
    assert_int_equal(kt_store_read(store, &a_key, &read, &found_note, &found, &error), KT_OK);
    assert_true(found);
    assert_int_equal(read.samples, 0);
    assert_string_equal(found_note.failure, "it \"hangs\"");
    free(found_note.failure);
    free_series(&read);
    kt_store_close(store);
}

static void test_facts(void **state)
{
    (void)state;
    struct kt_error error = {0};
    double number = 0;
    struct kt_store *store = open_store();
    assert_false(kt_store_fact(store, "machine", "peak", &number, sizeof number));
    assert_int_equal(kt_store_set_fact(store, "machine", "peak", &(double){3}, sizeof number, &error), KT_OK);
    assert_int_equal(kt_store_set_fact(store, "machine", "peak", &(double){4}, sizeof number, &error), KT_OK);
    assert_true(kt_store_fact(store, "machine", "peak", &number, sizeof number));
    assert_true(number == 4);
    assert_false(kt_store_fact(store, "machine", "peak", &number, 4));
    assert_false(kt_store_fact(store, "other", "peak", &number, sizeof number));
    kt_store_close(store);
}

static void test_facts_of_others(void **state)
{
    (void)state;
    struct kt_error error = {0};
    struct kt_store *store = kt_store_open(path, &error);
    const char *const setting[] = {"a", "b", "c"};
    assert_int_equal(kt_store_count_others(store, "a", "fact"), 0);
    assert_int_equal(kt_store_begin(store, true, &error), KT_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(kt_store_set_fact(store, setting[i], i < 2 ? "fact" : "another", "", 1, &error), KT_OK);
    assert_int_equal(kt_store_commit(store, &error), KT_OK);
    assert_int_equal(kt_store_count_others(store, "a", "fact"), 1);
    assert_int_equal(kt_store_count_others(store, "c", "fact"), 2);
    assert_int_equal(kt_store_count_others(store, "b", "another"), 1);
    kt_store_close(store);
}

/* --- what is wrong with it --------------------------------------------------------------------------------- */

static void test_damaged_records(void **state)
{
    (void)state;
    static const char *const damage[] = {
        "UPDATE series SET sample = x'00'",
        "UPDATE series SET visit = x''",
        "UPDATE series SET round = x'0000000000000000'",
        "UPDATE series SET stop = 'later'",
        "UPDATE series SET stop = NULL",
        "UPDATE series SET sample = x'000000000000f0bf'", /* -1 */
        "UPDATE series SET sample = x'000000000000f87f'", /* not a number */
        "UPDATE series SET sample = x''",
        "UPDATE series SET visit = NULL, round = NULL",
        "UPDATE series SET plain = x'00'",
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        struct kt_store *store = open_store();
        write_series(store, &a_key, 3, true);
        assert_int_equal(found_visits(store, &a_key), 3);
        run_sql(damage[i]);
        assert_int_equal(found_visits(store, &a_key), 0);
        kt_store_close(store);
    }
}

static void assert_not_opened(const char *reason)
{
    struct kt_error error = {0};
    struct kt_store *store = kt_store_open(path, &error);
    assert_null(store);
    if (!strstr(error.text, reason))
        fail_msg("'%s' instead of '%s'", error.text, reason);
}

/* What is in a cell may have any length and type. */
static void test_cells_of_other_kinds(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "sample = x'0000000000000000000000000000000001'",
        "sample = zeroblob(80) || x'00'",
        "sample = 12345678901234567",
        "sample = 'text of that'",
        "visit = 1.5",
        "round = 'abcd'",
        "plain = (SELECT hex(plain) FROM series)",
        "plain = 7",
        "at = 1e300",
        "at = -1",
        "round = x'000000000100000000ff7f7f'",
        "at = 'never'; UPDATE series SET budget = 9e999",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char sql[256];
        struct kt_store *store = open_store();
        write_series(store, &a_key, 3, true);
        kt_store_close(store);
        snprintf(sql, sizeof sql, "UPDATE series SET %s", changes[i]);
        run_sql(sql);
        store = open_store();
        assert_int_equal(found_visits(store, &a_key), 0);
        kt_store_close(store);
    }
}

/* A byte of the structure that is no bool. */
static void test_a_bool_that_is_none(void **state)
{
    (void)state;
    struct kt_error error = {0};
    struct kt_series series = make_series(2);
    struct kt_store_note note = {.stop = KT_STOP_CONVERGED, .budget = 20, .at = 1e9};
    bool found;
    struct kt_store *store = open_store();
    memset(&series.absent, 77, 1);
    assert_int_equal(kt_store_begin(store, true, &error), KT_OK);
    assert_int_equal(kt_store_write(store, &a_key, &series, &note, true, &error), KT_OK);
    assert_int_equal(kt_store_commit(store, &error), KT_OK);
    free_series(&series);
    assert_int_equal(kt_store_read(store, &a_key, &series, &note, &found, &error), KT_OK);
    unsigned char byte;
    memcpy(&byte, &series.absent, 1);
    assert_true(found && byte == 0);
    free_series(&series);
    kt_store_close(store);
}

/* Reading would never end, and writing would do what somebody else wrote. */
static void test_views_and_triggers_are_not_run(void **state)
{
    (void)state;
    struct kt_error error = {0};
    struct kt_store *store = open_store();
    write_series(store, &a_key, 1, false);
    kt_store_close(store);
    run_sql("CREATE TRIGGER t AFTER INSERT ON fact BEGIN DELETE FROM series; END");
    store = open_store();
    assert_int_equal(kt_store_begin(store, true, &error), KT_OK);
    assert_int_equal(kt_store_set_fact(store, a_key.setting, "a fact", "x", 1, &error), KT_OK);
    assert_int_equal(kt_store_commit(store, &error), KT_OK);
    assert_int_equal(found_visits(store, &a_key), 1);
    kt_store_close(store);
    run_sql("DROP TRIGGER t; ALTER TABLE series RENAME TO kept;"
            "CREATE VIEW series AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            " SELECT kept.* FROM kept, n WHERE i < 0");
    alarm(20);
    assert_not_opened("store.sqlite");
    alarm(0);
}

/* Plain structures that are kept as facts. */
static void test_structures_are_checked(void **state)
{
    (void)state;
    struct kt_hello hello = {.version = "1.0", .flush_effect = 5, .processor = KT_NO_PROCESSOR};
    assert_true(kt_hello_is_sound(&hello));
    hello.flush_effect = NAN;
    assert_false(kt_hello_is_sound(&hello));
    hello.flush_effect = 5;
    memset(hello.version, 'x', sizeof hello.version);
    assert_false(kt_hello_is_sound(&hello));
    const struct kt_caches caches = {.cache = {{32768, 1}, {1 << 20, 2}}, .count = 2, .line = 64};
    struct kt_hierarchy h = {.caches = caches};
    h.caches.cache[1].bytes = 1000; /* as far as this process has it */
    assert_true(kt_hierarchy_is_sound(&h, &caches));
    h.caches.count = 3;
    assert_false(kt_hierarchy_is_sound(&h, &caches));
    h.caches = caches;
    h.caches.cache[0].shared = 0;
    assert_false(kt_hierarchy_is_sound(&h, &caches));
    h.caches = caches;
    memset(h.sweep[0].doubt, 'x', sizeof h.sweep[0].doubt);
    assert_false(kt_hierarchy_is_sound(&h, &caches));
    struct kt_peaks peaks = {.threads = 1};
    assert_true(kt_peaks_are_sound(&peaks));
    memset(&peaks.probed, 2, 1);
    assert_false(kt_peaks_are_sound(&peaks));
}

static void overwrite(long at, const char *text)
{
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    for (int i = 0; i < 400; i++)
        fputs(text, file);
    fclose(file);
}

static void test_damaged_file(void **state)
{
    (void)state;
    struct kt_store *store = open_store();
    write_series(store, &a_key, 3, false);
    kt_store_close(store);
    overwrite(0, "This is not a database.\n");
    assert_not_opened("not a database");
}

/* Whatever place is overwritten, there is an error or there is nothing, or what was written. */
static void test_damaged_pages(void **state)
{
    (void)state;
    struct kt_error error;
    struct stat about;
    struct kt_store *store = open_store();
    write_series(store, &a_key, 3, false);
    kt_store_close(store);
    assert_int_equal(stat(path, &about), 0);
    for (long at = 100; at < about.st_size; at += 1500) {
        struct kt_series series = {0};
        struct kt_store_note note;
        bool found = false;
        unlink(path);
        store = open_store();
        write_series(store, &a_key, 3, false);
        kt_store_close(store);
        overwrite(at, "rubbish");
        error = (struct kt_error){0};
        store = kt_store_open(path, &error);
        if (!store)
            continue;
        if (kt_store_read(store, &a_key, &series, &note, &found, &error) == KT_OK && found) {
            assert_int_equal(series.visits, 3);
            free(note.failure);
        }
        free_series(&series);
        kt_store_close(store);
    }
}

static void test_truncated_file(void **state)
{
    (void)state;
    struct kt_store *store = open_store();
    write_series(store, &a_key, 400, false);
    kt_store_close(store);
    assert_int_equal(truncate(path, 5000), 0);
    struct kt_error error = {0};
    store = kt_store_open(path, &error);
    if (!store)
        return;
    struct kt_series series = {0};
    struct kt_store_note note;
    bool found = false;
    assert_int_not_equal(kt_store_read(store, &a_key, &series, &note, &found, &error), KT_OK);
    assert_false(found);
    kt_store_close(store);
}

static void test_locked(void **state)
{
    (void)state;
    sqlite3 *holder;
    kt_store_close(open_store());
    assert_int_equal(sqlite3_open(path, &holder), SQLITE_OK);
    assert_int_equal(sqlite3_exec(holder, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    assert_not_opened("locked");
    sqlite3_close(holder);
    kt_store_close(open_store());
}

static void test_of_something_else(void **state)
{
    (void)state;
    kt_store_close(open_store());
    unlink(path);
    run_sql("CREATE TABLE mine (important TEXT); INSERT INTO mine VALUES ('yes')");
    assert_not_opened("something else");
    run_sql("INSERT INTO mine SELECT important FROM mine");
}

static void test_other_versions(void **state)
{
    (void)state;
    struct kt_store *store = open_store();
    write_series(store, &a_key, 3, false);
    kt_store_close(store);
    run_sql("PRAGMA user_version = 99");
    assert_not_opened("newer");
    run_sql("PRAGMA user_version = 0");
    store = open_store();
    assert_int_equal(found_visits(store, &a_key), 0);
    write_series(store, &a_key, 2, false);
    assert_int_equal(found_visits(store, &a_key), 2);
    kt_store_close(store);
}

static void test_no_place(void **state)
{
    (void)state;
    char out[256];
    struct kt_error error = {0};
    setenv("XDG_CACHE_HOME", "/x", 1);
    assert_int_equal(kt_store_default_path(out, sizeof out, &error), KT_OK);
    assert_string_equal(out, "/x/ktrace/store.sqlite");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/h", 1);
    assert_int_equal(kt_store_default_path(out, sizeof out, &error), KT_OK);
    assert_string_equal(out, "/h/.cache/ktrace/store.sqlite");
    unsetenv("HOME");
    assert_int_equal(kt_store_default_path(out, sizeof out, &error), KT_SYSTEM);
    strcpy(path, "/dev/null/store.sqlite");
    assert_not_opened("/dev/null/store.sqlite");
}

/* Files that cannot grow: what is there can be read, what cannot be written is not there in part. */
static void test_disk_full(void **state)
{
    (void)state;
    struct kt_error error = {0};
    struct stat about;
    struct rlimit old;
    struct kt_store *store = open_store();
    write_series(store, &a_key, 3, false);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit full = {(rlim_t)about.st_size, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    struct kt_series series = make_series(20000);
    struct kt_store_note note = {.stop = KT_STOP_BUDGET};
    enum kt_status status = kt_store_begin(store, true, &error);
    if (status == KT_OK)
        status = kt_store_write(store, &a_key, &series, &note, false, &error);
    enum kt_status ended = kt_store_commit(store, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_true(status != KT_OK || ended != KT_OK);
    assert_int_not_equal(error.status, KT_OK);
    assert_int_equal(found_visits(store, &a_key), 3);
    free_series(&series);
    kt_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_round_trip, new_path),
        cmocka_unit_test_setup(test_every_part_of_a_key_matters, new_path),
        cmocka_unit_test_setup(test_longer_series_stays, new_path),
        cmocka_unit_test_setup(test_failures, new_path),
        cmocka_unit_test_setup(test_facts, new_path),
        cmocka_unit_test_setup(test_facts_of_others, new_path),
        cmocka_unit_test_setup(test_damaged_records, new_path),
        cmocka_unit_test_setup(test_cells_of_other_kinds, new_path),
        cmocka_unit_test_setup(test_a_bool_that_is_none, new_path),
        cmocka_unit_test_setup(test_views_and_triggers_are_not_run, new_path),
        cmocka_unit_test(test_structures_are_checked),
        cmocka_unit_test_setup(test_damaged_file, new_path),
        cmocka_unit_test_setup(test_damaged_pages, new_path),
        cmocka_unit_test_setup(test_truncated_file, new_path),
        cmocka_unit_test_setup(test_locked, new_path),
        cmocka_unit_test_setup(test_of_something_else, new_path),
        cmocka_unit_test_setup(test_other_versions, new_path),
        cmocka_unit_test_setup(test_no_place, new_path),
        cmocka_unit_test_setup(test_disk_full, new_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
