/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roofs: which ones a machine has, on how many cores, what replays add to them, and which machine is meant.
 */
#include "model/roofline/roofline_machine.h"
#include "model/roofline/roofline.h"
#include "model/roofline/tracked_traffic.h"
#include "model/tracker/tracker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double MIB = 1 << 20;

static void add(struct kt_machine_roof *roof, size_t *count, const char *name, int cores, double per_cycle)
{
    roof[*count] = (struct kt_machine_roof){.cores = cores, .per_cycle = per_cycle, .per_second = NAN};
    snprintf(roof[(*count)++].name, sizeof roof->name, "%s", name);
}

static struct kt_machine *machine(void)
{
    static struct kt_machine m;
    m = (struct kt_machine){.core_hz = 2e9, .caches = 1, .cache[0] = {.bytes = MIB, .effective_bytes = MIB}};
    add(m.peak, &m.peaks, "fma double", 1, 4);
    add(m.peak, &m.peaks, "fma double x8", 1, 32);
    add(m.peak, &m.peaks, "add double x8", 1, 16);
    add(m.peak, &m.peaks, "fma float x16", 1, 64);
    add(m.peak, &m.peaks, "fma double x8 all cores", 2, 60);
    add(m.bandwidth, &m.bandwidths, "L1 load", 1, 128);
    add(m.bandwidth, &m.bandwidths, "L1 store", 1, 64);
    add(m.bandwidth, &m.bandwidths, "memory load", 1, 8);
    add(m.bandwidth, &m.bandwidths, "memory nt_store", 1, 12);
    add(m.bandwidth, &m.bandwidths, "memory random", 1, 1);
    add(m.bandwidth, &m.bandwidths, "memory triad", 2, 14);
    return &m;
}

static void roofs_of_a_machine(void **state)
{
    struct kt_roofs roofs;
    (void)state;
    kt_roofs_choose(machine(), &roofs);
    assert_true(roofs.cache == MIB && roofs.line_shift == KT_LINE_SHIFT);
    assert_true(kt_roofs_flops(&roofs, false, 1)->value == 32);
    assert_true(kt_roofs_flops(&roofs, false, 2)->value == 60);
    assert_true(kt_roofs_flops(&roofs, true, 1)->value == 64);
    assert_true(kt_roofs_flops(&roofs, true, 2)->value == 120); /* gains as much as double precision does */
    assert_string_equal(kt_roofs_flops(&roofs, false, 2)->name, "fma double x8 on 2 cores");
    assert_null(kt_roofs_flops(&roofs, false, 4)); /* neither those of one core nor those of all */
    assert_true(isnan(kt_roofs_limit(&roofs, false, 4, "memory", 1)));
    assert_true(kt_roofs_bytes(&roofs, "L1", 1)->value == 128);
    assert_true(kt_roofs_bytes(&roofs, "memory", 1)->value == 8); /* neither random nor past the caches */
    assert_true(kt_roofs_bytes(&roofs, "memory", 2)->value == 14);
    assert_null(kt_roofs_bytes(&roofs, "L2", 1));
    assert_true(kt_roofs_ridge(kt_roofs_flops(&roofs, false, 1), kt_roofs_bytes(&roofs, "memory", 1)) == 4);
    assert_true(kt_roofs_limit(&roofs, false, 1, "memory", 1) == 8);
    assert_true(kt_roofs_limit(&roofs, false, 1, "memory", 100) == 32);
    assert_true(isnan(kt_roofs_limit(&roofs, false, 1, "L2", 1)));
    struct kt_roofs other = roofs;
    other.hz = 4e9;
    kt_roofs_raise(&roofs, &other);
    assert_true(kt_roofs_flops(&roofs, false, 1)->value == 64);
}

static void roofs_of_other_numbers_of_cores_are_added(void **state)
{
    struct kt_roofs roofs;
    struct kt_roofs other = {.hz = 4e9, .count = 2};
    (void)state;
    other.roof[0] = (struct kt_roof){.name = "double", .value = 60, .cores = 4, .is_main = true};
    other.roof[1] = (struct kt_roof){
        .name = "memory", .kind = KT_ROOF_BYTES, .value = 10, .cores = 4, .is_main = true, .level = "memory"};
    kt_roofs_choose(machine(), &roofs);
    kt_roofs_raise(&roofs, &other);
    assert_true(kt_roofs_flops(&roofs, false, 4)->value == 120); /* cycles of 2 GHz */
    assert_true(kt_roofs_limit(&roofs, false, 4, "memory", 1) == 20);
    assert_true(kt_roofs_flops(&roofs, false, 1)->value == 32 && kt_roofs_flops(&roofs, false, 2)->value == 60);
    size_t count = roofs.count;
    kt_roofs_raise(&roofs, &other);
    assert_int_equal(roofs.count, count);
}

static void what_caches_give_is_no_bound_where_it_is_not_known(void **state)
{
    struct kt_roofs roofs;
    (void)state;
    kt_roofs_choose(machine(), &roofs);
    assert_true(kt_roofs_highest_limit(&roofs, false, 1, 0.125) == 16);
    assert_true(kt_roofs_highest_limit(&roofs, false, 2, 0.125) == 60); /* no L1 of two cores */
    assert_true(isnan(kt_roofs_highest_limit(&roofs, false, 3, 0.125)));
}

static void machines_are_told_apart(void **state)
{
    struct kt_roofs a, b;
    (void)state;
    kt_roofs_choose(machine(), &a);
    kt_roofs_choose(machine(), &b);
    assert_true(kt_roofs_are_equal(&a, &b));
    b.roof[0].value++;
    assert_false(kt_roofs_are_equal(&a, &b));
}

/* A processor that the system does not name, as on aarch64, tells nothing. */
static void processors_without_a_name_are_not_alike(void **state)
{
    char key[] = "cpu_model", none[] = "", other[] = "Other 9000", host_key[] = "host", far[] = "a host that is far";
    struct kt_pair meta[] = {{.key = key, .value = none}, {.key = host_key, .value = far}};
    struct kt_process process = {.meta = meta};
    (void)state;
    for (process.metas = 0; process.metas <= 2; process.metas++)
        assert_false(kt_roofline_is_of_this_machine(&process));
    meta[0].value = other;
    process.metas = 2;
    assert_false(kt_roofline_is_of_this_machine(&process));
}

/* A third cache serves all cores, whoever says what; a size that was not found out exactly counts in both places. */
static void caches_of_the_tracker(void **state)
{
    struct kt_roofs roofs;
    struct kt_machine *m = machine();
    (void)state;
    m->caches = 3;
    m->cache[1] = (struct kt_machine_cache){.bytes = 2 * MIB, .effective_bytes = 2 * MIB};
    m->cache[2] = (struct kt_machine_cache){.effective_bytes = 16 * MIB};
    kt_roofs_choose(m, &roofs);
    struct kt_caches caches = kt_tracked_caches(&roofs);
    assert_int_equal(caches.count, 3);
    assert_int_equal(kt_tracker_private_levels(&caches), 2);
    assert_true((double)caches.cache[2].bytes == 16 * MIB && roofs.cache == 16 * MIB);
}

static void a_rate_per_second_counts_in_cycles_of_the_clock(void **state)
{
    struct kt_roofs roofs;
    (void)state;
    struct kt_machine *m = machine();
    m->bandwidth[2].per_second = 20e9;
    kt_roofs_choose(m, &roofs);
    assert_true(kt_roofs_bytes(&roofs, "memory", 1)->value == 10);
}

static void roofs_that_a_replay_left(void **state)
{
    struct kt_roofs roofs;
    (void)state;
    json_t *replay =
        json_loads("{\"peaks\": {\"threads\": 1, \"flops_double\": 6e10, \"flops_single\": 12e10, \"levels\": "
                   "[{\"name\": \"L1\", \"bytes\": 32768, \"read\": 2e11, \"write\": 1e11, \"both\": 3e11},"
                   " {\"name\": \"memory\", \"bytes\": null, \"read\": 2e10, \"write\": 1e10, \"both\": 1e10}]}}",
                   0, NULL);
    assert_true(kt_roofs_of_replay(replay, 2e9, &roofs));
    assert_true(kt_roofs_flops(&roofs, false, 1)->value == 30 && kt_roofs_flops(&roofs, true, 1)->value == 60);
    assert_true(kt_roofs_bytes(&roofs, "L1", 1)->value == 150 && kt_roofs_bytes(&roofs, "memory", 1)->value == 10);
    json_decref(replay);
    assert_false(kt_roofs_of_replay(NULL, 2e9, &roofs));
}

static void no_point_is_above_its_roof_by_more_than_its_spread(void **state)
{
    (void)state;
    struct kt_roofline roofline = {.series[0] = {.threads = 1, .cores = 1}, .count = 1, .machines = 1};
    kt_roofs_choose(machine(), &roofline.roofs[0]);
    struct kt_roofline_point point = {.intensity = kt_spread_exact(0.125), .rate = {10, 14, 15, 17, 20, 100}};
    assert_false(kt_point_is_above(&roofline, &point)); /* 128 bytes a cycle from the L1: 16 flops */
    assert_true(fabs(kt_point_excess(&roofline, &point) - 15.0 / 16) < 1e-12);
    point.rate.median = 17;
    assert_false(kt_point_is_above(&roofline, &point)); /* within its quartiles */
    point.rate.q1 = 16.5;
    assert_true(kt_point_is_above(&roofline, &point));
    point.intensity = kt_spread_exact(100);
    assert_false(kt_point_is_above(&roofline, &point)); /* the peak is 32 */
    point.intensity = kt_spread_exact(INFINITY);
    assert_false(kt_point_is_above(&roofline, &point));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roofs_of_a_machine),
        cmocka_unit_test(roofs_of_other_numbers_of_cores_are_added),
        cmocka_unit_test(what_caches_give_is_no_bound_where_it_is_not_known),
        cmocka_unit_test(machines_are_told_apart),
        cmocka_unit_test(processors_without_a_name_are_not_alike),
        cmocka_unit_test(caches_of_the_tracker),
        cmocka_unit_test(a_rate_per_second_counts_in_cycles_of_the_clock),
        cmocka_unit_test(roofs_that_a_replay_left),
        cmocka_unit_test(no_point_is_above_its_roof_by_more_than_its_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
