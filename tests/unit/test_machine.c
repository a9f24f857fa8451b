/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader of the machine file, and what the system claims: also when it lies.
 */
#include "model/probe/claims.h"
#include "model/roofline/roofs.h"
#include "replay/machine/probed.h"
#include "trace/command/machine.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char whole[] =
    "{\"tsc_hz\": 2.5e9, \"core_hz\": 3.1e9, \"line_bytes\": 64, \"page_bytes\": null, \"fma\": true, \"quick\": false,"
    "\"caches\": [{\"level\": 1, \"bytes\": 32768, \"effective_bytes\": 31000, \"ways\": 8, \"latency_cycles\": 4.0,"
    "\"latency_ns\": 1.3, \"confidence\": 1.0}, {\"level\": 2, \"bytes\": null, \"effective_bytes\": 500000, \"ways\": "
    "null,"
    "\"bytes_between\": [640000, 1000000], \"latency_cycles\": 14, \"latency_ns\": 4.5, \"confidence\": 0.1}],"
    "\"memory\": {\"latency_cycles\": 250, \"latency_ns\": 80},"
    "\"peak\": [{\"name\": \"fma double x8\", \"cores\": 1, \"flops_per_cycle\": 31.9}, {\"name\": \"broken\"}],"
    "\"bandwidth\": [{\"name\": \"L1 load\", \"bytes_per_cycle\": 120, \"bytes_per_second\": 3e11}]}";

static json_t *parse(const char *text)
{
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    return document;
}

static void a_machine_file_is_read(void **state)
{
    (void)state;
    json_t *document = parse(whole);
    struct kt_machine m;
    struct kt_error error = {0};
    assert_int_equal(kt_machine_take(document, &m, &error), KT_OK);
    assert_true(m.tsc_hz == 2.5e9 && m.core_hz == 3.1e9 && m.line_bytes == 64 && m.page_bytes == 0 && m.fma &&
                !m.quick);
    assert_int_equal(m.caches, 2);
    assert_true(m.cache[0].bytes == 32768 && m.cache[0].ways == 8 && m.cache[1].bytes == 0 && m.cache[1].ways == 0);
    assert_true(kt_machine_last_cache(&m) == 500000); /* of the second only that is known */
    assert_true(m.cache[0].half_bytes == 32768 && fabs(m.cache[1].half_bytes - 800000) < 1e-3);
    assert_int_equal(m.peaks, 1);
    assert_string_equal(m.peak[0].name, "fma double x8");
    assert_true(isnan(m.peak[0].per_second) && m.bandwidth[0].per_second == 3e11);
    json_decref(document);
}

static void numbers_that_cannot_be_are_left_out(void **state)
{
    (void)state;
    json_t *document = parse("{\"tsc_hz\": 1e9, \"core_hz\": 1e9, \"caches\": [{\"ways\": 1e300}, {\"ways\": -5}],"
                             "\"peak\": [{\"name\": \"a\", \"cores\": 3e9, \"flops_per_cycle\": 1}]}");
    struct kt_caches caches = {{{32 << 10, 1}, {1 << 20, 1}}, 2, 64};
    struct kt_machine m;
    struct kt_roofs roofs;
    struct kt_error error = {0};
    assert_int_equal(kt_machine_take(document, &m, &error), KT_OK);
    assert_true(m.cache[0].ways == 0 && m.cache[1].ways == 0 && m.peak[0].cores == 0);
    json_decref(document);
    m.line_bytes = 0.5;
    m.cache[0].effective_bytes = 1e30;
    assert_int_equal(kt_probed_caches(&m, &caches), 0);
    assert_true(caches.line == 64 && caches.cache[0].bytes == 32 << 10);
    m.line_bytes = 1e30;
    kt_probed_caches(&m, &caches);
    assert_true(caches.line == 64);
    document = parse("{\"peaks\": {\"threads\": 1e12, \"flops_double\": 1e9, \"flops_single\": 1e9}}");
    assert_true(kt_roofs_of_replay(document, 1e9, &roofs) && roofs.roof[0].cores > 0);
    json_decref(document);
}

static void replay_takes_sizes_from_it_as_far_as_they_are_known(void **state)
{
    (void)state;
    struct kt_machine m = {.core_hz = 3e9, .line_bytes = 128, .caches = 2};
    struct kt_caches caches = {{{32 << 10, 1}, {1 << 20, 1}, {32 << 20, 8}}, 3, 64};
    m.cache[0].effective_bytes = 47000;
    m.cache[1].effective_bytes = 800000;
    assert_int_equal(kt_probed_caches(&m, &caches), 2);
    assert_true(caches.cache[0].bytes == 47000 && caches.cache[1].bytes == 800000);
    assert_true(caches.cache[2].bytes == 32 << 20 && caches.line == 128 && caches.cache[2].shared == 8);
    m.caches = 3;
    m.cache[2].effective_bytes = 5e6; /* others take from the last one what they do now, not what they did then */
    assert_int_equal(kt_probed_caches(&m, &caches), 2);
    assert_true(caches.cache[2].bytes == 32 << 20);
    m.cache[1].effective_bytes = 40000; /* smaller than the one before: not to be believed */
    assert_int_equal(kt_probed_caches(&m, &caches), 1);
}

static void add_roof(struct kt_machine_roof *roof, size_t *count, const char *name, double rate)
{
    struct kt_machine_roof *r = &roof[(*count)++];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->cores = 1;
    r->per_cycle = rate;
    r->per_second = NAN;
}

static void replay_takes_peaks_of_one_thread_if_all_are_there(void **state)
{
    (void)state;
    static const char *const levels[] = {"L1", "L2", "memory"};
    static const char *const operations[] = {"load", "store", "copy"};
    struct kt_machine m = {.core_hz = 2e9, .caches = 2};
    struct kt_peaks p = {0};
    add_roof(m.peak, &m.peaks, "fma double x8", 32);
    assert_false(kt_probed_peaks(&m, 1, &p));
    add_roof(m.peak, &m.peaks, "mul float x8", 16);
    for (int i = 0; i < 9; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s %s", levels[i / 3], operations[i % 3]);
        assert_false(kt_probed_peaks(&m, 1, &p));
        add_roof(m.bandwidth, &m.bandwidths, name, 10 + i);
    }
    assert_true(kt_probed_peaks(&m, 1, &p));
    assert_true(p.probed && p.flops[KT_PEAK_DOUBLE] == 64e9 && p.flops[KT_PEAK_SINGLE] == 32e9);
    assert_true(p.level[KT_PEAK_L1].read == 20e9 && p.level[KT_PEAK_MEMORY].both == 36e9);
    assert_true(p.level[KT_PEAK_L3].capacity == 0); /* no bandwidth, no such level */
    add_roof(m.bandwidth, &m.bandwidths, "L1 triad", 40);
    assert_true(kt_probed_peaks(&m, 1, &p) && p.level[KT_PEAK_L1].both == 80e9); /* the best mix of loads and stores */
    assert_false(kt_probed_peaks(&m, 2, &p));
}

static void other_files_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"{}", "[]", "{\"tsc_hz\": 0, \"core_hz\": 1}",
                                      "{\"tsc_hz\": \"x\", \"core_hz\": 1e9}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *document = parse(bad[i]);
        struct kt_machine m;
        struct kt_error error = {0};
        assert_int_equal(kt_machine_take(document, &m, &error), KT_BAD_INPUT);
        assert_true(*error.text);
        json_decref(document);
    }
    struct kt_machine m;
    struct kt_error error = {0};
    assert_int_equal(kt_machine_read("/nonexistent/machine.json", &m, &error), KT_BAD_INPUT);
}

static void the_path_follows_the_environment(void **state)
{
    (void)state;
    char path[PATH_MAX];
    setenv("XDG_CACHE_HOME", "/somewhere", 1);
    assert_true(kt_machine_path(path, sizeof path));
    assert_memory_equal(path, "/somewhere/ktrace/machine-", 26);
    setenv("XDG_CACHE_HOME", "relative", 1); /* the standard says: to be ignored */
    setenv("HOME", "/home/me", 1);
    assert_true(kt_machine_path(path, sizeof path));
    assert_memory_equal(path, "/home/me/.cache/ktrace/machine-", 31);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_false(kt_machine_path(path, sizeof path));
}

static void write_claim(const char *root, int index, const char *name, const char *value)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "mkdir -p %s/cpu/cpu0/cache/index%d", root, index);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/cpu/cpu0/cache/index%d/%s", root, index, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", value);
    fclose(file);
}

static void absurd_claims_are_left_out(void **state)
{
    (void)state;
    char root[] = "/tmp/ktrace-claims.XXXXXX";
    char command[64];
    assert_non_null(mkdtemp(root));
    write_claim(root, 0, "type", "Data");
    write_claim(root, 0, "level", "1");
    write_claim(root, 0, "size", "999999999999G");
    write_claim(root, 0, "ways_of_associativity", "12");
    write_claim(root, 1, "type", "Instruction");
    write_claim(root, 2, "type", "Unified");
    write_claim(root, 2, "level", "2");
    write_claim(root, 2, "size", "-5K");
    write_claim(root, 2, "shared_cpu_list", "0-3,8");
    json_t *claims = kt_claims_of_caches(root);
    assert_int_equal(json_array_size(claims), 2);
    assert_null(json_object_get(json_array_get(claims, 0), "bytes"));
    assert_null(json_object_get(json_array_get(claims, 1), "bytes"));
    assert_int_equal(json_integer_value(json_object_get(json_array_get(claims, 1), "processors")), 5);
    json_t *document = parse(whole);
    json_t *differences = kt_claims_compare(document, claims);
    /* The size of level 1 (claimed: nothing), its ways (12, measured 8), the line (claimed: nothing). */
    assert_int_equal(json_array_size(differences), 3);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(differences, 1), "measured")), 8);
    json_decref(differences);
    json_decref(document);
    json_decref(claims);
    json_t *nothing = kt_claims_of_caches("/nonexistent");
    assert_int_equal(json_array_size(nothing), 0);
    json_decref(nothing);
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

/* Eight processors of which four each share a last cache. */
static void last_caches_are_counted(void **state)
{
    (void)state;
    json_t *claims = json_loads("[{\"level\": 1, \"bytes\": 32768, \"processors\": 1},"
                                " {\"level\": 3, \"bytes\": 16777216, \"processors\": 4}]",
                                0, NULL);
    assert_true(kt_claims_last_cache(claims, 1) == 16 << 20 && kt_claims_last_cache(claims, 4) == 16 << 20);
    assert_true(kt_claims_last_cache(claims, 5) == 32 << 20);
    json_decref(claims);
    assert_true(kt_claims_last_cache(NULL, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_file_is_read),
        cmocka_unit_test(numbers_that_cannot_be_are_left_out),
        cmocka_unit_test(replay_takes_sizes_from_it_as_far_as_they_are_known),
        cmocka_unit_test(replay_takes_peaks_of_one_thread_if_all_are_there),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(the_path_follows_the_environment),
        cmocka_unit_test(absurd_claims_are_left_out),
        cmocka_unit_test(last_caches_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
