/* SPDX-License-Identifier: BSD-3-Clause */
/* Which seat calls of several threads have, and what they wait for. */
#include "replay/sequence/company.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const struct kt_process process = {.tick_seconds = 1e-6};
static const double longest = 500e-6;

/* Microseconds. */
static struct kt_seated seat(struct kt_company *company, uint32_t tid, uint64_t start, uint64_t us, bool opens)
{
    const struct kt_call call = {.process = &process, .tid = tid, .start = start, .ticks = us, .complete = true};
    return kt_company_seat(company, &call, opens, longest);
}

static void is(const struct kt_seated *found, unsigned number, double gap_us, double idle_us)
{
    assert_int_equal(found->seat, number);
    assert_true(fabs(found->gap * 1e6 - gap_us) < 1e-3);
    assert_true(fabs(found->idle * 1e6 - idle_us) < 1e-3);
}

static void gaps_of_threads(void **state)
{
    struct kt_company company = {0};
    (void)state;
    struct kt_seated a = seat(&company, 7, 1000, 100, true);
    struct kt_seated b = seat(&company, 8, 1030, 3000, false);
    struct kt_seated c = seat(&company, 7, 3100, 100, false); /* the other one is in a call: all of the gap counts */
    is(&a, 0, 0, 0);
    is(&b, 1, 30, 0);
    is(&c, 0, 2000, 0);
}

static void nobodys_company_is_cut(void **state)
{
    struct kt_company company = {0};
    (void)state;
    seat(&company, 7, 1000, 100, true);
    seat(&company, 8, 1000, 200, false);
    struct kt_seated a = seat(&company, 7, 9200, 100, false); /* 8 ms after the last of all calls */
    struct kt_seated b = seat(&company, 8, 9250, 100, false);
    is(&a, 0, 600, 500);
    is(&b, 1, 550, 0);
}

/* The second thread was in a call when the window began: there it begins at once. */
static void windows(void **state)
{
    struct kt_company company = {0};
    (void)state;
    seat(&company, 7, 1000, 100, false);
    seat(&company, 8, 1000, 900, false);
    struct kt_seated a = seat(&company, 7, 1200, 1000, true);
    struct kt_seated b = seat(&company, 8, 1905, 1000, false);
    struct kt_seated c = seat(&company, 9, 1950, 1000, false);
    is(&a, 0, 0, 0);
    is(&b, 1, 5, 0);
    is(&c, 2, 750, 0);
}

static void more_threads_than_seats(void **state)
{
    struct kt_company company = {0};
    (void)state;
    for (uint32_t i = 0; i < KT_COMPANY_MOST; i++)
        assert_int_equal(seat(&company, 100 + i, 1000 + i, i == 5 ? 1 : 1000, i == 0).seat, i);
    assert_int_equal(seat(&company, 200, 5000, 10, false).seat, 5); /* of who has been silent for longest */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_of_threads), cmocka_unit_test(nobodys_company_is_cut),
                                       cmocka_unit_test(windows), cmocka_unit_test(more_threads_than_seats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
