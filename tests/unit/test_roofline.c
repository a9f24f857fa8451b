/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a roofline is made of: intensities against the formulas of paper 002, quartiles, places of labels, sizes
 * and states of kernels, events and their codes.
 */
#include "model/roofline/hardware_events.h"
#include "model/roofline/kernel_states.h"
#include "model/plot/plot_layout.h"
#include "model/roofline/quantities.h"
#include "model/roofline/roofline.h"
#include "model/roofline/shape_counts.h"
#include "model/roofline/validate.h"
#include "tests/parts/table_load.h"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_within(double part, double expected, double found)
{
    if (!(fabs(found / expected - 1) <= part))
        fail_msg("expected %g within %g %%, found %g", expected, 100 * part, found);
}

/* --- intensities ------------------------------------------------------------------------------------------- */

/* All sizes and leading dimensions N, increments 1, beta as given, options N. */
static struct kt_quantities work_of(const char *name, int64_t n, double beta)
{
    struct kt_symbol symbol;
    struct kt_quantities work;
    struct kt_values values = {0};
    const struct kt_routine *routine = kt_table_find(&kt_spec_table, name);
    assert_non_null(routine);
    for (int i = 0; i < routine->args; i++) {
        const struct kt_arg *arg = &routine->arg[i];
        values.address[i] = (uint64_t)(i + 1) << 40;
        values.v[i] = arg->role <= KT_DIAG                                   ? 'N'
                      : arg->role == KT_SIZE || arg->role == KT_LD           ? (double)n
                      : arg->role == KT_SCALAR && !strcmp(arg->name, "beta") ? beta
                                                                             : 1;
    }
    assert_true(kt_symbol_make(routine, KT_FORTRAN, &symbol));
    kt_quantities_of_values(&symbol, &values, 4, kt_flops(routine, &values), 6, &work);
    return work;
}

static double intensity_of(const char *name, int64_t n, double cache)
{
    struct kt_quantities work = work_of(name, n, 1);
    return kt_intensity(work.flops, kt_quantities_traffic(&work, cache));
}

static const double MIB = 1 << 20;

static void daxpy_goes_from_an_eighth_to_a_twelfth(void **state)
{
    (void)state;
    assert_within(0.01, 1.0 / 8, intensity_of("daxpy", 1000, 2 * MIB));
    assert_within(0.01, 1.0 / 8, intensity_of("daxpy", 262144, 2 * MIB));
    for (double n = 1e6; n < 1e8; n *= 10)
        assert_within(0.001, 2 * n / (16 * n + 8 * n - 2 * MIB), intensity_of("daxpy", (int64_t)n, 2 * MIB));
    assert_within(0.01, 1.0 / 12, intensity_of("daxpy", 100000000, 2 * MIB));
    assert_within(0.01, 1.0 / 4, intensity_of("saxpy", 1000, 2 * MIB));
}

static void dgemv_goes_to_a_quarter(void **state)
{
    (void)state;
    double before = 0;
    for (int64_t n = 16; n <= 16384; n *= 2) {
        double found = intensity_of("dgemv", n, 2 * MIB);
        double x = (double)n;
        assert_within(0.05, (2 * x * x + 2 * x) / (8 * x * x + 16 * x), found * (1 + 1 / x));
        assert_true(found > before);
        before = found;
    }
    assert_within(0.01, 0.25, before);
}

static void dgemm_goes_to_a_sixteenth_of_n(void **state)
{
    (void)state;
    for (int64_t n = 32; n <= 8192; n *= 2) {
        double x = (double)n;
        double volume = 24 * x * x + fmax(0, 8 * x * x - 2 * MIB);
        assert_within(0.05, (2 * x * x * x + 2 * x * x) / volume, intensity_of("dgemm", n, 2 * MIB));
    }
    assert_within(0.05, 8192 / 16.0, intensity_of("dgemm", 8192, 2 * MIB));
    assert_within(0.05, 256 / 12.0, intensity_of("dgemm", 256, 2 * MIB));
}

/* A write-only result is loaded all the same: caches fetch a line before it is written. */
static void what_is_only_written_is_loaded_too(void **state)
{
    (void)state;
    struct kt_quantities with = work_of("dgemm", 64, 1);
    struct kt_quantities without = work_of("dgemm", 64, 0);
    assert_true(with.loaded == 3 * 64 * 64 * 8 && without.loaded == with.loaded);
    assert_true(with.stored == 64 * 64 * 8 && without.stored == with.stored);
    assert_true(work_of("sgemm", 8, 1).is_single && !work_of("dgemm", 8, 1).is_single);
}

static void intensities_that_are_no_numbers(void **state)
{
    (void)state;
    assert_true(kt_intensity(0, 8) == 0);
    assert_true(isinf(kt_intensity(8, 0)));
    assert_true(isnan(kt_intensity(0, 0)));
    assert_true(isnan(kt_intensity(NAN, 8)));
    assert_true(isnan(kt_intensity(8, NAN)));
    assert_true(isnan(kt_intensity(-1, 8)));
    struct kt_roofline_point point = {.intensity = kt_spread_exact(INFINITY), .rate = kt_spread_exact(1)};
    assert_false(kt_point_is_drawable(&point));
    point.intensity = kt_spread_exact(0);
    assert_false(kt_point_is_drawable(&point));
    point.intensity = kt_spread_exact(1);
    assert_true(kt_point_is_drawable(&point));
    point.rate = kt_spread_exact(INFINITY);
    assert_false(kt_point_is_drawable(&point));
}

/* --- spreads ----------------------------------------------------------------------------------------------- */

static void quartiles(void **state)
{
    (void)state;
    double value[] = {5, 1, 4, 2, 3};
    struct kt_spread s = kt_spread_of(value, 5);
    assert_true(s.least == 1 && s.q1 == 2 && s.median == 3 && s.q3 == 4 && s.most == 5 && s.n == 5);
    double two[] = {1, 2};
    s = kt_spread_of(two, 2);
    assert_true(s.q1 == 1.25 && s.median == 1.5 && s.q3 == 1.75);
    assert_true(isnan(kt_spread_of(NULL, 0).median));
    double odd[] = {1, INFINITY, INFINITY};
    s = kt_spread_of(odd, 3);
    assert_true(isinf(s.median) && isinf(s.q3) && s.least == 1);
    double times[] = {1, 2, 4};
    s = kt_spread_of(times, 3);
    s = kt_spread_quotient(8, &s);
    assert_true(s.least == 2 && s.median == 4 && s.most == 8);
}

/* --- layout ------------------------------------------------------------------------------------------------ */

static void axes_are_logarithmic(void **state)
{
    (void)state;
    struct kt_axes a = {0.01, 100, 0.1, 10, 0, 400, 0, 400};
    assert_true(fabs(kt_axes_x(&a, 1) - 200) < 1e-9 && fabs(kt_axes_y(&a, 1) - 200) < 1e-9);
    assert_true(fabs(kt_axes_unit_slope(&a) - atan2(200, 100) * 180 / M_PI) < 1e-9);
    double lo = 2, hi = 2;
    kt_axes_range(&lo, &hi, 1);
    assert_true(fabs(hi / lo - 10) < 1e-9);
}

static bool overlap(double ax, double ay, const struct kt_disc *a, double bx, double by, const struct kt_disc *b)
{
    return fabs(ax - bx) < (a->width + b->width) / 2 && fabs(ay - by) < (a->height + b->height) / 2;
}

/* Twenty labels at four hundred random sets of places, most of them crowded. */
static void labels_do_not_collide(void **state)
{
    enum { N = 20, SETS = 400 };
    const struct kt_axes a = {1, 10, 1, 10, 80, 880, 60, 760};
    const struct kt_rectangle roof = {100, 600, 700, 612};
    struct kt_disc disc[N];
    double centre[N][2];
    bool is_free[N];
    unsigned seed = 1;
    (void)state;
    for (int set = 0; set < SETS; set++) {
        double wide = set % 4 ? 800 : 120;
        for (int i = 0; i < N; i++) {
            seed = seed * 1103515245 + 12345;
            double x = (double)(seed >> 16 & 0x7fff) / 0x8000;
            seed = seed * 1103515245 + 12345;
            double y = (double)(seed >> 16 & 0x7fff) / 0x8000;
            disc[i] = (struct kt_disc){80 + x * wide, 60 + y * wide * 0.85, 4 + 40 * x * y, i < 9 ? 9 : 15, 13};
        }
        kt_labels_place(disc, N, &roof, 1, &a, centre, is_free);
        for (int i = 0; i < N; i++) {
            assert_true(is_free[i]);
            for (int j = 0; j < i; j++)
                assert_false(overlap(centre[i][0], centre[i][1], &disc[i], centre[j][0], centre[j][1], &disc[j]));
        }
    }
}

/* --- kernels ----------------------------------------------------------------------------------------------- */

static void sizes_of_kernels(void **state)
{
    struct kt_kernel_plan plan = {0};
    struct kt_error error = {0};
    (void)state;
    assert_int_equal(kt_kernel_sizes("16:1024:7", &plan, &error), KT_OK);
    assert_int_equal(plan.sizes, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(plan.size[i], 16 << i);
    assert_int_equal(kt_kernel_sizes("100", &plan, &error), KT_OK);
    assert_true(plan.sizes == 1 && plan.size[0] == 100);
    assert_int_equal(kt_kernel_sizes("1:4:40", &plan, &error), KT_OK);
    assert_int_equal(plan.sizes, 4); /* each once */
    const char *wrong[] = {"",   "x",  "0:4",       "4:2", "1:2:0", "1:2:41", "1:2:3:4", "1:99999999999",
                           "-1", "1:", "16:1024:7x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(kt_kernel_sizes(wrong[i], &plan, &error), KT_USAGE);
}

static void states_of_kernels(void **state)
{
    struct kt_kernel_plan plan = {0};
    struct kt_error error = {0};
    (void)state;
    assert_int_equal(kt_kernel_states("all", &plan, &error), KT_OK);
    assert_int_equal(plan.states, 4);
    assert_int_equal(kt_kernel_states("cold,warm,cold", &plan, &error), KT_OK);
    assert_int_equal(plan.states, 2);
    assert_string_equal(plan.state[0], "cold");
    const char *wrong[] = {"", "tepid", "warm,", ",warm", "warm cold"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(kt_kernel_states(wrong[i], &plan, &error), KT_USAGE);
}

static void two_threads_get_no_more_than_twice_one(void **state)
{
    struct kt_machine m = {.core_hz = 1e9, .bandwidths = 1};
    (void)state;
    m.bandwidth[0] = (struct kt_machine_roof){"memory load", 1, 10, 10e9};
    assert_true(kt_validate_rate(&m, "memory load", 1) == 10e9);
    assert_true(isnan(kt_validate_rate(&m, "memory load", 2)));
    m.bandwidth[m.bandwidths++] = (struct kt_machine_roof){"memory load all cores", 64, 200, 200e9};
    assert_true(kt_validate_rate(&m, "memory load", 2) == 20e9);
    m.bandwidth[1].per_second = 15e9;
    assert_true(kt_validate_rate(&m, "memory load", 2) == 15e9);
}

static void expected_volumes(void **state)
{
    (void)state;
    assert_true(kt_validate_volume("Read", 4 * MIB, 2 * MIB) == 4 * MIB);
    assert_true(kt_validate_volume("Write", 4 * MIB, 2 * MIB) == 6 * MIB);
    assert_true(kt_validate_volume("Write", MIB, 2 * MIB) == MIB);
    assert_true(kt_validate_volume("WriteStream", 4 * MIB, 2 * MIB) == 4 * MIB);
    assert_true(kt_validate_volume("Triad", 3 * MIB, 6 * MIB) == 10 * MIB);
    assert_true(isnan(kt_validate_volume("ADD", 1, 1)));
    assert_true(fabs(kt_validate_error(1, 2) - 100) < 1e-9 && fabs(kt_validate_error(2, 1) - 100) < 1e-9);
    assert_true(isnan(kt_validate_error(NAN, 1)) && isnan(kt_validate_error(1, NAN)));
}

/* --- events ------------------------------------------------------------------------------------------------ */

static bool starts(void *context, const char *event)
{
    return !strncmp(event, context, strlen(context));
}

static void the_first_candidate_wins(void **state)
{
    const struct kt_event_candidate *chosen[KT_COUNTABLES_COUNT];
    char setting[512];
    char spr[] = "spr::", perf[] = "perf::", none[] = "none";
    (void)state;
    kt_events_choose(starts, spr, chosen);
    for (int q = 0; q < KT_COUNTABLES_COUNT; q++)
        assert_string_equal(chosen[q]->processor, "Intel Sapphire Rapids");
    kt_events_setting(chosen, setting, sizeof setting);
    int events = 1;
    for (const char *c = setting; *c; c++)
        events += *c == ',';
    assert_int_equal(events, 7); /* five for flops, traffic, streaming; two more would be nine */
    kt_events_choose(starts, perf, chosen);
    assert_null(chosen[KT_COUNT_FLOPS]);
    assert_non_null(chosen[KT_COUNT_TRAFFIC]);
    assert_string_equal(chosen[KT_COUNT_TRAFFIC]->term[1].event, "perf::LLC-STORE-MISSES");
    kt_events_choose(starts, none, chosen);
    kt_events_setting(chosen, setting, sizeof setting);
    assert_null(chosen[KT_COUNT_TRAFFIC]);
    assert_string_equal(setting, "");
}

static void events_of_a_trace(void **state)
{
    (void)state;
    char near[] = "amd64_fam19h_zen4::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR";
    char far[] = "amd64_fam19h_zen4::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_FAR";
    char good[] = "scaled", bad[] = "n/a";
    struct kt_counter counter[] = {{.name = near, .status = good, .empty = 2}, {.name = far, .status = good}};
    struct kt_process process = {.counter = counter, .counters = 2};
    const struct kt_event_candidate *chosen[KT_COUNTABLES_COUNT];
    kt_events_choose(kt_event_was_counted, &process, chosen);
    assert_null(chosen[KT_COUNT_FLOPS]);
    assert_string_equal(chosen[KT_COUNT_TRAFFIC]->processor, "AMD Zen 4");
    uint64_t count[] = {12, 5};
    struct kt_call call = {.process = &process, .complete = true, .counter = count, .counters = 2};
    assert_true(kt_event_sum(chosen[KT_COUNT_TRAFFIC], &call) == 64 * 15);
    count[1] = KT_NOT_COUNTED;
    assert_true(isnan(kt_event_sum(chosen[KT_COUNT_TRAFFIC], &call))); /* not 0, and not the rest */
    counter[1].status = bad;
    kt_events_choose(kt_event_was_counted, &process, chosen);
    assert_null(chosen[KT_COUNT_TRAFFIC]);
}

static void counts_of_zero_are_no_work(void **state)
{
    const struct kt_event_candidate any = {0};
    double flops[] = {0, 0, 0}, traffic[] = {64, 64, 64}, other[] = {NAN, NAN, NAN};
    struct kt_shape_count shape = {.calls = 3};
    (void)state;
    for (int q = 0; q < KT_COUNTABLES_COUNT; q++)
        shape.value[q] = q == KT_COUNT_FLOPS ? flops : q == KT_COUNT_TRAFFIC ? traffic : other;
    struct kt_shape_counts counts = {.any = true, .chosen = {&any}, .shape = &shape, .shapes = 1};
    assert_true(kt_shape_intensity(&counts, 0, 128).median == 2); /* the model's */
    flops[0] = flops[1] = flops[2] = 64;
    assert_true(kt_shape_intensity(&counts, 0, 128).median == 1);
}

/* What the manuals have: event number and unit mask in the low 16 bits; the second word is that of the off-core
 * response register. */
static const struct {
    const char *event;
    uint64_t code, more;
} golden[] = {
    {"skx::FP_ARITH_INST_RETIRED:SCALAR_DOUBLE:SCALAR_SINGLE", 0x03c7, 0},
    {"skx::FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", 0x04c7, 0},
    {"skx::FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE:256B_PACKED_DOUBLE", 0x18c7, 0},
    {"skx::FP_ARITH_INST_RETIRED:256B_PACKED_SINGLE:512B_PACKED_DOUBLE", 0x60c7, 0},
    {"skx::FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE", 0x80c7, 0},
    {"skx::LONGEST_LAT_CACHE:MISS", 0x412e, 0},
    {"skx::L2_LINES_IN:ALL", 0x1ff1, 0},
    {"skx::L2_LINES_OUT:NON_SILENT", 0x02f2, 0},
    {"icx::FP_ARITH_INST_RETIRED:SCALAR", 0x03c7, 0},
    {"icx::FP_ARITH_INST_RETIRED:4_FLOPS", 0x18c7, 0},
    {"icx::FP_ARITH_INST_RETIRED:8_FLOPS", 0x60c7, 0},
    {"icx::OCR:READS_TO_CORE_L3_MISS", 0x01b7, 0x3f3fc00477},
    {"icx::OCR:STREAMING_WR_ANY_RESPONSE", 0x01b7, 0x10800},
    {"icx::L2_LINES_OUT:NON_SILENT", 0x02f2, 0},
    {"spr::FP_ARITH_INST_RETIRED:4_FLOPS", 0x18c7, 0},
    {"spr::OCR:READS_TO_CORE_L3_MISS", 0x012a, 0x3f3fc04477},
    {"spr::L2_LINES_IN:ALL", 0x1f25, 0},
    {"spr::L2_LINES_OUT:NON_SILENT", 0x0226, 0},
    {"amd64_fam19h_zen3::RETIRED_SSE_AVX_FLOPS:ANY", 0x0f03, 0},
    {"amd64_fam19h_zen3::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL", 0x0844, 0},
    {"amd64_fam19h_zen3::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_RMT", 0x4044, 0},
    {"amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS:ANY", 0x1f03, 0},
    {"amd64_fam19h_zen4::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR", 0x0844, 0},
    {"amd64_fam19h_zen4::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_FAR", 0x4044, 0},
    {"perf_raw::r80c1", 0x80c1, 0}, /* Arm, the architecture's numbers: FP_FIXED_OPS_SPEC */
    {"perf_raw::r80c0", 0x80c0, 0}, /* FP_SCALE_OPS_SPEC */
    {"perf_raw::r37", 0x37, 0},     /* LL_CACHE_MISS_RD */
    {"perf_raw::r17", 0x17, 0},     /* L2D_CACHE_REFILL */
    {"perf_raw::r18", 0x18, 0},     /* L2D_CACHE_WB */
};

static bool is_in_the_table(const char *event)
{
    for (size_t i = 0; i < kt_event_candidate_count; i++)
        for (int t = 0; t < KT_EVENT_TERMS && kt_event_candidates[i].term[t].event; t++)
            if (!strcmp(kt_event_candidates[i].term[t].event, event))
                return true;
    return false;
}

/* What libpfm4's headers say, which need not be there. */
enum { PFM_SUCCESS = 0, PFM_OS_NONE = 0, PFM_OS_PERF_EVENT = 1, PFM_PLM3 = 8 };

struct raw_encoding { /* pfm_pmu_encode_arg_t */
    uint64_t *codes;
    char **full_name;
    size_t size;
    int count, index;
};

struct kernel_encoding { /* pfm_perf_encode_arg_t */
    struct perf_event_attr *attr;
    char **full_name;
    size_t size;
    int index, cpu, flags, padding;
};

/* The first two codes of an event as libpfm4 knows it; the kernel's own events have a number and a type instead. Its
 * status. */
static int encode(const char *event, uint64_t code[2])
{
    void *library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library); /* package libpfm4 */
    int (*initialize)(void) = (int (*)(void))dlsym(library, "pfm_initialize");
    int (*encoder)(const char *, int, int, void *) =
        (int (*)(const char *, int, int, void *))dlsym(library, "pfm_get_os_event_encoding");
    assert_true(initialize && encoder);
    assert_int_equal(initialize(), PFM_SUCCESS);
    uint64_t codes[8] = {0};
    struct raw_encoding raw = {.codes = codes, .size = sizeof raw, .count = 8};
    int result = encoder(event, PFM_PLM3, PFM_OS_NONE, &raw);
    if (result != PFM_SUCCESS || raw.count < 1) {
        struct perf_event_attr attr = {.size = sizeof attr};
        struct kernel_encoding kernel = {.attr = &attr, .size = sizeof kernel};
        result = encoder(event, PFM_PLM3, PFM_OS_PERF_EVENT, &kernel);
        codes[0] = attr.config;
        codes[1] = attr.type;
    }
    memcpy(code, codes, 2 * sizeof *code);
    return result;
}

static void codes_of_events(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        uint64_t code[2];
        assert_true(is_in_the_table(golden[i].event));
        if (encode(golden[i].event, code) != PFM_SUCCESS)
            fail_msg("%s", golden[i].event);
        if ((code[0] & 0xffff) != golden[i].code || code[1] != golden[i].more)
            fail_msg("%s: %#llx %#llx", golden[i].event, (unsigned long long)code[0], (unsigned long long)code[1]);
    }
}

static void every_event_of_the_table_has_a_code(void **state)
{
    (void)state;
    uint64_t code[2];
    for (size_t i = 0; i < kt_event_candidate_count; i++)
        for (int t = 0; t < KT_EVENT_TERMS && kt_event_candidates[i].term[t].event; t++)
            if (encode(kt_event_candidates[i].term[t].event, code) != PFM_SUCCESS)
                fail_msg("%s", kt_event_candidates[i].term[t].event);
    assert_int_not_equal(encode("skx::NO_SUCH_EVENT", code), PFM_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(daxpy_goes_from_an_eighth_to_a_twelfth),
        cmocka_unit_test(dgemv_goes_to_a_quarter),
        cmocka_unit_test(dgemm_goes_to_a_sixteenth_of_n),
        cmocka_unit_test(what_is_only_written_is_loaded_too),
        cmocka_unit_test(intensities_that_are_no_numbers),
        cmocka_unit_test(quartiles),
        cmocka_unit_test(axes_are_logarithmic),
        cmocka_unit_test(labels_do_not_collide),
        cmocka_unit_test(sizes_of_kernels),
        cmocka_unit_test(states_of_kernels),
        cmocka_unit_test(two_threads_get_no_more_than_twice_one),
        cmocka_unit_test(expected_volumes),
        cmocka_unit_test(the_first_candidate_wins),
        cmocka_unit_test(events_of_a_trace),
        cmocka_unit_test(counts_of_zero_are_no_work),
        cmocka_unit_test(codes_of_events),
        cmocka_unit_test(every_event_of_the_table_has_a_code),
    };
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1); /* events of processors that are not here */
    return cmocka_run_group_tests(tests, kt_spec_setup, kt_spec_teardown);
}
