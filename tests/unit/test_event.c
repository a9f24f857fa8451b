/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events: differences of every length, where memory ends behind them.
 */
#include "trace/files/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void signs_are_moved_to_the_lowest_bit(void **state)
{
    (void)state;
    static const int64_t order[] = {0, -1, 1, -2, 2, -3, 3};
    for (uint64_t i = 0; i < sizeof order / sizeof *order; i++) {
        assert_true(kt_zigzag((uint64_t)order[i]) == i);
        assert_true(kt_unzigzag(i) == (uint64_t)order[i]);
    }
    assert_true(kt_zigzag((uint64_t)INT64_MIN) == UINT64_MAX);
    assert_true(kt_unzigzag(UINT64_MAX) == (uint64_t)INT64_MIN);
    assert_true(kt_zigzag(INT64_MAX) == UINT64_MAX - 1);
    assert_true(kt_unzigzag(UINT64_MAX - 1) == INT64_MAX);
}

/* The value in the bytes that FORMAT.md says it is in: the fewest, or LENGTH of them if that is more. */
static size_t put(unsigned char *at, uint64_t value, size_t length)
{
    size_t fewest = 1;
    while (fewest < 8 && value >> (8 * fewest - 3))
        fewest++;
    length = length > fewest ? length : fewest;
    if (length >= 8) {
        *at = 7;
        memcpy(at + 1, &value, 8);
        return 9;
    }
    uint64_t bytes = value << 3 | (length - 1);
    memcpy(at, &bytes, length);
    return length;
}

/* A CALL whose only difference is at its end; other bits are set wherever there is room. */
static void read_back(uint64_t value, size_t least)
{
    unsigned char bytes[16];
    size_t length = put(bytes, value, least);
    size_t event_bytes = length > 8 ? 24 : 16;
    unsigned char *event = malloc(event_bytes);
    assert_non_null(event);
    for (size_t at = 8; at + length <= event_bytes; at++) {
        memset(event, 0xff, event_bytes);
        memcpy(event + at, bytes, length);
        assert_int_equal(kt_difference_bytes(event + at), length);
        assert_true(kt_zigzag(kt_difference_at(event + at, event + event_bytes)) == value);
    }
    free(event);
}

static void differences_have_any_length(void **state)
{
    (void)state;
    for (int bit = 0; bit < 64; bit++)
        for (uint64_t add = 0; add < 3; add++)
            for (size_t least = 1; least < 10; least++) {
                read_back(((uint64_t)1 << bit) + add - 1, least);
                read_back(~(((uint64_t)1 << bit) + add - 1), least);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_are_moved_to_the_lowest_bit),
        cmocka_unit_test(differences_have_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
