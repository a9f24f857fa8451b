/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As much of cmocka as the unit tests of pure logic use, for processors that there is no package of it for
 * (tests/portable/portable.sh).
 */
#ifndef KT_PORTABLE_CMOCKA_H
#define KT_PORTABLE_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

static jmp_buf failed;

#define cmocka_unit_test(function) \
    {                              \
#function, function        \
    }
#define print_message(...) printf(__VA_ARGS__)
#define assert_true(x)                                                 \
    do {                                                               \
        if (!(x)) {                                                    \
            printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #x); \
            longjmp(failed, 1);                                        \
        }                                                              \
    } while (0)
#define fail_msg(...)                    (printf("# " __VA_ARGS__), longjmp(failed, 1))
#define assert_false(x)                  assert_true(!(x))
#define assert_int_equal(a, b)           assert_true((long long)(a) == (long long)(b))
#define assert_int_not_equal(a, b)       assert_true((long long)(a) != (long long)(b))
#define assert_in_range(x, a, b)         assert_true((x) >= (a) && (x) <= (b))
#define assert_string_equal(a, b)        assert_true(!strcmp(a, b))
#define assert_non_null(p)               assert_true((p) != NULL)
#define assert_null(p)                   assert_true((p) == NULL)
#define assert_memory_equal(a, b, n)     assert_true(!memcmp(a, b, n))
#define assert_memory_not_equal(a, b, n) assert_true(memcmp(a, b, n))

static inline int run_all(const struct CMUnitTest *test, size_t n)
{
    static int bad;
    for (volatile size_t i = 0; i < n; i++) {
        void *state = NULL;
        if (setjmp(failed) == 0)
            test[i].run(&state);
        else {
            printf("# %s failed\n", test[i].name);
            bad++;
        }
    }
    return bad;
}
#define cmocka_run_group_tests(tests, setup, teardown) run_all(tests, sizeof(tests) / sizeof *(tests))

#endif
