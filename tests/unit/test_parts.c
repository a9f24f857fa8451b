/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report's time is made of, group by group: shapes that were not replayed are in the sums and stand for nothing.
 */
#include "model/decomposition/parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct kt_time exactly(double seconds)
{
    return (struct kt_time){seconds, seconds, seconds};
}

/* Of ten calls in TOTAL seconds; WARM: of each, or NAN if it was not replayed. */
static struct kt_parts_shape a_shape(const struct kt_shape_group *group, double total, double warm)
{
    struct kt_parts_shape shape = {.group = group, .refusal = "why", .calls = {10, total, total / 10}};
    shape.times = (struct kt_context_times){
        .bound = isnan(warm) ? NAN : 0.001, .warm = exactly(warm), .cold = exactly(NAN), .tracked = exactly(NAN)};
    return shape;
}

static void what_was_not_replayed_stands_for_nothing(void **state)
{
    (void)state;
    struct kt_routine routine = {.name = "dgemm"};
    struct kt_entry entry = {.symbol = {.routine = &routine}};
    struct kt_shape_group group[] = {
        {.first = {.entry = &entry}, .number = 0},
        {.first = {.entry = &entry}, .number = 1},
        {.first = {.entry = &entry}, .number = 2},
    };
    struct kt_parts_shape shape[] = {a_shape(&group[0], 9, NAN), a_shape(&group[1], 3, 0.2),
                                     a_shape(&group[2], 0, NAN)};
    struct kt_by_caller nobody = {0};
    struct kt_parts parts;
    kt_parts_find(shape, 3, &nobody, NULL, &parts);
    assert_int_equal(parts.routines.count, 1);
    assert_int_equal(parts.routines.group[0].shape, 1);
    assert_true(parts.routines.group[0].heaviest == 3);
    assert_true(parts.routines.group[0].seconds == 12);
    assert_int_equal(parts.missings, 1);
    assert_true(parts.missing[0].seconds == 9);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(parts.shapes.group[i].shape, i); /* longest first, as they are here */
    kt_parts_free(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_not_replayed_stands_for_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
