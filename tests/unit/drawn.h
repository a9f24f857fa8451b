/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers of tests: each test begins with the same ones. */
#ifndef KT_TESTS_DRAWN_H
#define KT_TESTS_DRAWN_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t state;

/* No test's numbers depend on the tests before it. SEED=N: other numbers. A rate that a test asks for is three standard
 * deviations or more below the true one, so that it holds with nearly all of them. Many bits are set: otherwise the
 * first numbers are nearly 0. */
static int seed(void **unused)
{
    (void)unused;
    const char *asked = getenv("SEED");
    state = UINT64_C(0x9E3779B97F4A7C15) * (asked ? 2 * strtoull(asked, NULL, 10) + 1 : 1);
    return 0;
}

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

#define DRAWN(test) cmocka_unit_test_setup(test, seed)

#endif
