/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readings of a counter in user space and what lies between two, with a processor and a kernel of the test's own.
 */
static unsigned long long rdpmc(unsigned index);
static unsigned long long ticks(void);
#define KT_RDPMC(index) rdpmc(index)
#define KT_PAGE_CLOCK() ticks()
#define KT_HAS_RDPMC    1
#include "preload/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct perf_event_mmap_page page;
static unsigned long long hardware[4]; /* the processor's counters */
static unsigned long long now;         /* of its clock */
static int rotations;                  /* so many times the kernel rotates counters while they are read */

static void write_page(uint32_t index, int64_t offset, uint64_t enabled, uint64_t running)
{
    page.lock++;
    page.index = index;
    page.offset = offset;
    page.time_enabled = enabled;
    page.time_running = running;
    page.lock++;
}

static unsigned long long rdpmc(unsigned index)
{
    assert_in_range(index, 0, 3);
    if (rotations && rotations--)
        write_page(index == 2 ? 2 : 3, 5000, 700, 600); /* the other counter, with another offset */
    return hardware[index];
}

static unsigned long long ticks(void)
{
    return now;
}

/* A clock of one tick a nanosecond, 48-bit counters. */
static int setup(void **state)
{
    (void)state;
    page = (struct perf_event_mmap_page){
        .cap_user_rdpmc = 1, .cap_user_time = 1, .pmc_width = 48, .time_shift = 10, .time_mult = 1 << 10};
    for (int i = 0; i < 4; i++)
        hardware[i] = 0;
    now = 0;
    rotations = 0;
    return 0;
}

static struct kt_reading read_page(void)
{
    struct kt_reading reading;
    kt_page_read(&page, &reading);
    return reading;
}

static void counter_and_offset_are_added(void **state)
{
    (void)state;
    write_page(2, 1000, 50, 40);
    hardware[1] = 234;
    assert_int_equal(read_page().value, 1234);
}

static void a_counter_is_a_signed_number_of_its_width(void **state)
{
    (void)state;
    write_page(1, 1000, 0, 0);
    hardware[0] = (1ull << 48) - 1; /* -1 */
    assert_int_equal(read_page().value, 999);
    hardware[0] = 1ull << 47;
    assert_true(read_page().value == 1000 - (1ull << 47));
}

static void without_a_counter_the_offset_is_all(void **state)
{
    (void)state;
    write_page(0, 777, 50, 40);
    hardware[0] = 99;
    now = 30;
    struct kt_reading reading = read_page();
    assert_int_equal(reading.value, 777);
    assert_int_equal(reading.enabled, 80);
    assert_int_equal(reading.running, 40);
}

static void times_go_on_since_the_page_was_written(void **state)
{
    (void)state;
    write_page(1, 0, 100, 60);
    page.time_offset = 5;
    page.time_mult = 3 << 9; /* one and a half nanoseconds a tick */
    now = 1001;
    struct kt_reading reading = read_page();
    assert_int_equal(reading.enabled, 100 + 5 + 1501);
    assert_int_equal(reading.running, 60 + 5 + 1501);
}

static void a_short_clock_wraps(void **state)
{
    (void)state;
    write_page(1, 0, 0, 0);
    page.cap_user_time_short = 1;
    page.time_mask = 0xffff;
    page.time_cycles = 0x1fff0;
    now = 0x10; /* 32 ticks later */
    assert_int_equal(read_page().enabled, 0x1fff0 + 0x20);
}

static void a_page_that_changes_is_read_again(void **state)
{
    (void)state;
    write_page(1, 1000, 50, 40);
    hardware[0] = 1;
    hardware[2] = 30;
    hardware[1] = 20;
    rotations = 1;
    assert_int_equal(read_page().value, 5030);
    rotations = 2;
    write_page(1, 1000, 50, 40);
    assert_int_equal(read_page().value, 5020);
    assert_int_equal(rotations, 0);
}

static void only_pages_with_counter_and_time_are_readable(void **state)
{
    (void)state;
    assert_true(kt_page_is_readable(&page));
    page.cap_user_time = 0;
    assert_false(kt_page_is_readable(&page));
    page.cap_user_time = 1;
    page.cap_user_rdpmc = 0;
    assert_false(kt_page_is_readable(&page));
}

static const struct {
    struct kt_reading a, b; /* value, enabled, running */
    enum kt_delta kind;
    uint64_t count;
} deltas[] = {
    {{10, 100, 100}, {17, 300, 300}, KT_DELTA_EXACT, 7},
    {{10, 100, 50}, {17, 300, 250}, KT_DELTA_EXACT, 7}, /* shared before the call only */
    {{10, 100, 100}, {10, 300, 300}, KT_DELTA_EXACT, 0},
    {{10, 100, 100}, {10, 100, 100}, KT_DELTA_EXACT, 0}, /* a clock that is too coarse */
    {{0, 0, 0}, {7, 400, 100}, KT_DELTA_SCALED, 28},
    {{0, 0, 0}, {7, 300, 200}, KT_DELTA_SCALED, 10},
    {{0, 0, 0}, {INT64_MAX / 2, 1ull << 40, 1ull << 39}, KT_DELTA_SCALED, INT64_MAX - 1},
    {{10, 100, 100}, {10, 300, 100}, KT_DELTA_STARVED, UINT64_MAX},
    {{10, 100, 100}, {9, 300, 300}, KT_DELTA_NONE, UINT64_MAX}, /* backwards */
    {{10, 100, 100}, {12, 300, 400}, KT_DELTA_NONE, UINT64_MAX},
    {{10, KT_NOT_READ, 100}, {12, 300, 300}, KT_DELTA_NONE, UINT64_MAX},
    {{10, 100, 100}, {12, KT_NOT_READ, 300}, KT_DELTA_NONE, UINT64_MAX},
};

static void deltas_are_exact_scaled_or_not_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        uint64_t count;
        enum kt_delta kind = kt_reading_delta(&deltas[i].a, &deltas[i].b, &count);
        if (kind != deltas[i].kind || count != deltas[i].count)
            fail_msg("row %zu: kind %d, count %llu", i, (int)kind, (unsigned long long)count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(counter_and_offset_are_added, setup),
        cmocka_unit_test_setup(a_counter_is_a_signed_number_of_its_width, setup),
        cmocka_unit_test_setup(without_a_counter_the_offset_is_all, setup),
        cmocka_unit_test_setup(times_go_on_since_the_page_was_written, setup),
        cmocka_unit_test_setup(a_short_clock_wraps, setup),
        cmocka_unit_test_setup(a_page_that_changes_is_read_again, setup),
        cmocka_unit_test_setup(only_pages_with_counter_and_time_are_readable, setup),
        cmocka_unit_test(deltas_are_exact_scaled_or_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
