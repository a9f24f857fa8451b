/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/clockrate.h"

#include "ktrace/clock.h"

#include <math.h>

/* An interruption falls into one of the pieces, and the fastest counts. */
enum { PIECES = 3, UNROLLED = 16, TURNS = 64, CHAIN = UNROLLED * TURNS };

static const double largest_jump = 0.03;

#define TWICE(x)  x x
#define UNROLL(x) TWICE(TWICE(TWICE(TWICE(x))))

#if defined(__x86_64__)
#define HAS_CHAIN 1
#define ADD       "add %1, %0\n\t"
#define MULTIPLY  "imul %1, %0\n\t"
#elif defined(__aarch64__)
#define HAS_CHAIN 1
#define ADD       "add %0, %0, %1\n\t"
#define MULTIPLY  "mul %0, %0, %1\n\t"
#else
#define HAS_CHAIN 0
#define ADD       ""
#define MULTIPLY  ""
#endif

static void chain_of_additions(void)
{
    uint64_t sum = 1;
    uint64_t one = 1;
    for (int i = 0; i < TURNS; i++)
        __asm__ volatile(UNROLL(ADD) : "+r"(sum) : "r"(one) : "cc");
}

static void chain_of_multiplications(void)
{
    uint64_t product = 3;
    uint64_t factor = 3;
    for (int i = 0; i < TURNS; i++)
        __asm__ volatile(UNROLL(MULTIPLY) : "+r"(product) : "r"(factor) : "cc");
}

/* Ticks of the fastest piece. The first reading waits for what was begun before. */
static double time_chain(void (*chain)(void))
{
    uint64_t least = UINT64_MAX;
    static uint64_t cost;
    if (!cost)
        cost = kt_clock_cost();
    for (int i = 0; i < PIECES; i++) {
        uint64_t start = kt_clock_stop();
        chain();
        uint64_t ticks = kt_clock_stop() - start;
        least = ticks < least ? ticks : least;
    }
    return least > cost ? (double)(least - cost) : 1;
}

double kt_clockrate(void)
{
    return HAS_CHAIN ? CHAIN / time_chain(chain_of_additions) : NAN;
}

double kt_clockrate_check(void)
{
    enum { TRIES = 20 };
    double add = INFINITY;
    double multiply = INFINITY;
    for (int i = 0; i < TRIES && HAS_CHAIN; i++) {
        add = fmin(add, time_chain(chain_of_additions));
        multiply = fmin(multiply, time_chain(chain_of_multiplications));
    }
    return multiply / add;
}

double kt_clockrate_cycles(double ticks, double before, double after)
{
    return ticks * (before + after) / 2;
}

bool kt_clockrate_jumped(double before, double after)
{
    return fabs(after - before) > largest_jump * fmax(before, after);
}
