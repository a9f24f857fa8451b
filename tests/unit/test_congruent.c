/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of congruent lines in simulated caches with scattered pages; steps in recorded curves; and what a machine file
 * tells replay.
 */
#include "model/analysis/analysis.h"
#include "model/probe/congruent.h"
#include "model/probe/probe.h"
#include "model/analysis/probe_steps.h"
#include "tests/unit/blackjack.h"
#include "trace/base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* --- congruent lines ------------------------------------------------------------------------------------------------
 */

enum { PAGES = 4096 };

struct machine {
    unsigned ways, colours;
    unsigned colour[PAGES];
    double mistakes; /* share of answers that are wrong: others used the cache */
    uint64_t seed;
};

static double uniform(uint64_t *seed)
{
    return (double)(kt_random(seed) >> 11) * 0x1p-53;
}

/* LRU: lines of a set that has too many all miss; a quarter of all loads shows. */
static bool overflows(void *machine, const uint32_t *page, size_t n)
{
    struct machine *m = machine;
    unsigned users[256] = {0};
    size_t missing = 0;
    for (size_t i = 0; i < n; i++)
        users[m->colour[page[i]]]++;
    for (unsigned c = 0; c < m->colours; c++)
        missing += users[c] > m->ways ? users[c] : 0;
    bool answer = 4 * missing > n;
    return uniform(&m->seed) < m->mistakes ? true : answer;
}

static struct kt_congruent search(unsigned ways, unsigned colours, double mistakes, uint64_t seed)
{
    static struct machine m;
    struct kt_congruent found;
    m = (struct machine){.ways = ways, .colours = colours, .mistakes = mistakes, .seed = seed};
    for (size_t i = 0; i < PAGES; i++)
        m.colour[i] = (unsigned)(uniform(&m.seed) * colours);
    struct kt_pages_walker walker = {overflows, &m, PAGES, 4096, (size_t)(ways * colours * 3 / 2), seed};
    kt_congruent_find(&walker, &found);
    return found;
}

static void ways_and_size_are_found_among_scattered_pages(void **state)
{
    (void)state;
    int right = 0;
    int wrong = 0;
    int machines = 0;
    for (unsigned ways = 4; ways <= 20; ways += 2)
        for (unsigned colours = 4; colours <= 32; colours *= 2, machines++) {
            struct kt_congruent c = search(ways, colours, 0, 17 + ways * colours);
            bool exact = c.ways == (int)ways && c.bytes == 4096.0 * ways * colours;
            right += exact;
            wrong += c.bytes > 0 && !exact;
        }
    print_message("# %d of %d exact, %d wrong\n", right, machines, wrong);
    assert_true(right >= machines * 9 / 10);
    assert_int_equal(wrong, 0);
}

static void answers_that_are_wrong_now_and_then_make_no_wrong_ways(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t i = 0; i < 20; i++) {
        struct kt_congruent c = search(16, 16, 0.002, 99 + i);
        right += c.ways == 16;
        assert_true(c.ways == 0 || c.ways == 16);
    }
    assert_true(right >= 10);
}

static bool never(void *machine, const uint32_t *page, size_t n)
{
    (void)machine;
    (void)page;
    (void)n;
    return false;
}

static bool always(void *machine, const uint32_t *page, size_t n)
{
    (void)machine;
    (void)page;
    return n > 0;
}

static void hashed_sets_and_nonsense_give_no_answer(void **state)
{
    (void)state;
    struct kt_congruent c;
    struct kt_pages_walker walker = {never, NULL, 1000, 4096, 400, 1};
    kt_congruent_find(&walker, &c);
    assert_true(c.overflows == 0 && c.ways == 0 && c.bytes == 0);
    walker.overflows = always;
    kt_congruent_find(&walker, &c);
    assert_true(c.overflows > 0 && c.ways == 0);
}

static void colours_are_a_power_of_two_or_unknown(void **state)
{
    (void)state;
    assert_true(kt_colours_of(40, 640) == 16);
    assert_true(kt_colours_of(46, 640) == 16);
    assert_true(kt_colours_of(20, 640) == 32);
    assert_true(kt_colours_of(57, 640) == 0); /* 11.2: neither 8 nor 16 */
    assert_true(kt_colours_of(0, 640) == 0);
    assert_true(kt_colours_of(640, 640) == 1);
}

/* --- recorded curves ------------------------------------------------------------------------------------------------
 */

static void the_page_is_found_where_lines_are_fetched_in_pairs(void **state)
{
    (void)state;
    /* EPYC in a virtual machine, distances 512 to 32768. */
    const double amd[] = {51.18, 55.90, 55.83, 88.57, 93.21, 93.38, 107.79};
    const double flat[] = {51, 51.2, 50.9, 51.1, 51.3, 51, 51.1};
    const double slope[] = {50, 60, 72, 86, 104, 124, 149};
    double confidence;
    assert_int_equal(kt_page_step(amd, 7, &confidence), 3); /* 4096 */
    assert_true(confidence > 0.5);
    assert_int_equal(kt_page_step(flat, 7, &confidence), 0);
    assert_int_equal(kt_page_step(slope, 7, &confidence), 0);
    /* One noisy point is no step: it does not stay. */
    const double spike[] = {51, 51.2, 80, 51.1, 51.3, 51, 51.1};
    assert_int_equal(kt_page_step(spike, 7, &confidence), 0);
}

/* What is measured is the page, or several that one entry of the TLB has. */
static void joined_pages_are_no_page(void **state)
{
    (void)state;
    size_t joined;
    assert_int_equal(kt_page_of(4096, 4096, &joined), 4096);
    assert_int_equal(joined, 0);
    assert_int_equal(kt_page_of(16384, 4096, &joined), 4096);
    assert_int_equal(joined, 16384);
    assert_int_equal(kt_page_of(2048, 4096, &joined), 2048); /* no page of the system: told as it is */
    assert_int_equal(joined, 0);
    assert_int_equal(kt_page_of(1 << 20, 4096, &joined), 1 << 20);
    assert_int_equal(joined, 0);
    assert_int_equal(kt_page_of(0, 4096, &joined), 0);
    assert_int_equal(joined, 0);
}

static void live_ranges_end_at_the_first_step_that_stays(void **state)
{
    (void)state;
    /* The same machine, 4 to 39 variables of int64, while seven other programs ran. */
    const double y[] = {0.50, 0.50, 0.34, 0.34, 0.27, 0.27, 0.23, 0.24, 0.23, 0.22, 0.21, 0.21,
                        0.29, 0.29, 0.26, 0.30, 0.36, 0.41, 0.35, 0.35, 0.41, 0.50, 0.50, 0.50,
                        0.43, 0.46, 0.51, 0.54, 0.53, 0.49, 0.50, 0.54, 0.51, 0.51, 0.57, 0.54};
    /* double x8: memory operands are free, one point is a disturbance. */
    const double hidden[] = {0.98, 0.97, 0.70, 0.70, 0.51, 0.51, 0.51, 0.51, 0.50, 0.51, 0.51, 0.50,
                             0.51, 0.50, 0.51, 0.51, 0.51, 0.51, 0.51, 0.50, 0.51, 0.51, 0.50, 0.50,
                             0.50, 0.50, 0.50, 0.51, 0.51, 0.50, 0.51, 0.51, 0.51, 0.51, 0.74, 0.51};
    double confidence;
    size_t n = sizeof y / sizeof *y;
    assert_int_equal(kt_live_step(y, n, &confidence), 15 - 4);
    assert_int_equal(kt_live_step(hidden, n, &confidence), -1);
    assert_true(confidence == 0);
    assert_true(kt_biggest_relative_step(y, n) != 15 - 4 ||
                kt_blackjack_first_step(y, n) != 15 - 4); /* not both methods of the paper */
    assert_int_equal(kt_live_step(y, 1, &confidence), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_and_size_are_found_among_scattered_pages),
        cmocka_unit_test(answers_that_are_wrong_now_and_then_make_no_wrong_ways),
        cmocka_unit_test(hashed_sets_and_nonsense_give_no_answer),
        cmocka_unit_test(joined_pages_are_no_page),
        cmocka_unit_test(colours_are_a_power_of_two_or_unknown),
        cmocka_unit_test(the_page_is_found_where_lines_are_fetched_in_pairs),
        cmocka_unit_test(live_ranges_end_at_the_first_step_that_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
