/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances between floating-point numbers in units in the last place. */
#include "model/report/distances.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static double wide(double a, double b)
{
    return kt_distance_ulps((const unsigned char *)&a, (const unsigned char *)&b, sizeof a);
}

static double narrow(float a, float b)
{
    return kt_distance_ulps((const unsigned char *)&a, (const unsigned char *)&b, sizeof a);
}

static void neighbours_are_one_apart(void **state)
{
    static const double some[] = {1, -1, 0.1, -3e300, DBL_MIN, -DBL_MIN, 5e-324, DBL_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_true(wide(some[i], nextafter(some[i], 0)) == 1);
        assert_true(wide(nextafter(some[i], 0), some[i]) == 1);
        assert_true(wide(some[i], some[i]) == 0);
    }
    assert_true(narrow(1, nextafterf(1, 2)) == 1);
    assert_true(narrow(-FLT_MAX, nextafterf(-FLT_MAX, 0)) == 1);
}

static void distances_go_through_zero(void **state)
{
    (void)state;
    assert_true(wide(0.0, -0.0) == 0);
    assert_true(wide(-5e-324, 5e-324) == 2);
    assert_true(narrow(0.0F, -0.0F) == 0);
    assert_true(wide(-DBL_MIN, DBL_MIN) == 2 * 0x1p52);
}

static void powers_of_two_are_so_many_apart(void **state)
{
    (void)state;
    assert_true(wide(1, 2) == 0x1p52);
    assert_true(narrow(1, 4) == 0x1p24);
    assert_true(wide(1.5, 1.5 + 0x1p-20) == 0x1p32);
}

static void no_number_is_infinitely_far_from_a_number(void **state)
{
    (void)state;
    assert_true(isinf(wide(NAN, 1)));
    assert_true(isinf(narrow(1, NAN)));
    assert_true(wide(NAN, -NAN) == 0);
    assert_true(wide(DBL_MAX, INFINITY) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_one_apart),
        cmocka_unit_test(distances_go_through_zero),
        cmocka_unit_test(powers_of_two_are_so_many_apart),
        cmocka_unit_test(no_number_is_infinitely_far_from_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
