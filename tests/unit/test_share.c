/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of a replay: who measures what, on which cache, and what comes of all of them. */
#include "replay/machine/shared_cache.h"
#include "replay/result/gathered.h"
#include "replay/setup/share.h"
#include "trace/base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { JOBS = 100 };

static const char *parsed(const char *text)
{
    static char out[32];
    struct kt_share share = {0};
    struct kt_error error = {0};
    if (kt_share_parse(text, &share, &error) != KT_OK)
        return error.status == KT_USAGE ? "usage" : "?";
    snprintf(out, sizeof out, "%u of %u", share.number, share.of);
    return out;
}

static void shares_are_numbered_from_one(void **state)
{
    static const char *const wrong[] = {"",   "1",    "0/2",  "3/2",  "1/0",      "x/2",
                                        "1/", "1/2x", "-1/2", "1/-2", "1/200000", " 1/2"};
    (void)state;
    assert_string_equal(parsed("1/1"), "1 of 1");
    assert_string_equal(parsed("17/1000"), "17 of 1000");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_string_equal(parsed(wrong[i]), "usage");
}

/* Times of 1 ms to 100 ms, and some that cannot be replayed. */
static struct kt_jobs make_jobs(void)
{
    struct kt_jobs jobs = {.job = kt_resize(NULL, JOBS, sizeof *jobs.job), .count = JOBS};
    for (size_t i = 0; i < JOBS; i++) {
        jobs.job[i] = (struct kt_job){.insitu.median = (double)(i * 37 % JOBS + 1) * 1e-3, .bytes = i};
        if (i % 20 == 0)
            jobs.job[i].refused = kt_copy("why not");
    }
    return jobs;
}

static void each_job_is_of_one_share_and_costs_are_even(void **state)
{
    (void)state;
    for (unsigned of = 1; of <= 7; of++) {
        int met[JOBS] = {0};
        double least = 1e9;
        double most = 0;
        for (unsigned number = 1; number <= of; number++) {
            struct kt_jobs jobs = make_jobs();
            double seconds = 0;
            kt_share_take(&(struct kt_share){.number = number, .of = of}, &jobs);
            for (size_t i = 0; i < jobs.count; i++) {
                met[jobs.job[i].bytes]++;
                seconds += jobs.job[i].refused ? 0 : jobs.job[i].insitu.median;
                assert_true(i == 0 || jobs.job[i].bytes > jobs.job[i - 1].bytes);
            }
            least = seconds < least ? seconds : least;
            most = seconds > most ? seconds : most;
            kt_jobs_free(&jobs);
        }
        for (size_t i = 0; i < JOBS; i++)
            assert_int_equal(met[i], 1);
        assert_true(most <= 1.03 * least);
    }
}

static void owners_are_those_who_take(void **state)
{
    const struct kt_share share = {.number = 2, .of = 3};
    struct kt_jobs jobs = make_jobs();
    size_t mine = 0;
    (void)state;
    unsigned *owner = kt_share_owners(&share, &jobs);
    for (size_t i = 0; i < JOBS; i++) {
        assert_in_range(owner[i], 1, 3);
        mine += owner[i] == 2;
    }
    kt_share_take(&share, &jobs);
    assert_int_equal(jobs.count, mine);
    for (size_t i = 0; i < jobs.count; i++)
        assert_int_equal(owner[jobs.job[i].bytes], 2);
    free(owner);
    kt_jobs_free(&jobs);
}

/* Times may differ in their last digits between processes, and the order of the jobs with them. */
static void owners_do_not_depend_on_last_digits(void **state)
{
    static struct kt_shape_group shape[JOBS];
    const struct kt_share share = {.number = 1, .of = 3};
    struct kt_jobs jobs = make_jobs();
    struct kt_jobs other = make_jobs();
    (void)state;
    for (size_t i = 0; i < JOBS; i++) {
        free(jobs.job[i].refused);
        free(other.job[JOBS - 1 - i].refused);
        jobs.job[i].refused = NULL;
        shape[i].first.n = i;
        jobs.job[i].shape = &shape[i];
        jobs.job[i].insitu.median = 1e-8;
        jobs.job[i].bytes = 12288;
        other.job[JOBS - 1 - i] = jobs.job[i];
        other.job[JOBS - 1 - i].insitu.median *= 1 + 1e-12 * (double)i;
    }
    unsigned *owner = kt_share_owners(&share, &jobs);
    unsigned *again = kt_share_owners(&share, &other);
    for (size_t i = 0; i < JOBS; i++)
        assert_int_equal(owner[i], again[JOBS - 1 - i]);
    free(owner);
    free(again);
    kt_jobs_free(&jobs);
    kt_jobs_free(&other);
}

static void without_shares_all_jobs_stay(void **state)
{
    struct kt_jobs jobs = make_jobs();
    (void)state;
    assert_null(kt_share_owners(&(struct kt_share){0}, &jobs));
    kt_share_take(&(struct kt_share){0}, &jobs);
    assert_int_equal(jobs.count, JOBS);
    kt_jobs_free(&jobs);
}

static void launchers_tell_shares(void **state)
{
    struct kt_share share = {0};
    (void)state;
    unsetenv("OMPI_COMM_WORLD_RANK");
    setenv("PMI_RANK", "2", 1);
    setenv("PMI_SIZE", "1", 1);
    kt_share_find(&share);
    assert_int_equal(share.of, 0); /* rank 2 of 1 is none */
    setenv("PMI_SIZE", "4", 1);
    kt_share_find(&share);
    assert_true(share.number == 3 && share.of == 4 && share.from_launcher);
    share = (struct kt_share){.number = 1, .of = 2};
    kt_share_find(&share);
    assert_true(share.number == 1 && share.of == 2); /* who asks for a share has it */
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
}

/* --- caches ------------------------------------------------------------------------------------------------ */

static void write_file(const char *root, int cpu, int index, const char *name, const char *text)
{
    char path[512];
    const char *part[] = {"/sys", "/devices", "/system", "/cpu"};
    snprintf(path, sizeof path, "%s", root);
    for (size_t i = 0; i < 4; i++) {
        strcat(path, part[i]);
        mkdir(path, 0700);
    }
    size_t used = strlen(path);
    used += (size_t)snprintf(path + used, sizeof path - used, "/cpu%d", cpu);
    mkdir(path, 0700);
    used += (size_t)snprintf(path + used, sizeof path - used, "/cache");
    mkdir(path, 0700);
    used += (size_t)snprintf(path + used, sizeof path - used, "/index%d", index);
    mkdir(path, 0700);
    snprintf(path + used, sizeof path - used, "/%s", name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void processors_that_share_the_last_cache(void **state)
{
    char root[] = "/tmp/ktrace-share.XXXXXX";
    char command[64];
    struct kt_shared_cache cache;
    (void)state;
    assert_non_null(mkdtemp(root));
    write_file(root, 9, 0, "level", "1\n");
    write_file(root, 9, 0, "shared_cpu_list", "9\n");
    write_file(root, 9, 1, "level", "3\n");
    write_file(root, 9, 1, "shared_cpu_list", "8-11,24-27\n");
    write_file(root, 9, 2, "level", "2\n");
    write_file(root, 9, 2, "shared_cpu_list", "9\n");
    assert_true(kt_shared_cache_of(root, 9, &cache));
    assert_int_equal(cache.level, 3);
    assert_int_equal(cache.first, 8);
    assert_int_equal(CPU_COUNT(&cache.processors), 8);
    assert_true(CPU_ISSET(27, &cache.processors) && !CPU_ISSET(12, &cache.processors));
    assert_false(kt_shared_cache_of(root, 10, &cache));
    write_file(root, 11, 0, "level", "2\n");
    write_file(root, 11, 0, "shared_cpu_list", "nonsense\n");
    assert_false(kt_shared_cache_of(root, 11, &cache));
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

/* --- results ----------------------------------------------------------------------------------------------- */

static json_t *document(double total, double bound, int more)
{
    json_t *json = json_pack("{s:{s:s, s:i}, s:[{s:f}, {s:f}], s:[{s:f}], s:{s:f, s:f, s:o}, s:f, s:i, s:{s:i}, s:b}",
                             "machine", "cpu", "fast", "cpus", 4, "shapes", "total", total, "total", total / 4,
                             "not_replayed", "seconds", 1.0, "totals", "insitu", 1.25 * total, "warm", 0.5 * total,
                             "bound", bound < 0 ? json_null() : json_real(bound), "seconds_spent", 3.0, "rounds", more,
                             "store", "series_reused", more, "interrupted", 0);
    json_object_set_new(
        json, "left_out",
        json_pack("{s:i, s:i, s:f, s:f}", "shapes", more, "calls", 2 * more, "seconds", (double)more, "share", 0.5));
    return json;
}

static double number(const json_t *json, const char *a, const char *b)
{
    return json_number_value(json_object_get(json_object_get(json, a), b));
}

static void the_whole_has_all_shapes_and_sums(void **state)
{
    json_t *part[] = {document(8, 1, 3), document(20, 2, 5)};
    (void)state;
    json_t *whole = kt_gathered_whole(part, 2);
    json_t *shapes = json_object_get(whole, "shapes");
    const double totals[] = {20, 8, 5, 2};
    assert_int_equal(json_array_size(shapes), 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(json_number_value(json_object_get(json_array_get(shapes, i), "total")) == totals[i]);
    assert_true(number(whole, "totals", "insitu") == 35 && number(whole, "totals", "warm") == 14);
    assert_true(number(whole, "totals", "bound") == 3);
    assert_true(number(whole, "left_out", "shapes") == 8 && number(whole, "left_out", "calls") == 16);
    assert_true(number(whole, "left_out", "share") == 8.0 / (8 + 35 + 2));
    assert_true(json_number_value(json_object_get(whole, "seconds_spent")) == 6);
    assert_int_equal(json_integer_value(json_object_get(whole, "rounds")), 5);
    assert_int_equal(json_array_size(json_object_get(whole, "shards")), 2);
    assert_true(json_is_null(json_object_get(whole, "state")));
    json_decref(whole);
    json_decref(part[1]);
    part[1] = document(20, -1, 5); /* of one share it is not known */
    whole = kt_gathered_whole(part, 2);
    assert_true(json_is_null(json_object_get(json_object_get(whole, "totals"), "bound")));
    json_decref(whole);
    json_decref(part[0]);
    json_decref(part[1]);
}

static void unlike_nodes_are_of_another_kind(void **state)
{
    char a[9];
    char b[9];
    json_t *one = document(8, 1, 3);
    json_t *other = document(20, 2, 5);
    (void)state;
    kt_gathered_kind(one, "1 2", a);
    kt_gathered_kind(other, "1 2", b);
    assert_string_equal(a, b);
    kt_gathered_kind(other, "1 3", b); /* recorded later */
    assert_string_not_equal(a, b);
    json_object_set_new(other, "skipped", json_integer(2)); /* other calls */
    kt_gathered_kind(other, "1 2", b);
    assert_string_not_equal(a, b);
    json_object_del(other, "skipped");
    json_object_set_new(json_object_get(other, "machine"), "cpu", json_string("slow"));
    kt_gathered_kind(other, "1 2", b);
    assert_string_not_equal(a, b);
    json_decref(other);
    other = document(8, 1, 3);
    json_object_set_new(other, "contexts", json_pack("[s]", "warm"));
    kt_gathered_kind(other, "1 2", b);
    assert_string_not_equal(a, b);
    json_decref(other);
    other = document(8, 1, 3);
    json_object_set_new(other, "caches", json_pack("[{s:i, s:s}]", "bytes", 5, "source", "measured"));
    kt_gathered_kind(other, "1 2", b);
    assert_string_equal(a, b); /* that differs each time */
    json_object_set_new(other, "caches", json_pack("[{s:i, s:s}]", "bytes", 5, "source", "machine file"));
    kt_gathered_kind(other, "1 2", b);
    assert_string_not_equal(a, b);
    json_decref(other);
    json_decref(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_numbered_from_one),
        cmocka_unit_test(each_job_is_of_one_share_and_costs_are_even),
        cmocka_unit_test(owners_are_those_who_take),
        cmocka_unit_test(owners_do_not_depend_on_last_digits),
        cmocka_unit_test(without_shares_all_jobs_stay),
        cmocka_unit_test(launchers_tell_shares),
        cmocka_unit_test(processors_that_share_the_last_cache),
        cmocka_unit_test(the_whole_has_all_shapes_and_sums),
        cmocka_unit_test(unlike_nodes_are_of_another_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
